//! Where candidates stand in the last ranking.

use std::collections::HashMap;

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
pub(super) struct Standings {
    standings: HashMap<u128, Standing, RandomState>,
    of_hop: Vec<usize>,
}

impl Standings {
    /// The standings of an answer. Where several entities have one address, the
    /// best counts.
    pub(super) fn new(gathered: &Gathering, answer: &Answer<'_>) -> Self {
        let places = answer.best_first(answer.ranking().scores());
        let mut standings = HashMap::with_capacity_and_hasher(places.len(), RandomState::default());
        let mut of_hop = vec![0_usize; usize::from(FAR) + 1];
        let count = places.len();
        for (rank, place) in places.into_iter().enumerate() {
            let Some(address) = gathered.address(answer.candidates[place]) else { continue };
            let place_in_hop = &mut of_hop[usize::from(answer.hops[place])];
            standings.entry(address).or_insert_with(|| {
                let standing = Standing { score: share(count - rank, count), place_in_hop: *place_in_hop };
                *place_in_hop += 1;
                standing
            });
        }
        Self { standings, of_hop }
    }

    pub(super) fn find(&self, address: u128) -> Option<Standing> {
        self.standings.get(&address).copied()
    }

    /// How many of a hop are ranked.
    pub(super) fn of_hop(&self, hop: u16) -> usize {
        self.of_hop.get(usize::from(hop)).copied().unwrap_or(0)
    }
}

/// Who was admitted, by address, and to which hop: the best change as more is
/// known, and there must not be more of them for that.
///
/// A hop is how many documents led to somebody. In the graph they may be farther
/// away or nearer; whoever was admitted counts once, where it was admitted.
#[derive(Default)]
pub(super) struct Admitted {
    hops: HashMap<u128, u16, RandomState>,
    /// How many there are of each hop, and how many of them nobody had ranked.
    counts: HashMap<u16, [usize; 2]>,
}

impl Admitted {
    /// Admits somebody of a hop, unless `max` others were.
    pub(super) fn admit(&mut self, hop: u16, address: u128, max: usize) -> bool {
        self.admit_beside(hop, address, max, None)
    }

    /// Admits somebody whom nobody has ranked: only if those who were, so many,
    /// leave a place.
    pub(super) fn admit_unranked(&mut self, hop: u16, address: u128, max: usize, ranked: usize) -> bool {
        self.admit_beside(hop, address, max, Some(ranked))
    }

    fn admit_beside(&mut self, hop: u16, address: u128, max: usize, ranked: Option<usize>) -> bool {
        if self.hops.contains_key(&address) {
            return true;
        }
        let [all, unranked] = self.counts.entry(hop).or_default();
        let is_room = *all < max && ranked.is_none_or(|ranked| *unranked + ranked < max);
        if is_room {
            *all += 1;
            *unranked += usize::from(ranked.is_some());
            self.hops.insert(address, hop);
        }
        is_room
    }

    /// Notes who was visited already: a crawl that is resumed knows that from its
    /// harvest alone.
    pub(super) fn note_described(&mut self, gathered: &Gathering, answer: &Answer<'_>) {
        for (entity, hop) in answer.candidates.iter().zip(&answer.hops) {
            if let (true, Some(address)) = (gathered.is_described(*entity), gathered.address(*entity)) {
                self.admit(u16::from(*hop), address, usize::MAX);
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "an order needs no more")]
fn share(part: usize, whole: usize) -> f32 {
    (part as f64 / whole as f64) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_hop_so_many_are_admitted_and_each_once() {
        let mut admitted = Admitted::default();
        assert!(admitted.admit(1, 10, 2) && admitted.admit(1, 11, 2));
        assert!(!admitted.admit(1, 12, 2), "there is no more room");
        assert!(admitted.admit(1, 10, 2), "who was admitted stays so");
        assert!(admitted.admit(2, 11, 1), "whatever hop it is found at again");
        assert!(admitted.admit(2, 20, 1) && !admitted.admit(2, 21, 1), "and it takes no second place");
    }

    #[test]
    fn who_is_not_ranked_has_what_the_ranked_leave() {
        let mut admitted = Admitted::default();
        assert!(admitted.admit_unranked(1, 10, 3, 2));
        assert!(!admitted.admit_unranked(1, 11, 3, 2));
        assert!(admitted.admit(1, 20, 3) && admitted.admit(1, 21, 3));
        assert!(!admitted.admit(1, 22, 3));
    }
}
