//! Compresses JSON responses, and adds entity tags to them.
//!
//! Only complete bodies are encoded: streams (downloads, results of queries, events) pass unchanged.
//! An entity tag is weak, because the compressed and the plain body have the same one. A client that
//! sends it back in `If-None-Match` gets 304 without a body if nothing has changed: the response is
//! computed, but not sent.

use std::io::Write as _;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use xxhash_rust::xxh3::xxh3_128;

/// Smaller bodies fit into one packet, so they are not compressed.
const MIN_COMPRESSED_BYTES: usize = 1_000;

/// Larger bodies are sent as they are: compressing them would occupy a thread for long.
const MAX_ENCODED_BYTES: u64 = 32 << 20;

/// Larger bodies are compressed on a blocking thread.
const MAX_INLINE_BYTES: usize = 64 << 10;

/// What the client of a request accepts.
pub(crate) struct AcceptedEncoding {
    gzip: bool,
    is_get: bool,
    known_tags: Vec<HeaderValue>,
}

impl AcceptedEncoding {
    pub(crate) fn from_request(method: &Method, headers: &HeaderMap) -> Self {
        Self {
            gzip: accepts_gzip(headers),
            is_get: *method == Method::GET,
            known_tags: headers.get_all(IF_NONE_MATCH).iter().cloned().collect(),
        }
    }

    /// Encodes a response, if it is JSON.
    pub(crate) async fn encode(self, response: Response) -> Response {
        let is_encodable = is_json(response.headers())
            && !response.headers().contains_key(CONTENT_ENCODING)
            && !response.headers().contains_key(ETAG)
            && response.body().size_hint().exact().is_some_and(|bytes| bytes > 0 && bytes <= MAX_ENCODED_BYTES);
        if !is_encodable {
            return response;
        }
        let (mut parts, body) = response.into_parts();
        let Ok(collected) = body.collect().await else {
            return Response::from_parts(parts, Body::empty());
        };
        let bytes = collected.to_bytes();
        parts.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
        if self.is_get && parts.status == StatusCode::OK {
            let tag = format!("W/\"{:032x}\"", xxh3_128(&bytes));
            let is_known = self.known_tags.iter().any(|known| names_tag(known, &tag));
            parts.headers.insert(ETAG, HeaderValue::from_str(&tag).expect("hexadecimal digits are valid"));
            // A browser may store the response, but must ask before it uses it again.
            parts.headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-cache"));
            if is_known {
                parts.status = StatusCode::NOT_MODIFIED;
                parts.headers.remove(CONTENT_TYPE);
                parts.headers.remove(CONTENT_LENGTH);
                return Response::from_parts(parts, Body::empty());
            }
        }
        if !self.gzip || bytes.len() < MIN_COMPRESSED_BYTES {
            return Response::from_parts(parts, Body::from(bytes));
        }
        parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        parts.headers.remove(CONTENT_LENGTH);
        Response::from_parts(parts, Body::from(compress(bytes).await))
    }
}

/// Whether a client accepts gzip (RFC 9110 §12.5.3).
pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let fields = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let codings = fields.flat_map(|field| field.split(','));
    codings.map(|coding| coding.trim().split(';').map(str::trim)).any(|mut parts| {
        let name = parts.next().unwrap_or_default();
        let is_rejected = parts.any(|part| part.strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0)));
        (name.eq_ignore_ascii_case("gzip") || name == "*") && !is_rejected
    })
}

fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// Whether the value of `If-None-Match` names this weak tag (RFC 9110 §13.1.2).
fn names_tag(field: &HeaderValue, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let Ok(field) = field.to_str() else { return false };
    field.trim() == "*" || field.split(',').any(|known| opaque(known) == opaque(tag))
}

async fn compress(bytes: Bytes) -> Vec<u8> {
    if bytes.len() <= MAX_INLINE_BYTES {
        return gzip(&bytes);
    }
    tokio::task::spawn_blocking(move || gzip(&bytes)).await.expect("compressing does not panic")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to memory cannot fail")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_match_whether_they_are_weak_or_strong() {
        let check = |field: &'static str| names_tag(&HeaderValue::from_static(field), "W/\"ab\"");

        assert!(check("W/\"ab\"") && check("\"ab\"") && check("\"x\", W/\"ab\"") && check("*"));
        assert!(!check("\"abc\"") && !check("") && !check("W/ab"));
    }

    #[test]
    fn gzip_is_used_only_if_the_client_accepts_it() {
        let accepts = |value: &'static str| {
            accepts_gzip(&HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(value))]))
        };

        assert!(accepts("gzip") && accepts("br, GZIP;q=0.5") && accepts("*"));
        assert!(!accepts("identity") && !accepts("gzip;q=0, br") && !accepts("gzip; q=0.0") && !accepts(""));
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
