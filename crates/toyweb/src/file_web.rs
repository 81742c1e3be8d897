//! A web of fixed files, for tests of downloads. Each file has a strong `ETag`, supports conditional requests and range
//! requests. Responses can be truncated.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use http::header::{ACCEPT_RANGES, CONTENT_TYPE, ETAG};
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::conditional::{apply_preconditions, strong_etag};
use crate::message::{DeliveryFault, Web, WebBody, WebRequest, WebResponse};
use crate::ranges::apply_range;
use crate::unknown_hosts::status_response;

/// A web of files.
#[derive(Default)]
pub struct FileWeb {
    files: HashMap<String, WebFile>,
    request_counts: Mutex<HashMap<String, u32>>,
}

struct WebFile {
    media_type: HeaderValue,
    content: Bytes,
    divisible: bool,
    /// The lengths in bytes to which the first responses are truncated, in order.
    cuts: Vec<u64>,
}

impl FileWeb {
    /// Adds a file.
    ///
    /// # Panics
    /// When `media_type` is not a legal field value.
    #[must_use]
    pub fn with_file(mut self, url: &str, media_type: &str, content: impl Into<Bytes>) -> Self {
        let media_type = media_type.parse().expect("`media_type` is a legal field value");
        let file = WebFile { media_type, content: content.into(), divisible: true, cuts: Vec::new() };
        self.files.insert(url.to_owned(), file);
        self
    }

    /// Truncates the first responses for a file: `after_bytes[0]` is the length of the first body, and so on.
    ///
    /// # Panics
    /// When there is no such file.
    #[must_use]
    pub fn with_truncation(mut self, url: &str, after_bytes: &[u64]) -> Self {
        self.files.get_mut(url).expect("the web has a file at `url`").cuts = after_bytes.to_vec();
        self
    }

    /// Serves a file without support for ranges.
    ///
    /// # Panics
    /// When there is no such file.
    #[must_use]
    pub fn without_ranges(mut self, url: &str) -> Self {
        self.files.get_mut(url).expect("the web has a file at `url`").divisible = false;
        self
    }
}

impl Web for FileWeb {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        let Some(file) = self.files.get(request.url.as_str()) else { return status_response(StatusCode::NOT_FOUND) };
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, file.media_type.clone());
        headers.insert(ETAG, strong_etag(&file.content));
        headers.insert(ACCEPT_RANGES, HeaderValue::from_static(if file.divisible { "bytes" } else { "none" }));
        let delivery =
            if request.method == http::Method::GET { self.delivery_fault(request, file) } else { DeliveryFault::Plain };
        let body = WebBody::Whole(file.content.clone());
        apply_range(
            request,
            apply_preconditions(request, WebResponse { status: StatusCode::OK, headers, body, delivery }),
        )
    }
}

impl FileWeb {
    fn delivery_fault(&self, request: &WebRequest, file: &WebFile) -> DeliveryFault {
        let mut counts = self.request_counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(request.url.to_string()).or_default();
        let cut = file.cuts.get(*count as usize);
        *count += 1;
        cut.map_or(DeliveryFault::Plain, |bytes| DeliveryFault::TruncatedAfter(*bytes))
    }
}

#[cfg(test)]
mod tests {
    use http::header::{IF_NONE_MATCH, RANGE};

    use super::*;

    const URL: &str = "http://files.example/dump.nt";

    fn file_web() -> FileWeb {
        FileWeb::default().with_file(URL, "application/n-triples", "0123456789")
    }

    #[test]
    fn a_download_is_truncated_once_per_configured_length_and_can_be_resumed() {
        let file_web = file_web().with_truncation(URL, &[4, 3]);
        let delivery = |request: &WebRequest| file_web.respond(request).delivery;

        assert_eq!(delivery(&WebRequest::get(URL)), DeliveryFault::TruncatedAfter(4));
        let rest = file_web.respond(&WebRequest::get(URL).with_header(RANGE, "bytes=4-"));
        assert_eq!((rest.status.as_u16(), rest.delivery), (206, DeliveryFault::TruncatedAfter(3)));
        assert_eq!(delivery(&WebRequest::get(URL).with_header(RANGE, "bytes=7-")), DeliveryFault::Plain);
    }

    #[test]
    fn an_etag_yields_304_and_a_file_without_ranges_is_sent_whole() {
        let tag = file_web().respond(&WebRequest::get(URL)).headers[ETAG].to_str().expect("ASCII").to_owned();

        assert_eq!(file_web().respond(&WebRequest::get(URL).with_header(IF_NONE_MATCH, &tag)).status, 304);
        assert_eq!(
            file_web().without_ranges(URL).respond(&WebRequest::get(URL).with_header(RANGE, "bytes=4-")).status,
            200
        );
        assert_eq!(file_web().respond(&WebRequest::get("http://files.example/")).status, 404);
    }
}
