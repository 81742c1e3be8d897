//! A follower that is only registered is started with a crawl, caught up, rebuilt, dropped, backed
//! up and restored.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lodeward::store::contract::{sample_draft, uri};
use lodeward::store::follow::{
    AfterDrop, DocumentChange, FollowedCrawl, Follower, FollowerError, FollowerTarget, Position,
};
use lodeward_app::backup::{self, ExclusiveCrawls};
use lodeward_app::catch_up::{catch_up, rebuild};
use lodeward_app::crawl_dir::open_crawl;
use lodeward_app::data_dir::DataDir;
use lodeward_app::followers::registry::{FollowerEntry, RequiredBy};
use lodeward_app::followers::{FollowerRegistry, FollowerTargets, TargetError};
use lodeward_app::session::{Session, SessionMonitor, SessionOptions};
use lodeward_app::settings::Config;
use tempfile::TempDir;

use crate::sessions::serve;

/// The row of the registry: all that the application knows of the follower.
const COUNTS: FollowerEntry = FollowerEntry {
    name: "counts",
    required_by: RequiredBy::Nothing,
    is_enabled: |_| true,
    open: |_, data| Ok(Arc::new(Counts::create(data))),
    restore: Some(|data, dump| {
        let counts = Counts::create(data);
        let files: BTreeMap<String, String> = serde_json::from_reader(dump).unwrap();
        for (name, text) in files {
            fs::write(counts.0.join(name), text).unwrap();
        }
        Ok(Arc::new(counts))
    }),
};

/// Stores the number of statements of each document, in one file per crawl.
struct Counts(PathBuf);

impl Counts {
    fn create(data: &Path) -> Self {
        fs::create_dir_all(data.join("counts")).unwrap();
        Self(data.join("counts"))
    }

    fn file(&self, crawl: u32) -> PathBuf {
        self.0.join(crawl.to_string())
    }
}

impl FollowerTarget for Counts {
    fn follower(&self, crawl: &FollowedCrawl<'_>) -> Result<Box<dyn Follower>, Box<dyn Error + Send + Sync>> {
        Ok(Box::new(CrawlCounts(self.file(crawl.id))))
    }

    fn drop_crawl(&self, crawl: u32, _: AfterDrop) -> Result<u64, FollowerError> {
        let _ = fs::remove_file(self.file(crawl));
        Ok(0)
    }

    fn dump(&self, into: &mut dyn Write) -> Result<(), Box<dyn Error + Send + Sync>> {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            files.insert(entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path())?);
        }
        Ok(serde_json::to_writer(into, &files)?)
    }
}

type StoredCounts = (Vec<u8>, BTreeMap<String, u64>);

struct CrawlCounts(PathBuf);

impl CrawlCounts {
    fn read(&self) -> Option<StoredCounts> {
        Some(serde_json::from_str(&fs::read_to_string(&self.0).ok()?).unwrap())
    }
}

impl Follower for CrawlCounts {
    fn name(&self) -> &'static str {
        "the counts"
    }

    fn position(&mut self) -> Result<Option<Position>, FollowerError> {
        Ok(self.read().and_then(|(position, _)| Position::decode(&position)))
    }

    fn apply(&mut self, changes: &[DocumentChange], upto: Position) -> Result<(), FollowerError> {
        let mut counts = self.read().map(|(_, counts)| counts).unwrap_or_default();
        counts.extend(changes.iter().map(|change| (change.document.to_string(), change.quads)));
        fs::write(&self.0, serde_json::to_string(&(upto.encode().to_vec(), counts)).unwrap()).unwrap();
        Ok(())
    }
}

/// A data directory, and the registry with the follower of the test.
struct TestData {
    dir: TempDir,
    data_dir: DataDir,
    config: Config,
    registry: FollowerRegistry,
}

impl TestData {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(&dir.path().join("data")).unwrap();
        let mut config = Config::default();
        config.fetch.allow_private_addresses = true;
        config.politeness.delay = std::time::Duration::ZERO;
        config.crawl.max_depth = Some(0);
        Self { dir, data_dir, config, registry: FollowerRegistry::default().with(COUNTS) }
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    fn targets(&self) -> FollowerTargets {
        FollowerTargets::open(self.registry.clone(), &self.config, &self.data()).unwrap().0
    }

    /// Creates a crawl with documents that no follower has seen.
    async fn harvest(&self, documents: &[(usize, usize)]) -> u32 {
        let id = self.data_dir.create(&format!("{documents:?}"), "bfs", 0, 0).unwrap().id;
        let crawl = open_crawl(&self.config, &self.data_dir.crawl(id), || 0).unwrap();
        for &(number, quads) in documents {
            crawl.store.put(sample_draft(&*crawl.segments, &uri(number), "first", quads)).await.unwrap();
        }
        crawl.store.commit().await.unwrap();
        id
    }
}

/// The counts of a crawl in a data directory; `None` if it has none.
fn counts(data: &Path, crawl: u32) -> Option<Vec<(String, u64)>> {
    let stored = CrawlCounts(data.join("counts").join(crawl.to_string())).read()?;
    Some(stored.1.into_iter().collect())
}

fn expected(documents: &[(usize, u64)]) -> Vec<(String, u64)> {
    documents.iter().map(|(number, quads)| (uri(*number).to_string(), *quads)).collect()
}

struct NoMonitor;

impl SessionMonitor for NoMonitor {}

/// Crawls one document with the follower of the test.
async fn crawl(data: &TestData, targets: FollowerTargets) -> (String, Vec<String>) {
    let seed = serve();
    let record = data.data_dir.create(&format!("crawl {seed}"), "bfs", 7, 1).unwrap();
    data.data_dir.crawl(record.id).add_seeds(std::slice::from_ref(&seed)).unwrap();
    let mut open = open_crawl(&data.config, &data.data_dir.crawl(record.id), || 1).unwrap();
    open.targets = targets;
    let config = data.config.clone();
    let session =
        Session::new(config, data.data_dir.clone(), record, Arc::new(open), SessionOptions::default(), || 1).unwrap();
    let (_commands, receiver) = tokio::sync::mpsc::channel(1);
    let end = session.run(receiver, &mut NoMonitor).await.unwrap();
    (seed.to_string(), end.report.followers.into_iter().map(|lag| lag.name).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registered_follower_is_started_with_a_crawl_and_reported() {
    let data = TestData::new();

    let (own, followers) = crawl(&data, FollowerTargets::closed(data.registry.clone())).await;
    let (shared, _) = crawl(&data, data.targets()).await;

    assert_eq!(followers, ["the archive", "the counts"]);
    assert_eq!(counts(&data.data(), 1), Some(vec![(own, 1)]));
    assert_eq!(counts(&data.data(), 2), Some(vec![(shared, 1)]));
}

#[tokio::test]
async fn a_registered_follower_catches_up_and_is_rebuilt_and_dropped() {
    let data = TestData::new();
    let first = data.harvest(&[(1, 3), (2, 4)]).await;
    let second = data.harvest(&[(3, 5)]).await;
    let targets = data.targets();
    let data_path = data.data();

    let fed = catch_up(&data.config, &data_path, &targets, &mut |_| ()).unwrap();
    assert_eq!(fed.iter().map(|fed| fed.documents).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(counts(&data_path, first), Some(expected(&[(1, 3), (2, 4)])));
    assert_eq!(counts(&data_path, second), Some(expected(&[(3, 5)])));

    // The archive is up to date, and only the counts have to be fed.
    fs::remove_file(data_path.join("counts/2")).unwrap();
    catch_up(&data.config, &data_path, &targets, &mut |_| ()).unwrap();
    assert_eq!(counts(&data_path, second), Some(expected(&[(3, 5)])));

    let (position, _) = CrawlCounts(data_path.join("counts/1")).read().unwrap();
    let wrong: StoredCounts = (position, BTreeMap::from([("wrong".to_owned(), 1)]));
    fs::write(data_path.join("counts/1"), serde_json::to_string(&wrong).unwrap()).unwrap();
    rebuild(&data.config, &data_path, &targets, &[first], &mut |_| ()).unwrap();
    assert_eq!(counts(&data_path, first), Some(expected(&[(1, 3), (2, 4)])));

    targets.drop_crawl(first, AfterDrop::KeepPosition).unwrap();
    assert_eq!(counts(&data_path, first), None);
    assert_eq!(targets.archive().unwrap().snapshot().collection_graphs(lodeward_archive::Collection(first)).count(), 0);
}

#[tokio::test]
async fn a_registered_follower_is_backed_up_and_restored() {
    let data = TestData::new();
    let crawl = data.harvest(&[(1, 3)]).await;
    let (data_path, backup, restored) = (data.data(), data.dir.path().join("backup"), data.dir.path().join("restored"));
    let targets = data.targets();
    catch_up(&data.config, &data_path, &targets, &mut |_| ()).unwrap();

    let crawls = ExclusiveCrawls { config: &data.config, data: &data_path, now: || 1 };
    backup::write(&data_path, &targets, &crawls, &backup, 9).unwrap();
    backup::restore(&backup, &restored, &data.registry).unwrap();

    assert!(backup.join("counts.dump.zst").is_file() && !backup.join("counts").exists());
    assert_eq!(counts(&restored, crawl), Some(expected(&[(1, 3)])));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_and_catching_up_do_not_fail_with_an_optional_follower() {
    let mut data = TestData::new();
    data.registry = FollowerRegistry::default()
        .with(FollowerEntry { open: |_, _| Err(TargetError::Other("no counts".into())), ..COUNTS });

    let (_, followers) = crawl(&data, FollowerTargets::closed(data.registry.clone())).await;
    let targets = data.targets();
    let fed = catch_up(&data.config, &data.data(), &targets, &mut |_| ()).unwrap();

    assert_eq!((followers, fed.len()), (vec!["the archive".to_owned()], 1));
}

#[test]
fn the_dump_of_an_unknown_follower_is_not_restored() {
    let data = TestData::new();
    let (backup, restored) = (data.dir.path().join("backup"), data.dir.path().join("restored"));
    let data_path = data.data();
    let crawls = ExclusiveCrawls { config: &data.config, data: &data_path, now: || 1 };
    backup::write(&data_path, &data.targets(), &crawls, &backup, 9).unwrap();

    // This build does not have the follower of the backup.
    backup::restore(&backup, &restored, &FollowerRegistry::default()).unwrap();

    assert!(backup.join("counts.dump.zst").is_file() && restored.join("archive").is_dir());
    assert!(!restored.join("counts.dump.zst").exists() && !restored.join("counts").exists());
}
