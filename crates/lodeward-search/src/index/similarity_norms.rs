//! What similar entities are compared by: frequencies of features, and lengths of vectors. Kept with the
//! view of the index that they were computed from (`similar/from_index.rs`).

use crate::numbers::single;

/// Number of blocks of a vector.
const BLOCKS: usize = 4;

/// Frequencies of features, and lengths of the vectors of all entities.
pub(crate) struct SimilarityNorms {
    /// Number of entities with a feature, by hash. The number of counters is a power of two.
    counters: Vec<u32>,
    entities: f64,
    /// Square of the length of each block, by number of the entity.
    pub(crate) squares: Vec<[f32; BLOCKS]>,
}

impl SimilarityNorms {
    pub(crate) fn new(counters: usize, entities: f64, number_end: usize) -> Self {
        Self { counters: vec![0; counters], entities, squares: vec![[0.0; BLOCKS]; number_end] }
    }

    /// Counts entities with a feature.
    pub(crate) fn count(&mut self, feature: u64, entities: u32) {
        let slot = self.slot(feature);
        self.counters[slot] = self.counters[slot].saturating_add(entities);
    }

    /// Adds a feature to the length of a block of an entity.
    pub(crate) fn measure(&mut self, number: u32, block: usize, feature: u64) {
        self.squares[number as usize][block] += self.square(feature);
    }

    /// Square of the rarity of a feature.
    pub(crate) fn square(&self, feature: u64) -> f32 {
        let rarity = (self.entities / f64::from(self.counters[self.slot(feature)].max(1))).ln().max(0.0);
        single(rarity.powi(2))
    }

    fn slot(&self, feature: u64) -> usize {
        (feature >> 32) as usize & (self.counters.len() - 1)
    }
}
