//! A web of given files, for tests of downloads: each has a strong `ETag`,
//! answers conditional requests, and can be had in parts; some break off.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use http::header::{ACCEPT_RANGES, CONTENT_TYPE, ETAG};
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::conditional::{settle, tag};
use crate::elsewhere::bare;
use crate::message::{Body, Conduct, Request, Response, Web};
use crate::ranges::cut_out;

/// A web of files.
#[derive(Default)]
pub struct Shelf {
    files: HashMap<String, File>,
    asked: Mutex<HashMap<String, u32>>,
}

struct File {
    media_type: HeaderValue,
    content: Bytes,
    divisible: bool,
    /// The first answers end after so many bytes.
    cuts: Vec<u64>,
}

impl Shelf {
    /// Puts a file on the shelf.
    ///
    /// # Panics
    /// When `media_type` is not a legal field value.
    #[must_use]
    pub fn with(mut self, url: &str, media_type: &str, content: impl Into<Bytes>) -> Self {
        let media_type = media_type.parse().expect("a legal field value");
        let file = File { media_type, content: content.into(), divisible: true, cuts: Vec::new() };
        self.files.insert(url.to_owned(), file);
        self
    }

    /// Cuts the first answers for a file off: the first after so many bytes of
    /// its body, the second after so many, and so on.
    ///
    /// # Panics
    /// When there is no such file.
    #[must_use]
    pub fn cut(mut self, url: &str, after_bytes: &[u64]) -> Self {
        self.files.get_mut(url).expect("a file that was put on the shelf").cuts = after_bytes.to_vec();
        self
    }

    /// Gives a file out as a whole only.
    ///
    /// # Panics
    /// When there is no such file.
    #[must_use]
    pub fn whole(mut self, url: &str) -> Self {
        self.files.get_mut(url).expect("a file that was put on the shelf").divisible = false;
        self
    }
}

impl Web for Shelf {
    fn respond(&self, request: &Request) -> Response {
        let Some(file) = self.files.get(request.url.as_str()) else { return bare(StatusCode::NOT_FOUND) };
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, file.media_type.clone());
        headers.insert(ETAG, tag(&file.content));
        headers.insert(ACCEPT_RANGES, HeaderValue::from_static(if file.divisible { "bytes" } else { "none" }));
        let conduct = if request.method == http::Method::GET { self.conduct(request, file) } else { Conduct::Plain };
        let body = Body::Whole(file.content.clone());
        cut_out(request, settle(request, Response { status: StatusCode::OK, headers, body, conduct }))
    }
}

impl Shelf {
    fn conduct(&self, request: &Request, file: &File) -> Conduct {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let count = asked.entry(request.url.to_string()).or_default();
        let cut = file.cuts.get(*count as usize);
        *count += 1;
        cut.map_or(Conduct::Plain, |bytes| Conduct::Cut(*bytes))
    }
}

#[cfg(test)]
mod tests {
    use http::header::{IF_NONE_MATCH, RANGE};

    use super::*;

    const URL: &str = "http://files.example/dump.nt";

    fn shelf() -> Shelf {
        Shelf::default().with(URL, "application/n-triples", "0123456789")
    }

    #[test]
    fn a_download_is_cut_off_as_often_as_was_said_and_can_be_resumed() {
        let shelf = shelf().cut(URL, &[4, 3]);
        let conduct = |request: &Request| shelf.respond(request).conduct;

        assert_eq!(conduct(&Request::get(URL)), Conduct::Cut(4));
        let rest = shelf.respond(&Request::get(URL).with(RANGE, "bytes=4-"));
        assert_eq!((rest.status.as_u16(), rest.conduct), (206, Conduct::Cut(3)));
        assert_eq!(conduct(&Request::get(URL).with(RANGE, "bytes=7-")), Conduct::Plain);
    }

    #[test]
    fn a_file_is_known_by_its_tag_and_comes_whole_where_that_was_said() {
        let tag = shelf().respond(&Request::get(URL)).headers[ETAG].to_str().expect("ASCII").to_owned();

        assert_eq!(shelf().respond(&Request::get(URL).with(IF_NONE_MATCH, &tag)).status, 304);
        assert_eq!(shelf().whole(URL).respond(&Request::get(URL).with(RANGE, "bytes=4-")).status, 200);
        assert_eq!(shelf().respond(&Request::get("http://files.example/")).status, 404);
    }
}
