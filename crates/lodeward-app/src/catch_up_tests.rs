//! Tests of feeding the archive.

use std::collections::BTreeSet;

use lodeward_archive::Archive;
use oxrdf::NamedNode;
use tempfile::TempDir;

use super::*;
use crate::assemble::assemble_crawl;
use crate::crawl_dir::{OpenCrawl, open_crawl};
use crate::followers::FollowerRegistry;
use crate::provenance::GraphNames;
use lodeward::model::Provenance;
use lodeward::store::contract::{sample_draft, uri};
use lodeward::store::follow::FollowerState;

/// A data directory with crawls.
struct TestData {
    dir: TempDir,
    data_dir: DataDir,
    config: Config,
}

impl TestData {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(dir.path()).unwrap();
        Self { data_dir, dir, config: Config::default() }
    }

    fn open(&self, crawl: u32) -> OpenCrawl {
        open_crawl(&self.config, &self.data_dir.crawl(crawl), || 0).unwrap()
    }

    /// Harvests documents into a crawl.
    async fn harvest(&self, crawl: u32, documents: &[(usize, usize)]) {
        let crawl = self.open(crawl);
        for &(number, quads) in documents {
            let mut draft = sample_draft(&*crawl.segments, &uri(number), "first", quads);
            draft.provenance = Some(Provenance::sample(number as u64));
            crawl.store.put(draft).await.unwrap();
        }
        crawl.store.commit().await.unwrap();
    }

    fn targets(&self) -> (FollowerTargets, Archive) {
        FollowerTargets::open(FollowerRegistry::default(), &self.config, self.dir.path()).unwrap()
    }

    fn catch_up(&self, targets: &FollowerTargets) -> Vec<(u32, u64)> {
        let fed = catch_up(&self.config, self.dir.path(), targets, &mut |_| ()).unwrap();
        fed.into_iter().map(|feeding| (feeding.crawl, feeding.documents)).collect()
    }
}

fn graphs(archive: &Archive) -> BTreeSet<String> {
    let name = |name: oxrdf::NamedOrBlankNode| name.to_string().trim_matches(['<', '>']).to_owned();
    let snapshot = archive.snapshot();
    let provenance = snapshot.provenance_graphs(None).map(|quads| quads.unwrap().swap_remove(0).graph_name.to_string());
    let provenance = provenance.map(|name| name.trim_matches(['<', '>']).to_owned());
    snapshot.named_graphs().map(|graph| name(graph.unwrap())).chain(provenance).collect()
}

fn expected(crawls: &[(u32, &[usize])]) -> BTreeSet<String> {
    let mut graphs = BTreeSet::new();
    for &(crawl, documents) in crawls {
        let names = GraphNames::new("urn:lodeward:", crawl);
        graphs.insert(names.description_graph().as_str().to_owned());
        for &number in documents {
            graphs.insert(uri(number).to_string());
            graphs.insert(names.provenance_graph(&uri(number)).as_str().to_owned());
        }
    }
    graphs
}

#[tokio::test]
async fn an_archive_catches_up_with_all_crawls_and_reads_each_segment_once() {
    let data = TestData::new();
    let first = data.data_dir.create("first", "bfs", 0, 0).unwrap().id;
    let second = data.data_dir.create("second", "bfs", 0, 0).unwrap().id;
    data.data_dir.create("never ran", "bfs", 0, 0).unwrap();
    data.harvest(first, &[(1, 3), (2, 3)]).await;
    data.harvest(second, &[(3, 3)]).await;
    let (targets, archive) = data.targets();

    assert_eq!(data.catch_up(&targets), [(1, 2), (2, 1), (3, 0)]);
    assert_eq!(graphs(&archive), expected(&[(1, &[1, 2]), (2, &[3])]));
    assert_eq!(data.catch_up(&targets), [(1, 0), (2, 0), (3, 0)]);
    data.harvest(first, &[(1, 0), (4, 2)]).await;
    assert_eq!(data.catch_up(&targets), [(1, 2), (2, 0), (3, 0)]);

    assert_eq!(graphs(&archive), expected(&[(1, &[2, 4]), (2, &[3])]));
    let documents = NamedNode::new_unchecked("http://rdfs.org/ns/void#documents");
    let snapshot = archive.snapshot();
    let counts = snapshot.provenance_graphs(None).flat_map(Result::unwrap).filter(|quad| quad.predicate == documents);
    let mut counts: Vec<String> = counts.map(|quad| quad.object.to_string()).collect();
    counts.sort();
    assert!(counts[0].starts_with("\"1\"") && counts[1].starts_with("\"2\""), "{counts:?}");
}

#[tokio::test]
async fn a_rebuild_restores_graphs_from_the_segments() {
    let data = TestData::new();
    for name in ["first", "second"] {
        data.data_dir.create(name, "bfs", 0, 0).unwrap();
    }
    data.harvest(1, &[(1, 3), (2, 3)]).await;
    data.harvest(2, &[(3, 3)]).await;
    let (targets, archive) = data.targets();
    data.catch_up(&targets);
    let mut transaction = archive.begin();
    transaction.drop_graph(NamedNode::new_unchecked(uri(1).as_str()).as_ref().into()).unwrap();
    transaction.commit().unwrap();
    data.catch_up(&targets);
    assert!(!graphs(&archive).contains(uri(1).as_str()), "a missing graph is not detected");

    let mut reports = Vec::new();
    let rebuilt = rebuild(&data.config, data.dir.path(), &targets, &[1], &mut |feeding| reports.push(feeding.clone()));

    assert_eq!(rebuilt.unwrap().len(), 1);
    assert_eq!(
        reports.iter().map(|feeding| (feeding.documents, feeding.documents_total)).collect::<Vec<_>>(),
        [(0, 2), (2, 2)]
    );
    assert_eq!(reports[1].bytes, reports[1].bytes_total);
    assert_eq!(graphs(&archive), expected(&[(1, &[1, 2]), (2, &[3])]));
    let missing = rebuild(&data.config, data.dir.path(), &targets, &[1, 9], &mut |_| ()).unwrap_err();
    assert_eq!(missing.to_string(), "crawl 9 not found in this data directory");
}

#[tokio::test]
async fn a_running_crawl_is_skipped() {
    let data = TestData::new();
    data.data_dir.create("first", "bfs", 0, 0).unwrap();
    data.harvest(1, &[(1, 3)]).await;
    let (targets, archive) = data.targets();
    let running = data.open(1);

    let fed = catch_up(&data.config, data.dir.path(), &targets, &mut |_| ()).unwrap();

    assert!(fed[0].in_use);
    assert_eq!(graphs(&archive), BTreeSet::new());
    drop(running);
    data.catch_up(&targets);
    let _running = data.open(1);
    let rebuilt = rebuild(&data.config, data.dir.path(), &targets, &[], &mut |_| ()).unwrap();
    assert!(rebuilt[0].in_use);
    assert_eq!(graphs(&archive), expected(&[(1, &[1])]), "graphs of a skipped crawl stay");
}

#[tokio::test]
async fn a_crawl_runs_while_another_process_uses_the_archive() {
    let data = TestData::new();
    data.data_dir.create("first", "bfs", 0, 0).unwrap();
    let in_use = data.targets();

    let assembled = {
        let crawl = data.open(1);
        assemble_crawl(&data.config, &crawl, &[], || 0).unwrap().crawl
    };

    assert_eq!(assembled.followers.lags(), []);
    drop(assembled);
    drop(in_use);
    data.harvest(1, &[(1, 3)]).await;
    let (targets, _) = data.targets();
    assert_eq!(data.catch_up(&targets), [(1, 1)]);
}

#[tokio::test]
async fn a_crawl_feeds_the_archive_unless_it_is_disabled() {
    let mut data = TestData::new();
    data.data_dir.create("first", "bfs", 0, 0).unwrap();
    data.config.store.archive = false;
    let crawl = data.open(1);
    assert_eq!(assemble_crawl(&data.config, &crawl, &[], || 0).unwrap().crawl.followers.lags(), []);
    assert!(!data.dir.path().join("archive").exists());

    data.config.store.archive = true;
    let assembled = assemble_crawl(&data.config, &crawl, &[uri(1)], || 0).unwrap().crawl;
    let followers = &assembled.followers;
    crawl.store.put(sample_draft(&*crawl.segments, &uri(1), "first", 3)).await.unwrap();
    crawl.store.commit().await.unwrap();
    followers.finish(std::time::Duration::ZERO);
    followers.ends().wait().await;

    assert_eq!(followers.lags()[0].state, FollowerState::Done);
    let (_, archive) = data.targets();
    assert!(graphs(&archive).contains(uri(1).as_str()));
    assert!(graphs(&archive).contains("urn:lodeward:crawl/1/description"));
}
