//! A short run of the targets of `make fuzz`: the seeds of the repository, and a few hundred fixed inputs each.

use std::fs;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64_with_seed;

mod mutate;
#[path = "../../../../../fuzz/src/targets/mod.rs"]
mod targets;

use mutate::Mutator;

const SEED: u64 = 1;

fn check(name: &str, inputs: u64) {
    let targets = targets::all();
    let target = targets.iter().find(|target| target.name() == name).expect("no target with this name");
    let mut corpus = target.seeds();
    corpus.extend(stored_seeds(name));
    corpus.extend(target.adopt("robots.txt", b"User-agent: *\nDisallow: /"));
    corpus.extend(target.adopt("document.ttl", b"@prefix : <#> . :a :b ( :c ) ."));
    for seed in &corpus {
        target.run(seed);
    }
    for number in 0..inputs {
        target.run(&input(name, &corpus, number));
    }
}

/// The input with this number.
fn input(target: &str, corpus: &[Vec<u8>], number: u64) -> Vec<u8> {
    let input_seed = xxh3_64_with_seed(target.as_bytes(), SEED ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    Mutator::new(input_seed).input(corpus)
}

/// The inputs in `fuzz/seeds`: past findings.
fn stored_seeds(name: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(name);
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut seeds: Vec<Vec<u8>> =
        entries.map(|entry| fs::read(entry.expect("an entry").path()).expect("a seed can be read")).collect();
    seeds.sort();
    seeds
}

#[test]
fn no_document_breaks_the_reader() {
    check("extract", 300);
}

#[test]
fn every_harvested_statement_is_valid() {
    check("n-triples", 100);
}

#[test]
fn no_archive_breaks_the_reader() {
    check("archives", 600);
}

#[test]
fn no_page_breaks_its_readers() {
    check("markup", 300);
}

#[test]
fn no_robots_file_breaks_the_reader() {
    check("robots", 300);
}

#[test]
fn no_link_header_breaks_the_reader() {
    check("link-header", 300);
}

#[test]
fn no_url_breaks_its_parts() {
    check("uri", 300);
}

#[test]
fn no_recording_breaks_a_replay() {
    check("warc", 300);
}

#[test]
fn damage_to_a_segment_is_detected() {
    check("segments", 30);
}

#[test]
fn no_sitemap_breaks_the_reader() {
    check("sitemap", 300);
}

#[test]
fn no_document_of_a_format_breaks_its_reader() {
    let formats = ["turtle", "n-triples", "n-quads", "trig", "n3", "rdf-xml", "json-ld", "html", "xml"];
    for name in formats.into_iter().chain(["linkset", "linkset-json"]) {
        check(name, 30);
    }
}
