use std::collections::BTreeSet;

use oxrdf::NamedNode;
use tempfile::TempDir;

use super::*;
use crate::open::{crawl, shelf};
use crate::provenance::Provenance;
use crate::store::contract::{uri, written};
use crate::store::follow::Standing;

/// A data directory with crawls in it.
struct Data {
    folder: TempDir,
    registry: Registry,
    config: Config,
}

impl Data {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::open(folder.path()).unwrap();
        Self { registry, folder, config: Config::default() }
    }

    fn shelf(&self, crawl: u32) -> Shelf {
        shelf(&self.config, &self.registry.directory_of(crawl), || 0).unwrap()
    }

    /// Harvests documents into a crawl.
    async fn harvest(&self, crawl: u32, documents: &[(usize, usize)]) {
        let shelf = self.shelf(crawl);
        for &(number, quads) in documents {
            let mut draft = written(&*shelf.segments, &uri(number), "first", quads);
            draft.provenance = Some(Provenance::sample(number as u64));
            shelf.store.put(draft).await.unwrap();
        }
        shelf.store.commit().await.unwrap();
    }

    fn archive(&self) -> Archive {
        archive(&self.config, self.folder.path()).unwrap()
    }

    fn catch_up(&self, archive: &Archive) -> Vec<(u32, u64)> {
        let fed = catch_up(&self.config, self.folder.path(), archive, &mut |_| ()).unwrap();
        fed.into_iter().map(|feeding| (feeding.crawl, feeding.documents)).collect()
    }
}

fn graphs(archive: &Archive) -> BTreeSet<String> {
    let name = |name: oxrdf::NamedOrBlankNode| name.to_string().trim_matches(['<', '>']).to_owned();
    archive.snapshot().named_graphs().map(|graph| name(graph.unwrap())).collect()
}

fn expected(crawls: &[(u32, &[usize])]) -> BTreeSet<String> {
    let mut graphs = BTreeSet::new();
    for &(crawl, documents) in crawls {
        let names = Names::new("urn:lodeward:", crawl);
        graphs.insert(names.description_graph().as_str().to_owned());
        for &number in documents {
            graphs.insert(uri(number).to_string());
            graphs.insert(names.provenance_graph(&uri(number)).as_str().to_owned());
        }
    }
    graphs
}

#[tokio::test]
async fn an_archive_catches_up_with_all_crawls_and_reads_nothing_twice() {
    let data = Data::new();
    let first = data.registry.create("first", "bfs", 0, 0).unwrap().id;
    let second = data.registry.create("second", "bfs", 0, 0).unwrap().id;
    data.registry.create("never ran", "bfs", 0, 0).unwrap();
    data.harvest(first, &[(1, 3), (2, 3)]).await;
    data.harvest(second, &[(3, 3)]).await;
    let archive = data.archive();

    assert_eq!(data.catch_up(&archive), [(1, 2), (2, 1), (3, 0)]);
    assert_eq!(graphs(&archive), expected(&[(1, &[1, 2]), (2, &[3])]));
    assert_eq!(data.catch_up(&archive), [(1, 0), (2, 0), (3, 0)]);
    data.harvest(first, &[(1, 0), (4, 2)]).await;
    assert_eq!(data.catch_up(&archive), [(1, 2), (2, 0), (3, 0)]);

    assert_eq!(graphs(&archive), expected(&[(1, &[2, 4]), (2, &[3])]));
    let documents = NamedNode::new_unchecked("http://rdfs.org/ns/void#documents");
    let snapshot = archive.snapshot();
    let counts = snapshot.quads(None, Some(documents.as_ref()), None, None);
    let mut counts: Vec<String> = counts.map(|quad| quad.unwrap().object.to_string()).collect();
    counts.sort();
    assert!(counts[0].starts_with("\"1\"") && counts[1].starts_with("\"2\""), "{counts:?}");
}

#[tokio::test]
async fn what_an_archive_lost_is_made_anew_from_the_segments() {
    let data = Data::new();
    for name in ["first", "second"] {
        data.registry.create(name, "bfs", 0, 0).unwrap();
    }
    data.harvest(1, &[(1, 3), (2, 3)]).await;
    data.harvest(2, &[(3, 3)]).await;
    let archive = data.archive();
    data.catch_up(&archive);
    let mut transaction = archive.begin();
    transaction.drop_graph(NamedNode::new_unchecked(uri(1).as_str()).as_ref().into()).unwrap();
    transaction.commit().unwrap();
    data.catch_up(&archive);
    assert!(!graphs(&archive).contains(uri(1).as_str()), "nothing tells that it is missing");

    let mut told = Vec::new();
    let rebuilt = rebuild(&data.config, data.folder.path(), &archive, &[1], &mut |feeding| told.push(feeding.clone()));

    assert_eq!(rebuilt.unwrap().len(), 1);
    assert_eq!(
        told.iter().map(|feeding| (feeding.documents, feeding.documents_total)).collect::<Vec<_>>(),
        [(0, 2), (2, 2)]
    );
    assert_eq!(told[1].bytes, told[1].bytes_total);
    assert_eq!(graphs(&archive), expected(&[(1, &[1, 2]), (2, &[3])]));
    let missing = rebuild(&data.config, data.folder.path(), &archive, &[1, 9], &mut |_| ()).unwrap_err();
    assert_eq!(missing.to_string(), "there is no crawl 9 in this data directory");
}

#[tokio::test]
async fn a_crawl_that_is_running_is_passed_over() {
    let data = Data::new();
    data.registry.create("first", "bfs", 0, 0).unwrap();
    data.harvest(1, &[(1, 3)]).await;
    let archive = data.archive();
    let running = data.shelf(1);

    let fed = catch_up(&data.config, data.folder.path(), &archive, &mut |_| ()).unwrap();

    assert!(fed[0].in_use);
    assert_eq!(graphs(&archive), BTreeSet::new());
    drop(running);
    data.catch_up(&archive);
    let _running = data.shelf(1);
    let rebuilt = rebuild(&data.config, data.folder.path(), &archive, &[], &mut |_| ()).unwrap();
    assert!(rebuilt[0].in_use);
    assert_eq!(graphs(&archive), expected(&[(1, &[1])]), "what cannot be made anew stays");
}

#[tokio::test]
async fn a_crawl_goes_on_though_another_process_has_the_archive() {
    let data = Data::new();
    data.registry.create("first", "bfs", 0, 0).unwrap();
    let elsewhere = data.archive();

    let furnished = {
        let shelf = data.shelf(1);
        crawl(&data.config, &shelf, &[], || 0).unwrap()
    };

    assert_eq!(furnished.crawl.followers.lags(), []);
    drop(furnished);
    drop(elsewhere);
    data.harvest(1, &[(1, 3)]).await;
    let archive = data.archive();
    assert_eq!(data.catch_up(&archive), [(1, 1)]);
}

#[tokio::test]
async fn a_crawl_feeds_the_archive_unless_it_is_told_not_to() {
    let mut data = Data::new();
    data.registry.create("first", "bfs", 0, 0).unwrap();
    data.config.store.archive = false;
    let shelf = data.shelf(1);
    assert_eq!(crawl(&data.config, &shelf, &[], || 0).unwrap().crawl.followers.lags(), []);
    assert!(!data.folder.path().join("archive").exists());

    data.config.store.archive = true;
    let followers = crawl(&data.config, &shelf, &[uri(1)], || 0).unwrap().crawl.followers;
    shelf.store.put(written(&*shelf.segments, &uri(1), "first", 3)).await.unwrap();
    shelf.store.commit().await.unwrap();
    let mut changes = followers.changes();
    followers.finish(std::time::Duration::ZERO);
    while !followers.have_ended() {
        changes.changed().await.unwrap();
    }

    assert_eq!(followers.lags()[0].standing, Standing::Done);
    let archive = data.archive();
    assert!(graphs(&archive).contains(uri(1).as_str()));
    assert!(graphs(&archive).contains("urn:lodeward:crawl/1/description"));
}

#[test]
fn provenance_is_in_the_output_only_if_it_is_asked_for() {
    let mut config = Config::default();
    assert_eq!(names_in_output(&config, 1), None);
    config.store.provenance = config::Provenance::All;
    assert_eq!(names_in_output(&config, 1), Some(Names::new("urn:lodeward:", 1)));
}
