//! Local files of the user, as representations.

use lodeward::fetch::{Representation, ResponseBody};
use lodeward::model::Uri;
use url::Url;

/// Base for relative IRIs in a file: a URL that is never fetched.
pub(crate) const PLACEHOLDER_BASE: &str = "http://relative.invalid/";

/// A representation of a local file. If `content_type` is `None`, the name determines the format.
pub(crate) fn file_representation(name: &str, content_type: Option<String>, body: ResponseBody) -> Representation {
    let name = name.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or_default();
    Representation::new(file_uri(name), content_type, body)
}

/// A placeholder URL that ends in the name of the file, so that its extension is known.
fn file_uri(name: &str) -> Uri {
    let mut url = Url::parse(PLACEHOLDER_BASE).expect("the placeholder base is a valid URL");
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.push(name);
    }
    let known = Uri::parse(url.as_str());
    known.unwrap_or_else(|_| Uri::parse(PLACEHOLDER_BASE).expect("the placeholder base is a valid URL"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_of_a_file_ends_with_its_name() {
        let check = |name: &str, expected: &str| {
            let body = ResponseBody::Buffered { bytes: bytes::Bytes::new(), truncation: None };
            let found = file_representation(name, None, body);
            assert_eq!(found.uri.as_str(), format!("{PLACEHOLDER_BASE}{expected}"), "{name}");
        };

        check("links.ttl.gz", "links.ttl.gz");
        check("some/where/links.nt", "links.nt");
        check("what? no#name%.nt", "what%3F%20no%23name%25.nt");
        check("", "");
        check("..", "");
    }
}
