//! The provenance record of a document.

use serde::{Deserialize, Serialize};

use crate::model::Uri;

/// How and when a document was fetched, and its properties.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Time of the request, in milliseconds since the Unix epoch.
    pub requested_at_ms: u64,
    /// Time when the document had been read completely, in milliseconds since the Unix epoch.
    pub fetched_at_ms: u64,
    /// The redirects that led to the document, in order. Earlier ones may be unknown; the last one is always present.
    pub redirects: Vec<RedirectRecord>,
    /// The status code of the response. Any status other than 200 and 203 means that the document was deleted.
    pub status: u16,
    /// The `Content-Type` field, as declared.
    pub declared_media_type: Option<String>,
    /// The detected format, by its short name: `turtle`, `html`.
    pub format: String,
    /// Number of quads by the format they were written in: `rdfa`, `microdata`.
    pub quads_by_format: Vec<(String, u64)>,
    /// Size in bytes, after decompression.
    pub bytes: u64,
    /// xxh3-64 of the decompressed bytes; 0 if the body was streamed.
    pub digest: u64,
    /// The `ETag` field.
    pub etag: Option<String>,
    /// The `Last-Modified` field.
    pub last_modified: Option<String>,
    /// Faults: parts that could not be read, with reasons.
    pub faults: Vec<FaultRecord>,
    /// The `User-Agent` of the request.
    pub user_agent: String,
}

impl Provenance {
    /// Whether this records a deletion: the server returned a permanent error or a redirect.
    #[must_use]
    pub fn is_removal(&self) -> bool {
        !matches!(self.status, 200 | 203)
    }
}

/// A redirect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedirectRecord {
    /// The redirecting URI.
    pub from: Uri,
    /// The status code.
    pub status: u16,
}

/// A fault, stored by name: names remain valid when the list of kinds grows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultRecord {
    /// The name of a [`FaultKind`](crate::model::FaultKind).
    pub kind: String,
    /// What could not be read, and why.
    pub detail: String,
}

#[cfg(any(test, feature = "test-util"))]
impl Provenance {
    /// A sample identified by a number.
    #[must_use]
    pub fn sample(number: u64) -> Self {
        Self {
            requested_at_ms: 1_700_000_000_000 + 1_000 * number,
            fetched_at_ms: 1_700_000_000_250 + 1_000 * number,
            redirects: vec![RedirectRecord {
                from: Uri::parse(&format!("http://a.example/id/{number}")).unwrap(),
                status: 303,
            }],
            status: 200,
            declared_media_type: Some("text/turtle; charset=utf-8".to_owned()),
            format: "turtle".to_owned(),
            quads_by_format: vec![("turtle".to_owned(), number)],
            bytes: 100 * number,
            digest: 0xABCD_EF00_1234_5678 ^ number,
            etag: Some(format!("\"v{number}\"")),
            last_modified: Some("Sun, 06 Nov 1994 08:49:37 GMT".to_owned()),
            faults: vec![FaultRecord { kind: "syntax".to_owned(), detail: "line 7: not a statement".to_owned() }],
            user_agent: "lodeward/0.1.0 (+me@a.example)".to_owned(),
        }
    }
}
