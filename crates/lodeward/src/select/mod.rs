//! Where requests are spent.
//!
//! A [`Strategy`] sees every link while its context is at hand and gives it a
//! place in the queue; judges every visit that the frontier allows; and is told
//! how each ended. It has no clock and does no I/O, and its chance comes from
//! the crawl's seed.
//!
//! Placing, judging and learning are one seam, not three, because what learns
//! them learns from all: the priority of a link, the worth of a visit and the
//! lesson of its end are one model.

pub mod breadth_first;
pub mod focus;
pub mod ftrl;
pub mod generations;
pub mod hash;
pub mod learned;
pub mod names;
pub mod media_types;
pub mod similarity;
pub mod naive_bayes;
pub mod thompson;
pub mod model_file;
pub mod models;
pub mod heuristic;
pub mod ldcoc;
pub mod links;
pub mod nb_online;
pub mod offline;

pub use breadth_first::BreadthFirst;
pub use focus::Focus;
pub use ftrl::Ftrl;
pub use heuristic::Heuristic;
pub use ldcoc::Ldcoc;
pub use learned::Learned;
pub use links::LinkAnalysis;
pub use names::Names;
pub use nb_online::NbOnline;
pub use offline::Offline;

use std::sync::Arc;

use rand::rngs::SmallRng;
use serde::{Deserialize, Serialize};

use crate::frontier::Offer;
use crate::model::{Candidate, Link, Pld, Relevance, Uri, Visit};
use crate::rank::{Facts, FactsOptions};

/// How a crawl spends its requests.
pub trait Strategy: Send + Sync {
    /// Gives every link of one document, none of them known before, its place
    /// in the queue; or none.
    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer>;

    /// Judges a visit the frontier has just allowed.
    fn judge(&mut self, visit: &Visit, rng: &mut SmallRng) -> Judgement;

    /// Learns from a visit that has ended.
    fn learn(&mut self, lesson: &Lesson<'_>);

    /// Which facts of documents it wants to read; `None` if none.
    fn wants(&self) -> Option<Arc<FactsOptions>> {
        None
    }

    /// Reads what a document says of entities, before its links are placed. Only
    /// if it [wants](Self::wants) to.
    fn read(&mut self, _visit: &Visit, _facts: &Facts) {}

    /// Whether it has made its order anew since this was last asked.
    fn has_new_order(&mut self) -> bool {
        false
    }

    /// How urgent somebody who waits is by now. Asked only if the order is
    /// [`Order::BestFirst`] or [`Order::Drawn`].
    fn score(&mut self, candidate: &Candidate, _rng: &mut SmallRng) -> f32 {
        candidate.priority
    }

    /// In which order domains are visited.
    fn order(&self) -> Order {
        Order::RoundRobin
    }

    /// How urgent a domain is, whose best candidate is this urgent. Asked only
    /// if the order is [`Order::Drawn`].
    fn draw(&mut self, _pld: &Pld, best: f32, _rng: &mut SmallRng) -> f32 {
        best
    }

    /// What is less urgent than this had better wait while a domain rests whose
    /// best candidate is as urgent as `best`.
    fn floor(&self, _best: f32) -> f32 {
        f32::NEG_INFINITY
    }

    /// What speaks for a candidate and against it, by the present model.
    fn explain(&self, _candidate: &Candidate) -> Option<Verdict> {
        None
    }

    /// What a feature of a [`Verdict`] is called, if that is remembered.
    fn name_of(&self, _feature: u32) -> Option<&str> {
        None
    }

    /// What was learned so far, to be kept; `None` if there is nothing.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }
}

/// Why a strategy cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StrategyError {
    /// A file that it needs cannot be read.
    #[error("cannot read {path}")]
    File {
        /// Which.
        path: std::path::PathBuf,
        /// What is wrong.
        #[source]
        source: std::io::Error,
    },
    /// A model is not one, or not one for this.
    #[error("{0}")]
    Model(String),
    /// A setting makes no sense for it.
    #[error("{0}")]
    Setting(String),
}

/// Where some links were found.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The document; `None` for seeds.
    pub source: Option<&'a Uri>,
    /// The visit that brought it; `None` for seeds.
    pub visit: Option<&'a Visit>,
    /// The syntax it is in, by its short name; empty for seeds and redirects.
    pub syntax: &'a str,
    /// Whether it holds RDF itself.
    pub relevance: Relevance,
    /// How many hops from the nearest seed the targets are.
    pub depth: u16,
    /// How many redirects in a row led to the targets.
    pub redirects: u8,
}

/// The order across domains, among those that may politely be visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// One URI per domain and round, as LDCOC's Algorithm 2 and LDSpider do.
    #[default]
    RoundRobin,
    /// The domain whose best candidate has the highest priority
    /// (SELECTION-STUDY §7: worth 0.24–0.34 AUC).
    BestFirst,
    /// The domain that the strategy draws highest, as Anthelion's bandit. All
    /// domains are drawn for each visit, so this costs more the more there are.
    Drawn,
    /// Strictly hop by hop, and within a hop one URI per domain and round: nobody
    /// of a hop is visited before all of the hop before are done with. For
    /// strategies whose priorities are hops (`breadth_first::by_depth`).
    Hops,
}

/// What is made of a visit.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What to do.
    pub decision: Decision,
    /// Why, for people to ask later.
    pub verdict: Option<Verdict>,
}

impl Judgement {
    /// A judgement that nobody will ask about.
    #[must_use]
    pub fn plain(decision: Decision) -> Self {
        Self { decision, verdict: None }
    }
}

/// What to do with a visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// Predicted to yield RDF.
    Fetch,
    /// Predicted barren, and visited all the same, so that the selector keeps
    /// learning about what it rejects. `weight` is 1/ε.
    Explore {
        /// The importance weight of the lesson.
        weight: f32,
    },
    /// Cannot tell before knowing the media type. Not an answer to a visit that
    /// has been probed already.
    Probe,
    /// Predicted barren.
    Skip,
}

/// Why a visit was judged as it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// What was made of it.
    pub action: Action,
    /// The predicted probability that it yields RDF that is new.
    pub score: f32,
    /// What spoke for it and against it most, strongest first: features by
    /// their number, and what each added to the log-odds.
    pub reasons: Vec<(u32, f32)>,
}

impl Verdict {
    /// How many reasons are told.
    pub const REASONS_MAX: usize = 8;

    /// A verdict with the strongest of these reasons: features, and what each
    /// added to the log-odds.
    #[must_use]
    pub fn new(action: Action, score: f32, reasons: impl Iterator<Item = (u32, f32)>) -> Self {
        let mut strongest: Vec<(u32, f32)> = Vec::with_capacity(Self::REASONS_MAX + 1);
        for reason in reasons.filter(|(_, weight)| *weight != 0.0) {
            // A handful: inserting is quicker than sorting them all.
            let place = strongest.partition_point(|other| other.1.abs() >= reason.1.abs());
            if place < Self::REASONS_MAX {
                strongest.truncate(Self::REASONS_MAX - 1);
                strongest.insert(place, reason);
            }
        }
        Self { action, score, reasons: strongest }
    }
}

/// What was made of a visit, in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// It waits.
    #[default]
    None,
    /// Its extension or media type said enough.
    Easy,
    /// It was predicted to yield RDF.
    Predicted,
    /// It was predicted barren, and chance had it visited.
    Explored,
    /// It was predicted barren.
    Skipped,
    /// It was predicted barren, and the best that there was to visit.
    Best,
    /// It was asked for: a seed, or where a seed redirected to.
    Given,
    /// It matters to the seeds; the score is the share of candidates that it is
    /// better than.
    Matters,
    /// It matters less than others of its hop, or is too far away.
    MattersLess,
}

/// How a visit ended.
#[derive(Clone, Copy, Debug)]
pub struct Lesson<'a> {
    /// Which visit.
    pub visit: &'a Visit,
    /// The importance weight.
    pub weight: f32,
    /// How it ended.
    pub end: End<'a>,
}

/// The end of a visit, as far as there is something to learn from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End<'a> {
    /// A document was had.
    Document {
        /// Whether it holds RDF.
        relevance: Relevance,
        /// The media type it was declared as.
        media_type: Option<&'a str>,
        /// A digest of its bytes; 0 if it is not known.
        digest: u64,
    },
    /// It pointed elsewhere.
    Redirect {
        /// Where.
        target: &'a Uri,
        /// Whether nobody had pointed there before.
        is_new: bool,
    },
    /// It could not be had.
    Failure,
}

impl End<'_> {
    /// Whether it was a document that holds RDF.
    #[must_use]
    pub fn is_rdf(&self) -> bool {
        matches!(self, Self::Document { relevance: Relevance::Rdf, .. })
    }
}
