//! Neighbours and candidates, compared with brute force.

use super::*;
use crate::entity::{Direction, EntityLink, TaggedText};

/// Entities with pseudorandom objects and predicates.
fn entities(count: u64, objects: u64) -> Vec<EntityDescription> {
    let mut state = 1_u64;
    let mut next = move |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    let mut found = Vec::new();
    for key in 1..=count {
        let mut entity = EntityDescription::new(EntityKey(key), format!("http://example.org/{key}"));
        entity.labels.push(TaggedText::plain(format!("word{} word{}", next(objects), next(objects))));
        for _ in 0..6 {
            let predicate = next(5);
            entity.neighbours.push(EntityLink {
                key: EntityKey(100_000 + next(objects)),
                label: TaggedText::plain("").into(),
                predicate: EntityKey(200_000 + predicate),
                predicate_iri: format!("http://example.org/p{predicate}").into(),
                direction: Direction::Out,
            });
        }
        found.push(entity);
    }
    found
}

fn read(entities: &[EntityDescription], features: VectorFeatures) -> EntityVectors {
    let Ok(vectors) = EntityVectors::read(entities, &VectorOptions::new(features));
    vectors
}

#[test]
fn vectors_have_length_1_and_sorted_features() {
    let vectors = read(&entities(50, 20), VectorFeatures::WithPredicates);

    for number in 0..vectors.len() {
        assert!((vectors.dot(number, number) - 1.0).abs() < 1e-5);
        assert!(vectors.row_features(number).is_sorted_by(|a, b| a < b));
    }
}

#[test]
fn features_of_one_entity_are_left_out() {
    let mut two = entities(2, 1);
    two[0].labels = vec![TaggedText::plain("common rare")];
    two[1].labels = vec![TaggedText::plain("common")];
    for entity in &mut two {
        entity.neighbours.clear();
    }

    let vectors = read(&two, VectorFeatures::WithPredicates);

    assert_eq!(vectors.dimensions(), 1);
    assert!((vectors.dot(0, 1) - 1.0).abs() < 1e-6);
    assert_eq!(read(&two, VectorFeatures::Similarity).row(0).count(), 3, "two words and the entity itself");
}

#[test]
fn hubs_have_a_bounded_number_of_features() {
    let mut all = entities(3, 10);
    let link = all[0].neighbours[0].clone();
    all[0].neighbours = (0..10_000).map(|key| EntityLink { key: EntityKey(key), ..link.clone() }).collect();
    let options = VectorOptions {
        max_block_features: 100,
        min_document_frequency: 1,
        ..VectorOptions::new(VectorFeatures::WithPredicates)
    };

    let Ok(vectors) = EntityVectors::read(&all[..], &options);

    assert!(vectors.row(0).count() <= 3 * 100);
}

#[test]
fn exact_neighbours_are_those_of_brute_force() {
    let vectors = read(&entities(120, 40), VectorFeatures::WithPredicates);
    let members: Vec<u32> = (0..120).collect();
    let exact = ExactNeighbours::new(&vectors, &members);

    for number in members.iter().copied() {
        let others = members.iter().filter(|other| **other != number);
        let mut expected: Vec<f32> = others.map(|other| vectors.dot(number as usize, *other as usize)).collect();
        expected.sort_by(|a, b| b.total_cmp(a));
        let found = exact.nearest(number, 10);

        assert_eq!(found.len(), 10);
        for ((other, cosine), expected) in found.iter().zip(expected) {
            assert!((cosine - expected).abs() < 1e-5 && *other != number);
        }
    }
}

#[test]
fn candidates_are_bounded_and_contain_equal_entities() {
    let mut all = entities(3_000, 400);
    for place in (0..3_000).step_by(100) {
        let (neighbours, labels) = (all[place].neighbours.clone(), all[place].labels.clone());
        all[place + 1].neighbours = neighbours;
        all[place + 1].labels = labels;
    }
    let vectors = read(&all, VectorFeatures::WithPredicates);
    let members: Vec<u32> = (0..3_000).collect();
    let options = LshOptions { max_bucket: 50, max_candidates: 60, ..LshOptions::default() };

    let lsh = LshIndex::new(&vectors, &members, &options);

    for place in (0..3_000).step_by(100) {
        let candidates = lsh.candidates(place);
        assert!(candidates.contains(&(place + 1)), "{place}");
        assert!(candidates.len() <= 60 && !candidates.contains(&place));
    }
}

#[test]
fn large_groups_have_nearly_the_graph_of_small_ones() {
    let vectors = read(&entities(1_500, 300), VectorFeatures::WithPredicates);
    let exact = NeighbourGraph::new(&vectors, &NeighbourOptions::default());
    let approximate = NeighbourGraph::new(&vectors, &NeighbourOptions { max_exact: 10, ..NeighbourOptions::default() });

    let weight = |graph: &NeighbourGraph| graph.edges.iter().map(|edge| edge.weight).sum::<f32>();
    assert!(weight(&approximate) > 0.85 * weight(&exact), "{} of {}", weight(&approximate), weight(&exact));
    assert!(approximate.edges.is_sorted_by_key(|edge| (edge.from, edge.to)));
}
