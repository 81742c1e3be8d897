//! Selection: decides which URIs are fetched, and in which order.
//!
//! A [`Strategy`] gives every link a priority while its context is known, judges every lease before
//! it is fetched, and learns from every result. It has no clock and does no I/O; its randomness
//! comes from the seed of the crawl.
//!
//! Offering, judging and learning are one trait, not three, because they use the same model.

pub mod breadth_first;
pub mod facts;
pub mod ftrl;
pub(crate) mod generational_cache;
pub mod feature_hash;
pub mod learned;
pub(crate) mod feature_names;
pub(crate) mod media_type_memory;
pub(crate) mod url_similarity;
pub(crate) mod thompson;
pub(crate) mod model_file;
pub mod model_summary;
pub mod ldcoc;
pub mod link_analysis;
pub mod baselines;
mod options;

pub use breadth_first::BreadthFirstStrategy;
pub use facts::{Facts, FactsOptions};
pub(crate) use feature_names::FeatureNames;
pub use options::{LinkAnalysisOptions, StrategyOptions};

use std::sync::Arc;

use rand::rngs::SmallRng;

use crate::frontier::{DomainOrder, Lease, Offer, QueueEntry};
use crate::model::{Link, Pld, Relevance, Uri, Verdict};

/// Decides how a crawl spends its requests.
pub trait Strategy: Send + Sync {
    /// Offers the links of one document to the frontier, or drops them. None of the links was known
    /// before.
    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer>;

    /// Judges a lease before it is fetched. It may be called again for the same URI: if the slot of the lease is used
    /// to resolve the host or to fetch robots.txt, if the domain must wait, or after a failure. So it must not count
    /// calls as requests.
    fn judge(&mut self, lease: &Lease, rng: &mut SmallRng) -> Judgement;

    /// Learns from a finished request.
    fn learn(&mut self, result: &RequestResult<'_>);

    /// Options for reading facts from documents; `None` if no facts are needed.
    fn facts_options(&self) -> Option<Arc<FactsOptions>> {
        None
    }

    /// Receives the facts of a document, before its links are offered. Called only if
    /// [`facts_options`](Self::facts_options) is set.
    fn read_facts(&mut self, _lease: &Lease, _facts: &Facts) {}

    /// Whether scores have changed since the last call, so that queued URIs must be scored again.
    fn scores_changed(&mut self) -> bool {
        false
    }

    /// The current priority of a queued URI. Called only if the order is [`DomainOrder::BestFirst`]
    /// or [`DomainOrder::Sampled`].
    fn score(&mut self, candidate: &QueueEntry, _rng: &mut SmallRng) -> f32 {
        candidate.priority
    }

    /// Order in which domains are chosen.
    fn order(&self) -> DomainOrder {
        DomainOrder::RoundRobin
    }

    /// The score of a domain whose best candidate has the score `best`. Called only if the order is
    /// [`DomainOrder::Sampled`].
    fn sample_domain_score(&mut self, _pld: &Pld, best: f32, _rng: &mut SmallRng) -> f32 {
        best
    }

    /// While the domain of a candidate is rate-limited, candidates with less than this share of its score are deferred;
    /// `None` to defer none. Used only if the order is [`DomainOrder::BestFirst`].
    fn deferral_share(&self) -> Option<f32> {
        None
    }

    /// Explains the score of a candidate by the current model.
    fn explain(&self, _candidate: &QueueEntry) -> Option<Verdict> {
        None
    }

    /// The name of a feature of a [`Verdict`], if it is stored.
    fn feature_name(&self, _feature: u32) -> Option<&str> {
        None
    }

    /// The trained model, to be stored; `None` if there is none.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }
}

/// A strategy cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StrategyError {
    /// A file cannot be read.
    #[error("cannot read {path}")]
    File {
        /// Path of the file.
        path: std::path::PathBuf,
        /// Error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// A model is invalid, or of another strategy.
    #[error("{0}")]
    Model(String),
    /// A setting is invalid for the strategy.
    #[error("{0}")]
    Setting(String),
}

/// Where links were found.
#[derive(Clone, Copy, Debug)]
pub struct LinkContext<'a> {
    /// URL of the document that has the links; `None` for seeds.
    pub source: Option<&'a Uri>,
    /// The lease with which the document was fetched; `None` for seeds.
    pub lease: Option<&'a Lease>,
    /// Short name of the document's format; empty for seeds and redirects.
    pub format: &'a str,
    /// Whether the document holds RDF.
    pub relevance: Relevance,
    /// Number of hops from the nearest seed to the targets.
    pub depth: u16,
    /// Number of consecutive redirects that led to the targets.
    pub redirects: u8,
}

/// Result of [`Strategy::judge`].
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What to do with the lease.
    pub decision: Decision,
    /// Explanation of the decision, stored so that users can read it.
    pub verdict: Option<Verdict>,
}

impl Judgement {
    /// Creates a judgement without explanation.
    #[must_use]
    pub fn without_verdict(decision: Decision) -> Self {
        Self { decision, verdict: None }
    }
}

/// What to do with a lease.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// Predicted to yield RDF.
    Fetch,
    /// Predicted to have no RDF, but fetched, so that the strategy keeps learning about URIs that
    /// it would skip. `weight` is 1/ε.
    Explore {
        /// Importance weight of the result.
        weight: f32,
    },
    /// Undecided before the media type is known. Not allowed for a lease that was probed already.
    Probe,
    /// Predicted to have no RDF.
    Skip,
}

/// Result of a request.
#[derive(Clone, Copy, Debug)]
pub struct RequestResult<'a> {
    /// The lease that was requested.
    pub lease: &'a Lease,
    /// Importance weight of the result: 1/ε if the URI was fetched for exploration, otherwise 1.
    pub weight: f32,
    /// How the request ended.
    pub end: RequestEnd<'a>,
}

/// How a request ended, as far as a strategy can learn from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RequestEnd<'a> {
    /// A document was fetched.
    Document {
        /// Whether it holds RDF.
        relevance: Relevance,
        /// Declared media type.
        media_type: Option<&'a str>,
        /// Digest of its bytes; 0 if unknown.
        digest: u64,
    },
    /// A redirect.
    Redirect {
        /// Its target.
        target: &'a Uri,
        /// Whether the target was not known before.
        is_new: bool,
    },
    /// The request failed.
    Failure,
}

impl RequestEnd<'_> {
    /// Whether it was a document that holds RDF.
    #[must_use]
    pub fn is_rdf(&self) -> bool {
        matches!(self, Self::Document { relevance: Relevance::Rdf, .. })
    }
}
