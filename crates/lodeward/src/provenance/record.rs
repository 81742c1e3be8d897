//! What is known of how a document was had.

use serde::{Deserialize, Serialize};

use crate::model::Uri;

/// How a document was had, and what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// When it was asked for, in milliseconds since the Unix epoch.
    pub requested_at_ms: u64,
    /// When all of it had been read.
    pub fetched_at_ms: u64,
    /// The redirects that led to it, the first one first. As many as are known:
    /// the last is always there, if there was one.
    pub redirects: Vec<Redirect>,
    /// The status code of the answer. One that brings no document tells that it is
    /// gone.
    pub status: u16,
    /// The `Content-Type` field, as declared.
    pub declared: Option<String>,
    /// The syntax it turned out to be in, by its short name: `turtle`, `html`.
    pub syntax: String,
    /// Quads by the syntax they were written in: `rdfa`, `microdata`.
    pub quads_by_syntax: Vec<(String, u64)>,
    /// Bytes, after decompression.
    pub bytes: u64,
    /// xxh3-64 of those bytes; 0 when they were streamed.
    pub digest: u64,
    /// The `ETag` field.
    pub etag: Option<String>,
    /// The `Last-Modified` field.
    pub last_modified: Option<String>,
    /// What could not be read.
    pub faults: Vec<Problem>,
    /// What we called ourselves.
    pub user_agent: String,
}

impl Provenance {
    /// Whether this is the end of a document: its server said that it is gone, or
    /// elsewhere.
    #[must_use]
    pub fn is_end(&self) -> bool {
        !matches!(self.status, 200 | 203)
    }
}

/// A redirect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirect {
    /// Who pointed elsewhere.
    pub from: Uri,
    /// With which status code.
    pub status: u16,
}

/// A fault, by name: names stay when the list of them grows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// What sort of thing: the name of a [`FaultKind`](crate::model::FaultKind).
    pub kind: String,
    /// In words.
    pub detail: String,
}

#[cfg(test)]
impl Provenance {
    /// Something to tell apart by a number.
    pub(crate) fn sample(number: u64) -> Self {
        Self {
            requested_at_ms: 1_700_000_000_000 + 1_000 * number,
            fetched_at_ms: 1_700_000_000_250 + 1_000 * number,
            redirects: vec![Redirect {
                from: Uri::parse(&format!("http://a.example/id/{number}")).unwrap(),
                status: 303,
            }],
            status: 200,
            declared: Some("text/turtle; charset=utf-8".to_owned()),
            syntax: "turtle".to_owned(),
            quads_by_syntax: vec![("turtle".to_owned(), number)],
            bytes: 100 * number,
            digest: 0xABCD_EF00_1234_5678 ^ number,
            etag: Some(format!("\"v{number}\"")),
            last_modified: Some("Sun, 06 Nov 1994 08:49:37 GMT".to_owned()),
            faults: vec![Problem { kind: "syntax".to_owned(), detail: "line 7: not a statement".to_owned() }],
            user_agent: "lodeward/0.1.0 (+me@a.example)".to_owned(),
        }
    }
}
