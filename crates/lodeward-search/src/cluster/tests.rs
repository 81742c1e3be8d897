//! Clusters of small inputs, compared with scikit-learn, leidenalg and planted groups.

use std::collections::HashMap;

use serde::Deserialize;

use super::*;
use crate::entity::{Direction, EntityDescription, EntityKey, EntityLink, TaggedText};
use crate::vectors::{VectorFeatures, VectorOptions, WeightedEdge};

/// Output of `eval/reference/clusters.py`.
#[derive(Deserialize)]
struct ReferenceClusters {
    texts: Vec<String>,
    cosines: Vec<Vec<f32>>,
    singular_values: Vec<f64>,
    edges: Vec<(u32, u32, f32)>,
    resolution: f64,
    quality: f64,
}

fn reference() -> ReferenceClusters {
    serde_json::from_str(include_str!("testdata/clusters.json")).expect("the fixture is valid")
}

fn text_vectors(texts: &[String]) -> EntityVectors {
    let entity = |(key, text): (u64, &String)| {
        let mut entity = EntityDescription::new(EntityKey(key), format!("http://example.org/{key}"));
        entity.labels.push(TaggedText::plain(text));
        entity
    };
    let entities: Vec<EntityDescription> = (1..).zip(texts).map(entity).collect();
    let Ok(vectors) = EntityVectors::read(&entities[..], &VectorOptions::new(VectorFeatures::Published));
    vectors
}

/// Three groups of entities with their own predicates and objects.
fn planted(sizes: [u64; 3], first: u64) -> Vec<EntityDescription> {
    let mut entities = Vec::new();
    for (group, size) in (0_u64..).zip(sizes) {
        for member in 0..size {
            let key = first + group * 1_000 + member;
            let mut entity = EntityDescription::new(EntityKey(key), format!("http://example.org/{key}"));
            for link in 0..4 {
                entity.neighbours.push(EntityLink {
                    key: EntityKey(50_000 + group * 10 + (member + link) % 6),
                    label: TaggedText::plain("").into(),
                    predicate: EntityKey(90_000 + group * 10 + link),
                    predicate_iri: format!("http://example.org/p{group}-{link}").into(),
                    direction: Direction::Out,
                });
            }
            entities.push(entity);
        }
    }
    entities
}

fn vectors(entities: &[EntityDescription]) -> EntityVectors {
    let Ok(vectors) = EntityVectors::read(entities, &VectorOptions::new(VectorFeatures::WithPredicates));
    vectors
}

/// Quality as leidenalg computes it: `2·Σ_C (e_C − γ·K_C² / 4m)`.
fn quality(edges: &[(u32, u32, f32)], communities: &[u32], resolution: f64) -> f64 {
    let (mut inside, mut total) = (0.0, 0.0);
    let mut strengths: HashMap<u32, f64> = HashMap::new();
    for (from, to, weight) in edges {
        let (one, other, weight) = (communities[*from as usize], communities[*to as usize], f64::from(*weight));
        total += weight;
        inside += if one == other { weight } else { 0.0 };
        *strengths.entry(one).or_default() += weight;
        *strengths.entry(other).or_default() += weight;
    }
    let expected: f64 = strengths.values().map(|strength| strength * strength / (4.0 * total)).sum();
    2.0 * (inside - resolution * expected)
}

#[test]
fn tf_idf_vectors_match_scikit_learn() {
    let reference = reference();

    let vectors = text_vectors(&reference.texts);

    for (row, cosines) in reference.cosines.iter().enumerate() {
        for (column, expected) in cosines.iter().enumerate() {
            let cosine = vectors.dot(row, column);
            assert!((cosine - expected).abs() < 1e-4, "{row}, {column}: {cosine} is not {expected}");
        }
    }
}

#[test]
fn projected_points_have_the_singular_values_of_scikit_learn() {
    let reference = reference();
    let vectors = text_vectors(&reference.texts);
    let members: Vec<u32> = (0..).take(vectors.len()).collect();

    let points = Points::project(&vectors, &members, 8, 1);

    for (dimension, expected) in reference.singular_values.iter().enumerate() {
        let length = (0..points.len()).map(|at| points.point(at)[dimension].powi(2)).sum::<f64>().sqrt();
        assert!((length - expected).abs() < 0.01, "{dimension}: {length} is not {expected}");
    }
}

#[test]
fn communities_are_as_good_as_those_of_leidenalg() {
    let reference = reference();
    let edges = reference.edges.iter().map(|(from, to, weight)| WeightedEdge { from: *from, to: *to, weight: *weight });
    let graph = NeighbourGraph { entities: reference.texts.len(), edges: edges.collect() };

    for seed in 0..5 {
        let found = leiden::communities(&Network::new(&graph), reference.resolution, seed);

        let reached = quality(&reference.edges, &found, reference.resolution);
        assert!(reached > reference.quality - 1e-3, "{reached} is below {}", reference.quality);
    }
}

#[test]
fn every_algorithm_separates_planted_groups() {
    let vectors = vectors(&planted([20, 20, 20], 1));
    let algorithms = [
        ClusterAlgorithm::Communities,
        ClusterAlgorithm::Spectral(LaplacianKind::Normalised),
        ClusterAlgorithm::KMeans(3),
        ClusterAlgorithm::XMeans,
    ];
    for algorithm in algorithms {
        let options = ClusterOptions { algorithm, ..ClusterOptions::default() };

        let found = Clustering::new(&vectors, &options);

        for (cluster, place) in found.clusters.iter().zip(0_usize..) {
            let elsewhere = found.clusters.iter().zip(0_usize..).filter(|(_, other)| other / 20 != place / 20);
            assert!(elsewhere.into_iter().all(|(other, _)| other != cluster), "{algorithm:?}: {:?}", found.clusters);
        }
        assert_eq!(found, Clustering::new(&vectors, &options), "deterministic for a seed");
    }
}

#[test]
fn entities_of_different_types_are_never_in_one_cluster() {
    let mut entities = planted([40, 1, 1], 1);
    for (place, entity) in entities.iter_mut().enumerate() {
        entity.types.push(format!("http://example.org/Type{}", place % 2));
    }
    let options = VectorOptions { min_type_size: 5, ..VectorOptions::new(VectorFeatures::WithPredicates) };
    let Ok(vectors) = EntityVectors::read(&entities[..], &options);

    let found = Clustering::new(&vectors, &ClusterOptions::default()).clusters;

    for (place, cluster) in found.iter().enumerate() {
        assert!((0..found.len()).all(|other| found[other] != *cluster || other % 2 == place % 2), "{found:?}");
    }
}

#[test]
fn new_entities_join_the_cluster_of_their_neighbours() {
    let mut entities = planted([20, 20, 0], 1);
    let known = Clustering::new(&vectors(&entities), &ClusterOptions::default());
    // Three like the second group, and ten of a kind that is new.
    entities.extend(planted([0, 3, 10], 10_000));
    let vectors = vectors(&entities);
    let assigned: Vec<Option<u32>> = known.clusters.iter().copied().map(Some).chain([None; 13]).collect();

    let extended = Clustering::extend(&vectors, &assigned, &ClusterOptions::default());

    assert_eq!(extended.clusters[..40], known.clusters, "known entities keep their cluster");
    let second: Vec<u32> = known.clusters[20..].to_vec();
    assert!(extended.clusters[40..43].iter().all(|cluster| second.contains(cluster)), "{:?}", extended.clusters);
    let new = &extended.clusters[43..];
    assert!(new.iter().all(|cluster| *cluster as usize >= known.count), "{:?}", extended.clusters);
    assert_eq!(extended.count, extended.clusters.iter().max().map_or(0, |last| *last as usize + 1));
}

#[test]
fn cluster_neighbours_are_the_nearest_members() {
    let vectors = vectors(&planted([6, 12, 0], 1));
    let clustering = Clustering { clusters: (0..18).map(|at| u32::from(at >= 6)).collect(), count: 2 };
    let options = ClusterNeighbourOptions { max_cluster_size: 10, max_neighbours: 3 };

    let found = ClusterNeighbours::new(&vectors, &clustering, &options, |number| format!("urn:{number}"));

    let near: Vec<(&str, f32)> = found.nearest("urn:2", 10).collect();
    assert!(near.len() == 3 && near.is_sorted_by(|a, b| a.1 <= b.1), "{near:?}");
    for (other, distance) in &near {
        let other: usize = other[4..].parse().expect("a number");
        assert!(other < 6 && other != 2 && (distance - vectors.distance(2, other)).abs() < 1e-6);
    }
    assert_eq!(found.nearest("urn:2", 5).count(), 0, "the cluster is larger");
    assert_eq!(found.nearest("urn:9", 100).count(), 0, "large clusters are left out");
    let again = ClusterNeighbours::from_bytes(&found.to_bytes()).expect("it is decoded");
    assert_eq!(again.nearest("urn:2", 10).collect::<Vec<_>>(), near);
    assert!(ClusterNeighbours::from_bytes(&found.to_bytes()[..20]).is_none());
}
