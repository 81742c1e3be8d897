//! Is this URI worth a request?
//!
//! A selector looks at a visit the frontier has allowed and predicts whether it
//! will yield RDF; afterwards it is told what it did yield. It has no clock and
//! does no I/O, and its chance comes from the crawl's seed.

use rand::rngs::SmallRng;

use crate::model::{Features, Visit};

/// Predicts whether a visit will yield RDF, and learns from what it did yield.
pub trait Selector: Send + Sync {
    /// Decides what to do with a visit the frontier has just allowed.
    fn decide(&mut self, visit: &Visit, rng: &mut SmallRng) -> Decision;

    /// Learns from a visit that was made.
    fn learn(&mut self, lesson: &Lesson<'_>);
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

/// One labelled example.
#[derive(Clone, Copy, Debug)]
pub struct Lesson<'a> {
    /// What the selector saw.
    pub features: &'a Features,
    /// Whether the document held RDF.
    pub relevant: bool,
    /// The importance weight.
    pub weight: f32,
}

/// The baseline: fetch everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Everything;

impl Selector for Everything {
    fn decide(&mut self, _: &Visit, _: &mut SmallRng) -> Decision {
        Decision::Fetch
    }

    fn learn(&mut self, _: &Lesson<'_>) {}
}
