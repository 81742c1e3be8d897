//! Breadth first: the closer to a seed, the sooner.

use super::{Found, Ranker};
use crate::model::{Candidate, Features, Link};

/// The published baseline. Within a hop, links keep the order in which they
/// were found.
#[derive(Clone, Copy, Debug, Default)]
pub struct BreadthFirst;

impl Ranker for BreadthFirst {
    fn rank(&mut self, found: Found<'_>, links: Vec<Link>) -> Vec<Candidate> {
        let candidate = |link: Link| Candidate {
            how: link.via.how(),
            target: link.target,
            source: found.source.cloned(),
            depth: found.depth,
            redirects: found.redirects,
            priority: 0.0 - f32::from(found.depth),
            features: Features::default(),
        };
        links.into_iter().map(candidate).collect()
    }
}
