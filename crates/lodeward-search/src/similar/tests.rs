//! Similar entities of a small graph, compared with brute force.

use super::*;
use crate::entity::{Direction, EntityDescription, EntityLink, TaggedText};

fn link(key: u64, predicate: u64, direction: Direction) -> EntityLink {
    EntityLink {
        key: EntityKey(key),
        label: TaggedText::plain("").into(),
        predicate: EntityKey(predicate),
        predicate_iri: format!("http://example.org/p{predicate}").into(),
        direction,
    }
}

/// Films with their directors and countries, and one river.
fn films() -> Vec<EntityDescription> {
    let film = |key: u64, label: &str, director: u64, country: u64| {
        let mut entity = EntityDescription::new(EntityKey(key), format!("http://example.org/{key}"));
        entity.labels.push(TaggedText::plain(label));
        entity.neighbours = vec![link(director, 101, Direction::Out), link(country, 102, Direction::Out)];
        entity
    };
    let mut river = film(6, "Seine river", 21, 31);
    river.neighbours = vec![link(31, 103, Direction::Out)];
    vec![
        film(1, "Blue film", 20, 30),
        film(2, "Red film", 20, 30),
        film(3, "White film", 20, 31),
        film(4, "Other story", 21, 31),
        film(5, "Another tale", 22, 32),
        river,
    ]
}

#[test]
fn an_entity_with_the_same_statements_is_most_similar() {
    let Ok(index) = SimilarityIndex::read(&films()[..]);

    let found = index.similar(EntityKey(1), 10).expect("it is known");

    assert_eq!(found[0].key, EntityKey(2));
    assert_eq!(found[1].key, EntityKey(3));
    assert!(found.iter().all(|similar| similar.key != EntityKey(1)));
    assert!(found.is_sorted_by(|a, b| a.score >= b.score));
    assert_eq!(index.similar(EntityKey(1), 2).map(|found| found.len()), Some(2));
    assert_eq!(index.similar(EntityKey(99), 2), None);
}

#[test]
fn parts_are_cosines_of_rarity_weights() {
    let Ok(index) = SimilarityIndex::read(&films()[..]);

    let found = index.similar(EntityKey(1), 10).expect("it is known");

    // Statements of film 1: (101, 20) in 3 of 6 entities, (102, 30) in 2; film 3 shares the first, and
    // has (102, 31), in 2.
    let (half, third) = (2.0_f32.ln(), 3.0_f32.ln());
    let third_film = found.iter().find(|similar| similar.key == EntityKey(3)).expect("it is similar");
    let expected = half * half / (half * half + third * third);
    assert!((third_film.parts[0] - expected).abs() < 1e-5, "{:?}", third_film.parts);
    let second = found.iter().find(|similar| similar.key == EntityKey(2)).expect("it is similar");
    assert!((second.parts[0] - 1.0).abs() < 1e-5 && (second.parts[2] - 1.0).abs() < 1e-5, "{:?}", second.parts);
}

#[test]
fn a_search_index_gives_the_same_similar_entities() {
    let films = films();
    let Ok(expected) = SimilarityIndex::read(&films[..]);
    let index = crate::EntityIndex::in_memory(crate::IndexOptions::default()).unwrap();
    for (at, film) in films.iter().enumerate() {
        index.put(film).unwrap();
        // Several segments, and a description that replaces another one.
        if at % 2 == 0 {
            index.put(&films[0]).unwrap();
            index.commit("").unwrap();
        }
    }
    index.commit("").unwrap();
    let view = index.view().unwrap();

    for film in &films {
        let found = view.similar(film, 10).unwrap();
        let expected = expected.similar(film.key, 10).unwrap();
        assert_eq!(found.len(), expected.len());
        for expected in &expected {
            let similar = found.iter().find(|similar| similar.key == expected.key).expect("it is similar");
            assert!((similar.score - expected.score).abs() < 1e-4, "{similar:?} {expected:?}");
            for (part, expected) in similar.parts.iter().zip(expected.parts) {
                assert!((part - expected).abs() < 1e-4, "{similar:?} {expected:?}");
            }
        }
    }
}
