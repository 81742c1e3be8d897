//! Entities as sparse vectors, for clusters and similar entities.
//!
//! A vector has [`FeatureBlock`]s, such as words or predicates. The features of a block are weighted
//! by frequency and rarity, and each block has length 1, so that an entity with a long description
//! and one without are compared by their links with the same weight.
//!
//! The entities are read twice. The first pass counts features in a table of fixed size, so that
//! the second can leave out features of a single entity, which are most of them: a pair of words, an
//! identifier. Memory is about 8 bytes per remaining feature of an entity.

use foldhash::{HashMap, HashMapExt};

mod counts;
pub(crate) mod features;
mod knn;
mod lsh;
pub(crate) mod main_type;

pub use features::{FeatureBlock, VectorFeatures};
pub use knn::{ExactNeighbours, NearestNeighbours, NeighbourGraph, NeighbourOptions, WeightedEdge};
pub use lsh::{LshIndex, LshOptions};

use crate::entity::{EntityDescription, EntityKey};
use crate::numbers::{real, single};
use crate::source::EntitySource;
use counts::FeatureCounts;
use features::{Normalisation, RawFeature};
use main_type::TypeCounts;

/// Options of vectors.
#[derive(Clone, Debug)]
pub struct VectorOptions {
    /// The features of an entity.
    pub features: VectorFeatures,
    /// Minimum number of entities that have a feature; rarer ones are left out.
    pub min_document_frequency: u32,
    /// Maximum number of features of a block; of more, the most frequent in the entity are kept.
    pub max_block_features: usize,
    /// Minimum number of entities of a type that are compared with each other only; entities of
    /// smaller types are compared by their next larger type.
    pub min_type_size: u32,
}

impl VectorOptions {
    /// Options for a set of features.
    #[must_use]
    pub fn new(features: VectorFeatures) -> Self {
        let min_document_frequency = features.min_document_frequency();
        Self { features, min_document_frequency, max_block_features: 4_096, min_type_size: 100 }
    }
}

/// Vectors of entities, numbered in the order of their source.
#[derive(Clone, Debug, Default)]
pub struct EntityVectors {
    pub(crate) keys: Vec<EntityKey>,
    /// Number of the main type of each entity; 0 if it has none.
    pub(crate) types: Vec<u32>,
    /// Start of each vector in `features`, and the end of the last.
    starts: Vec<usize>,
    features: Vec<u32>,
    weights: Vec<f32>,
    /// First feature of each block, and the end of the last.
    pub(crate) block_starts: Vec<u32>,
}

impl EntityVectors {
    /// Reads the entities of a source.
    pub fn read<S: EntitySource + ?Sized>(source: &S, options: &VectorOptions) -> Result<Self, S::Error> {
        let mut counts = FeatureCounts::new();
        let mut types = TypeCounts::default();
        let mut raw = Vec::new();
        source.for_each_entity(&mut |entity| {
            features::collect(entity, options, &mut raw);
            counts.add(&raw);
            types.add(entity);
        })?;
        let mut builder = VectorBuilder::new(types.choose(options.min_type_size));
        source.for_each_entity(&mut |entity| {
            features::collect(entity, options, &mut raw);
            raw.retain(|feature| counts.is_at_least(feature, options.min_document_frequency));
            builder.add(entity, &raw);
        })?;
        Ok(builder.finish(options))
    }

    /// Number of entities.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no entities.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Number of distinct features.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.block_starts.last().map_or(0, |end| *end as usize)
    }

    /// Keys of the entities, in the order of their numbers.
    #[must_use]
    pub fn keys(&self) -> &[EntityKey] {
        &self.keys
    }

    /// The features of an entity in ascending order, with their weights.
    pub fn row(&self, number: usize) -> impl Iterator<Item = (u32, f32)> + Clone + '_ {
        let range = self.starts[number]..self.starts[number + 1];
        self.features[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// The features of an entity in ascending order.
    pub(crate) fn row_features(&self, number: usize) -> &[u32] {
        &self.features[self.starts[number]..self.starts[number + 1]]
    }

    /// Sum of the products of the weights of two entities.
    #[must_use]
    pub fn dot(&self, a: usize, b: usize) -> f32 {
        let (mut one, mut other) = (self.row(a).peekable(), self.row(b).peekable());
        let mut sum = 0.0;
        while let (Some((left, left_weight)), Some((right, right_weight))) = (one.peek(), other.peek()) {
            match left.cmp(right) {
                std::cmp::Ordering::Less => _ = one.next(),
                std::cmp::Ordering::Greater => _ = other.next(),
                std::cmp::Ordering::Equal => {
                    sum += left_weight * right_weight;
                    one.next();
                    other.next();
                }
            }
        }
        sum
    }

    /// Divides each vector by its length.
    fn make_unit(&mut self) {
        for number in 0..self.len() {
            let row = &mut self.weights[self.starts[number]..self.starts[number + 1]];
            let length = row.iter().map(|weight| weight * weight).sum::<f32>().sqrt();
            if length > 0.0 {
                for weight in row {
                    *weight /= length;
                }
            }
        }
    }

    /// The numbers of the entities of each type.
    #[must_use]
    pub fn groups(&self) -> Vec<Vec<u32>> {
        let count = self.types.iter().max().map_or(0, |last| *last as usize + 1);
        let mut groups = vec![Vec::new(); count];
        for (number, kind) in (0_u32..).zip(&self.types) {
            groups[*kind as usize].push(number);
        }
        groups.retain(|group| !group.is_empty());
        groups
    }
}

/// Collects vectors, first with hashed features and their frequencies.
struct VectorBuilder {
    types: main_type::MainTypes,
    vectors: EntityVectors,
    blocks: Vec<u8>,
    frequencies: HashMap<(u8, u32), u32>,
}

impl VectorBuilder {
    fn new(types: main_type::MainTypes) -> Self {
        let vectors = EntityVectors { starts: vec![0], ..EntityVectors::default() };
        Self { types, vectors, blocks: Vec::new(), frequencies: HashMap::new() }
    }

    fn add(&mut self, entity: &EntityDescription, raw: &[RawFeature]) {
        self.vectors.keys.push(entity.key);
        self.vectors.types.push(self.types.of(entity));
        for feature in raw {
            *self.frequencies.entry((feature.block, feature.hash)).or_default() += 1;
            self.blocks.push(feature.block);
            self.vectors.features.push(feature.hash);
            self.vectors.weights.push(single(f64::from(feature.count)));
        }
        self.vectors.starts.push(self.vectors.features.len());
    }

    /// Numbers the features by block, and replaces frequencies by weights.
    fn finish(mut self, options: &VectorOptions) -> EntityVectors {
        let all = self.vectors.keys.len();
        let blocks = options.features.blocks();
        self.frequencies.retain(|_, frequency| *frequency >= options.min_document_frequency);
        let mut known: Vec<(u8, u32)> = self.frequencies.keys().copied().collect();
        known.sort_unstable();
        let block_start = |block: usize| known.partition_point(|(of, _)| usize::from(*of) < block);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        self.vectors.block_starts = (0..=blocks.len()).map(|block| number(block_start(block))).collect();
        let places: HashMap<(u8, u32), u32> = known.into_iter().zip(0..).collect();
        let mut weighted: Vec<(u32, f32)> = Vec::new();
        let mut end = 0;
        for entity in 0..all {
            weighted.clear();
            for at in self.vectors.starts[entity]..self.vectors.starts[entity + 1] {
                let (block, hash) = (self.blocks[at], self.vectors.features[at]);
                let Some(place) = places.get(&(block, hash)) else { continue };
                let frequency = self.frequencies[&(block, hash)];
                let count = f64::from(self.vectors.weights[at]);
                let weight = blocks[usize::from(block)].weight(count, frequency, real(all));
                weighted.push((*place, single(weight)));
            }
            weighted.sort_unstable_by_key(|(place, _)| *place);
            make_blocks_unit(&mut weighted, &self.vectors.block_starts, options.features.normalisation());
            // Features are only left out, so that a vector never overwrites the next one.
            self.vectors.starts[entity] = end;
            for (place, weight) in &weighted {
                self.vectors.features[end] = *place;
                self.vectors.weights[end] = *weight;
                end += 1;
            }
        }
        self.vectors.starts[all] = end;
        self.vectors.features.truncate(end);
        self.vectors.features.shrink_to_fit();
        self.vectors.weights.truncate(end);
        self.vectors.weights.shrink_to_fit();
        if options.features.normalisation() == Normalisation::BlocksAndWhole {
            self.vectors.make_unit();
        }
        self.vectors
    }
}

/// Divides the weights of blocks by their length.
fn make_blocks_unit(weighted: &mut [(u32, f32)], block_starts: &[u32], normalisation: Normalisation) {
    let block = |place: u32| block_starts.partition_point(|start| *start <= place);
    for part in weighted.chunk_by_mut(|a, b| block(a.0) == block(b.0)) {
        if normalisation == Normalisation::Words && block(part[0].0) > 1 {
            break;
        }
        let length = part.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        if length > 0.0 {
            for (_, weight) in part {
                *weight /= length;
            }
        }
    }
}

#[cfg(test)]
mod tests;
