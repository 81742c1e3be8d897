//! The statements between an entity and others, as stored in the index.

use foldhash::{HashMap, HashMapExt};
use serde::{Deserialize, Serialize};

use crate::entity::{Direction, EntityDescription, EntityKey};

/// Statements to and from an entity, sorted by neighbour.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct StoredNeighbours {
    /// IRIs of predicates.
    pub(crate) predicates: Vec<String>,
    /// Difference to the number of the previous neighbour, place of the predicate, whether the
    /// entity is the object.
    entries: Vec<(u64, u32, bool)>,
}

/// A statement with a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) neighbour: EntityKey,
    /// Place of the predicate in [`StoredNeighbours::predicates`].
    pub(crate) predicate: u32,
    pub(crate) direction: Direction,
}

impl StoredNeighbours {
    pub(crate) fn collect(entity: &EntityDescription, max: usize) -> Self {
        let mut places: HashMap<EntityKey, u32> = HashMap::new();
        let mut predicates = Vec::new();
        let mut edges: Vec<(u64, u32, bool)> = Vec::new();
        for neighbour in entity.neighbours.iter().take(max) {
            let place = *places.entry(neighbour.predicate).or_insert_with(|| {
                predicates.push(neighbour.predicate_iri.to_string());
                u32::try_from(predicates.len() - 1).unwrap_or(u32::MAX)
            });
            edges.push((neighbour.key.0, place, neighbour.direction == Direction::In));
        }
        edges.sort_unstable();
        edges.dedup();
        let mut previous = 0;
        for edge in &mut edges {
            (edge.0, previous) = (edge.0 - previous, edge.0);
        }
        Self { predicates, entries: edges }
    }

    /// Number of distinct neighbours.
    pub(crate) fn degree(&self) -> usize {
        let distinct = self.entries.iter().skip(1).filter(|(difference, ..)| *difference > 0).count();
        if self.entries.is_empty() { 0 } else { distinct + 1 }
    }

    /// The statements, by neighbour.
    pub(crate) fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.entries.iter().scan(0, |previous, (difference, predicate, is_object)| {
            *previous += difference;
            let direction = if *is_object { Direction::In } else { Direction::Out };
            Some(Edge { neighbour: EntityKey(*previous), predicate: *predicate, direction })
        })
    }
}
