//! Tests of recordings: their labels, their replay and their reproducibility.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::*;
use crate::UnknownHosts;
use crate::replay::ReplayWeb;
use crate::truth::{TruthDocument, for_each_document};
use crate::world::WorldParameters;

fn small(seed: u64, count: u32) -> World {
    let mut parameters = WorldParameters::preset("demo").expect("a preset");
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
fn the_manifest_of_a_recording_matches_the_truth() {
    for count in [0, 5] {
        let directory = tempfile::tempdir().expect("a directory");
        let world = small(3, count);

        let summary = record(&world, directory.path()).expect("a recording");

        let rows = rows(directory.path());
        let by_url: HashMap<&str, &HashMap<String, String>> =
            rows.iter().map(|row| (row["url"].as_str(), row)).collect();
        assert_eq!(by_url.len(), rows.len(), "a URL is recorded once");
        assert_eq!(summary.documents + summary.redirects, rows.len() as u64);
        let mut expected = 0;
        for_each_document(&world, TruthMode::All, &mut |document: TruthDocument| {
            let row = by_url.get(document.url.as_str());
            let of_vocabulary = document.topic.is_none();
            assert_eq!(row.is_some(), document.reachable && document.obtainable || of_vocabulary, "{document:?}");
            let Some(row) = row else { return };
            assert_eq!(row["label"] == "rdf", document.relevant, "{}", document.url);
            assert_eq!(row["class"] == "R", document.kind.is_serialisation(), "{}", document.url);
            assert_eq!(row["status"], "200");
            expected += u64::from(document.relevant);
        });
        assert_eq!(summary.rdf, expected);
        assert!(summary.hard_rdf > 0 && summary.hard > summary.hard_rdf && summary.redirects > 0);
    }
}

#[test]
fn a_replayed_recording_responds_like_its_world_and_its_manifest() {
    let directory = tempfile::tempdir().expect("a directory");
    let world = small(4, 5);
    record(&world, directory.path()).expect("a recording");
    let replay = ReplayWeb::open(&warcs(directory.path()), UnknownHosts::BadGateway).expect("WARC files");

    let rows = rows(directory.path());
    assert_eq!(replay.urls().count(), rows.len());
    let fresh = small(4, 5);
    for row in rows {
        let replayed = replay.respond(&WebRequest::get(&row["url"]));
        assert_eq!(replayed.status.as_str(), row["status"], "{row:?}");
        assert_eq!(redirect_target(&row["url"], &replayed).unwrap_or_default(), row["redirect"], "{row:?}");
        let direct = fresh.respond(&WebRequest::get(&row["url"]).with_header(ACCEPT, ACCEPT_RDF_FIRST));
        if let (WebBody::Whole(recorded), WebBody::Whole(generated)) = (&replayed.body, &direct.body)
            && direct.status == replayed.status
        {
            assert_eq!(recorded, generated, "{row:?}");
        }
    }
}

#[test]
fn hard_uris_depend_on_the_url_and_the_declared_type_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut parameters = small(5, 5).parameters().clone();
    (parameters.naming.wrong_content_type, parameters.naming.negotiating) = (0.9, 0.0);
    (parameters.naming.hash, parameters.naming.extension) = (0.7, 0.7);
    record(&World::new(parameters).expect("sound"), directory.path()).expect("a recording");

    let rows = rows(directory.path());
    let count = |predicate: &dyn Fn(&HashMap<String, String>) -> bool| rows.iter().filter(|row| predicate(row)).count();
    let ends = |row: &HashMap<String, String>, end: &str| row["url"].ends_with(end);
    assert!(
        count(&|row| row["class"] == "R" && row["hard"] == "1") > 0,
        "a wrong media type makes an RDF document hard"
    );
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

    let recorded: Vec<String> = rows(directory.path()).into_iter().map(|row| row["url"].clone()).collect();
    let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).expect("a file");
    let entries = read("entry-pages.tsv");
    let entries: Vec<&str> = entries.lines().skip(1).filter_map(|line| line.split('\t').nth(2)).collect();
    assert_eq!(entries.len(), 9);
    for url in read("seeds.txt").lines().chain(entries) {
        assert!(recorded.iter().any(|recorded| recorded == url), "{url}");
    }
}
