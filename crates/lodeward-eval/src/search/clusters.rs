//! Clusters, compared with gold classes.

use lodeward_search::cluster::{ClusterAlgorithm, ClusterOptions, Clustering, LaplacianKind};
use lodeward_search::vectors::{EntityVectors, VectorFeatures, VectorOptions};

use super::gold::GoldSet;
use super::page::{SearchSection, share};
use crate::numbers::{mean, to_f64};

/// What is compared.
const METHODS: [(&str, VectorFeatures, ClusterMethod); 8] = [
    ("printed vector, X-means 2–50", VectorFeatures::Published, ClusterMethod::Options(ClusterAlgorithm::XMeans)),
    (
        "printed vector, spectral D − A",
        VectorFeatures::Published,
        ClusterMethod::Options(ClusterAlgorithm::Spectral(LaplacianKind::Unnormalised)),
    ),
    (
        "printed vector, spectral normalised",
        VectorFeatures::Published,
        ClusterMethod::Options(ClusterAlgorithm::Spectral(LaplacianKind::Normalised)),
    ),
    ("printed vector, k-means, true k", VectorFeatures::Published, ClusterMethod::TrueCount),
    ("with predicates, X-means 2–50", VectorFeatures::WithPredicates, ClusterMethod::Options(ClusterAlgorithm::XMeans)),
    ("with predicates, k-means, true k", VectorFeatures::WithPredicates, ClusterMethod::TrueCount),
    ("one cluster", VectorFeatures::WithPredicates, ClusterMethod::One),
    (
        "**with predicates, communities** (default)",
        VectorFeatures::WithPredicates,
        ClusterMethod::Options(ClusterAlgorithm::Communities),
    ),
];

/// Seeds of random numbers over which the default is averaged.
const SEEDS: u64 = 5;

#[derive(Clone, Copy)]
enum ClusterMethod {
    Options(ClusterAlgorithm),
    /// k-means with the number of gold classes.
    TrueCount,
    /// All entities in one cluster.
    One,
}

/// Clusters each gold set with each method.
#[must_use]
pub fn evaluate(sets: &[GoldSet]) -> SearchSection {
    let mut section = SearchSection::new(
        "Clusters",
        "Adjusted Rand index against gold classes; types are hidden. Communities: mean over five seeds of the random \
         numbers.",
    );
    let heads: Vec<&str> = ["method"].into_iter().chain(sets.iter().map(|set| set.name)).chain(["mean"]).collect();
    section.table(&heads);
    section.row(&sizes(sets));
    for (name, features, method) in METHODS {
        let mut cells = vec![name.to_owned()];
        let mut indices = Vec::new();
        for set in sets {
            let Ok(vectors) = EntityVectors::read(&set.entities[..], &VectorOptions::new(features));
            let index = measure(set, &vectors, method);
            section.figure(set.name, name, "", "adjusted-rand-index", index);
            cells.push(share(index));
            indices.push(index);
        }
        cells.push(share(mean(indices)));
        section.row(&cells);
    }
    section.end_table();
    section
}

fn sizes(sets: &[GoldSet]) -> Vec<String> {
    let size = |set: &GoldSet| format!("{} in {}", set.entities.len(), set.class_count());
    ["entities, classes".to_owned()].into_iter().chain(sets.iter().map(size)).chain([String::new()]).collect()
}

fn measure(set: &GoldSet, vectors: &EntityVectors, method: ClusterMethod) -> f64 {
    let cluster = |algorithm, seed| {
        let options = ClusterOptions { algorithm, seed, ..ClusterOptions::default() };
        adjusted_rand_index(&Clustering::new(vectors, &options).clusters, &set.classes)
    };
    match method {
        ClusterMethod::Options(ClusterAlgorithm::Communities) => {
            mean((0..SEEDS).map(|seed| cluster(ClusterAlgorithm::Communities, seed)))
        }
        ClusterMethod::Options(algorithm) => cluster(algorithm, 0),
        ClusterMethod::TrueCount => cluster(ClusterAlgorithm::KMeans(set.class_count()), 0),
        ClusterMethod::One => adjusted_rand_index(&vec![0; set.classes.len()], &set.classes),
    }
}

/// Agreement of two partitions, corrected for chance (L. Hubert, P. Arabie, *Comparing partitions*,
/// 1985): 1 if equal, 0 on average if random.
#[must_use]
pub fn adjusted_rand_index(one: &[u32], other: &[u32]) -> f64 {
    let mut both = std::collections::HashMap::<(u32, u32), usize>::new();
    let (mut rows, mut columns) = (std::collections::HashMap::new(), std::collections::HashMap::new());
    for (a, b) in one.iter().zip(other) {
        *both.entry((*a, *b)).or_default() += 1;
        *rows.entry(*a).or_default() += 1;
        *columns.entry(*b).or_default() += 1;
    }
    let pairs = |count: usize| to_f64(count) * (to_f64(count) - 1.0) / 2.0;
    let sum = |counts: &mut dyn Iterator<Item = usize>| counts.map(pairs).sum::<f64>();
    let together = sum(&mut both.into_values());
    let (in_rows, in_columns) = (sum(&mut rows.into_values()), sum(&mut columns.into_values()));
    let expected = in_rows * in_columns / pairs(one.len()).max(1.0);
    let most = f64::midpoint(in_rows, in_columns);
    if (most - expected).abs() < f64::EPSILON { 1.0 } else { (together - expected) / (most - expected) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_matches_scikit_learn() {
        // sklearn.metrics.adjusted_rand_score
        let check = |one: &[u32], other: &[u32], expected: f64| {
            let index = adjusted_rand_index(one, other);
            assert!((index - expected).abs() < 1e-9, "{index}");
        };

        check(&[0, 0, 1, 1], &[1, 1, 0, 0], 1.0);
        check(&[0, 0, 1, 2], &[0, 0, 1, 1], 0.571_428_571_428_571_4);
        check(&[0, 0, 0, 0], &[0, 1, 2, 3], 0.0);
        check(&[0, 0, 1, 1, 2, 2], &[0, 1, 0, 1, 0, 1], -0.363_636_363_636_363_65);
    }
}
