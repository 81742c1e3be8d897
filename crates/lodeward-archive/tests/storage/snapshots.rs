//! Tests of snapshots, transactions and reopening.

use lodeward_archive::{Archive, ArchiveError};
use oxrdf::{Quad, Term};
use spareval::QueryableDataset as _;

use crate::fixture::{archive, everything, graph, insert, lines, node, object, options, quad};

fn some_quads(name: &str, count: u64) -> Vec<Quad> {
    (0..count).map(|number| quad(name, number % 30, number % 5, object(number))).collect()
}

#[test]
fn later_writes_do_not_change_a_snapshot() {
    let (_keep, archive) = archive();
    let (first, second) = (some_quads("one", 300), some_quads("two", 300));
    insert(&archive, &first);
    let before = archive.snapshot();

    insert(&archive, &second);
    let mut transaction = archive.begin();
    transaction.drop_graph(graph("one").as_ref()).unwrap();
    transaction.commit().unwrap();
    // Reclaiming space keeps removed data that the snapshot needs.
    archive.reclaim().unwrap();

    assert_eq!(everything(&before), lines(&first));
    assert_eq!(everything(&archive.snapshot()), lines(&second));
    let found = before.quads(Some(node(7).as_ref().into()), None, None, None).count();
    assert_eq!(found, first.iter().filter(|quad| quad.subject == node(7).into()).count());
}

#[test]
fn quads_of_a_predicate_are_filtered_by_object() {
    let (_keep, archive) = archive();
    let quads = some_quads("one", 300);
    insert(&archive, &quads);
    let is_german = |object: &Term| matches!(object, Term::Literal(text) if text.language() == Some("de"));

    let snapshot = archive.snapshot();
    let found: Vec<Quad> =
        snapshot.quads_with_object(node("p0").as_ref(), is_german).collect::<Result<_, _>>().unwrap();

    let expected: Vec<&Quad> =
        quads.iter().filter(|quad| quad.predicate == node("p0") && is_german(&quad.object)).collect();
    assert!(!expected.is_empty() && expected.len() == found.len(), "{}", found.len());
    assert_eq!(lines(&found), lines(expected));
    assert_eq!(snapshot.quads_with_object(node("unknown").as_ref(), |_| true).count(), 0);
}

#[test]
fn uncommitted_changes_are_visible_only_to_their_transaction() {
    let (_keep, archive) = archive();
    let quads = some_quads("one", 50);
    insert(&archive, &quads);

    let mut transaction = archive.begin();
    transaction.remove(quads[0].as_ref()).unwrap();
    let new = quad("new", 1, 1, node("never-seen-before"));
    transaction.insert(new.as_ref()).unwrap();

    let reader = transaction.reader();
    let id = reader.internalize_term(node("never-seen-before").into()).unwrap();
    let found: Vec<_> = reader.internal_quads_for_pattern(None, None, Some(&id), None).collect();
    assert_eq!(found.len(), 1);
    assert_eq!(reader.externalize_term(id).unwrap(), node("never-seen-before").into());
    assert_eq!(reader.internal_quads_for_pattern(None, None, None, None).count(), lines(&quads).len());
    assert_eq!(reader.internal_named_graphs().count(), 2);
    assert_eq!(everything(&archive.snapshot()), lines(&quads));

    drop(transaction);
    assert_eq!(everything(&archive.snapshot()), lines(&quads));
    insert(&archive, [&new]);
    assert!(archive.snapshot().contains(new.as_ref()).unwrap());
}

#[test]
fn an_archive_cannot_be_opened_twice() {
    let (keep, archive) = archive();
    let second = Archive::open(keep.path().join("archive"), &options());
    assert!(matches!(second, Err(ArchiveError::InUse(_))));
    drop(archive);
    Archive::open(keep.path().join("archive"), &options()).unwrap();
}

#[test]
fn committed_changes_survive_reopening() {
    let (keep, archive) = archive();
    let quads = some_quads("one", 400);
    insert(&archive, &quads);
    let mut transaction = archive.begin();
    transaction.set_note(b"how far", Some(b"17"));
    transaction.create_graph(node("empty").as_ref().into()).unwrap();
    transaction.commit().unwrap();
    drop(archive);

    let archive = Archive::open(keep.path().join("archive"), &options()).unwrap();
    let snapshot = archive.snapshot();
    assert_eq!(everything(&snapshot), lines(&quads));
    assert_eq!(snapshot.note(b"how far").unwrap().as_deref(), Some(&b"17"[..]));
    assert_eq!(snapshot.note(b"how fast").unwrap(), None);
    assert!(snapshot.contains_named_graph(node("empty").as_ref().into()).unwrap());
    assert_eq!(snapshot.graph_len(graph("one").as_ref()).unwrap(), lines(&quads).len() as u64);
}

#[test]
fn snapshots_are_consistent_during_writes() {
    let (_keep, archive) = archive();
    let writer = archive.clone();
    std::thread::scope(|scope| {
        let writing = scope.spawn(move || {
            for batch in 0..40 {
                let quads: Vec<Quad> = (0..50).map(|n| quad("shared", batch * 50 + n, 1, object(n))).collect();
                insert(&writer, &quads);
            }
        });
        while !writing.is_finished() {
            let snapshot = archive.snapshot();
            let count = snapshot.quads(None, None, None, None).count() as u64;
            assert_eq!(count % 50, 0, "a batch is visible completely or not at all");
            assert_eq!(snapshot.len().unwrap(), count);
        }
    });
    assert_eq!(archive.snapshot().len().unwrap(), 2_000);
}
