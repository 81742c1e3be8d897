//! Tests of the search index that follows an archive.

use lodeward_archive::sparql::UpdateOptions;
use lodeward_archive::{Archive, Collection, Options};
use lodeward_search::retrieve::{Method, RetrievalOptions};
use oxrdf::vocab::{rdf, rdfs};
use oxrdf::{Literal, NamedNode, Quad, Term};
use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::TempDir;

use super::{SearchIndex, SearchIndexError};
use crate::settings::SearchSettings;

struct IndexedArchive {
    directory: TempDir,
    archive: Archive,
}

impl IndexedArchive {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let archive = open_archive(&directory);
        Self { directory, archive }
    }

    fn index(&self) -> SearchIndex {
        SearchIndex::new(self.directory.path(), &self.archive, &SearchSettings::default())
    }

    fn put(&self, crawl: u32, document: &str, quads: &[Quad]) {
        let mut transaction = self.archive.begin();
        let name = iri(document);
        transaction.put_document(Collection(crawl), name.as_ref(), quads.iter().map(Quad::as_ref)).unwrap();
        transaction.commit().unwrap();
    }
}

fn open_archive(directory: &TempDir) -> Archive {
    let mut options = Options::default();
    options.record_changes = true;
    Archive::open(directory.path().join("archive"), &options).unwrap()
}

fn iri(name: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("http://example.org/{name}"))
}

fn quad(document: &str, subject: &str, predicate: &NamedNode, object: impl Into<Term>) -> Quad {
    Quad::new(iri(subject), predicate.clone(), object, iri(document))
}

fn label(document: &str, subject: &str, text: &str) -> Quad {
    quad(document, subject, &rdfs::LABEL.into_owned(), Literal::new_simple_literal(text))
}

fn found(index: &SearchIndex, query: &str) -> Vec<String> {
    let hits = index.view().unwrap().search(query, Method::Bm25f, &RetrievalOptions::default(), 10).unwrap();
    let mut found: Vec<String> = hits.into_iter().map(|hit| hit.iri.replace("http://example.org/", "")).collect();
    found.sort_unstable();
    found
}

#[track_caller]
fn assert_like_rebuilt(index: &SearchIndex) {
    index.update_now().unwrap();
    let updated = index.view().unwrap().contents().unwrap();
    assert!(index.rebuild_now().unwrap().is_rebuilt);
    let rebuilt = index.view().unwrap().contents().unwrap();
    pretty_compare(&updated, &rebuilt);
}

#[track_caller]
fn pretty_compare<T: PartialEq + std::fmt::Debug>(
    updated: &std::collections::BTreeMap<String, T>,
    rebuilt: &std::collections::BTreeMap<String, T>,
) {
    assert_eq!(updated.keys().collect::<Vec<_>>(), rebuilt.keys().collect::<Vec<_>>());
    for (iri, entity) in rebuilt {
        assert_eq!(&updated[iri], entity, "{iri}");
    }
}

#[test]
fn documents_imports_and_updates_are_found_replaced_and_removed() {
    let data = IndexedArchive::new();
    let index = data.index();
    let architect = iri("architect");
    data.put(1, "d1", &[label("d1", "tower", "Gothic tower"), quad("d1", "tower", &architect, iri("lamb"))]);
    assert!(index.update_now().unwrap().is_rebuilt, "the first update fills the index");
    assert_eq!(found(&index, "gothic"), ["tower"]);

    // An entity is described by several documents; its name is in the fields of its neighbours.
    data.put(1, "d2", &[label("d2", "lamb", "William Harmon")]);
    let update = index.update_now().unwrap();
    assert_eq!((update.entities, update.is_rebuilt), (2, false));
    assert_eq!(found(&index, "harmon"), ["lamb", "tower"]);

    let insert = "INSERT DATA { <http://example.org/own> <http://www.w3.org/2000/01/rdf-schema#label> 'My record' }";
    data.archive.update(insert, &UpdateOptions::default()).unwrap();
    data.put(1, "d2", &[label("d2", "lamb", "Bill")]);
    index.update_now().unwrap();
    assert_eq!(found(&index, "record"), ["own"]);
    assert!(found(&index, "harmon").is_empty());
    assert_eq!(found(&index, "bill"), ["lamb", "tower"]);

    data.put(1, "d2", &[]);
    let mut transaction = data.archive.begin();
    transaction.drop_graph(oxrdf::GraphNameRef::DefaultGraph).unwrap();
    transaction.commit().unwrap();
    index.update_now().unwrap();
    assert!(found(&index, "bill").is_empty() && found(&index, "record").is_empty());
    assert_eq!(found(&index, "lamb"), ["tower"], "the neighbour has the name in the IRI again");
    assert_like_rebuilt(&index);
}

#[test]
fn an_index_continues_where_it_was_and_follows_only_its_archive() {
    let mut data = IndexedArchive::new();
    data.put(1, "d1", &[label("d1", "one", "One")]);
    data.index().update_now().unwrap();
    data.put(1, "d2", &[label("d2", "two", "Two")]);

    let index = data.index();
    assert_eq!(index.update_now().unwrap().entities, 1);
    assert_eq!(index.update_now().unwrap().entities, 0);
    drop(index);

    // Another archive in the same place.
    let IndexedArchive { directory, archive } = data;
    drop(archive);
    std::fs::remove_dir_all(directory.path().join("archive")).unwrap();
    let archive = open_archive(&directory);
    data = IndexedArchive { directory, archive };
    data.put(1, "d3", &[label("d3", "three", "Three")]);
    let index = data.index();
    assert!(index.update_now().unwrap().is_rebuilt);
    assert_eq!(index.view().unwrap().entity_count(), 1);
    drop(index);

    // Changes that were not recorded: the archive was open without the feed.
    let IndexedArchive { directory, archive } = data;
    drop(archive);
    let archive = Archive::open(directory.path().join("archive"), &Options::default()).unwrap();
    let data = IndexedArchive { directory, archive };
    data.put(1, "d4", &[label("d4", "four", "Four")]);
    assert!(matches!(data.index().update_now(), Err(SearchIndexError::Disabled)));
    let IndexedArchive { directory, archive } = data;
    drop(archive);
    let archive = open_archive(&directory);
    let data = IndexedArchive { directory, archive };
    let index = data.index();
    assert!(index.update_now().unwrap().is_rebuilt);
    assert_eq!(found(&index, "four"), ["four"]);
}

#[test]
fn a_damaged_index_is_built_again() {
    let data = IndexedArchive::new();
    data.put(1, "d1", &[label("d1", "one", "One")]);
    data.index().update_now().unwrap();
    std::fs::write(data.directory.path().join("search/meta.json"), "{").unwrap();

    assert!(data.index().update_now().unwrap().is_rebuilt);
    assert_eq!(found(&data.index(), "one"), ["one"]);
}

#[test]
fn hubs_have_the_name_in_their_iri() {
    let data = IndexedArchive::new();
    let index = data.index();
    let location = iri("location");
    let from = |range: std::ops::Range<u32>| -> Vec<Quad> {
        let quads = range.map(|n| {
            let place = format!("place{n}");
            [label("d1", &place, &format!("Place {n}")), quad("d1", &place, &location, iri("hub"))]
        });
        quads.flatten().collect()
    };
    data.put(1, "hub", &[label("hub", "hub", "Metropolis")]);
    data.put(1, "d1", &from(0..200));
    assert_like_rebuilt(&index);
    assert_eq!(
        index.view().unwrap().search("metropolis", Method::Bm25f, &RetrievalOptions::default(), 500).unwrap().len(),
        201
    );

    data.put(1, "d1", &from(0..400));
    assert_like_rebuilt(&index);
    assert_eq!(found(&index, "metropolis"), ["hub"]);

    // A further statement changes nothing, a renamed hub none of its neighbours.
    data.put(2, "d2", &[label("d2", "extra", "Extra"), quad("d2", "extra", &location, iri("hub"))]);
    assert_eq!(index.update_now().unwrap().entities, 1);
    data.put(1, "hub", &[label("hub", "hub", "Gotham")]);
    assert_eq!(index.update_now().unwrap().entities, 1);
    assert_like_rebuilt(&index);

    data.put(1, "d1", &from(100..200));
    assert_like_rebuilt(&index);
    assert_eq!(
        index.view().unwrap().search("gotham", Method::Bm25f, &RetrievalOptions::default(), 500).unwrap().len(),
        102
    );
}

#[test]
fn hostile_texts_are_bounded_and_safe() {
    let data = IndexedArchive::new();
    let index = data.index();
    let long = format!("word\u{202e}\u{7} {}", "x".repeat(3_000_000));
    let mut quads = vec![label("d1", "one", &long)];
    quads.extend((0..10_000).map(|n| label("d1", "one", &format!("value{n}"))));
    quads.push(quad("d1", "one", &rdf::TYPE.into_owned(), iri("Class")));
    data.put(1, "d1", &quads);

    index.update_now().unwrap();

    let hits = index.view().unwrap().search("class", Method::Bm25f, &RetrievalOptions::default(), 1).unwrap();
    assert!(hits[0].label.len() <= 512 && !hits[0].label.contains(['\u{202e}', '\u{7}']), "{:?}", hits[0].label);
    let contents = index.view().unwrap().contents().unwrap();
    assert!(contents.values().all(|entity| entity.terms.len() < 2_000));
}

/// A change of the archive.
#[derive(Clone, Debug)]
enum RandomChange {
    /// A document of a crawl with these statements: subject, predicate, object.
    Put(u32, u8, Vec<(u8, u8, u8)>),
    DropCrawl(u32),
    Insert((u8, u8, u8)),
    Remove((u8, u8, u8)),
    Replace(Vec<(u8, u8, u8)>),
    Update,
    Reopen,
}

fn statements() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    vec((0_u8..6, 0_u8..5, 0_u8..8), 0..8)
}

fn step() -> impl Strategy<Value = RandomChange> {
    prop_oneof![
        6 => (1_u32..3, 0_u8..5, statements()).prop_map(|(crawl, document, of)| RandomChange::Put(crawl, document, of)),
        1 => (1_u32..3).prop_map(RandomChange::DropCrawl),
        1 => (0_u8..6, 0_u8..5, 0_u8..8).prop_map(RandomChange::Insert),
        1 => (0_u8..6, 0_u8..5, 0_u8..8).prop_map(RandomChange::Remove),
        1 => statements().prop_map(RandomChange::Replace),
        3 => Just(RandomChange::Update),
        1 => Just(RandomChange::Reopen),
    ]
}

fn random_quad(document: &str, (subject, predicate, object): (u8, u8, u8)) -> Quad {
    let subject = format!("node{subject}");
    match predicate {
        0 => label(document, &subject, &format!("Name {object}")),
        1 => quad(document, &subject, &rdf::TYPE.into_owned(), iri(&format!("Class{object}"))),
        2 => {
            quad(document, &subject, &rdfs::COMMENT.into_owned(), Literal::new_simple_literal(format!("text {object}")))
        }
        other => quad(document, &subject, &iri(&format!("link{other}")), iri(&format!("node{object}"))),
    }
}

fn apply(data: &IndexedArchive, step: &RandomChange) {
    match step {
        RandomChange::Put(crawl, document, statements) => {
            let document = format!("d{document}");
            let quads: Vec<Quad> = statements.iter().map(|of| random_quad(&document, *of)).collect();
            data.put(*crawl, &document, &quads);
        }
        RandomChange::DropCrawl(crawl) => drop(data.archive.drop_collection(Collection(*crawl)).unwrap()),
        RandomChange::Insert(statement) | RandomChange::Remove(statement) => {
            let quad = random_quad("import", *statement);
            let mut transaction = data.archive.begin();
            if matches!(step, RandomChange::Insert(_)) {
                transaction.insert(quad.as_ref()).unwrap();
            } else {
                transaction.remove(quad.as_ref()).unwrap();
            }
            transaction.commit().unwrap();
        }
        RandomChange::Replace(statements) => {
            let mut replacement = data.archive.replace_graph(iri("import")).with_max_buffered(2);
            for statement in statements {
                let quad = random_quad("import", *statement);
                replacement.add(oxrdf::TripleRef::from(quad.as_ref())).unwrap();
            }
            replacement.finish().unwrap();
        }
        RandomChange::Update | RandomChange::Reopen => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn an_updated_index_equals_one_built_from_scratch(steps in vec(step(), 1..40)) {
        let data = IndexedArchive::new();
        let mut index = data.index();
        for step in &steps {
            apply(&data, step);
            match step {
                RandomChange::Update => drop(index.update_now().unwrap()),
                RandomChange::Reopen => {
                    drop(index);
                    index = data.index();
                }
                _ => {}
            }
        }
        assert_like_rebuilt(&index);
    }
}
