//! Graphs that grow by preferential attachment.

use std::collections::HashSet;

use crate::world::chance::Chance;

/// How often a partner is drawn before all are looked at in turn.
const DRAWS_MAX: u32 = 32;

/// A directed graph without loops and double edges, in which a member is the
/// more likely to be chosen the more edges lead to it.
pub(crate) struct Attachment<P> {
    permitted: P,
    members: u32,
    /// Each member once, and once more for each edge that leads to it.
    urn: Vec<u32>,
    edges: HashSet<(u32, u32), foldhash::fast::RandomState>,
    in_order: Vec<(u32, u32)>,
}

impl<P: Fn(u32, u32) -> bool> Attachment<P> {
    pub(crate) fn new(permitted: P) -> Self {
        Self { permitted, members: 0, urn: Vec::new(), edges: HashSet::default(), in_order: Vec::new() }
    }

    pub(crate) fn add(&mut self) {
        self.urn.push(self.members);
        self.members += 1;
    }

    /// How many edges there are.
    pub(crate) fn len(&self) -> u64 {
        self.in_order.len() as u64
    }

    pub(crate) fn into_links(self) -> Vec<(u32, u32)> {
        self.in_order
    }

    /// Adds an edge from `member` to another; `false` where there is none left.
    pub(crate) fn link_out(&mut self, member: u32, chance: &mut Chance) -> bool {
        self.link(chance, |partner| (member, partner))
    }

    /// Adds an edge from another to `member`; `false` where there is none left.
    pub(crate) fn link_in(&mut self, member: u32, chance: &mut Chance) -> bool {
        self.link(chance, |partner| (partner, member))
    }

    fn link(&mut self, chance: &mut Chance, edge: impl Fn(u32) -> (u32, u32)) -> bool {
        for _ in 0..DRAWS_MAX {
            let partner = self.draw(chance);
            if self.insert(edge(partner)) {
                return true;
            }
        }
        // Nearly all are taken: the next one that is not.
        let start = self.draw(chance);
        (0..self.members).any(|step| self.insert(edge((start + step) % self.members)))
    }

    fn draw(&self, chance: &mut Chance) -> u32 {
        let bound = u32::try_from(self.urn.len()).expect("fewer than 2^32 edges");
        self.urn[chance.below(bound) as usize]
    }

    fn insert(&mut self, (from, to): (u32, u32)) -> bool {
        if from == to || !(self.permitted)(from, to) || !self.edges.insert((from, to)) {
            return false;
        }
        self.in_order.push((from, to));
        self.urn.push(to);
        true
    }

    /// Adds edges from even members until there are so many, or no more can be.
    pub(crate) fn fill(&mut self, wanted: u64, chance: &mut Chance) {
        let mut full = 0;
        let mut member = chance.below(self.members);
        while self.len() < wanted && full < self.members {
            if self.link_out(member, chance) {
                full = 0;
                member = chance.below(self.members);
            } else {
                full += 1;
                member = (member + 1) % self.members;
            }
        }
    }
}

/// Degrees that add up to what is wanted.
pub(crate) struct Degrees {
    members: u64,
    left: u64,
}

/// Degrees of so many members that come to `sum` edges.
pub(crate) fn degrees(members: u32, sum: u64) -> Degrees {
    Degrees { members: u64::from(members), left: sum }
}

impl Degrees {
    /// The degree of the next member: even between 1 and twice the mean of
    /// what is left less one, so that the sum comes out right in the end.
    pub(crate) fn draw(&mut self, chance: &mut Chance) -> u32 {
        let members = self.members.max(1);
        self.members = members - 1;
        if members == 1 {
            return u32::try_from(self.left).unwrap_or(u32::MAX);
        }
        let (mean, rest) = (self.left / members, self.left % members);
        let share = u32::try_from(rest).unwrap_or(u32::MAX);
        let mean = mean + u64::from(chance.below(u32::try_from(members).unwrap_or(u32::MAX)) < share);
        let most = u32::try_from(2 * mean).unwrap_or(u32::MAX).saturating_sub(1).max(1);
        // Everybody who is still to come gets one, too.
        let bound = u32::try_from(self.left.saturating_sub(members - 1)).unwrap_or(u32::MAX);
        chance.between(1, most).min(bound)
    }

    /// So many edges were made of the degree that was drawn.
    pub(crate) fn spend(&mut self, edges: u64) {
        self.left = self.left.saturating_sub(edges);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::chance::Matter;

    #[test]
    fn degrees_add_up_and_keep_their_mean() {
        for (members, sum) in [(1, 5), (10, 10), (222, 1_000), (1_000, 20_500), (5, 0)] {
            let mut chance = Chance::of(1, Matter::Graph, members, 0);
            let mut degrees = degrees(members, sum);
            let drawn: Vec<u32> = (0..members)
                .map(|_| {
                    let degree = degrees.draw(&mut chance);
                    degrees.spend(degree.into());
                    degree
                })
                .collect();

            assert_eq!(drawn.iter().map(|degree| u64::from(*degree)).sum::<u64>(), sum, "{members}");
            assert!(sum < members.into() || drawn.iter().all(|degree| *degree >= 1), "{members} {drawn:?}");
        }
    }

    #[test]
    fn a_full_graph_takes_no_more() {
        let mut chance = Chance::of(1, Matter::Graph, 0, 0);
        let mut graph = Attachment::new(|_, _| true);
        (0..4).for_each(|_| graph.add());

        graph.fill(100, &mut chance);

        assert_eq!(graph.len(), 12);
        assert!(!graph.link_out(2, &mut chance));
    }
}
