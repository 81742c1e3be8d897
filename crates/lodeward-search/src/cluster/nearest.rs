//! The nearest members of the cluster of each entity, to expand search results (D3.6 §3.2.1).

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use super::Clustering;
use crate::numbers::single;
use crate::vectors::EntityVectors;

/// Which neighbours are kept.
#[derive(Clone, Copy, Debug)]
pub struct ClusterNeighbourOptions {
    /// Members of larger clusters have no neighbours: such clusters say little.
    pub max_cluster_size: usize,
    /// Maximum number of neighbours of an entity.
    pub max_neighbours: usize,
}

impl Default for ClusterNeighbourOptions {
    fn default() -> Self {
        Self { max_cluster_size: 500, max_neighbours: 20 }
    }
}

/// Each entity with the nearest members of its cluster. Entities are known by IRI, so that the
/// neighbours stay valid when an index is built again.
#[derive(Clone, Debug, Default)]
pub struct ClusterNeighbours {
    record: ClusterNeighboursRecord,
    places: HashMap<String, u32>,
}

/// What is stored.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct ClusterNeighboursRecord {
    iris: Vec<String>,
    /// By entity: size of its cluster, end of its neighbours; they start at the end of the previous.
    entities: Vec<(u32, u32)>,
    /// Place and distance, nearest first.
    neighbours: Vec<(u32, f32)>,
}

impl ClusterNeighbours {
    /// Finds the nearest members by Euclidean distance (eq. 10). `iri` is the IRI of the entity with
    /// a number.
    #[must_use]
    pub fn new(
        vectors: &EntityVectors,
        clustering: &Clustering,
        options: &ClusterNeighbourOptions,
        iri: impl Fn(usize) -> String,
    ) -> Self {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); clustering.count];
        for (number, cluster) in clustering.clusters.iter().enumerate() {
            members[*cluster as usize].push(number);
        }
        let mut record = ClusterNeighboursRecord::default();
        let sizes = 2..=options.max_cluster_size;
        for cluster in members.into_iter().filter(|cluster| sizes.contains(&cluster.len())) {
            let first = record.iris.len();
            record.iris.extend(cluster.iter().map(|number| iri(*number)));
            for number in &cluster {
                let others = cluster.iter().enumerate().filter(|(_, other)| *other != number);
                let mut near: Vec<(u32, f32)> =
                    others.map(|(at, other)| (place(first + at), vectors.distance(*number, *other))).collect();
                near.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
                record.neighbours.extend(near.into_iter().take(options.max_neighbours));
                record.entities.push((place(cluster.len()), place(record.neighbours.len())));
            }
        }
        Self::with(record)
    }

    fn with(record: ClusterNeighboursRecord) -> Self {
        let places = record.iris.iter().cloned().zip(0..).collect();
        Self { record, places }
    }

    /// The nearest members of an entity's cluster with their distances, nearest first; none if the
    /// cluster is larger than `max_size`.
    pub fn nearest(&self, iri: &str, max_size: u32) -> impl Iterator<Item = (&str, f32)> + '_ {
        let range = self.places.get(iri).map_or(0..0, |place| self.range(*place as usize, max_size));
        let neighbours = &self.record.neighbours[range];
        neighbours.iter().map(|(place, distance)| (self.record.iris[*place as usize].as_str(), *distance))
    }

    fn range(&self, place: usize, max_size: u32) -> std::ops::Range<usize> {
        let (size, end) = self.record.entities[place];
        let start = if place == 0 { 0 } else { self.record.entities[place - 1].1 };
        if size <= max_size { start as usize..end as usize } else { 0..0 }
    }

    /// Number of entities that have neighbours.
    #[must_use]
    pub fn len(&self) -> usize {
        self.record.iris.len()
    }

    /// Whether no entity has neighbours.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.record.iris.is_empty()
    }

    /// Encodes the neighbours for a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.record).expect("plain data can always be encoded")
    }

    /// Decodes neighbours; `None` if the bytes are damaged.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let record: ClusterNeighboursRecord = postcard::from_bytes(bytes).ok()?;
        let is_ordered = record.entities.is_sorted_by_key(|(_, end)| *end)
            && record.entities.last().map_or(0, |(_, end)| *end as usize) == record.neighbours.len();
        let is_known = record.neighbours.iter().all(|(place, _)| (*place as usize) < record.iris.len());
        (is_ordered && is_known && record.entities.len() == record.iris.len()).then(|| Self::with(record))
    }
}

fn place(count: usize) -> u32 {
    u32::try_from(count).expect("entities are numbered by 32 bits")
}

impl EntityVectors {
    /// Euclidean distance of two entities (eq. 10).
    #[must_use]
    pub fn distance(&self, a: usize, b: usize) -> f32 {
        let square = self.dot(a, a) + self.dot(b, b) - 2.0 * self.dot(a, b);
        single(f64::from(square.max(0.0)).sqrt())
    }
}
