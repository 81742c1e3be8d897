//! Candidates for nearest neighbours: how many of the true ones are found.

use std::collections::HashSet;

use lodeward_search::vectors::{EntityVectors, ExactNeighbours, LshIndex, LshOptions, VectorFeatures, VectorOptions};

use super::collection::EntityCollection;
use super::page::{SearchSection, share};
use super::topics::digest;
use crate::numbers::{mean, to_f64};

/// Number of entities whose neighbours are compared.
const SAMPLE: usize = 3_000;

/// Number of true neighbours.
const NEAREST: usize = 10;

/// Measures recall and cost of the candidates.
#[must_use]
pub fn evaluate(collections: &[&EntityCollection]) -> SearchSection {
    let mut section = SearchSection::new(
        "Candidates for nearest neighbours",
        "MinHash with one row per band, within a type. Recall of the true 10 nearest of 3,000 sampled entities: a \
         candidate counts if it is as similar as the tenth. Candidates: mean per entity.",
    );
    section.table(&["collection", "bands", "recall", "candidates"]);
    for collection in collections {
        let Ok(vectors) =
            EntityVectors::read(&collection.entities[..], &VectorOptions::new(VectorFeatures::WithPredicates));
        for bands in [16, 32, LshOptions::default().bands] {
            let (recall, candidates) = measure(collection, &vectors, &LshOptions { bands, ..LshOptions::default() });
            section.figure(&collection.name, "lsh", &bands.to_string(), "recall", recall);
            section.figure(&collection.name, "lsh", &bands.to_string(), "candidates", candidates);
            section.row(&[collection.name.clone(), bands.to_string(), share(recall), format!("{candidates:.0}")]);
        }
    }
    section.end_table();
    section
}

fn measure(collection: &EntityCollection, vectors: &EntityVectors, options: &LshOptions) -> (f64, f64) {
    let mut order: Vec<usize> = (0..vectors.len()).collect();
    order.sort_by_cached_key(|place| digest(&collection.entities[*place].iri));
    let sampled: HashSet<usize> = order.into_iter().take(SAMPLE).collect();
    let (mut recalls, mut counts) = (Vec::new(), Vec::new());
    for group in vectors.groups() {
        let exact = ExactNeighbours::new(vectors, &group);
        let lsh = LshIndex::new(vectors, &group, options);
        for (place, number) in (0_u32..).zip(&group).filter(|(_, number)| sampled.contains(&(**number as usize))) {
            let nearest = exact.nearest(*number, NEAREST);
            let Some((_, least)) = nearest.last() else { continue };
            let candidates = lsh.candidates(place);
            let is_near = |other: &&u32| {
                vectors.dot(*number as usize, group[**other as usize] as usize) >= least - f32::EPSILON * 8.0
            };
            let found = candidates.iter().filter(is_near).count().min(nearest.len());
            recalls.push(to_f64(found) / to_f64(nearest.len()));
            counts.push(to_f64(candidates.len()));
        }
    }
    (mean(recalls), mean(counts))
}
