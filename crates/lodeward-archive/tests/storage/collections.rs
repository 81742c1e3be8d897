//! Tests of documents and collections.

use lodeward_archive::{Archive, Collection};
use oxrdf::Quad;

use crate::fixture::{archive, everything, lines, node, object, quad};

const FIRST: Collection = Collection(1);
const SECOND: Collection = Collection(2);

fn document(name: &str, version: u64, count: u64) -> Vec<Quad> {
    (0..count).map(|number| quad(name, number / 4, number % 4, object(version * 1_000 + number))).collect()
}

fn put(archive: &Archive, collection: Collection, name: &str, quads: &[Quad]) {
    let mut transaction = archive.begin();
    transaction.put_document(collection, node(name).as_ref(), quads.iter().map(Quad::as_ref)).unwrap();
    transaction.commit().unwrap();
}

#[test]
fn a_stored_document_replaces_its_previous_version() {
    let (_keep, archive) = archive();
    let other = document("other", 1, 5);
    put(&archive, FIRST, "other", &other);
    for (version, count) in [(1, 40), (2, 300), (3, 0), (4, 10), (4, 10)] {
        let quads = document("d", version, count);
        put(&archive, FIRST, "d", &quads);
        assert_eq!(everything(&archive.snapshot()), lines(quads.iter().chain(&other)));
        let known = archive.snapshot().contains_named_graph(node("d").as_ref().into()).unwrap();
        assert_eq!(known, count > 0);
    }
}

#[test]
fn the_last_version_of_a_document_in_a_transaction_wins() {
    let (_keep, archive) = archive();
    let (old, new) = (document("d", 1, 20), document("d", 2, 30));
    let mut transaction = archive.begin();
    for version in [&old, &new] {
        let quads = version.iter().map(Quad::as_ref);
        transaction.put_document(FIRST, node("d").as_ref(), quads).unwrap();
    }
    transaction.commit().unwrap();
    assert_eq!(everything(&archive.snapshot()), lines(&new));
    assert_eq!(archive.drop_collection(FIRST).unwrap(), 1);
    assert!(archive.snapshot().is_empty().unwrap());
}

#[test]
fn dropping_a_collection_keeps_documents_of_other_collections() {
    let (_keep, archive) = archive();
    let (mine, ours) = (document("mine", 1, 200), document("ours", 1, 20));
    put(&archive, FIRST, "mine", &mine);
    put(&archive, FIRST, "ours", &ours);
    put(&archive, SECOND, "ours", &ours);
    assert_eq!(archive.snapshot().collection_graphs(FIRST).count(), 2);

    assert_eq!(archive.drop_collection(FIRST).unwrap(), 2);

    assert_eq!(everything(&archive.snapshot()), lines(&ours));
    assert_eq!(archive.snapshot().collection_graphs(FIRST).count(), 0);
    assert_eq!(archive.drop_collection(SECOND).unwrap(), 1);
    assert!(archive.snapshot().is_empty().unwrap());
    assert_eq!(archive.drop_collection(SECOND).unwrap(), 0);
}

#[test]
fn a_shared_graph_exists_until_no_document_writes_into_it() {
    let (_keep, archive) = archive();
    let shared = document("shared", 1, 10);
    let with_own = |name: &str, part: &[Quad]| [document(name, 1, 3), part.to_vec()].concat();
    put(&archive, FIRST, "one", &with_own("one", &shared[..5]));
    put(&archive, FIRST, "two", &with_own("two", &shared[5..]));
    assert_eq!(archive.snapshot().len().unwrap(), 16);

    // One document stops writing into the graph: its earlier statements stay.
    put(&archive, FIRST, "one", &document("one", 2, 3));
    assert_eq!(archive.snapshot().len().unwrap(), 16);
    // The other document stops as well: the graph is dropped.
    put(&archive, FIRST, "two", &[]);
    assert_eq!(everything(&archive.snapshot()), lines(&document("one", 2, 3)));
}
