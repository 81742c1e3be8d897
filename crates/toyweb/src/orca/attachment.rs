//! Random graphs that grow by preferential attachment.

use std::collections::HashSet;

use crate::world::chance_stream::ChanceStream;

/// The number of random draws of a partner before a linear scan.
const MAX_DRAWS: u32 = 32;

/// A directed graph without loops and double edges, whose nodes are the members. The probability that a member is
/// chosen grows with its in-degree.
pub(crate) struct Attachment<P> {
    permitted: P,
    members: u32,
    /// Contains each member once, and once more for each incoming edge; draws from it prefer high in-degrees.
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

    /// The number of edges.
    pub(crate) fn len(&self) -> u64 {
        self.in_order.len() as u64
    }

    pub(crate) fn into_links(self) -> Vec<(u32, u32)> {
        self.in_order
    }

    /// Adds an edge from `member` to another member; `false` if none is possible.
    pub(crate) fn add_edge_from(&mut self, member: u32, chance: &mut ChanceStream) -> bool {
        self.add_edge(chance, |partner| (member, partner))
    }

    /// Adds an edge from another member to `member`; `false` if none is possible.
    pub(crate) fn add_edge_to(&mut self, member: u32, chance: &mut ChanceStream) -> bool {
        self.add_edge(chance, |partner| (partner, member))
    }

    fn add_edge(&mut self, chance: &mut ChanceStream, edge: impl Fn(u32) -> (u32, u32)) -> bool {
        for _ in 0..MAX_DRAWS {
            let partner = self.draw(chance);
            if self.insert(edge(partner)) {
                return true;
            }
        }
        // Nearly all edges exist: take the next possible one.
        let start = self.draw(chance);
        (0..self.members).any(|step| self.insert(edge((start + step) % self.members)))
    }

    fn draw(&self, chance: &mut ChanceStream) -> u32 {
        let bound = u32::try_from(self.urn.len()).expect("the urn has fewer than 2^32 entries");
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

    /// Adds edges from uniformly chosen members until there are `target` edges, or no more are possible.
    pub(crate) fn fill(&mut self, target: u64, chance: &mut ChanceStream) {
        let mut full = 0;
        let mut member = chance.below(self.members);
        while self.len() < target && full < self.members {
            if self.add_edge_from(member, chance) {
                full = 0;
                member = chance.below(self.members);
            } else {
                full += 1;
                member = (member + 1) % self.members;
            }
        }
    }
}

/// Random degrees with a given sum.
pub(crate) struct DegreeSequence {
    members: u64,
    left: u64,
}

/// Degrees of `members` members with the sum `sum`.
pub(crate) fn degrees(members: u32, sum: u64) -> DegreeSequence {
    DegreeSequence { members: u64::from(members), left: sum }
}

impl DegreeSequence {
    /// The degree of the next member: uniform between 1 and 2·mean − 1, where the mean is that of the remaining
    /// degrees. The last member gets the remaining sum, so that the total is exact.
    pub(crate) fn draw(&mut self, chance: &mut ChanceStream) -> u32 {
        let members = self.members.max(1);
        self.members = members - 1;
        if members == 1 {
            return u32::try_from(self.left).unwrap_or(u32::MAX);
        }
        let (mean, rest) = (self.left / members, self.left % members);
        let share = u32::try_from(rest).unwrap_or(u32::MAX);
        let mean = mean + u64::from(chance.below(u32::try_from(members).unwrap_or(u32::MAX)) < share);
        let max_degree = u32::try_from(2 * mean).unwrap_or(u32::MAX).saturating_sub(1).max(1);
        // Every remaining member needs at least one edge.
        let bound = u32::try_from(self.left.saturating_sub(members - 1)).unwrap_or(u32::MAX);
        chance.between(1, max_degree).min(bound)
    }

    /// Subtracts the edges that were added for a drawn degree.
    pub(crate) fn consume(&mut self, edges: u64) {
        self.left = self.left.saturating_sub(edges);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::chance_stream::ChanceTopic;

    #[test]
    fn degrees_have_the_requested_sum() {
        for (members, sum) in [(1, 5), (10, 10), (222, 1_000), (1_000, 20_500), (5, 0)] {
            let mut chance = ChanceStream::new(1, ChanceTopic::Graph, members, 0);
            let mut degrees = degrees(members, sum);
            let drawn: Vec<u32> = (0..members)
                .map(|_| {
                    let degree = degrees.draw(&mut chance);
                    degrees.consume(degree.into());
                    degree
                })
                .collect();

            assert_eq!(drawn.iter().map(|degree| u64::from(*degree)).sum::<u64>(), sum, "{members}");
            assert!(sum < members.into() || drawn.iter().all(|degree| *degree >= 1), "{members} {drawn:?}");
        }
    }

    #[test]
    fn a_complete_graph_accepts_no_more_edges() {
        let mut chance = ChanceStream::new(1, ChanceTopic::Graph, 0, 0);
        let mut graph = Attachment::new(|_, _| true);
        (0..4).for_each(|_| graph.add());

        graph.fill(100, &mut chance);

        assert_eq!(graph.len(), 12);
        assert!(!graph.add_edge_from(2, &mut chance));
    }
}
