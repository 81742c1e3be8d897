//! Outcomes of URIs, as in responses.

use std::collections::BTreeMap;

use lodeward::model::{self, outcome};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::timestamp::Timestamp;

/// The outcome of a URI.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[schema(as = Outcome)]
pub(super) enum OutcomeView {
    /// A document was fetched.
    Document(DocumentOutcomeView),
    /// The server redirected the request.
    Redirected(RedirectOutcomeView),
    /// The request failed.
    Failed(FailureOutcomeView),
    /// The URI was never requested.
    Dropped(DropOutcomeView),
    /// The document was deleted on its server.
    Deleted(DeletedOutcomeView),
}

/// A fetched document.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = DocumentOutcome)]
pub(super) struct DocumentOutcomeView {
    /// When the document was fetched.
    fetched_at: Timestamp,
    /// Media type that the server declared.
    declared_media_type: Option<String>,
    /// Format that was detected.
    format: String,
    /// Size after decompression, in bytes.
    bytes: u64,
    /// Number of quads stored.
    quads: u64,
    /// Number of quads by format.
    quads_by_format: BTreeMap<String, u64>,
    /// Number of links found.
    links: u32,
    /// Kind of RDF: `rdf`, `og-only`, `xhv-only`, `none`.
    relevance: String,
    /// Faults found in the document.
    faults: Vec<FaultView>,
}

/// A redirect.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = RedirectOutcome)]
pub(super) struct RedirectOutcomeView {
    /// Status code of the redirect.
    status: u16,
    /// Target of the redirect, if it can be followed.
    target: Option<String>,
}

/// A failed request.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = FailureOutcome)]
pub(super) struct FailureOutcomeView {
    /// Why the request failed.
    fault: FaultView,
}

/// Why a URI was not requested.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = DropOutcome)]
pub(super) struct DropOutcomeView {
    /// Reason why the URI was not requested: `robots`, `depth`, `domain-limit`, …
    reason: String,
}

/// A deleted document.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = DeletedOutcome)]
pub(super) struct DeletedOutcomeView {
    /// When a request first showed that the document was deleted.
    deleted_at: Timestamp,
    /// When the document was last fetched.
    last_seen_at: Timestamp,
    /// The fault that shows that the document was deleted.
    fault: FaultView,
}

/// A fault of a request or of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Fault)]
pub(super) struct FaultView {
    /// Kind of the fault: `dns`, `timeout`, `status`, …
    kind: String,
    /// Description of the fault.
    detail: String,
}

impl From<&model::Fault> for FaultView {
    fn from(fault: &model::Fault) -> Self {
        Self { kind: fault.kind.name().to_owned(), detail: fault.detail.clone() }
    }
}

impl From<&model::Outcome> for OutcomeView {
    fn from(outcome: &model::Outcome) -> Self {
        match outcome {
            model::Outcome::Document(document) => Self::Document(document.into()),
            model::Outcome::Redirected { status, target } => {
                let target = target.as_ref().map(|target| target.as_str().to_owned());
                Self::Redirected(RedirectOutcomeView { status: *status, target })
            }
            model::Outcome::Failed(fault) => Self::Failed(FailureOutcomeView { fault: fault.into() }),
            model::Outcome::Dropped(reason) => Self::Dropped(DropOutcomeView { reason: reason.name().to_owned() }),
            model::Outcome::Deleted { since_ms, last_seen_ms, fault } => Self::Deleted(DeletedOutcomeView {
                deleted_at: Timestamp::from_ms(*since_ms),
                last_seen_at: Timestamp::from_ms(*last_seen_ms),
                fault: fault.into(),
            }),
        }
    }
}

impl From<&outcome::DocumentSummary> for DocumentOutcomeView {
    fn from(document: &outcome::DocumentSummary) -> Self {
        let fetch = &document.fetch;
        Self {
            fetched_at: Timestamp::from_ms(fetch.fetched_at_ms),
            declared_media_type: fetch.declared_media_type.clone(),
            format: fetch.format.clone(),
            bytes: fetch.bytes,
            quads: document.quads,
            quads_by_format: fetch.quads_by_format.iter().cloned().collect(),
            links: document.links,
            relevance: document.relevance.name().to_owned(),
            faults: fetch.faults.iter().map(FaultView::from).collect(),
        }
    }
}
