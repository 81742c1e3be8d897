//! The facts of one fetch, from the response to the provenance record.

use serde::{Deserialize, Serialize};

use super::Fault;

/// The facts of the fetch of a document. The fetcher fills in the header fields, the errand what the extractor found,
/// and the engine the time. Stored with the outcome of the URI and with the provenance of the document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchFacts {
    /// The status code. In the provenance of a document, any status other than 200 and 203 means that the document was
    /// deleted.
    pub status: u16,
    /// The `Content-Type` field, as declared: often missing or wrong.
    pub declared_media_type: Option<String>,
    /// The validators of the response; empty if the document was truncated.
    pub validators: Validators,
    /// Time when the document had been read completely, in milliseconds since the Unix epoch.
    pub fetched_at_ms: u64,
    /// The detected format, by its short name: `turtle`, `html`.
    pub format: String,
    /// Size in bytes, after decompression.
    pub bytes: u64,
    /// xxh3-64 of the decompressed bytes; 0 if the body was streamed.
    pub digest: u64,
    /// Number of quads by the format they were written in: `rdfa`, `microdata`.
    pub quads_by_format: Vec<(String, u64)>,
    /// Parts that could not be read, with reasons.
    pub faults: Vec<Fault>,
    /// What the publisher states about the use of the document.
    pub terms: Box<UsageTerms>,
}

impl FetchFacts {
    /// The fault that truncated the document, if there is one.
    #[must_use]
    pub(crate) fn truncation(&self) -> Option<&Fault> {
        self.faults.iter().find(|fault| fault.kind.is_truncation())
    }
}

/// What a publisher states about the use of a document, in the header or in the document itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageTerms {
    /// The IRIs of its licences: `Link` fields and elements with `rel=license`, and statements about the document.
    pub licenses: Vec<String>,
    /// Whether the rights to text and data mining are reserved (TDM Reservation Protocol), if it says so.
    pub tdm_reservation: Option<bool>,
    /// The URL of the policy by which these rights are licensed.
    pub tdm_policy: Option<String>,
}

/// The validators of a representation (RFC 9110, 8.8).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// The `ETag` field.
    pub etag: Option<String>,
    /// The `Last-Modified` field.
    pub last_modified: Option<String>,
}

impl Validators {
    /// Whether a request cannot be made conditional with them.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}
