//! The provenance record of a document.

use serde::{Deserialize, Serialize};

use super::{FetchFacts, Uri};

/// How and when a document was fetched, and its properties.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Time of the request, in milliseconds since the Unix epoch.
    pub requested_at_ms: u64,
    /// The redirects that led to the document, in order. Earlier ones may be unknown; the last one is always present.
    pub redirects: Vec<RedirectRecord>,
    /// The facts of the fetch.
    pub fetch: FetchFacts,
    /// The `User-Agent` of the request.
    pub user_agent: String,
}

impl Provenance {
    /// Whether this records a deletion: the server returned a permanent error or a redirect.
    #[must_use]
    pub fn is_removal(&self) -> bool {
        !matches!(self.fetch.status, 200 | 203)
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

#[cfg(any(test, feature = "test-util"))]
use super::{Fault, FaultKind, Validators};

#[cfg(any(test, feature = "test-util"))]
impl Provenance {
    /// A sample identified by a number.
    #[must_use]
    pub fn sample(number: u64) -> Self {
        let from = Uri::parse(&format!("http://a.example/id/{number}")).unwrap();
        let last_modified = Some("Sun, 06 Nov 1994 08:49:37 GMT".to_owned());
        Self {
            requested_at_ms: 1_700_000_000_000 + 1_000 * number,
            redirects: vec![RedirectRecord { from, status: 303 }],
            fetch: FetchFacts {
                status: 200,
                declared_media_type: Some("text/turtle; charset=utf-8".to_owned()),
                validators: Validators { etag: Some(format!("\"v{number}\"")), last_modified },
                fetched_at_ms: 1_700_000_000_250 + 1_000 * number,
                format: "turtle".to_owned(),
                bytes: 100 * number,
                digest: 0xABCD_EF00_1234_5678 ^ number,
                quads_by_format: vec![("turtle".to_owned(), number)],
                faults: vec![Fault::new(FaultKind::Syntax, "line 7: not a statement")],
                terms: Box::default(),
            },
            user_agent: "lodeward/0.1.0 (+me@a.example)".to_owned(),
        }
    }
}
