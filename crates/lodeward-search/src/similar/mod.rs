//! Entities that are similar to one entity.
//!
//! The score is a sum over four blocks of features: statements (predicate, direction, neighbour),
//! neighbours and the entity itself, ½ predicates, ½ words. Each is a cosine weighted by rarity,
//! divided by its standard deviation over all entities (the z-score of `SEARCH-STUDY.md`, section 5;
//! its mean is the same for all, and is left out).
//!
//! [`SimilarityIndex`] holds the vectors of all entities in memory. [`IndexView::similar`] computes the
//! same from a search index, with 16 bytes of memory per entity.
//!
//! [`IndexView::similar`]: crate::index::IndexView::similar

mod from_index;

use crate::entity::EntityKey;
use crate::numbers::real;
use crate::source::EntitySource;
use crate::vectors::{EntityVectors, VectorFeatures, VectorOptions};

/// Number of blocks.
pub const SIMILARITY_PARTS: usize = 4;

/// Names of the blocks.
pub const SIMILARITY_PART_NAMES: [&str; SIMILARITY_PARTS] = ["statements", "neighbours", "predicates", "words"];

/// Weights of the blocks.
const WEIGHTS: [f64; SIMILARITY_PARTS] = [1.0, 1.0, 0.5, 0.5];

/// An entity that is similar to another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimilarEntity {
    /// Its key.
    pub key: EntityKey,
    /// Weighted sum of the parts, each divided by its spread; comparable for one entity only.
    pub score: f64,
    /// Cosine of each block, in the order of [`SIMILARITY_PART_NAMES`].
    pub parts: [f32; SIMILARITY_PARTS],
    /// What each part adds to the score.
    pub shares: [f64; SIMILARITY_PARTS],
}

/// Finds similar entities.
pub struct SimilarityIndex {
    vectors: EntityVectors,
    starts: Vec<usize>,
    /// Numbers of entities and their weights, feature by feature.
    postings: Vec<(u32, f32)>,
}

impl SimilarityIndex {
    /// Reads the entities of a source.
    pub fn read<S: EntitySource + ?Sized>(source: &S) -> Result<Self, S::Error> {
        Ok(Self::new(EntityVectors::read(source, &VectorOptions::new(VectorFeatures::Similarity))?))
    }

    fn new(vectors: EntityVectors) -> Self {
        let mut starts = vec![0; vectors.dimensions() + 1];
        for number in 0..vectors.len() {
            vectors.row(number).for_each(|(feature, _)| starts[feature as usize + 1] += 1);
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut postings = vec![(0, 0.0); starts.last().copied().unwrap_or(0)];
        let mut next = starts.clone();
        for (number, row) in (0_u32..).zip(0..vectors.len()) {
            for (feature, weight) in vectors.row(row) {
                postings[next[feature as usize]] = (number, weight);
                next[feature as usize] += 1;
            }
        }
        Self { vectors, starts, postings }
    }

    /// Returns the entities that are most similar to an entity, the best first; `None` if the entity
    /// is unknown.
    #[must_use]
    pub fn similar(&self, key: EntityKey, limit: usize) -> Option<Vec<SimilarEntity>> {
        let number = self.vectors.keys().iter().position(|known| *known == key)?;
        let parts = self.cosines(number);
        let best = best(&parts, Some(number), limit).into_iter();
        Some(best.map(|(other, shares)| SimilarEntity::new(self.vectors.keys()[other], parts[other], shares)).collect())
    }

    /// Cosine of each block with each entity.
    fn cosines(&self, number: usize) -> Vec<[f32; SIMILARITY_PARTS]> {
        let mut cosines = vec![[0.0; SIMILARITY_PARTS]; self.vectors.len()];
        let blocks = &self.vectors.block_starts;
        for (feature, weight) in self.vectors.row(number) {
            let block = blocks.partition_point(|start| *start <= feature) - 1;
            let list = self.starts[feature as usize]..self.starts[feature as usize + 1];
            self.postings[list].iter().for_each(|(other, own)| cosines[*other as usize][block] += weight * own);
        }
        cosines
    }
}

impl SimilarEntity {
    fn new(key: EntityKey, parts: [f32; SIMILARITY_PARTS], shares: [f64; SIMILARITY_PARTS]) -> Self {
        Self { key, score: shares.iter().sum(), parts, shares }
    }
}

/// The places with the highest scores, without one, and what each part adds to the score; of equal
/// ones, the first.
fn best(
    parts: &[[f32; SIMILARITY_PARTS]],
    without: Option<usize>,
    limit: usize,
) -> Vec<(usize, [f64; SIMILARITY_PARTS])> {
    let spreads = spreads(parts);
    let shares = |parts: &[f32; SIMILARITY_PARTS]| -> [f64; SIMILARITY_PARTS] {
        std::array::from_fn(|at| if spreads[at] > 0.0 { WEIGHTS[at] * f64::from(parts[at]) / spreads[at] } else { 0.0 })
    };
    let others = parts.iter().enumerate().filter(|(other, _)| Some(*other) != without);
    let mut found: Vec<(usize, f64)> = others.map(|(other, parts)| (other, shares(parts).iter().sum())).collect();
    found.retain(|(_, score)| *score > 0.0);
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.truncate(limit);
    found.into_iter().map(|(other, _)| (other, shares(&parts[other]))).collect()
}

/// Standard deviation of each part over all entities.
fn spreads(parts: &[[f32; SIMILARITY_PARTS]]) -> [f64; SIMILARITY_PARTS] {
    std::array::from_fn(|at| {
        let count = real(parts.len().max(1));
        let mean = parts.iter().map(|parts| f64::from(parts[at])).sum::<f64>() / count;
        let squares = parts.iter().map(|parts| (f64::from(parts[at]) - mean).powi(2)).sum::<f64>();
        (squares / count).sqrt()
    })
}

#[cfg(test)]
mod tests;
