//! A short run of the fuzzer of `make fuzz`: the same targets with a few hundred fixed inputs each.

#[path = "../../examples/fuzz/hostile/mod.rs"]
mod hostile;

const SEED: u64 = 1;

fn check(name: &str, inputs: u64) {
    let targets = hostile::targets();
    let target = targets.iter().find(|target| target.name() == name).expect("no target with this name");
    let mut corpus = target.seeds();
    corpus.extend(target.adopt("robots.txt", b"User-agent: *\nDisallow: /"));
    corpus.extend(target.adopt("document.ttl", b"@prefix : <#> . :a :b ( :c ) ."));
    for seed in &corpus {
        target.run(seed);
    }
    for number in 0..inputs {
        target.run(&hostile::input(name, &corpus, SEED, number));
    }
}

#[test]
fn no_document_breaks_the_reader() {
    check("extract", 300);
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
