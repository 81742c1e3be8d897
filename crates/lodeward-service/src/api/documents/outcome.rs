//! How the life of a URI ended, as answers tell it.

use std::collections::BTreeMap;

use lodeward::model::{self, outcome};
use lodeward::provenance;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::moment::Moment;

/// How the life of a URI ended.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Outcome {
    /// A document was had.
    Document(Document),
    /// The server pointed elsewhere.
    Redirected(Redirected),
    /// It could not be had.
    Failed(Failed),
    /// It was never asked for.
    Dropped(Dropped),
    /// It was there once, and is no more.
    Vanished(Vanished),
}

/// What was found in a document.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = DocumentOutcome)]
pub(super) struct Document {
    /// When it was had.
    fetched_at: Moment,
    /// The media type that its server declared.
    declared: Option<String>,
    /// The syntax that it turned out to be in.
    syntax: String,
    /// Bytes, after decompression.
    bytes: u64,
    /// Quads stored.
    quads: u64,
    /// Of those, how many were written in which syntax.
    quads_by_syntax: BTreeMap<String, u64>,
    /// Links found.
    links: u32,
    /// Whether it holds RDF: `rdf`, `og-only`, `xhv-only`, `none`.
    relevance: String,
    /// What could not be read.
    faults: Vec<Fault>,
}

/// Where a server pointed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct Redirected {
    /// The status code.
    status: u16,
    /// The target, if it is one that can be followed.
    target: Option<String>,
}

/// Why something could not be had.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct Failed {
    /// What went wrong.
    fault: Fault,
}

/// Why something was never asked for.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct Dropped {
    /// In a word: `robots`, `depth`, `pld-limit`, …
    reason: String,
}

/// Since when something is gone.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct Vanished {
    /// When that was first seen.
    since: Moment,
    /// When it was last there.
    last_had: Moment,
    /// What its server says.
    fault: Fault,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct Fault {
    /// What sort of thing, in a word: `dns`, `timeout`, `status`, …
    sort: String,
    /// In words.
    detail: String,
}

impl From<&model::Fault> for Fault {
    fn from(fault: &model::Fault) -> Self {
        Self { sort: fault.kind.name().to_owned(), detail: fault.detail.clone() }
    }
}

impl From<provenance::Problem> for Fault {
    fn from(provenance::Problem { kind, detail }: provenance::Problem) -> Self {
        Self { sort: kind, detail }
    }
}

impl From<&model::Outcome> for Outcome {
    fn from(outcome: &model::Outcome) -> Self {
        match outcome {
            model::Outcome::Document(document) => Self::Document(document.into()),
            model::Outcome::Redirected { status, target } => {
                let target = target.as_ref().map(|target| target.as_str().to_owned());
                Self::Redirected(Redirected { status: *status, target })
            }
            model::Outcome::Failed(fault) => Self::Failed(Failed { fault: fault.into() }),
            model::Outcome::Dropped(reason) => Self::Dropped(Dropped { reason: reason.name().to_owned() }),
            model::Outcome::Vanished { since_ms, last_had_ms, fault } => Self::Vanished(Vanished {
                since: Moment::of_ms(*since_ms),
                last_had: Moment::of_ms(*last_had_ms),
                fault: fault.into(),
            }),
        }
    }
}

impl From<&outcome::Document> for Document {
    fn from(document: &outcome::Document) -> Self {
        Self {
            fetched_at: Moment::of_ms(document.fetched_at_ms),
            declared: document.declared.clone(),
            syntax: document.syntax.clone(),
            bytes: document.bytes,
            quads: document.quads,
            quads_by_syntax: document.quads_by_syntax.iter().cloned().collect(),
            links: document.links,
            relevance: document.relevance.name().to_owned(),
            faults: document.faults.iter().map(Fault::from).collect(),
        }
    }
}
