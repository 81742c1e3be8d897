//! Breadth first: URIs closer to a seed are fetched first.

use rand::rngs::SmallRng;

use super::{Decision, Judgement, LinkContext, RequestResult, Strategy};
use crate::discover::promise;
use crate::frontier::{FeatureVector, Lease, Offer, QueueEntry};
use crate::model::Link;

/// The strategy `bfs`, the usual baseline. Links of one hop are fetched in the order in which they
/// were found; no lease is skipped.
#[derive(Clone, Copy, Debug, Default)]
pub struct BreadthFirstStrategy;

impl Strategy for BreadthFirstStrategy {
    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, _: &mut SmallRng) -> Vec<Offer> {
        links
            .into_iter()
            .map(|link| Offer::Queue(queue_entry(found, link, depth_priority(found), FeatureVector::default())))
            .collect()
    }

    fn judge(&mut self, _: &Lease, _: &mut SmallRng) -> Judgement {
        Judgement::without_verdict(Decision::Fetch)
    }

    fn learn(&mut self, _: &RequestResult<'_>) {}
}

/// Creates a queue entry from a link.
#[must_use]
pub fn queue_entry(found: &LinkContext<'_>, link: Link, priority: f32, features: FeatureVector) -> QueueEntry {
    QueueEntry {
        found_by: promise::found_by(&link),
        step: None,
        target: link.target,
        source: found.source.cloned(),
        depth: found.depth,
        redirects: found.redirects,
        priority,
        features,
        revisit: None,
    }
}

/// Returns the priority of links at this depth.
#[must_use]
pub fn depth_priority(found: &LinkContext<'_>) -> f32 {
    0.0 - f32::from(found.depth)
}
