//! Tests of the archive follower and of the archive store.

use crate::provenance::provenance_quads;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use oxrdf::{GraphNameRef, NamedOrBlankNode};
use tempfile::TempDir;

use super::*;
use crate::followers::archive_options;
use lodeward::extract::{self, DocumentReader, ExtractSink, Extractor};
use lodeward::fetch::{Representation, ResponseBody};
use lodeward::model::{Fault, Link, Provenance, StoreReceipt, Uri};
use lodeward::store::contract::{check, lines, sample_draft, uri};
use lodeward::store::follow::feed_all;
use lodeward::store::segments::{ReadBounds, SegmentStore};
use lodeward::store::{Draft, ExportSummary, FinishedDraft, Store, StoreError};

fn names() -> GraphNames {
    GraphNames::new("urn:lodeward:", 7)
}

fn segments(dir: &Path) -> SegmentStore {
    let database = fjall::Database::builder(dir.join("index")).open().unwrap();
    let documents = database.keyspace("documents", fjall::KeyspaceCreateOptions::default).unwrap();
    let options = lodeward::store::segments::SegmentOptions { max_draft_bytes: 16 << 10, ..Default::default() };
    SegmentStore::open(dir.join("segments"), documents, database, options).unwrap()
}

fn archive(dir: &Path) -> Archive {
    Archive::open(dir.join("archive"), &archive_options()).unwrap()
}

fn follower(archive: &Archive) -> ArchiveFollower {
    // Small, so that large documents are written in several transactions.
    ArchiveFollower { quads_per_transaction: 300, ..ArchiveFollower::new(archive.clone(), 7, Some(names())) }
}

/// Segments and an archive that follows them.
struct FollowedArchive {
    dir: TempDir,
    segments: SegmentStore,
    archive: Archive,
}

impl FollowedArchive {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self { segments: segments(dir.path()), archive: archive(dir.path()), dir }
    }

    async fn put(&self, number: usize, version: &str, quads: usize) {
        let mut draft = sample_draft(&self.segments, &uri(number), version, quads);
        draft.provenance = Some(Provenance::sample(number as u64));
        self.segments.put(draft).await.unwrap();
        self.segments.commit().await.unwrap();
    }

    fn feed(&self) {
        feed_all(&self.segments.log(), &mut follower(&self.archive), ReadBounds::default(), &mut |_| ()).unwrap();
    }

    /// Checks that the archive has exactly these documents, each with its provenance.
    fn check(&self, expected: &[(usize, &str, usize)]) {
        let (mut graphs, mut provenance_graphs) = (graphs(&self.archive), provenance_graphs(&self.archive));
        for &(number, version, quads) in expected {
            let uri = uri(number);
            let mut lines = lines(&uri, version, quads);
            lines.sort();
            assert_eq!(take(&mut graphs, &change_graph(&uri)), lines, "{uri}");
            let provenance = provenance_quads(&Provenance::sample(number as u64), &names(), &uri, quads as u64);
            let mut provenance: Vec<String> = provenance.iter().map(|quad| format!("{quad} .")).collect();
            provenance.sort();
            assert_eq!(take(&mut provenance_graphs, names().provenance_graph(&uri).as_str()), provenance, "{uri}");
        }
        graphs.append(&mut provenance_graphs);
        assert_eq!(graphs.iter().map(|graph| &graph.0).collect::<Vec<_>>(), Vec::<&String>::new());
    }
}

fn change_graph(uri: &Uri) -> String {
    uri.document_graph().as_str().to_owned()
}

fn take(graphs: &mut Vec<(String, Vec<String>)>, name: &str) -> Vec<String> {
    let index = graphs.iter().position(|graph| graph.0 == name).unwrap_or_else(|| panic!("no graph {name}"));
    graphs.remove(index).1
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

/// The provenance graphs of an archive, by their names.
fn provenance_graphs(archive: &Archive) -> Vec<(String, Vec<String>)> {
    let snapshot = archive.snapshot();
    let graphs = snapshot.provenance_graphs(None).map(|quads| {
        let quads = quads.unwrap();
        let mut lines: Vec<String> = quads.iter().map(|quad| format!("{quad} .")).collect();
        lines.sort();
        (quads[0].graph_name.to_string().trim_matches(['<', '>']).to_owned(), lines)
    });
    graphs.collect()
}

/// A store that writes to segments and exports from the archive that follows them.
struct FollowedSegments {
    segments: Arc<SegmentStore>,
    archive: Archive,
}

#[async_trait]
impl Store for FollowedSegments {
    fn draft(&self, document: &Uri) -> Box<dyn Draft> {
        self.segments.draft(document)
    }

    async fn put(&self, draft: FinishedDraft) -> Result<(), StoreError> {
        self.segments.put(draft).await
    }

    async fn commit(&self) -> Result<StoreReceipt, StoreError> {
        self.segments.commit().await
    }

    async fn sync(&self) -> Result<(), StoreError> {
        self.segments.sync().await
    }

    fn export(&self, into: &mut dyn Write) -> Result<ExportSummary, StoreError> {
        let mut follower = ArchiveFollower::new(self.archive.clone(), 7, Some(names()));
        feed_all(&self.segments.log(), &mut follower, ReadBounds::default(), &mut |_| ()).unwrap();
        let mut exported = ExportSummary::default();
        let snapshot = self.archive.snapshot();
        for graph in snapshot.collection_graphs(Collection(7)).map(Result::unwrap) {
            if matches!(&graph, NamedOrBlankNode::NamedNode(name) if names().is_generated(name.as_str())) {
                continue;
            }
            exported.documents += 1;
            for quad in snapshot.quads(None, None, None, Some(graph.as_ref().into())) {
                exported.quads += 1;
                writeln!(into, "{} .", quad.unwrap()).unwrap();
            }
        }
        Ok(exported)
    }
}

mod contract {
    use std::sync::Arc;

    use super::{FollowedSegments, archive, segments};

    lodeward::store::contract::store_contract!(async {
        let dir = tempfile::tempdir().unwrap();
        let segments = Arc::new(segments(dir.path()));
        let store = FollowedSegments { segments, archive: archive(dir.path()) };
        (dir, store)
    });
}

#[tokio::test]
async fn documents_are_added_and_removed_with_their_provenance() {
    let fixture = FollowedArchive::new();
    fixture.put(1, "first", 3).await;
    fixture.put(2, "first", 2).await;
    fixture.put(3, "large", 1_000).await;
    fixture.feed();
    fixture.check(&[(1, "first", 3), (2, "first", 2), (3, "large", 1_000)]);

    fixture.put(1, "none", 0).await;
    fixture.put(2, "large", 700).await;
    fixture.put(3, "small", 1).await;
    fixture.put(4, "first", 2).await;
    fixture.feed();

    fixture.check(&[(2, "large", 700), (3, "small", 1), (4, "first", 2)]);
}

/// If the process is killed at any point of a group, the group is applied again.
#[tokio::test]
async fn an_interrupted_feed_resumes_without_duplicates() {
    let fixture = FollowedArchive::new();
    for number in 0..6 {
        fixture.put(number, "first", 5).await;
    }
    fixture.put(6, "large", 1_000).await;
    fixture.put(0, "second", 4).await;
    fixture.put(1, "none", 0).await;
    let log = fixture.segments.log();
    let mut reader = log.read(None).unwrap();
    let bounds = ReadBounds { max_records: 2, max_bytes: 1 << 20 };
    while let Some(group) = reader.next_group(bounds).unwrap() {
        // Killed before the group is committed: nothing of it is stored.
        let mut transaction = fixture.archive.begin();
        for change in group.changes.iter().filter(|change| change.statements.lines().is_some()) {
            follower(&fixture.archive).put(&mut transaction, change).unwrap();
        }
        drop(transaction);
        // Killed in the middle of a large document: a part of it is stored.
        for change in group.changes.iter().filter(|change| change.statements.lines().is_none()) {
            let mut transaction = fixture.archive.begin();
            for quad in change.statements.quads().unwrap().take(450) {
                transaction.insert(quad.unwrap().as_ref()).unwrap();
            }
            transaction.commit().unwrap();
        }
        // The group is applied twice.
        for _ in 0..2 {
            follower(&fixture.archive).apply(&group.changes, group.upto).unwrap();
            assert_eq!(follower(&fixture.archive).position().unwrap(), Some(group.upto));
        }
    }

    let expected = [(0, "second", 4), (2, "first", 5), (3, "first", 5), (4, "first", 5), (5, "first", 5)];
    fixture.check(&[&expected[..], &[(6, "large", 1_000)]].concat());
}

#[tokio::test]
async fn the_position_is_durable() {
    let FollowedArchive { dir, segments: store, archive: old } = FollowedArchive::new();
    store.put(sample_draft(&store, &uri(1), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    feed_all(&store.log(), &mut follower(&old), ReadBounds::default(), &mut |_| ()).unwrap();
    let position = follower(&old).position().unwrap();
    drop(old);
    drop(store);

    let archive = archive(dir.path());
    let store = segments(dir.path());
    let mut follower = follower(&archive);

    assert!(position.is_some());
    assert_eq!(follower.position().unwrap(), position);
    let mut groups = 0;
    feed_all(&store.log(), &mut follower, ReadBounds::default(), &mut |_| groups += 1).unwrap();
    assert_eq!(groups, 0);
}

#[tokio::test]
async fn a_deleted_crawl_is_fed_again_and_others_stay() {
    let fixture = FollowedArchive::new();
    fixture.put(1, "first", 3).await;
    fixture.put(2, "first", 3).await;
    fixture.feed();
    let mut transaction = fixture.archive.begin();
    let quad: Quad = Quad::new(
        NamedNode::new_unchecked("http://b.example/s"),
        NamedNode::new_unchecked("http://b.example/p"),
        NamedNode::new_unchecked("http://b.example/o"),
        NamedNode::new_unchecked("http://b.example/other"),
    );
    let other = NamedNode::new_unchecked("http://b.example/other");
    transaction.put_document(Collection(8), other.as_ref(), [quad.as_ref()]).unwrap();
    transaction.commit().unwrap();

    follower(&fixture.archive).drop_crawl(AfterDrop::StartOver).unwrap();

    assert_eq!(follower(&fixture.archive).position().unwrap(), None);
    assert_eq!(fixture.archive.snapshot().len().unwrap(), 1);
    assert_eq!(provenance_graphs(&fixture.archive), []);
    fixture.feed();
    let mut transaction = fixture.archive.begin();
    transaction.put_document(Collection(8), other.as_ref(), []).unwrap();
    transaction.commit().unwrap();
    fixture.check(&[(1, "first", 3), (2, "first", 3)]);
}

#[tokio::test]
async fn without_names_no_provenance_is_written() {
    let fixture = FollowedArchive::new();
    fixture.put(1, "first", 3).await;
    let mut follower = ArchiveFollower::new(fixture.archive.clone(), 7, None);

    feed_all(&fixture.segments.log(), &mut follower, ReadBounds::default(), &mut |_| ()).unwrap();

    assert_eq!(fixture.archive.snapshot().len().unwrap(), 3);
    assert_eq!(provenance_graphs(&fixture.archive), []);
}

/// Writes the quads of a parsed document into a draft.
struct DraftSink(Box<dyn lodeward::store::Draft>);

impl ExtractSink for DraftSink {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.0.append(quad);
    }

    fn link(&mut self, _: Link) {}

    fn fault(&mut self, fault: Fault) {
        panic!("{fault}");
    }
}

fn read(store: &SegmentStore, url: &str, turtle: &str) -> FinishedDraft {
    let representation = Representation::new(
        Uri::parse(url).unwrap(),
        Some("text/turtle".to_owned()),
        ResponseBody::Buffered { bytes: turtle.to_owned().into(), truncation: None },
    );
    let mut sink = DraftSink(store.draft(&representation.uri));
    DocumentReader::new(extract::ExtractOptions::default()).extract(representation, &mut sink);
    sink.0.finish()
}

#[tokio::test]
async fn blank_nodes_are_unique_per_document_and_stable() {
    const TURTLE: &str = "_:a <http://v.example/p> [ <http://v.example/q> _:a ] .";
    let fixture = FollowedArchive::new();
    let blanks = |document: &str| {
        let graph = NamedNode::new_unchecked(document);
        let snapshot = fixture.archive.snapshot();
        let quads = snapshot.quads(None, None, None, Some(graph.as_ref().into()));
        let subjects: std::collections::BTreeSet<String> =
            quads.map(|quad| quad.unwrap().subject.to_string()).collect();
        subjects
    };
    for url in ["http://a.example/1", "http://a.example/2"] {
        fixture.segments.put(read(&fixture.segments, url, TURTLE)).await.unwrap();
    }
    fixture.segments.commit().await.unwrap();
    fixture.feed();
    let (first, second) = (blanks("http://a.example/1"), blanks("http://a.example/2"));

    fixture.segments.put(read(&fixture.segments, "http://a.example/1", TURTLE)).await.unwrap();
    fixture.segments.commit().await.unwrap();
    fixture.feed();

    assert_eq!((first.len(), second.len()), (2, 2));
    assert!(first.is_disjoint(&second));
    assert_eq!(blanks("http://a.example/1"), first);
}

#[tokio::test]
async fn the_archive_exports_the_same_as_the_segments() {
    let dir = tempfile::tempdir().unwrap();
    let segments = std::sync::Arc::new(segments(dir.path()));
    let store = FollowedSegments { segments: segments.clone(), archive: archive(dir.path()) };
    for number in 0..40 {
        let mut draft = sample_draft(&store, &uri(number % 15), "some", number % 4 * 3);
        draft.provenance = Some(Provenance::sample(1));
        store.put(draft).await.unwrap();
        if number % 7 == 0 {
            store.commit().await.unwrap();
        }
    }
    store.commit().await.unwrap();

    let (exported, mut found) = lodeward::store::contract::harvest(&store);

    let (expected, mut lines) = lodeward::store::contract::harvest(&*segments);
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
async fn documents_cannot_write_to_generated_graphs() {
    let fixture = FollowedArchive::new();
    let generated = NamedNode::new_unchecked("http://base.example/import/records");
    let node = |number: usize| NamedNode::new_unchecked(format!("http://a.example/{number}"));
    let statement = |number: usize| Quad::new(node(number), node(0), node(0), generated.clone());
    let mut transaction = fixture.archive.begin();
    transaction.insert(statement(1).as_ref()).unwrap();
    transaction.commit().unwrap();
    let before = graphs(&fixture.archive);

    // A document with the name of the graph, and two that use it as a named graph, one of them
    // large.
    for (document, quads) in
        [(generated.as_str(), 1), ("http://evil.example/", 1), ("http://evil.example/large", 1_000)]
    {
        let mut draft = fixture.segments.draft(&Uri::parse(document).unwrap());
        (10..10 + quads).for_each(|number| draft.append(statement(number).as_ref()));
        fixture.segments.put(draft.finish()).await.unwrap();
    }
    fixture.segments.commit().await.unwrap();
    let mut follower = follower(&fixture.archive).with_reserved_base("http://base.example/");
    feed_all(&fixture.segments.log(), &mut follower, ReadBounds::default(), &mut |_| ()).unwrap();

    assert_eq!(graphs(&fixture.archive), before);
    follower.drop_crawl(AfterDrop::StartOver).unwrap();
    assert_eq!(graphs(&fixture.archive), before, "the graph is not deleted with the crawl");
}
