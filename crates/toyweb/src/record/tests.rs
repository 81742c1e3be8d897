//! Claims about recorded worlds.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::*;
use crate::Elsewhere;
use crate::replay::Replay;
use crate::truth::{Document, truth};
use crate::world::Parameters;

fn small(seed: u64, count: u32) -> World {
    let mut parameters = Parameters::preset("demo").expect("a preset");
    (parameters.seed, parameters.hosts, parameters.documents_per_host) = (seed, 9, 30);
    (parameters.sections.count, parameters.sections.sizes) = (count, 0.5);
    (parameters.faults.documents, parameters.links.redirect_loops) = (0.1, 0.02);
    World::new(parameters).expect("sound parameters")
}

fn rows(directory: &Path) -> Vec<HashMap<String, String>> {
    let mut text = String::new();
    let file = File::open(directory.join("manifest.tsv.gz")).expect("a manifest");
    MultiGzDecoder::new(file).read_to_string(&mut text).expect("gzip");
    let mut lines = text.lines();
    let headings: Vec<&str> = lines.next().expect("headings").split('\t').collect();
    let row = |line: &str| {
        let cells = line.split('\t').map(str::to_owned);
        headings.iter().map(ToString::to_string).zip(cells).collect::<HashMap<_, _>>()
    };
    lines.map(row).collect()
}

fn warcs(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().ends_with(".warc.gz")).collect();
    paths.sort();
    paths
}

#[test]
fn a_recorded_world_is_the_truth_about_it() {
    for count in [0, 5] {
        let directory = tempfile::tempdir().expect("a directory");
        let world = small(3, count);

        let recorded = record(&world, directory.path()).expect("a recording");

        let rows = rows(directory.path());
        let by_url: HashMap<&str, &HashMap<String, String>> =
            rows.iter().map(|row| (row["url"].as_str(), row)).collect();
        assert_eq!(by_url.len(), rows.len(), "a URL is recorded once");
        assert_eq!(recorded.documents + recorded.redirects, rows.len() as u64);
        let mut expected = 0;
        truth(&world, Mode::All, &mut |document: Document| {
            let row = by_url.get(document.url.as_str());
            let of_vocabulary = document.topic.is_none();
            assert_eq!(row.is_some(), document.reachable && document.obtainable || of_vocabulary, "{document:?}");
            let Some(row) = row else { return };
            assert_eq!(row["label"] == "rdf", document.relevant, "{}", document.url);
            assert_eq!(row["class"] == "R", document.kind.is_serialisation(), "{}", document.url);
            assert_eq!(row["status"], "200");
            expected += u64::from(document.relevant);
        });
        assert_eq!(recorded.rdf, expected);
        assert!(recorded.hard_rdf > 0 && recorded.hard > recorded.hard_rdf && recorded.redirects > 0);
    }
}

#[test]
fn a_replayed_recording_answers_as_its_world_and_its_manifest_say() {
    let directory = tempfile::tempdir().expect("a directory");
    let world = small(4, 5);
    record(&world, directory.path()).expect("a recording");
    let replay = Replay::open(&warcs(directory.path()), Elsewhere::BadGateway).expect("WARC files");

    let rows = rows(directory.path());
    assert_eq!(replay.urls().count(), rows.len());
    let fresh = small(4, 5);
    for row in rows {
        let answer = replay.respond(&Request::get(&row["url"]));
        assert_eq!(answer.status.as_str(), row["status"], "{row:?}");
        assert_eq!(location(&row["url"], &answer).unwrap_or_default(), row["redirect"], "{row:?}");
        let direct = fresh.respond(&Request::get(&row["url"]).with(ACCEPT, PREFERS_RDF));
        if let (Body::Whole(recorded), Body::Whole(said)) = (&answer.body, &direct.body)
            && direct.status == answer.status
        {
            assert_eq!(recorded, said, "{row:?}");
        }
    }
}

#[test]
fn what_is_hard_is_told_by_the_url_and_the_declared_type_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut parameters = small(5, 5).parameters().clone();
    (parameters.naming.wrong_content_type, parameters.naming.negotiating) = (0.9, 0.0);
    (parameters.naming.hash, parameters.naming.extension) = (0.7, 0.7);
    record(&World::new(parameters).expect("sound"), directory.path()).expect("a recording");

    let rows = rows(directory.path());
    let count = |wanted: &dyn Fn(&HashMap<String, String>) -> bool| rows.iter().filter(|row| wanted(row)).count();
    let ends = |row: &HashMap<String, String>, end: &str| row["url"].ends_with(end);
    assert!(count(&|row| row["class"] == "R" && row["hard"] == "1") > 0, "a lying type makes RDF hard");
    assert_eq!(count(&|row| row["content_type"] == "text/turtle" && row["hard"] == "1"), 0);
    assert!(count(&|row| ends(row, ".ttl") && row["content_type"] == "text/plain") > 0);
    assert_eq!(count(&|row| (ends(row, ".ttl") || ends(row, ".png")) && row["hard"] == "1"), 0);
    assert_eq!(count(&|row| row["content_type"].starts_with("text/html") && row["hard"] == "0"), 0);
    assert_eq!(count(&|row| row["class"] == "-" && !row["hard"].is_empty()), 0);
}

#[test]
fn the_same_parameters_give_the_same_bytes() {
    let (one, other) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    for directory in [&one, &other] {
        record(&small(6, 5), directory.path()).expect("a recording");
    }

    let mut names: Vec<_> =
        std::fs::read_dir(one.path()).expect("a directory").map(|e| e.expect("one").file_name()).collect();
    names.sort();
    assert_eq!(names.len(), 5, "{names:?}");
    for name in names {
        let read = |directory: &tempfile::TempDir| std::fs::read(directory.path().join(&name)).expect("a file");
        assert!(read(&one) == read(&other), "{name:?}");
    }
}

#[test]
fn every_seed_and_every_entry_page_is_recorded() {
    let directory = tempfile::tempdir().expect("a directory");
    record(&small(7, 5), directory.path()).expect("a recording");

    let known: Vec<String> = rows(directory.path()).into_iter().map(|row| row["url"].clone()).collect();
    let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).expect("a file");
    let entries = read("entry-pages.tsv");
    let entries: Vec<&str> = entries.lines().skip(1).filter_map(|line| line.split('\t').nth(2)).collect();
    assert_eq!(entries.len(), 9);
    for url in read("seeds.txt").lines().chain(entries) {
        assert!(known.iter().any(|known| known == url), "{url}");
    }
}
