//! Breadth first: the closer to a seed, the sooner.

use rand::rngs::SmallRng;

use super::{Decision, Found, Judgement, Lesson, Strategy};
use crate::frontier::Offer;
use crate::model::{Candidate, Features, Link, Visit};

/// The published baseline. Within a hop, links keep the order in which they
/// were found; every visit is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct BreadthFirst;

impl Strategy for BreadthFirst {
    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, _: &mut SmallRng) -> Vec<Offer> {
        links
            .into_iter()
            .map(|link| Offer::Queue(candidate(found, link, by_depth(found), Features::default())))
            .collect()
    }

    fn judge(&mut self, _: &Visit, _: &mut SmallRng) -> Judgement {
        Judgement::plain(Decision::Fetch)
    }

    fn learn(&mut self, _: &Lesson<'_>) {}
}

/// A link as a candidate.
#[must_use]
pub fn candidate(found: &Found<'_>, link: Link, priority: f32, features: Features) -> Candidate {
    Candidate {
        how: link.how(),
        step: link.via.step().cloned().map(Box::new),
        target: link.target,
        source: found.source.cloned(),
        depth: found.depth,
        redirects: found.redirects,
        priority,
        features,
        again: None,
    }
}

/// The priority of everything this far from the seeds.
#[must_use]
pub fn by_depth(found: &Found<'_>) -> f32 {
    0.0 - f32::from(found.depth)
}
