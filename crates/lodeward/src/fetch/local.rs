//! Files of the user's own, as if they came from the web.

use url::Url;

use super::{Body, Representation};
use crate::model::Uri;

/// What IRIs in a file are relative to: nothing that could be visited.
pub(crate) const NOWHERE: &str = "http://relative.invalid/";

impl Representation {
    /// A file. Its name says what it is written in, if no content type does.
    pub(crate) fn of_file(name: &str, content_type: Option<String>, body: Body) -> Self {
        let name = name.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or_default();
        let uri = address(name);
        Self { uri, status: 200, content_type, etag: None, last_modified: None, links: Vec::new(), body }
    }
}

/// An address for a file, with its extension.
fn address(name: &str) -> Uri {
    let mut url = Url::parse(NOWHERE).expect("it is an address");
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.push(name);
    }
    Uri::from_url(url).unwrap_or_else(|_| Uri::parse(NOWHERE).expect("it is an address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_file_ends_as_its_name_does() {
        let check = |name: &str, expected: &str| {
            let body = Body::Whole { bytes: bytes::Bytes::new(), cut: None };
            let found = Representation::of_file(name, None, body);
            assert_eq!(found.uri.as_str(), format!("{NOWHERE}{expected}"), "{name}");
        };

        check("links.ttl.gz", "links.ttl.gz");
        check("some/where/links.nt", "links.nt");
        check("what? no#name%.nt", "what%3F%20no%23name%25.nt");
        check("", "");
        check("..", "");
    }
}
