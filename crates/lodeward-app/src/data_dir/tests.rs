//! Tests of the data directory.

use std::cell::RefCell;

use lodeward::model::Uri;

use super::*;
use crate::seed_note::{SeedNote, SeedOrigin};

#[test]
fn the_number_of_a_removed_crawl_is_not_reused() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = DataDir::open(directory.path()).unwrap();
    let record = data_dir.create("default", "bfs", 7, 1).unwrap();
    data_dir.crawl(record.id).write_json("order.json", &"run").unwrap();
    data_dir.crawl(record.id).write_json("other.json", &1).unwrap();
    data_dir.crawl(record.id).remove_json("other.json").unwrap();
    data_dir.crawl(record.id).remove_json("other.json").unwrap();
    assert_eq!(data_dir.crawl(record.id).read_json::<u32>("other.json").unwrap(), None);
    fs::create_dir(data_dir.crawl(record.id).path().join("segments")).unwrap();

    data_dir.crawl(record.id).remove().unwrap();

    assert_eq!(data_dir.list().unwrap(), []);
    assert_eq!(fs::read_dir(data_dir.crawl(record.id).into_path()).unwrap().count(), 0);
    assert_eq!(data_dir.create("default", "bfs", 7, 1).unwrap().id, 2);
    assert_eq!(data_dir.used_ids().unwrap(), [1, 2].into());
}

#[test]
fn a_file_of_seeds_cut_at_any_byte_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = DataDir::open(directory.path()).unwrap();
    let id = data_dir.create("default", "bfs", 7, 1).unwrap().id;
    let seeds = ["http://a.example/1", "http://a.example/12"].map(|uri| Uri::parse(uri).unwrap());
    assert_eq!(data_dir.crawl(id).seeds().unwrap(), []);
    data_dir.crawl(id).add_seeds(&seeds[..1]).unwrap();
    data_dir.crawl(id).add_seeds(&seeds).unwrap();
    assert_eq!(data_dir.crawl(id).seeds().unwrap(), seeds);
    let path = data_dir.crawl(id).path().join("seeds.txt");
    let whole = fs::read_to_string(&path).unwrap();

    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        assert!(matches!(data_dir.crawl(id).seeds(), Err(DataDirError::Seeds(_))), "cut at {cut}");
        assert!(data_dir.crawl(id).add_seeds(&seeds).is_err(), "cut at {cut}");
    }
}

#[test]
fn a_damaged_status_is_treated_as_missing() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = DataDir::open(directory.path()).unwrap();
    let id = data_dir.create("default", "bfs", 7, 1).unwrap().id;
    fs::write(data_dir.crawl(id).path().join("status.json"), "{\"process\": 7, ").unwrap();

    assert_eq!(data_dir.crawl(id).status().unwrap(), None);
}

#[test]
fn a_missing_file_of_seeds_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = DataDir::open(directory.path()).unwrap();
    let crawl = data_dir.crawl(data_dir.create("default", "bfs", 7, 1).unwrap().id);
    let seeds = [Uri::parse("http://a.example/1").unwrap()];
    crawl.add_seeds(&seeds).unwrap();
    fs::create_dir(crawl.path().join("state")).unwrap();
    fs::remove_file(crawl.path().join("seeds.txt")).unwrap();

    assert!(matches!(crawl.seeds(), Err(DataDirError::MissingSeeds(_))));
    assert!(matches!(crawl.add_seeds(&[]), Err(DataDirError::MissingSeeds(_))), "the crawl is resumed without seeds");
    assert_eq!(crawl.add_seeds(&seeds).unwrap(), seeds, "the user passes all seeds again");
    assert_eq!(crawl.seeds().unwrap(), seeds);
}

#[test]
fn a_stored_request_to_delete_a_crawl_outlives_its_record() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = DataDir::open(directory.path()).unwrap();
    let id = data_dir.create("default", "bfs", 7, 1).unwrap().id;
    data_dir.crawl(id).write_json("order.json", &"delete").unwrap();
    fs::create_dir(data_dir.crawl(id).path().join("segments")).unwrap();
    let synced = RefCell::new(Vec::new());
    let names = |dir: &Path| -> BTreeSet<_> {
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };

    data_dir
        .crawl(id)
        .remove_with(|dir| {
            assert_eq!(dir, data_dir.crawl(id).into_path());
            synced.borrow_mut().push(names(dir));
            Ok(())
        })
        .unwrap();

    let expected = [&["crawl.json", "order.json", "settings.json"][..], &["order.json", "settings.json"], &[]];
    assert_eq!(synced.into_inner(), expected.map(|names| names.iter().map(|&name| name.to_owned()).collect()));
}

#[test]
fn a_reserved_crawl_exists_after_its_record_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = DataDir::open(directory.path()).unwrap();

    let record = data_dir.reserve("default", "bfs", 7, 1).unwrap();
    data_dir.crawl(record.id).write_json("order.json", &"run").unwrap();
    assert_eq!(data_dir.list().unwrap(), []);
    assert_eq!(data_dir.reserve("other", "bfs", 7, 1).unwrap().id, 2);

    data_dir.write_record(&record).unwrap();
    assert_eq!(data_dir.list().unwrap(), [record]);
}

#[test]
fn crawls_are_numbered_and_found_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = DataDir::open(directory.path()).unwrap();

    let first = data_dir.create("default", "bfs", 7, 1).unwrap();
    let second = data_dir.create("buildings", "bfs", 8, 2).unwrap();

    assert_eq!((first.id, second.id), (1, 2));
    assert_eq!(data_dir.find("buildings").unwrap(), Some(second));
    assert_eq!(data_dir.find("unknown").unwrap(), None);
    assert_eq!(DataDir::open(directory.path()).unwrap().list().unwrap().len(), 2);
}

#[test]
fn a_damaged_record_hides_no_other() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = DataDir::open(directory.path()).unwrap();
    let first = data_dir.create("default", "bfs", 7, 1).unwrap();
    let second = data_dir.create("buildings", "bfs", 8, 2).unwrap();
    fs::write(data_dir.crawl(first.id).path().join(RECORD_FILE), "").unwrap();

    let found = data_dir.scan().unwrap();

    assert_eq!((found.records.as_slice(), found.ids()), (&[second.clone()][..], vec![2, 1]));
    assert!(found.damaged[0].error.to_string().ends_with("crawls/1/crawl.json"));
    assert_eq!(data_dir.find("buildings").unwrap(), Some(second));
    assert!(
        matches!(data_dir.find("default"), Err(DataDirError::MaybeDamaged { .. })),
        "the damaged record may have the name"
    );
    assert_eq!(data_dir.create("other", "bfs", 0, 0).unwrap().id, 3);
}

#[test]
fn seeds_are_stored_once() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = DataDir::open(directory.path()).unwrap();
    let id = data_dir.create("default", "bfs", 0, 0).unwrap().id;
    let uri = |text: &str| Uri::parse(text).unwrap();

    data_dir.crawl(id).add_seeds(&[uri("http://a.example/"), uri("http://b.example/")]).unwrap();
    data_dir.crawl(id).add_seeds(&[uri("http://b.example/"), uri("http://c.example/")]).unwrap();

    let expected = ["http://a.example/", "http://b.example/", "http://c.example/"].map(uri);
    assert_eq!(data_dir.crawl(id).seeds().unwrap(), expected);
}

#[test]
fn the_first_origin_of_a_seed_is_stored() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = DataDir::open(directory.path()).unwrap();
    let id = data_dir.create("default", "bfs", 0, 0).unwrap().id;
    let note = |iri: &str, origin: SeedOrigin| SeedNote::from_iri(iri, origin, None).unwrap();
    let subject = || SeedOrigin::Subject { file: "a.ttl".to_owned() };

    data_dir.crawl(id).add_seed_notes(&[]).unwrap();
    assert_eq!(data_dir.crawl(id).seed_notes().unwrap(), []);
    data_dir.crawl(id).add_seed_notes(&[note("http://a.example/#x", SeedOrigin::Text)]).unwrap();
    data_dir
        .crawl(id)
        .add_seed_notes(&[note("http://a.example/#x", subject()), note("http://a.example/", subject())])
        .unwrap();

    let expected = [note("http://a.example/#x", SeedOrigin::Text), note("http://a.example/", subject())];
    assert_eq!(data_dir.crawl(id).seed_notes().unwrap(), expected);
}

#[test]
fn a_crawl_without_a_record_does_not_exist() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = DataDir::open(directory.path()).unwrap();
    fs::create_dir(data_dir.crawl(1).into_path()).unwrap();

    assert_eq!(data_dir.list().unwrap(), []);
    assert_eq!(data_dir.create("default", "bfs", 0, 0).unwrap().id, 2);
}

#[test]
fn a_directory_of_another_format_is_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let rejected = || DataDir::open(directory.path()).unwrap_err().to_string();
    // Version 1 had no file for its version.
    fs::create_dir_all(directory.path().join("crawls/1")).unwrap();
    assert!(rejected().contains("it has format 1, and this version reads format 3"));

    fs::write(directory.path().join(FORMAT_FILE), "2\n").unwrap();
    assert!(rejected().contains("it has format 2"));
    fs::write(directory.path().join(FORMAT_FILE), "3\n").unwrap();
    assert!(DataDir::open(directory.path()).is_ok());
}

#[test]
fn a_directory_without_crawls_gets_the_format_of_this_version() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("service")).unwrap();

    DataDir::open(&directory.path().join("new")).unwrap();
    DataDir::open(directory.path()).unwrap();

    for path in ["format", "new/format"] {
        assert_eq!(fs::read_to_string(directory.path().join(path)).unwrap(), "3\n");
    }
}

#[test]
fn an_invalid_name_is_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = DataDir::open(directory.path()).unwrap();

    let error = data_dir.create("a\nb", "bfs", 0, 0).unwrap_err();

    assert!(error.to_string().ends_with("1 to 100 bytes without control characters are allowed"));
}
