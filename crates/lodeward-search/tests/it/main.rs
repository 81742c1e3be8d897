//! The index and retrieval on a small graph.

mod published;

use lodeward_search::entity::{Direction, EntityKey, EntityLink, TaggedText};
use lodeward_search::retrieve::{Method, RetrievalOptions};
use lodeward_search::{EntityDescription, EntityIndex, IndexOptions};

const EMPIRE_STATE: &str = "http://example.org/Empire_State_Building";
const LAMB: &str = "http://example.org/William_F._Lamb";
const PARIS: &str = "http://example.org/Paris";
const PARIS_TEXAS: &str = "http://example.org/Paris,_Texas";

fn entity(key: u64, iri: &str, label: &str) -> EntityDescription {
    let mut entity = EntityDescription::new(EntityKey(key), iri);
    entity.labels.push(TaggedText::plain(label));
    entity
}

/// Links two entities by a predicate, in both descriptions.
fn link(subject: &mut EntityDescription, predicate: &str, object: &mut EntityDescription) {
    let neighbour = |of: &EntityDescription, direction| EntityLink {
        key: of.key,
        label: of.labels[0].clone().into(),
        predicate: EntityKey(1000),
        predicate_iri: format!("http://example.org/vocabulary#{predicate}").into(),
        direction,
    };
    let (out, into) = (neighbour(object, Direction::Out), neighbour(subject, Direction::In));
    subject.neighbours.push(out);
    object.neighbours.push(into);
}

fn buildings() -> Vec<EntityDescription> {
    let mut tower = entity(1, EMPIRE_STATE, "Empire State Building");
    let mut architect = entity(2, LAMB, "William F. Lamb");
    let mut paris = entity(3, PARIS, "Paris");
    let texas = entity(4, PARIS_TEXAS, "Paris, Texas");
    let mut louvre = entity(5, "http://example.org/Louvre", "Louvre");
    link(&mut tower, "architect", &mut architect);
    link(&mut louvre, "location", &mut paris);
    tower.types.push("http://example.org/vocabulary#Skyscraper".to_owned());
    vec![tower, architect, paris, texas, louvre]
}

fn index_of(entities: &[EntityDescription]) -> EntityIndex {
    let index = EntityIndex::in_memory(IndexOptions::default()).expect("an index in memory");
    for entity in entities {
        index.put(entity).expect("it is written");
    }
    index.commit("first").expect("it is committed");
    index
}

fn search(index: &EntityIndex, query: &str, method: Method) -> Vec<String> {
    let hits = index.view().and_then(|view| view.search(query, method, &RetrievalOptions::default(), 10));
    hits.expect("the query is answered").into_iter().map(|hit| hit.iri).collect()
}

#[test]
fn entities_are_found_by_words_of_labels_types_and_neighbours() {
    let index = index_of(&buildings());

    assert_eq!(search(&index, "empire state buildings", Method::Bm25f)[0], EMPIRE_STATE);
    assert_eq!(search(&index, "skyscrapers", Method::Bm25f), [EMPIRE_STATE]);
    assert_eq!(search(&index, "Lamb", Method::Bm25f), [LAMB, EMPIRE_STATE]);
    assert!(search(&index, "the of and", Method::Ranked).is_empty());
    assert!(search(&index, "", Method::Ranked).is_empty());
    assert!(search(&index, "zzzz", Method::Ranked).is_empty());
}

#[test]
fn ranked_finds_the_entity_that_the_relation_names() {
    let index = index_of(&buildings());

    // The words of the query describe the building better, but it asks for the architect.
    assert_eq!(search(&index, "architect of the Empire State Building", Method::Bm25f)[0], EMPIRE_STATE);
    let ranked = index.view().and_then(|view| {
        view.search("architect of the Empire State Building", Method::Ranked, &RetrievalOptions::default(), 10)
    });
    let ranked = ranked.expect("the query is answered");
    let architect = ranked.iter().find(|hit| hit.iri == LAMB).expect("the architect is found");
    // Relation features: pair2, relmatch, pairrel.
    assert!(architect.parts[1..4].iter().all(|part| (part.value - 1.0).abs() < 1e-9), "{:?}", architect.parts);
}

#[test]
fn the_linked_namesake_comes_first() {
    let index = index_of(&buildings());

    assert_eq!(search(&index, "paris", Method::Ranked)[..2], [PARIS, PARIS_TEXAS]);
}

#[test]
fn a_description_replaces_the_previous_one() {
    let index = index_of(&buildings());
    let before = index.view().expect("a view");

    index.put(&entity(2, LAMB, "Bill Lamb")).expect("it is written");
    index.remove(EntityKey(3));
    assert_eq!(search(&index, "william", Method::Bm25f).len(), 2, "changes are visible after the commit");
    index.commit("second").expect("it is committed");

    // The tower still has the old label of its neighbour: the caller describes it again.
    assert_eq!(search(&index, "william", Method::Bm25f), [EMPIRE_STATE]);
    assert_eq!(search(&index, "bill", Method::Bm25f), [LAMB]);
    assert_eq!(search(&index, "paris", Method::Bm25f), [PARIS_TEXAS, "http://example.org/Louvre"]);
    assert_eq!(index.payload().expect("a payload").as_deref(), Some("second"));
    assert_eq!((before.entity_count(), index.view().expect("a view").entity_count()), (5, 4));
}

#[test]
fn a_changed_index_ranks_as_one_built_from_scratch() {
    let changed = index_of(&buildings()[..3]);
    changed.put(&entity(1, EMPIRE_STATE, "Another name")).expect("it is written");
    changed.put(&entity(9, "http://example.org/gone", "Gone")).expect("it is written");
    changed.commit("middle").expect("it is committed");
    for entity in &buildings() {
        changed.put(entity).expect("it is written");
    }
    changed.remove(EntityKey(9));
    changed.commit("end").expect("it is committed");
    let scratch = index_of(&buildings());

    for query in ["architect of the empire state building", "paris texas", "louvre location", "lamb"] {
        for method in [Method::Bm25f, Method::Ranked] {
            let scores = |index: &EntityIndex| {
                let hits = index.view().and_then(|view| view.search(query, method, &RetrievalOptions::default(), 10));
                let mut hits: Vec<_> = hits.expect("an answer").into_iter().map(|hit| (hit.iri, hit.score)).collect();
                hits.sort_by(|a, b| a.0.cmp(&b.0));
                hits
            };
            assert_eq!(scores(&changed), scores(&scratch), "{query}");
        }
    }
}

#[test]
fn an_index_on_disk_is_opened_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let open = || EntityIndex::open(directory.path(), IndexOptions::default()).expect("it opens");
    let index = open();
    index.put(&entity(1, PARIS, "Paris")).expect("it is written");
    index.commit("7").expect("it is committed");
    index.put(&entity(2, LAMB, "Lamb")).expect("it is written");
    drop(index);

    let index = open();

    assert_eq!(search(&index, "paris", Method::Ranked), [PARIS]);
    assert!(search(&index, "lamb", Method::Ranked).is_empty(), "it was not committed");
    assert_eq!(index.payload().expect("a payload").as_deref(), Some("7"));
}

#[test]
fn hostile_descriptions_are_bounded() {
    let mut hostile = entity(1, PARIS, &"Paris\u{202e}\u{0} ".repeat(500_000));
    hostile.aliases = vec![TaggedText::plain("x".repeat(10_000_000)); 3];
    hostile.literals = (0..100_000).map(|at| TaggedText::plain(format!("value {at}"))).collect();
    hostile.types = vec!["http://example.org/".to_owned(); 10_000];

    let index = index_of(&[hostile, entity(2, LAMB, "Lamb")]);

    assert_eq!(search(&index, "paris", Method::Ranked), [PARIS]);
    assert_eq!(search(&index, "lamb", Method::Ranked), [LAMB]);
    let long = "paris ".repeat(100_000);
    assert_eq!(search(&index, &long, Method::Ranked), [PARIS]);
}
