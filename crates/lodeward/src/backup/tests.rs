//! What a backup holds, and what it notices.

use std::fs;
use std::path::Path;

use lodeward_archive::{Archive, Collection, Options};
use oxrdf::{NamedNode, Quad};
use tempfile::TempDir;

use super::*;
use crate::config::Config;
use crate::model::Uri;

/// A data directory with an archive and two crawls, of which the first has a
/// document.
struct Place {
    folder: TempDir,
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

impl Place {
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let data = folder.path().join("data");
        let registry = Registry::open(&data).unwrap();
        for name in ["one", "two"] {
            let id = registry.create(name, "bfs", 0, 1).unwrap().id;
            registry.keep(id, "order.json", &"run").unwrap();
        }
        fs::create_dir_all(data.join("service")).unwrap();
        fs::write(data.join("service/people.json"), "[]").unwrap();
        fs::write(data.join("service/running.json"), "{}").unwrap();
        fs::create_dir_all(data.join("backups/old")).unwrap();
        let archive = Archive::open(data.join("archive"), &Options::default()).unwrap();
        let place = Self { folder, archive, config: Config::default() };
        place.put(1, "http://a.example/first").await;
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a document into the harvest of a crawl, and into the archive.
    async fn put(&self, id: u32, uri: &str) {
        let shelf = open::shelf(&self.config, &of_crawl(&self.path("data"), id), now).unwrap();
        let mut draft = shelf.store.draft(&Uri::parse(uri).unwrap());
        draft.append(quad("s").as_ref());
        shelf.store.put(draft.finish()).await.unwrap();
        shelf.store.commit().await.unwrap();
        let mut transaction = self.archive.begin();
        let name = NamedNode::new(uri).unwrap();
        transaction.put_document(Collection(id), name.as_ref(), [quad("s").as_ref()]).unwrap();
        transaction.commit().unwrap();
    }

    /// Puts a crawl into the archive as its graph.
    fn export(&self, id: u32) {
        let registry = Registry::open(&self.path("data")).unwrap();
        let shelf = open::shelf(&self.config, &of_crawl(&self.path("data"), id), now).unwrap();
        let source = open::Source { config: &self.config, registry: &registry, crawl: id, segments: &shelf.segments };
        let exported = open::export_crawl(&source, &self.archive, open::Part::Harvest, 8).unwrap();
        assert_eq!(exported.statements, 1);
    }

    fn write(&self) -> Result<Manifest, BackupError> {
        let data = self.path("data");
        let crawls = Alone { config: &self.config, data: &data, now };
        super::write(&data, &self.archive, &crawls, &self.path("backup"), 9)
    }
}

fn harvest(data: &Path, id: u32) -> String {
    let shelf = open::shelf(&Config::default(), &of_crawl(data, id), now).unwrap();
    let mut lines = Vec::new();
    shelf.store.export(&mut lines).unwrap();
    String::from_utf8(lines).unwrap()
}

#[tokio::test]
async fn a_backup_has_everything_but_what_belongs_to_a_process() {
    let place = Place::new().await;

    let manifest = place.write().unwrap();
    let restored = place.path("restored");
    restore(&place.path("backup"), &restored).unwrap();

    assert_eq!((manifest.crawls(), manifest.created_at_ms), (2, 9));
    assert_eq!(verify(&place.path("backup")).unwrap(), manifest);
    assert_eq!(harvest(&restored, 1), harvest(&place.path("data"), 1));
    assert!(harvest(&restored, 1).contains("http://a.example/s"));
    let archive = Archive::open(restored.join("archive"), &Options::default()).unwrap();
    assert_eq!(archive.snapshot().len().unwrap(), 1);
    assert_eq!(fs::read_to_string(restored.join("service/people.json")).unwrap(), "[]");
    assert_eq!(Registry::open(&restored).unwrap().list().unwrap().len(), 2);
    for left_out in ["service/running.json", "backups", "restoring", "backup.json", "archive.dump.zst"] {
        assert!(!restored.join(left_out).exists(), "{left_out}");
    }
}

/// The second crawl goes while the backup is written.
struct Going<'a>(Alone<'a>);

impl Crawls for Going<'_> {
    fn hold(&self, id: u32) -> Result<Option<Box<dyn AsRef<Shelf> + '_>>, BackupError> {
        if id == 2 { Ok(None) } else { self.0.hold(id) }
    }
}

#[tokio::test]
async fn a_crawl_that_is_deleted_meanwhile_is_in_no_part_of_a_backup() {
    let place = Place::new().await;
    place.put(2, "http://a.example/second").await;
    let data = place.path("data");
    place.export(2);
    let crawls = Going(Alone { config: &place.config, data: &data, now });

    super::write(&data, &place.archive, &crawls, &place.path("backup"), 9).unwrap();
    let restored = place.path("restored");
    restore(&place.path("backup"), &restored).unwrap();

    let registry = Registry::open(&restored).unwrap();
    assert_eq!(registry.list().unwrap().len(), 1);
    assert_eq!(registry.create("three", "bfs", 0, 0).unwrap().id, 3, "a number is never given again");
    let archive = Archive::open(restored.join("archive"), &Options::default()).unwrap();
    assert_eq!(archive.snapshot().collection_graphs(Collection(2)).count(), 0);
    assert_eq!(archive.snapshot().collection_graphs(Collection(1)).count(), 1);
    assert_eq!(archive.snapshot().named_graphs().count(), 1, "what was exported is gone, too");
}

#[tokio::test]
async fn a_crawl_that_begins_meanwhile_is_in_no_part_of_a_backup() {
    let place = Place::new().await;
    let data = place.path("data");
    let registry = Registry::open(&data).unwrap();
    let listed = [1, 2].into();
    for (id, name) in [(3, "stays"), (4, "goes")] {
        registry.create(name, "bfs", 0, 1).unwrap();
        place.put(id, &format!("http://a.example/{name}")).await;
        place.export(id);
    }
    // As if while the archive was copied, which still has it.
    registry.remove(4).unwrap();
    let crawls = Alone { config: &place.config, data: &data, now };
    begin(&data, &place.path("backup")).unwrap();

    write_listed(&data, &place.archive, &crawls, &place.path("backup"), &listed, 9).unwrap();
    let restored = place.path("restored");
    restore(&place.path("backup"), &restored).unwrap();

    let registry = Registry::open(&restored).unwrap();
    assert_eq!(registry.look().unwrap().ids(), [1, 2]);
    assert_eq!(registry.create("five", "bfs", 0, 0).unwrap().id, 5, "their numbers are taken");
    let archive = Archive::open(restored.join("archive"), &Options::default()).unwrap();
    let graphs = |id| archive.snapshot().collection_graphs(Collection(id)).count();
    assert_eq!([1, 3, 4].map(graphs), [1, 0, 0]);
    assert_eq!(archive.snapshot().named_graphs().count(), 1, "what was exported is gone, too");
}

#[tokio::test]
async fn what_a_crawl_has_recorded_is_copied_after_the_archive() {
    let place = Place::new().await;
    let data = place.path("data");
    let recording = "crawls/1/warc/lodeward-00001.warc.gz";
    fs::create_dir(data.join("crawls/1/warc")).unwrap();
    fs::write(data.join(recording), "recorded").unwrap();

    files::copy_small(&data, &place.path("small")).unwrap();
    place.write().unwrap();
    let restored = place.path("restored");
    restore(&place.path("backup"), &restored).unwrap();

    assert!(place.path("small/crawls/1/crawl.json").exists() && !place.path("small/crawls/1/warc").exists());
    assert_eq!(fs::read_to_string(restored.join(recording)).unwrap(), "recorded");
    assert!(!restored.join("crawls/2/warc").exists());
}

#[tokio::test]
async fn a_backup_that_was_changed_is_not_restored() {
    let place = Place::new().await;
    let backup = place.path("backup");
    place.write().unwrap();
    let check = |change: &dyn Fn(&Path), expected: &str| {
        let damaged = TempDir::new().unwrap();
        files::copy_folder(&backup, damaged.path()).unwrap();
        change(damaged.path());
        let target = damaged.path().join("target");
        let refused = restore(damaged.path(), &target).unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
        assert!(!target.exists());
    };
    let file = "crawls/1/segments/000001.nq.zst";

    check(&|folder| fs::remove_file(folder.join("backup.json")).unwrap(), "no backup, or one that was not finished");
    check(&|folder| fs::remove_file(folder.join(file)).unwrap(), "not there");
    check(&|folder| fs::write(folder.join(file), "").unwrap(), "0 bytes instead of");
    let turn_a_bit = |folder: &Path| {
        let mut bytes = fs::read(folder.join(file)).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(folder.join(file), bytes).unwrap();
    };
    check(&turn_a_bit, "its checksum is another");
    let lead_out = |folder: &Path| {
        let text = fs::read_to_string(folder.join("backup.json")).unwrap();
        fs::write(folder.join("backup.json"), text.replace("service/people.json", "../people.json")).unwrap();
    };
    check(&lead_out, "leads out of it");
}

#[tokio::test]
async fn nothing_is_overwritten() {
    let place = Place::new().await;
    fs::create_dir(place.path("backup")).unwrap();
    fs::write(place.path("backup/mine"), "mine").unwrap();
    assert!(matches!(place.write(), Err(BackupError::NotEmpty(_))));
    fs::remove_file(place.path("backup/mine")).unwrap();
    place.write().unwrap();

    assert!(matches!(restore(&place.path("backup"), &place.path("data")), Err(BackupError::NotEmpty(_))));
    let data = place.path("data");
    let crawls = Alone { config: &place.config, data: &data, now };
    let inside = super::write(&data, &place.archive, &crawls, &data.join("crawls/copy"), 9);
    assert!(matches!(inside, Err(BackupError::Inside(_))));
    assert!(!data.join("crawls/copy").exists());
}

#[tokio::test]
async fn a_restore_that_was_cut_short_can_be_done_again() {
    let place = Place::new().await;
    place.write().unwrap();
    let restored = place.path("restored");
    fs::create_dir_all(restored.join("restoring/crawls/1/state")).unwrap();
    assert!(is_restoring(&restored));

    restore(&place.path("backup"), &restored).unwrap();

    assert!(!is_restoring(&restored));
    assert_eq!(harvest(&restored, 1), harvest(&place.path("data"), 1));
}

/// Somebody wants it to end at once.
struct CutShort;

impl Crawls for CutShort {
    fn hold(&self, _: u32) -> Result<Option<Box<dyn AsRef<Shelf> + '_>>, BackupError> {
        unreachable!("it is over")
    }

    fn is_cut_short(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_backup_that_is_cut_short_is_none() {
    let place = Place::new().await;

    let refused = super::write(&place.path("data"), &place.archive, &CutShort, &place.path("backup"), 9);

    assert!(matches!(refused, Err(BackupError::CutShort)));
    assert!(matches!(verify(&place.path("backup")), Err(BackupError::Unfinished(_))));
}
