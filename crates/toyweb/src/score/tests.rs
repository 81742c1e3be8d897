//! Tests of the score: injected errors are found, and no others.

use std::io::Write as _;

use super::*;
use crate::access_log::AccessLogEntry;
use crate::truth::{self, TruthQuad};
use crate::world::{DocumentKind, WorldParameters};

const SECOND: u64 = 1_000_000;

fn world() -> World {
    let parameters =
        WorldParameters { hosts: 5, documents_per_host: 12, ..WorldParameters::preset("polite").expect("a preset") };
    World::new(parameters).expect("sound")
}

fn entry(start_us: u64, url: &str, status: u16) -> AccessLogEntry {
    let client = "127.0.0.1:9".parse().expect("an address");
    let (method, url) = ("GET".to_owned(), url.to_owned());
    AccessLogEntry { start_us, end_us: start_us + 1_000, client, method, url, status, bytes: 10 }
}

/// A crawl without errors: every document once, two seconds apart, and the exact quads with other blank node labels.
fn perfect_crawl(world: &World) -> (Vec<AccessLogEntry>, String) {
    let mut entries = Vec::new();
    for_each_document(world, TruthMode::All, &mut |document| {
        if document.is_expected() {
            entries.push(entry(entries.len() as u64 * 2 * SECOND, &document.url, 200));
        }
    });
    let mut quads = Vec::new();
    truth::write_n_quads(world, TruthMode::All, &mut quads).expect("writing to memory cannot fail");
    (entries, String::from_utf8(quads).expect("UTF-8"))
}

fn score(world: &World, entries: Vec<AccessLogEntry>, quads: &str) -> ScoreReport {
    let mut request_log = RequestLog::default();
    for entry in entries {
        request_log.push(entry);
    }
    let mut scorer = CrawlScorer::new(request_log, Some(CrawlHarvest::read(quads.as_bytes())));
    for_each_document(world, TruthMode::All, &mut |document| scorer.score_document(&document));
    scorer.finish(world, &CrawlerPromises { min_delay_s: 1.0, ..CrawlerPromises::default() })
}

#[test]
fn a_perfect_crawl_has_a_perfect_score() {
    let world = world();
    let (entries, quads) = perfect_crawl(&world);
    let report = score(&world, entries, &quads);

    let DocumentRecall { expected, fetched, extracted, .. } = report.rdf_documents;
    assert!(expected > 20 && (expected, expected) == (fetched, extracted), "{report}");
    let Fidelity { compared, equal, missing_quads, extra_quads, unknown_documents, .. } = report.fidelity;
    assert_eq!((compared, equal), (expected, expected), "{report}");
    assert_eq!((missing_quads, extra_quads, unknown_documents), (0, 0, 0));
    let RequestCounts { documents_repeated, not_found, without_rdf, disallowed, .. } = report.requests;
    assert_eq!((documents_repeated, not_found, without_rdf, disallowed), (0, 0, 0, 0));
    assert!(report.politeness_per_domain.min_ratio.expect("a required delay") >= 1.0);
    assert_eq!(report.politeness_per_domain.too_early, 0);
}

#[test]
fn a_missing_and_an_extra_quad_are_found() {
    let world = world();
    let (entries, quads) = perfect_crawl(&world);
    let (first, rest) = quads.split_once('\n').expect("several lines");
    let graph = rest.lines().last().and_then(|line| line.rsplit(' ').nth(1)).expect("a graph");

    let missing = score(&world, entries.clone(), rest);
    let extra = score(&world, entries, &format!("{quads}<http://a.example/> <http://a.example/> \"new\" {graph} .\n"));

    assert!(!first.contains("_:"));
    assert_eq!((missing.fidelity.missing_quads, missing.fidelity.extra_quads), (1, 0));
    assert_eq!(missing.fidelity.equal + 1, missing.fidelity.compared);
    assert_eq!((extra.fidelity.missing_quads, extra.fidelity.extra_quads), (0, 1));
    assert_eq!(extra.fidelity.examples.len(), 1);
}

#[test]
fn a_merged_blank_node_is_found() {
    let world = world();
    let (entries, quads) = perfect_crawl(&world);
    // Two nodes of one document become one.
    let line = quads.lines().find(|line| line.starts_with("_:")).expect("a blank node");
    let label = line.split(' ').next().expect("a subject");
    let report = score(&world, entries, &quads.replacen(&format!("{label} "), "_:other ", 1));

    assert_eq!(report.fidelity.equal + 1, report.fidelity.compared, "{report}");
}

#[test]
fn missing_and_unknown_documents_are_found() {
    let world = world();
    let (mut entries, quads) = perfect_crawl(&world);
    let missing = entries.pop().expect("an entry").url;
    let in_missing = format!(" <{missing}> .");
    let harvested: Vec<&str> = quads.lines().filter(|line| !line.ends_with(&in_missing)).collect();
    let harvested = harvested.join("\n");
    let report = score(
        &world,
        entries,
        &format!("{harvested}\n<http://a.example/> <http://a.example/> \"x\" <http://a.example/> .\nnonsense\n"),
    );

    assert_eq!(
        (report.rdf_documents.fetched + 1, report.rdf_documents.extracted + 1),
        (report.rdf_documents.expected, report.rdf_documents.expected)
    );
    assert_eq!((report.fidelity.unknown_documents, report.fidelity.unreadable_lines), (1, 1));
    assert_eq!(report.fidelity.extra_quads, 1);
}

#[test]
fn repeated_wasted_and_disallowed_requests_are_found() {
    let world = world();
    let (mut entries, quads) = perfect_crawl(&world);
    let late = 10_000 * SECOND;
    let repeated = entries[0].url.clone();
    let mut without_rdf = None;
    for_each_document(&world, TruthMode::All, &mut |document| {
        if document.kind == DocumentKind::Page {
            without_rdf = Some(document.url);
        }
    });
    let disallowed = (0..5)
        .map(|site| format!("{}/private/1", world.site(site).origin(crate::world::site::HostSide::Data)))
        .find(|url| !world.allows(&Url::parse(url).expect("a URL")));
    let injected = [
        (repeated.as_str(), 200),
        ("http://h1.example/none", 404),
        (without_rdf.as_deref().expect("a page"), 200),
        (disallowed.as_deref().expect("some robots.txt"), 200),
        ("http://h1.example/robots.txt", 404),
    ];
    entries
        .extend(injected.iter().zip(0..).map(|((url, status), index)| entry(late + index * 9 * SECOND, url, *status)));

    let requests = score(&world, entries, &quads).requests;

    assert_eq!((requests.documents_repeated, requests.repetitions), (1, 1));
    assert_eq!((requests.not_found, requests.without_rdf, requests.disallowed, requests.robots), (1, 1, 1, 1));
}

#[test]
fn a_request_that_comes_too_early_is_found() {
    let world = world();
    let (mut entries, quads) = perfect_crawl(&world);
    let last = entries.last().expect("an entry").clone();
    // A quarter of a second after the end of the previous response.
    entries.push(entry(last.end_us + SECOND / 4, &last.url, 200));

    let politeness = score(&world, entries, &quads).politeness_per_domain;

    let ratio = politeness.min_ratio.expect("a required delay");
    assert!((ratio - 0.25).abs() < 1e-9, "{ratio}");
    assert_eq!(politeness.too_early, 1);
}

#[test]
fn overlapping_requests_have_a_negative_ratio_and_a_crawl_delay_is_required() {
    struct Delayed;
    impl WebRules for Delayed {
        fn crawl_delay_s(&self, host: &str) -> Option<f64> {
            (host == "www.h2.example").then_some(4.0)
        }
        fn allows(&self, _: &Url) -> bool {
            true
        }
    }
    let mut request_log = RequestLog::default();
    // The requests to two hosts of one domain overlap. Another host sees half of its delay.
    request_log.push(AccessLogEntry { end_us: 5 * SECOND, ..entry(0, "http://data.h1.example/a", 200) });
    request_log.push(entry(3 * SECOND, "http://www.h1.example/b", 200));
    request_log.push(AccessLogEntry { end_us: SECOND, ..entry(0, "http://www.h2.example/a", 200) });
    request_log.push(entry(3 * SECOND, "http://www.h2.example/b", 200));
    let addresses =
        ["data.h1.example", "www.h1.example", "www.h2.example"].map(|host| (host.to_owned(), "10.0.0.1".to_owned()));
    let promises = CrawlerPromises { min_delay_s: 1.0, addresses: addresses.into() };

    let report = CrawlScorer::new(request_log, None).finish(&Delayed, &promises);

    let ratios: Vec<Option<f64>> = report.politeness_per_domain.groups.iter().map(|group| group.min_ratio).collect();
    assert_eq!(ratios, [Some(-2.0), Some(0.5)]);
    let per_address = report.politeness_per_address.expect("addresses were given");
    assert_eq!((per_address.min_ratio, per_address.too_early), (Some(-5.0), 3));
}

#[test]
fn compressed_files_are_read_according_to_their_extensions() {
    let directory = tempfile::tempdir().expect("a directory");
    let world = world();
    let (entries, quads) = perfect_crawl(&world);
    let log = directory.path().join("access.log");
    // The last line is truncated, as after a kill.
    let lines: String = entries.iter().map(AccessLogEntry::to_line).collect();
    std::fs::write(&log, lines + "12\t3").expect("a file");
    let compressed = [directory.path().join("a.nq.gz"), directory.path().join("a.nq.zst")];
    let mut encoder =
        flate2::write::GzEncoder::new(File::create(&compressed[0]).expect("a file"), flate2::Compression::fast());
    encoder.write_all(quads.as_bytes()).and_then(|()| encoder.finish()).expect("written");
    std::fs::write(&compressed[1], zstd::encode_all(quads.as_bytes(), 1).expect("compressed")).expect("a file");

    for harvest in &compressed {
        let report =
            score_world(&world, TruthMode::All, &log, Some(harvest), &CrawlerPromises::default()).expect("a score");

        assert_eq!(report.fidelity.equal, report.rdf_documents.expected);
        assert!(report.to_json().contains("\"fetched_share\": 1.0"));
    }
}

#[test]
fn a_rel_statement_is_not_scored() {
    let triple = "<http://a.example/> <http://a.example/p> \"x\"".to_owned();
    let document = TruthDocument {
        url: "http://a.example/".to_owned(),
        kind: DocumentKind::HtmlRdfa,
        relevant: true,
        reachable: true,
        obtainable: true,
        topic: None,
        fault: None,
        quads: vec![TruthQuad { triple: triple.clone(), original_graph: None }],
    };
    let rel = "<http://a.example/> <http://www.w3.org/1999/xhtml/vocab#alternate> <http://a.example/b>";
    let quads = format!("{triple} <http://a.example/> .\n{rel} <http://a.example/> .\n");
    let mut scorer = CrawlScorer::new(RequestLog::default(), Some(CrawlHarvest::read(quads.as_bytes())));
    scorer.score_document(&document);

    let report = scorer.finish(&world(), &CrawlerPromises::default());

    assert_eq!((report.fidelity.equal, report.fidelity.extra_quads), (1, 0));
}
