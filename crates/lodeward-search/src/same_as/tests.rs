//! Proposed links between two small sets of entities.

use super::*;
use crate::entity::{Direction, EntityDescription, EntityLink, TaggedText};

fn entity(key: u64, label: &str, neighbours: &[(u64, &str)]) -> EntityDescription {
    let mut entity = EntityDescription::new(EntityKey(key), format!("http://example.org/{key}"));
    entity.labels.push(TaggedText::plain(label));
    for (neighbour, label) in neighbours {
        entity.neighbours.push(EntityLink {
            key: EntityKey(*neighbour),
            label: TaggedText::plain(*label).into(),
            predicate: EntityKey(1),
            predicate_iri: "http://example.org/p".into(),
            direction: Direction::Out,
        });
    }
    entity
}

fn side(entities: &[EntityDescription]) -> LinkSide {
    let Ok(side) = LinkSide::read(entities);
    side
}

/// Two places named Paris on each side: one in France, one in Texas.
fn places() -> (LinkSide, LinkSide) {
    let sources = [
        entity(1, "Paris", &[(3, "France")]),
        entity(2, "Paris", &[(4, "Texas")]),
        entity(3, "France", &[]),
        entity(4, "Texas", &[]),
        entity(5, "Atlantis", &[]),
    ];
    let targets = [
        entity(11, "Paris", &[(13, "France"), (15, "Seine")]),
        entity(12, "Paris, Texas", &[(14, "Texas")]),
        entity(13, "France", &[]),
        entity(14, "Texas", &[]),
        entity(15, "Seine", &[]),
    ];
    (side(&sources), side(&targets))
}

fn figure(pair: &LinkCandidate, name: &str) -> f64 {
    pair.evidence[EVIDENCE_NAMES.iter().position(|known| *known == name).expect("it is a figure")]
}

fn find(pairs: &[LinkCandidate], source: u32, target: u32) -> &LinkCandidate {
    pairs.iter().find(|pair| (pair.source, pair.target) == (source, target)).expect("it is a candidate")
}

#[test]
fn entities_that_share_a_name_are_candidates() {
    let (sources, targets) = places();

    let pairs: Vec<(u32, u32)> = candidates(&sources, &targets).iter().map(|pair| (pair.source, pair.target)).collect();

    for expected in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (3, 3)] {
        assert!(pairs.contains(&expected), "{pairs:?}");
    }
    assert!(pairs.iter().all(|(source, _)| *source != 4), "nothing is called Atlantis");
}

#[test]
fn neighbours_that_are_certainly_the_same_are_evidence() {
    let (sources, targets) = places();

    let pairs = candidates(&sources, &targets);

    assert!((figure(find(&pairs, 1, 1), "linked-share") - 1.0).abs() < 1e-9);
    assert!(figure(find(&pairs, 1, 0), "linked-share").abs() < 1e-9);
    assert!((figure(find(&pairs, 0, 0), "label-equal") - 1.0).abs() < 1e-9);
    assert!((figure(find(&pairs, 0, 0), "one-of-sources") - 0.5).abs() < 1e-9);
}

#[test]
fn an_entity_is_linked_at_most_once() {
    let (sources, targets) = places();
    let pairs = candidates(&sources, &targets);
    let mut weights = LinkWeights { weights: [0.0; EVIDENCE_COUNT], bias: 0.1 };
    weights.weights[10] = 5.0;

    let links = propose(&sources, &targets, &pairs, &weights, 0.0);

    let keys: Vec<(u64, u64)> = links.iter().map(|link| (link.source.0, link.target.0)).collect();
    assert!(keys.contains(&(1, 11)) && keys.contains(&(2, 12)), "{keys:?}");
    assert!(links.is_sorted_by(|a, b| a.score >= b.score));
    assert!(propose(&sources, &targets, &pairs, &weights, 100.0).is_empty());
}

#[test]
fn training_finds_the_figure_that_decides() {
    let pair = |at: u32| {
        let mut evidence = [0.0; EVIDENCE_COUNT];
        evidence[0] = f64::from(at % 10);
        evidence[5] = f64::from(at * 7 % 11);
        (evidence, at % 10 > 5)
    };
    let pairs: Vec<_> = (0..400).map(pair).collect();

    let weights = LinkWeights::train(&pairs);

    assert!(pairs.iter().all(|(evidence, same)| (weights.score(evidence) >= 0.0) == *same), "{weights:?}");
    assert!(weights.weights[0] > 10.0 * weights.weights[5].abs(), "{weights:?}");
}

#[test]
fn links_between_the_datasets_of_one_side_are_found() {
    let entities = [
        entity(1, "Paris", &[(3, "France")]),
        entity(2, "Paris", &[(4, "Texas")]),
        entity(3, "France", &[(1, "Paris")]),
        entity(4, "Texas", &[(2, "Paris")]),
        entity(11, "Paris", &[(13, "France"), (15, "Seine")]),
        entity(12, "Paris, Texas", &[(14, "Texas"), (15, "Seine")]),
        entity(13, "France", &[(11, "Paris"), (12, "Paris")]),
        entity(14, "Texas", &[(12, "Paris"), (11, "Paris")]),
        entity(15, "Seine", &[]),
    ];
    let Ok(side) = LinkSide::read_grouped(&entities[..], |entity| u32::from(entity.key.0 > 10));

    let pairs = candidates(&side, &side);
    let proposals = propose(&side, &side, &pairs, &LinkWeights::default(), 0.0);

    assert!(pairs.iter().all(|pair| side.entity(pair.source).group != side.entity(pair.target).group));
    let mut found: Vec<(u64, u64)> = proposals.iter().map(|link| (link.source.0, link.target.0)).collect();
    found.sort_unstable();
    assert_eq!(found, [(1, 11), (2, 12), (3, 13), (4, 14)]);
}
