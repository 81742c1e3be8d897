//! Tests of backup and restore.

use std::fs;
use std::path::Path;

use lodeward_archive::{Archive, Collection, Options};
use oxrdf::{NamedNode, Quad};
use tempfile::TempDir;

use super::*;
use crate::data_dir::FIRST_PASSWORD_FILE;
use crate::followers::FollowerRegistry;
use crate::settings::Config;
use lodeward::model::Uri;

/// A data directory with an archive and two crawls, of which the first has a document.
struct TestDataDir {
    dir: TempDir,
    targets: FollowerTargets,
    archive: Archive,
    config: Config,
}

fn now() -> u64 {
    7
}

fn quad(name: &str) -> Quad {
    let node = |name: &str| NamedNode::new(format!("http://a.example/{name}")).unwrap();
    Quad::new(node(name), node("p"), node("o"), node("g"))
}

impl TestDataDir {
    async fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let data = dir.path().join("data");
        let data_dir = DataDir::open(&data).unwrap();
        for name in ["one", "two"] {
            let id = data_dir.create(name, "bfs", 0, 1).unwrap().id;
            data_dir.crawl(id).write_json("order.json", &"run").unwrap();
        }
        fs::create_dir_all(data.join("service")).unwrap();
        fs::write(data.join("service/users.json"), "[]").unwrap();
        fs::write(data.join("service/service.json"), "{}").unwrap();
        fs::write(data.join(FIRST_PASSWORD_FILE), "the password").unwrap();
        fs::create_dir_all(data.join("backups/old")).unwrap();
        let config = Config::default();
        let (targets, archive) = FollowerTargets::open(FollowerRegistry::default(), &config, &data).unwrap();
        let test = Self { dir, targets, archive, config };
        test.put(1, "http://a.example/first").await;
        test
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Adds a document to the harvest of a crawl and to the archive.
    async fn put(&self, id: u32, uri: &str) {
        let crawl = crawl_dir::open_crawl(&self.config, &CrawlDir::new(&self.path("data"), id), now).unwrap();
        let mut draft = crawl.store.draft(&Uri::parse(uri).unwrap());
        draft.append(quad("s").as_ref());
        crawl.store.put(draft.finish()).await.unwrap();
        crawl.store.commit().await.unwrap();
        let mut transaction = self.archive.begin();
        let name = NamedNode::new(uri).unwrap();
        transaction.put_document(Collection(id), name.as_ref(), [quad("s").as_ref()]).unwrap();
        transaction.commit().unwrap();
    }

    /// Exports a crawl to the archive.
    fn export(&self, id: u32) {
        let data_dir = DataDir::open(&self.path("data")).unwrap();
        let crawl = crawl_dir::open_crawl(&self.config, &CrawlDir::new(&self.path("data"), id), now).unwrap();
        let source = graph_export::ExportSource {
            config: &self.config,
            data_dir: &data_dir,
            crawl: id,
            segments: &crawl.segments,
        };
        let exported =
            graph_export::export_crawl(&source, &self.archive, graph_export::ExportPart::Harvest, 8).unwrap();
        assert_eq!(exported.statements, 1);
    }

    fn write(&self) -> Result<BackupManifest, BackupError> {
        let data = self.path("data");
        let crawls = ExclusiveCrawls { config: &self.config, data: &data, now };
        super::write(&data, &self.targets, &crawls, &self.path("backup"), 9)
    }
}

fn harvest(data: &Path, id: u32) -> String {
    let crawl = crawl_dir::open_crawl(&Config::default(), &CrawlDir::new(data, id), now).unwrap();
    let mut lines = Vec::new();
    crawl.store.export(&mut lines).unwrap();
    String::from_utf8(lines).unwrap()
}

#[tokio::test]
async fn a_backup_has_all_files_except_those_of_a_process() {
    let test = TestDataDir::new().await;

    let manifest = test.write().unwrap();
    let restored = test.path("restored");
    restore(&test.path("backup"), &restored, &FollowerRegistry::default()).unwrap();

    assert_eq!((manifest.crawl_count(), manifest.created_at_ms), (2, 9));
    assert_eq!(verify(&test.path("backup")).unwrap(), manifest);
    assert_eq!(harvest(&restored, 1), harvest(&test.path("data"), 1));
    assert!(harvest(&restored, 1).contains("http://a.example/s"));
    let archive = Archive::open(restored.join("archive"), &Options::default()).unwrap();
    assert_eq!(archive.snapshot().len().unwrap(), 1);
    assert_eq!(fs::read_to_string(restored.join("service/users.json")).unwrap(), "[]");
    assert_eq!(DataDir::open(&restored).unwrap().list().unwrap().len(), 2);
    assert!(!test.path("backup").join(FIRST_PASSWORD_FILE).exists());
    for omitted in
        [FIRST_PASSWORD_FILE, "service/service.json", "backups", "restoring", "backup.json", "archive.dump.zst"]
    {
        assert!(!restored.join(omitted).exists(), "{omitted}");
    }
}

/// The second crawl is deleted while the backup is written.
struct SecondDeleted<'a>(ExclusiveCrawls<'a>);

impl CrawlSource for SecondDeleted<'_> {
    fn open_crawl(&self, id: u32) -> Result<Option<Box<dyn AsRef<OpenCrawl> + '_>>, BackupError> {
        if id == 2 { Ok(None) } else { self.0.open_crawl(id) }
    }
}

#[tokio::test]
async fn a_crawl_deleted_during_a_backup_is_omitted() {
    let test = TestDataDir::new().await;
    test.put(2, "http://a.example/second").await;
    let data = test.path("data");
    test.export(2);
    let crawls = SecondDeleted(ExclusiveCrawls { config: &test.config, data: &data, now });

    super::write(&data, &test.targets, &crawls, &test.path("backup"), 9).unwrap();
    let restored = test.path("restored");
    restore(&test.path("backup"), &restored, &FollowerRegistry::default()).unwrap();

    let data_dir = DataDir::open(&restored).unwrap();
    assert_eq!(data_dir.list().unwrap().len(), 1);
    assert_eq!(data_dir.create("three", "bfs", 0, 0).unwrap().id, 3, "numbers are not reused");
    let archive = Archive::open(restored.join("archive"), &Options::default()).unwrap();
    assert_eq!(archive.snapshot().collection_graphs(Collection(2)).count(), 0);
    assert_eq!(archive.snapshot().collection_graphs(Collection(1)).count(), 1);
    assert_eq!(archive.snapshot().named_graphs().count(), 1, "exported graphs are removed, too");
}

#[tokio::test]
async fn a_crawl_created_during_a_backup_is_omitted() {
    let test = TestDataDir::new().await;
    let data = test.path("data");
    let data_dir = DataDir::open(&data).unwrap();
    let listed = [1, 2].into();
    for (id, name) in [(3, "stays"), (4, "deleted")] {
        data_dir.create(name, "bfs", 0, 1).unwrap();
        test.put(id, &format!("http://a.example/{name}")).await;
        test.export(id);
    }
    // As if it were deleted while the archive, which still contains it, is copied.
    data_dir.crawl(4).remove().unwrap();
    let crawls = ExclusiveCrawls { config: &test.config, data: &data, now };
    create_backup_dir(&data, &test.path("backup")).unwrap();

    write_crawls(&data, &test.targets, &crawls, &test.path("backup"), &listed, 9).unwrap();
    let restored = test.path("restored");
    restore(&test.path("backup"), &restored, &FollowerRegistry::default()).unwrap();

    let data_dir = DataDir::open(&restored).unwrap();
    assert_eq!(data_dir.scan().unwrap().ids(), [1, 2]);
    assert_eq!(data_dir.create("five", "bfs", 0, 0).unwrap().id, 5, "their numbers stay used");
    let archive = Archive::open(restored.join("archive"), &Options::default()).unwrap();
    let graphs = |id| archive.snapshot().collection_graphs(Collection(id)).count();
    assert_eq!([1, 3, 4].map(graphs), [1, 0, 0]);
    assert_eq!(archive.snapshot().named_graphs().count(), 1, "exported graphs are removed, too");
}

#[tokio::test]
async fn recordings_are_copied_after_the_archive() {
    let test = TestDataDir::new().await;
    let data = test.path("data");
    let recording = "crawls/1/warc/lodeward-00001.warc.gz";
    fs::create_dir(data.join("crawls/1/warc")).unwrap();
    fs::write(data.join(recording), "recorded").unwrap();

    files::copy_small_files(&data, &test.path("small"), test.targets.registry()).unwrap();
    test.write().unwrap();
    let restored = test.path("restored");
    restore(&test.path("backup"), &restored, &FollowerRegistry::default()).unwrap();

    assert!(test.path("small/crawls/1/crawl.json").exists() && !test.path("small/crawls/1/warc").exists());
    assert_eq!(fs::read_to_string(restored.join(recording)).unwrap(), "recorded");
    assert!(!restored.join("crawls/2/warc").exists());
}

#[tokio::test]
async fn a_changed_backup_is_not_restored() {
    let test = TestDataDir::new().await;
    let backup = test.path("backup");
    test.write().unwrap();
    let check = |change: &dyn Fn(&Path), expected: &str| {
        let damaged = TempDir::new().unwrap();
        files::copy_dir(&backup, damaged.path()).unwrap();
        change(damaged.path());
        let target = damaged.path().join("target");
        let rejected = restore(damaged.path(), &target, &FollowerRegistry::default()).unwrap_err().to_string();
        assert!(rejected.contains(expected), "{rejected}");
        assert!(!target.exists());
    };
    let file = "crawls/1/segments/000001.nq.zst";

    check(&|dir| fs::remove_file(dir.join("backup.json")).unwrap(), "is not a complete backup");
    check(&|dir| fs::remove_file(dir.join(file)).unwrap(), "the file is missing");
    check(&|dir| fs::write(dir.join(file), "").unwrap(), "0 bytes, expected");
    let flip_a_bit = |dir: &Path| {
        let mut bytes = fs::read(dir.join(file)).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(dir.join(file), bytes).unwrap();
    };
    check(&flip_a_bit, "the checksum does not match");
    let escape = |dir: &Path| {
        let text = fs::read_to_string(dir.join("backup.json")).unwrap();
        fs::write(dir.join("backup.json"), text.replace("service/users.json", "../users.json")).unwrap();
    };
    check(&escape, "is outside of the backup");
}

#[tokio::test]
async fn existing_files_are_not_overwritten() {
    let test = TestDataDir::new().await;
    fs::create_dir(test.path("backup")).unwrap();
    fs::write(test.path("backup/mine"), "mine").unwrap();
    assert!(matches!(test.write(), Err(BackupError::NotEmpty(_))));
    fs::remove_file(test.path("backup/mine")).unwrap();
    test.write().unwrap();

    assert!(matches!(
        restore(&test.path("backup"), &test.path("data"), &FollowerRegistry::default()),
        Err(BackupError::NotEmpty(_))
    ));
    let data = test.path("data");
    let crawls = ExclusiveCrawls { config: &test.config, data: &data, now };
    let inside = super::write(&data, &test.targets, &crawls, &data.join("crawls/copy"), 9);
    assert!(matches!(inside, Err(BackupError::Inside(_))));
    assert!(!data.join("crawls/copy").exists());
}

#[tokio::test]
async fn an_interrupted_restore_can_be_repeated() {
    let test = TestDataDir::new().await;
    test.write().unwrap();
    let restored = test.path("restored");
    fs::create_dir_all(restored.join("restoring/crawls/1/state")).unwrap();
    assert!(is_restoring(&restored));

    restore(&test.path("backup"), &restored, &FollowerRegistry::default()).unwrap();

    assert!(!is_restoring(&restored));
    assert_eq!(harvest(&restored, 1), harvest(&test.path("data"), 1));
}

/// Cancels the backup at once.
struct Cancelled;

impl CrawlSource for Cancelled {
    fn open_crawl(&self, _: u32) -> Result<Option<Box<dyn AsRef<OpenCrawl> + '_>>, BackupError> {
        unreachable!("the backup is cancelled")
    }

    fn is_cancelled(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_cancelled_backup_is_not_a_backup() {
    let test = TestDataDir::new().await;

    let rejected = super::write(&test.path("data"), &test.targets, &Cancelled, &test.path("backup"), 9);

    assert!(matches!(rejected, Err(BackupError::Cancelled)));
    assert!(matches!(verify(&test.path("backup")), Err(BackupError::Unfinished(_))));
}
