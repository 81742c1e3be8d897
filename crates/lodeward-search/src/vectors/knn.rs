//! The nearest neighbours of entities by cosine, and their graph.

use std::cmp::Reverse;

use super::lsh::BucketCounter;
use super::{EntityVectors, LshIndex, LshOptions};
use crate::parallel::{parallel_map, parallel_map_with};

/// Options of the search for neighbours.
#[derive(Clone, Debug)]
pub struct NeighbourOptions {
    /// Number of neighbours of an entity.
    pub neighbours: usize,
    /// Entities of a type up to this number are all compared with each other; those of larger types
    /// only with the candidates of [`LshIndex`].
    pub max_exact: usize,
    /// Options of the candidates.
    pub lsh: LshOptions,
}

impl Default for NeighbourOptions {
    fn default() -> Self {
        Self { neighbours: 15, max_exact: 4_000, lsh: LshOptions::default() }
    }
}

/// The nearest neighbours of one entity, the nearest first.
pub type NearestNeighbours = Vec<(u32, f32)>;

/// An undirected edge between two entities; the first number is the smaller one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedEdge {
    /// Number of an entity.
    pub from: u32,
    /// Number of the other entity.
    pub to: u32,
    /// Cosine of their vectors.
    pub weight: f32,
}

/// Each entity with its nearest neighbours of the same type.
#[derive(Clone, Debug, Default)]
pub struct NeighbourGraph {
    /// Number of entities.
    pub entities: usize,
    /// Edges, sorted, without duplicates.
    pub edges: Vec<WeightedEdge>,
}

impl NeighbourGraph {
    /// Finds the neighbours of all entities.
    #[must_use]
    pub fn new(vectors: &EntityVectors, options: &NeighbourOptions) -> Self {
        Self::of_some(vectors, options, |_| true)
    }

    /// Finds the neighbours of some entities among all.
    #[must_use]
    pub fn of_some(
        vectors: &EntityVectors,
        options: &NeighbourOptions,
        is_wanted: impl Fn(u32) -> bool + Sync,
    ) -> Self {
        let mut edges = Vec::with_capacity(vectors.len() * options.neighbours);
        for group in vectors.groups() {
            let mut add = |from: u32, found: &[(u32, f32)]| {
                edges.extend(found.iter().map(|(to, weight)| WeightedEdge {
                    from: from.min(*to),
                    to: from.max(*to),
                    weight: *weight,
                }));
            };
            if group.len() <= options.max_exact {
                let exact = ExactNeighbours::new(vectors, &group);
                let wanted: Vec<u32> = group.iter().copied().filter(|number| is_wanted(*number)).collect();
                let found = parallel_map(&wanted, |number| exact.nearest(*number, options.neighbours));
                wanted.iter().zip(found).for_each(|(number, found)| add(*number, &found));
            } else {
                approximate(vectors, &group, options, &is_wanted, &mut add);
            }
        }
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
        edges.dedup_by_key(|edge| (edge.from, edge.to));
        edges.shrink_to_fit();
        Self { entities: vectors.len(), edges }
    }
}

/// Finds neighbours among the candidates of a large group, with all cores.
fn approximate(
    vectors: &EntityVectors,
    group: &[u32],
    options: &NeighbourOptions,
    is_wanted: &(impl Fn(u32) -> bool + Sync),
    add: &mut impl FnMut(u32, &[(u32, f32)]),
) {
    let lsh = LshIndex::new(vectors, group, &options.lsh);
    let nearest = |counter: &mut BucketCounter, place: &u32| {
        let number = group[*place as usize];
        if !is_wanted(number) {
            return NearestNeighbours::new();
        }
        let candidates = lsh.candidates_with(*place, counter).into_iter().map(|other| group[other as usize]);
        let compared = candidates.map(|other| (other, vectors.dot(number as usize, other as usize)));
        best(compared.collect(), options.neighbours)
    };
    let places: Vec<u32> = (0..).take(group.len()).collect();
    let found = parallel_map_with(&places, || lsh.counter(), nearest);
    for (number, found) in group.iter().zip(found) {
        add(*number, &found);
    }
}

/// Exact neighbours among a group, by the lists of entities of each feature.
pub struct ExactNeighbours<'a> {
    vectors: &'a EntityVectors,
    members: &'a [u32],
    starts: Vec<u32>,
    /// Places of members and their weights, feature by feature.
    postings: Vec<(u32, f32)>,
}

impl<'a> ExactNeighbours<'a> {
    /// Inverts the vectors of a group.
    #[must_use]
    pub fn new(vectors: &'a EntityVectors, members: &'a [u32]) -> Self {
        let mut starts = vec![0_u32; vectors.dimensions() + 1];
        for member in members {
            vectors.row_features(*member as usize).iter().for_each(|feature| starts[*feature as usize + 1] += 1);
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut postings = vec![(0, 0.0); starts.last().map_or(0, |end| *end as usize)];
        let mut next = starts.clone();
        for (place, member) in (0_u32..).zip(members) {
            for (feature, weight) in vectors.row(*member as usize) {
                let at = &mut next[feature as usize];
                postings[*at as usize] = (place, weight);
                *at += 1;
            }
        }
        Self { vectors, members, starts, postings }
    }

    /// Returns the nearest members, without the entity itself and without unrelated ones.
    #[must_use]
    pub fn nearest(&self, number: u32, count: usize) -> NearestNeighbours {
        let mut sums = vec![0.0_f32; self.members.len()];
        for (feature, weight) in self.vectors.row(number as usize) {
            let list = self.starts[feature as usize] as usize..self.starts[feature as usize + 1] as usize;
            self.postings[list].iter().for_each(|(place, other)| sums[*place as usize] += weight * other);
        }
        let related = self.members.iter().zip(sums).filter(|(member, sum)| **member != number && *sum > 0.0);
        best(related.map(|(member, sum)| (*member, sum)).collect(), count)
    }
}

/// The best of some scored entities; of equal ones, those with smaller numbers.
fn best(mut found: NearestNeighbours, count: usize) -> NearestNeighbours {
    let key = |(number, score): &(u32, f32)| (Reverse(score.to_bits()), *number);
    found.retain(|(_, score)| *score > 0.0);
    if found.len() > count && count > 0 {
        found.select_nth_unstable_by_key(count - 1, key);
    }
    found.truncate(count);
    found.sort_unstable_by_key(key);
    found
}
