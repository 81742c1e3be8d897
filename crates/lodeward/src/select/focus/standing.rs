//! Where candidates stand in the last ranking.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use crate::rank::hops::FAR;
use crate::rank::{Answer, Gathering};

/// Where a candidate stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Standing {
    /// Between 0 and 1, the best highest: its place among all candidates.
    pub(super) score: f32,
    /// How many of its hop are better.
    pub(super) place_in_hop: usize,
}

/// Where everybody stands, by the fingerprint of their address.
#[derive(Default)]
pub(super) struct Standings(HashMap<u128, Standing, RandomState>);

impl Standings {
    /// The standings of an answer. Where several entities have one address, the
    /// best counts.
    pub(super) fn new(gathered: &Gathering, answer: &Answer<'_>) -> Self {
        let places = answer.best_first(answer.ranking().scores());
        let mut standings = HashMap::with_capacity_and_hasher(places.len(), RandomState::default());
        let mut in_hop = [0_usize; FAR as usize + 1];
        let count = places.len();
        for (rank, place) in places.into_iter().enumerate() {
            let Some(address) = gathered.address(answer.candidates[place]) else { continue };
            let place_in_hop = &mut in_hop[usize::from(answer.hops[place])];
            standings.entry(address).or_insert_with(|| {
                let standing = Standing { score: share(count - rank, count), place_in_hop: *place_in_hop };
                *place_in_hop += 1;
                standing
            });
        }
        Self(standings)
    }

    pub(super) fn find(&self, address: u128) -> Option<Standing> {
        self.0.get(&address).copied()
    }
}

/// Who of each hop was admitted, by address: the best change as more is known, and
/// there must not be more of them for that.
#[derive(Default)]
pub(super) struct Admitted(HashMap<u16, HashSet<u128, RandomState>>);

impl Admitted {
    /// Admits somebody of a hop, unless `max` others were.
    pub(super) fn admit(&mut self, hop: u16, address: u128, max: usize) -> bool {
        let admitted = self.0.entry(hop).or_default();
        admitted.contains(&address) || (admitted.len() < max && admitted.insert(address))
    }

    /// Notes who was visited already: a crawl that is resumed knows that from its
    /// harvest alone.
    pub(super) fn note_described(&mut self, gathered: &Gathering, answer: &Answer<'_>) {
        for (entity, hop) in answer.candidates.iter().zip(&answer.hops) {
            if let (true, Some(address)) = (gathered.is_described(*entity), gathered.address(*entity)) {
                self.0.entry(u16::from(*hop)).or_default().insert(address);
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "an order needs no more")]
fn share(part: usize, whole: usize) -> f32 {
    (part as f64 / whole as f64) as f32
}
