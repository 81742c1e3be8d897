//! The contract, and what is special about an archive: it follows.

use std::path::Path;

use lodeward_archive::Options;
use oxrdf::{GraphNameRef, NamedOrBlankNode};
use tempfile::TempDir;

use super::super::contract::{check, lines, uri, written};
use super::super::follow::feed_now;
use super::super::segments::{Bounds, SegmentStore};
use super::super::{Finished, Store as _};
use super::*;
use crate::extract::{self, Extractor, Reader, Sink};
use crate::fetch::{Body, Representation};
use crate::model::{Fault, Link, Uri};
use crate::provenance::Provenance;

fn names() -> Names {
    Names::new("urn:lodeward:", 7)
}

fn segments(folder: &Path) -> SegmentStore {
    let database = fjall::Database::builder(folder.join("index")).open().unwrap();
    let documents = database.keyspace("documents", fjall::KeyspaceCreateOptions::default).unwrap();
    let options = crate::store::segments::Options { draft_bytes_max: 16 << 10, ..Default::default() };
    SegmentStore::open(folder.join("segments"), documents, database, options).unwrap()
}

fn archive(folder: &Path) -> Archive {
    Archive::open(folder.join("archive"), &Options::default()).unwrap()
}

fn follower(archive: &Archive) -> ArchiveFollower {
    // Small, so that large documents come in pieces.
    ArchiveFollower { quads_per_transaction: 300, ..ArchiveFollower::new(archive.clone(), 7, Some(names())) }
}

/// What there is before anything else.
struct Bench {
    folder: TempDir,
    segments: SegmentStore,
    archive: Archive,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { segments: segments(folder.path()), archive: archive(folder.path()), folder }
    }

    async fn put(&self, number: usize, version: &str, quads: usize) {
        let mut draft = written(&self.segments, &uri(number), version, quads);
        draft.provenance = Some(Provenance::sample(number as u64));
        self.segments.put(draft).await.unwrap();
        self.segments.commit().await.unwrap();
    }

    fn feed(&self) {
        feed_now(&self.segments.log(), &mut follower(&self.archive), Bounds::default(), &mut |_| ()).unwrap();
    }

    /// Checks that the archive has exactly these documents, each with its
    /// provenance beside it.
    fn check(&self, expected: &[(usize, &str, usize)]) {
        let mut graphs = graphs(&self.archive);
        for &(number, version, quads) in expected {
            let uri = uri(number);
            let mut lines = lines(&uri, version, quads);
            lines.sort();
            assert_eq!(take(&mut graphs, &change_graph(&uri)), lines, "{uri}");
            let provenance = Provenance::sample(number as u64).quads(&names(), &uri, quads as u64);
            let mut provenance: Vec<String> = provenance.iter().map(|quad| format!("{quad} .")).collect();
            provenance.sort();
            assert_eq!(take(&mut graphs, names().provenance_graph(&uri).as_str()), provenance, "{uri}");
        }
        assert_eq!(graphs.iter().map(|graph| &graph.0).collect::<Vec<_>>(), Vec::<&String>::new());
    }
}

fn change_graph(uri: &Uri) -> String {
    crate::provenance::graph_of(uri).as_str().to_owned()
}

fn take(graphs: &mut Vec<(String, Vec<String>)>, name: &str) -> Vec<String> {
    let place = graphs.iter().position(|graph| graph.0 == name).unwrap_or_else(|| panic!("no graph {name}"));
    graphs.remove(place).1
}

fn graphs(archive: &Archive) -> Vec<(String, Vec<String>)> {
    let snapshot = archive.snapshot();
    let read = |name: NamedOrBlankNode| {
        let quads = snapshot.quads(None, None, None, Some(GraphNameRef::from(name.as_ref())));
        let mut lines: Vec<String> = quads.map(|quad| format!("{} .", quad.unwrap())).collect();
        lines.sort();
        let name = match name {
            NamedOrBlankNode::NamedNode(name) => name.as_str().to_owned(),
            NamedOrBlankNode::BlankNode(name) => name.to_string(),
        };
        (name, lines)
    };
    snapshot.named_graphs().map(|name| read(name.unwrap())).collect()
}

mod contract {
    use std::sync::Arc;

    use super::{ArchiveStore, archive, names, segments};

    crate::store::contract::store_contract!(async {
        let folder = tempfile::tempdir().unwrap();
        let segments = Arc::new(segments(folder.path()));
        let store = ArchiveStore::new(segments, archive(folder.path()), 7, names());
        (folder, store)
    });
}

#[tokio::test]
async fn documents_and_their_provenance_come_and_go_together() {
    let bench = Bench::new();
    bench.put(1, "first", 3).await;
    bench.put(2, "first", 2).await;
    bench.put(3, "large", 1_000).await;
    bench.feed();
    bench.check(&[(1, "first", 3), (2, "first", 2), (3, "large", 1_000)]);

    bench.put(1, "none", 0).await;
    bench.put(2, "large", 700).await;
    bench.put(3, "small", 1).await;
    bench.put(4, "first", 2).await;
    bench.feed();

    bench.check(&[(2, "large", 700), (3, "small", 1), (4, "first", 2)]);
}

/// Whatever of a group was applied when the process was killed, it comes again.
#[tokio::test]
async fn a_feed_that_was_cut_short_goes_on_and_doubles_nothing() {
    let bench = Bench::new();
    for number in 0..6 {
        bench.put(number, "first", 5).await;
    }
    bench.put(6, "large", 1_000).await;
    bench.put(0, "second", 4).await;
    bench.put(1, "none", 0).await;
    let log = bench.segments.log();
    let mut reader = log.read(None).unwrap();
    let bounds = Bounds { records_max: 2, bytes_max: 1 << 20 };
    while let Some(group) = reader.next_group(bounds).unwrap() {
        // Killed before the group is committed: nothing of it is there.
        let mut transaction = bench.archive.begin();
        for change in group.changes.iter().filter(|change| change.statements.lines().is_some()) {
            follower(&bench.archive).put(&mut transaction, change).unwrap();
        }
        drop(transaction);
        // Killed in the middle of a large document: a part of it is there.
        for change in group.changes.iter().filter(|change| change.statements.lines().is_none()) {
            let mut transaction = bench.archive.begin();
            for quad in change.statements.quads().unwrap().take(450) {
                transaction.insert(quad.unwrap().as_ref()).unwrap();
            }
            transaction.commit().unwrap();
        }
        // And twice after it.
        for _ in 0..2 {
            follower(&bench.archive).apply(&group.changes, group.upto).unwrap();
            assert_eq!(follower(&bench.archive).position().unwrap(), Some(group.upto));
        }
    }

    let expected = [(0, "second", 4), (2, "first", 5), (3, "first", 5), (4, "first", 5), (5, "first", 5)];
    bench.check(&[&expected[..], &[(6, "large", 1_000)]].concat());
}

#[tokio::test]
async fn how_far_it_has_come_outlives_the_process() {
    let Bench { folder, segments: store, archive: old } = Bench::new();
    store.put(written(&store, &uri(1), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    feed_now(&store.log(), &mut follower(&old), Bounds::default(), &mut |_| ()).unwrap();
    let position = follower(&old).position().unwrap();
    drop(old);
    drop(store);

    let archive = archive(folder.path());
    let store = segments(folder.path());
    let mut follower = follower(&archive);

    assert!(position.is_some());
    assert_eq!(follower.position().unwrap(), position);
    let mut groups = 0;
    feed_now(&store.log(), &mut follower, Bounds::default(), &mut |_| groups += 1).unwrap();
    assert_eq!(groups, 0);
}

#[tokio::test]
async fn a_crawl_that_is_forgotten_is_taken_anew_and_others_stay() {
    let bench = Bench::new();
    bench.put(1, "first", 3).await;
    bench.put(2, "first", 3).await;
    bench.feed();
    let mut transaction = bench.archive.begin();
    let quad: Quad = Quad::new(
        NamedNode::new_unchecked("http://b.example/s"),
        NamedNode::new_unchecked("http://b.example/p"),
        NamedNode::new_unchecked("http://b.example/o"),
        NamedNode::new_unchecked("http://b.example/other"),
    );
    let other = NamedNode::new_unchecked("http://b.example/other");
    transaction.put_document(Collection(8), other.as_ref(), [quad.as_ref()]).unwrap();
    transaction.commit().unwrap();

    follower(&bench.archive).forget().unwrap();

    assert_eq!(follower(&bench.archive).position().unwrap(), None);
    assert_eq!(bench.archive.snapshot().len().unwrap(), 1);
    bench.feed();
    let mut transaction = bench.archive.begin();
    transaction.put_document(Collection(8), other.as_ref(), []).unwrap();
    transaction.commit().unwrap();
    bench.check(&[(1, "first", 3), (2, "first", 3)]);
}

#[tokio::test]
async fn without_names_there_is_no_provenance() {
    let bench = Bench::new();
    bench.put(1, "first", 3).await;
    let mut follower = ArchiveFollower::new(bench.archive.clone(), 7, None);

    feed_now(&bench.segments.log(), &mut follower, Bounds::default(), &mut |_| ()).unwrap();

    assert_eq!(bench.archive.snapshot().len().unwrap(), 3);
}

/// Puts what a reader makes of some Turtle.
struct Basket(Box<dyn super::super::Draft>);

impl Sink for Basket {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.0.append(quad);
    }

    fn link(&mut self, _: Link) {}

    fn fault(&mut self, fault: Fault) {
        panic!("{fault}");
    }
}

fn read(store: &SegmentStore, address: &str, turtle: &str) -> Finished {
    let representation = Representation {
        uri: Uri::parse(address).unwrap(),
        status: 200,
        content_type: Some("text/turtle".to_owned()),
        etag: None,
        last_modified: None,
        links: Vec::new(),
        body: Body::Whole { bytes: turtle.to_owned().into(), cut: None },
    };
    let mut basket = Basket(store.draft(&representation.uri));
    Reader::new(extract::Options::default()).extract(representation, &mut basket);
    basket.0.finish()
}

#[tokio::test]
async fn blank_nodes_of_two_documents_never_meet_and_stay_the_same() {
    const TURTLE: &str = "_:a <http://v.example/p> [ <http://v.example/q> _:a ] .";
    let bench = Bench::new();
    let blanks = |document: &str| {
        let graph = NamedNode::new_unchecked(document);
        let snapshot = bench.archive.snapshot();
        let quads = snapshot.quads(None, None, None, Some(graph.as_ref().into()));
        let subjects: std::collections::BTreeSet<String> =
            quads.map(|quad| quad.unwrap().subject.to_string()).collect();
        subjects
    };
    for address in ["http://a.example/1", "http://a.example/2"] {
        bench.segments.put(read(&bench.segments, address, TURTLE)).await.unwrap();
    }
    bench.segments.commit().await.unwrap();
    bench.feed();
    let (first, second) = (blanks("http://a.example/1"), blanks("http://a.example/2"));

    bench.segments.put(read(&bench.segments, "http://a.example/1", TURTLE)).await.unwrap();
    bench.segments.commit().await.unwrap();
    bench.feed();

    assert_eq!((first.len(), second.len()), (2, 2));
    assert!(first.is_disjoint(&second));
    assert_eq!(blanks("http://a.example/1"), first);
}

#[tokio::test]
async fn what_is_exported_is_what_the_segments_export() {
    let folder = tempfile::tempdir().unwrap();
    let segments = std::sync::Arc::new(segments(folder.path()));
    let store = ArchiveStore::new(segments.clone(), archive(folder.path()), 7, names());
    for number in 0..40 {
        let mut draft = written(&store, &uri(number % 15), "some", number % 4 * 3);
        draft.provenance = Some(Provenance::sample(1));
        store.put(draft).await.unwrap();
        if number % 7 == 0 {
            store.commit().await.unwrap();
        }
    }
    store.commit().await.unwrap();

    let (exported, mut found) = super::super::contract::harvest(&store);

    let (expected, mut lines) = super::super::contract::harvest(&*segments);
    found.sort();
    lines.sort();
    assert_eq!((exported, found), (expected, lines));
    check(
        &store,
        &(0..15)
            .filter_map(|number| {
                let last = if number < 10 { number + 30 } else { number + 15 };
                (last % 4 > 0).then_some((number, "some", last % 4 * 3))
            })
            .collect::<Vec<_>>(),
    );
}

#[tokio::test]
async fn no_document_writes_into_graphs_that_are_made_here() {
    let bench = Bench::new();
    let made = NamedNode::new_unchecked("http://base.example/import/records");
    let node = |number: usize| NamedNode::new_unchecked(format!("http://a.example/{number}"));
    let statement = |number: usize| Quad::new(node(number), node(0), node(0), made.clone());
    let mut transaction = bench.archive.begin();
    transaction.insert(statement(1).as_ref()).unwrap();
    transaction.commit().unwrap();
    let before = graphs(&bench.archive);

    // One that is called as the graph, and others that name it, one of them large.
    for (document, quads) in [(made.as_str(), 1), ("http://evil.example/", 1), ("http://evil.example/large", 1_000)] {
        let mut draft = bench.segments.draft(&Uri::parse(document).unwrap());
        (10..10 + quads).for_each(|number| draft.append(statement(number).as_ref()));
        bench.segments.put(draft.finish()).await.unwrap();
    }
    bench.segments.commit().await.unwrap();
    let mut follower = follower(&bench.archive).reserving("http://base.example/");
    feed_now(&bench.segments.log(), &mut follower, Bounds::default(), &mut |_| ()).unwrap();

    assert_eq!(graphs(&bench.archive), before);
    follower.forget().unwrap();
    assert_eq!(graphs(&bench.archive), before, "nor does it go with the crawl");
}
