//! Planted errors must be found, and only those.

use std::io::Write as _;

use super::*;
use crate::access_log::Entry;
use crate::truth::{self, Quad};
use crate::world::{Kind, Parameters};

const SECOND: u64 = 1_000_000;

fn world() -> World {
    let parameters = Parameters { hosts: 5, documents_per_host: 12, ..Parameters::preset("polite").expect("a preset") };
    World::new(parameters).expect("sound")
}

fn entry(start_us: u64, url: &str, status: u16) -> Entry {
    let client = "127.0.0.1:9".parse().expect("an address");
    let (method, url) = ("GET".to_owned(), url.to_owned());
    Entry { start_us, end_us: start_us + 1_000, client, method, url, status, bytes: 10 }
}

/// A crawl without fault: every document once, two seconds apart, and the
/// quads exactly as they are, with other names for blank nodes.
fn perfect(world: &World) -> (Vec<Entry>, String) {
    let mut entries = Vec::new();
    truth(world, Mode::All, &mut |document| {
        if document.counts() {
            entries.push(entry(entries.len() as u64 * 2 * SECOND, &document.url, 200));
        }
    });
    let mut quads = Vec::new();
    truth::write_n_quads(world, Mode::All, &mut quads).expect("memory takes all writes");
    (entries, String::from_utf8(quads).expect("UTF-8"))
}

fn score(world: &World, entries: Vec<Entry>, quads: &str) -> Report {
    let mut visits = Visits::default();
    for entry in entries {
        visits.push(entry);
    }
    let mut scorer = Scorer::new(visits, Some(Harvest::read(quads.as_bytes())));
    truth(world, Mode::All, &mut |document| scorer.document(&document));
    scorer.finish(world, &Promises { floor_s: 1.0, ..Promises::default() })
}

#[test]
fn a_perfect_crawl_has_a_perfect_score() {
    let world = world();
    let (entries, quads) = perfect(&world);
    let report = score(&world, entries, &quads);

    let Recall { expected, fetched, extracted, .. } = report.bearing;
    assert!(expected > 20 && (expected, expected) == (fetched, extracted), "{report}");
    let Fidelity { compared, equal, missing_quads, extra_quads, unknown_documents, .. } = report.fidelity;
    assert_eq!((compared, equal), (expected, expected), "{report}");
    assert_eq!((missing_quads, extra_quads, unknown_documents), (0, 0, 0));
    let Requests { documents_repeated, not_found, barren, disallowed, .. } = report.requests;
    assert_eq!((documents_repeated, not_found, barren, disallowed), (0, 0, 0, 0));
    assert!(report.politeness_per_domain.ratio_min.expect("a gap") >= 1.0);
    assert_eq!(report.politeness_per_domain.too_early, 0);
}

#[test]
fn a_missing_and_an_extra_quad_are_found() {
    let world = world();
    let (entries, quads) = perfect(&world);
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
fn a_blank_node_that_lost_its_place_is_found() {
    let world = world();
    let (entries, quads) = perfect(&world);
    // Two nodes of one document become one.
    let line = quads.lines().find(|line| line.starts_with("_:")).expect("a blank node");
    let label = line.split(' ').next().expect("a subject");
    let report = score(&world, entries, &quads.replacen(&format!("{label} "), "_:other ", 1));

    assert_eq!(report.fidelity.equal + 1, report.fidelity.compared, "{report}");
}

#[test]
fn lost_documents_and_invented_ones_are_found() {
    let world = world();
    let (mut entries, quads) = perfect(&world);
    let lost = entries.pop().expect("an entry").url;
    let of_lost = format!(" <{lost}> .");
    let kept: Vec<&str> = quads.lines().filter(|line| !line.ends_with(&of_lost)).collect();
    let kept = kept.join("\n");
    let report = score(
        &world,
        entries,
        &format!("{kept}\n<http://a.example/> <http://a.example/> \"x\" <http://a.example/> .\nnonsense\n"),
    );

    assert_eq!(
        (report.bearing.fetched + 1, report.bearing.extracted + 1),
        (report.bearing.expected, report.bearing.expected)
    );
    assert_eq!((report.fidelity.unknown_documents, report.fidelity.unreadable_lines), (1, 1));
    assert_eq!(report.fidelity.extra_quads, 1);
}

#[test]
fn repeated_wasted_and_forbidden_requests_are_found() {
    let world = world();
    let (mut entries, quads) = perfect(&world);
    let late = 10_000 * SECOND;
    let again = entries[0].url.clone();
    let mut barren = None;
    truth(&world, Mode::All, &mut |document| {
        if document.kind == Kind::Page {
            barren = Some(document.url);
        }
    });
    let forbidden = (0..5)
        .map(|site| format!("{}/private/1", world.site(site).origin(crate::world::site::Side::Data)))
        .find(|url| !world.allows(&Url::parse(url).expect("a URL")));
    let planted = [
        (again.as_str(), 200),
        ("http://h1.example/none", 404),
        (barren.as_deref().expect("a page"), 200),
        (forbidden.as_deref().expect("some robots.txt"), 200),
        ("http://h1.example/robots.txt", 404),
    ];
    entries
        .extend(planted.iter().zip(0..).map(|((url, status), index)| entry(late + index * 9 * SECOND, url, *status)));

    let requests = score(&world, entries, &quads).requests;

    assert_eq!((requests.documents_repeated, requests.repetitions), (1, 1));
    assert_eq!((requests.not_found, requests.barren, requests.disallowed, requests.robots), (1, 1, 1, 1));
}

#[test]
fn a_request_that_comes_too_early_is_found() {
    let world = world();
    let (mut entries, quads) = perfect(&world);
    let last = entries.last().expect("an entry").clone();
    // A quarter of a second after the end of the answer before it.
    entries.push(entry(last.end_us + SECOND / 4, &last.url, 200));

    let politeness = score(&world, entries, &quads).politeness_per_domain;

    let ratio = politeness.ratio_min.expect("a gap was required");
    assert!((ratio - 0.25).abs() < 1e-9, "{ratio}");
    assert_eq!(politeness.too_early, 1);
}

#[test]
fn overlapping_requests_to_one_domain_are_worse_than_none_and_a_crawl_delay_binds() {
    struct Delayed;
    impl Rules for Delayed {
        fn crawl_delay_s(&self, host: &str) -> Option<f64> {
            (host == "www.h2.example").then_some(4.0)
        }
        fn allows(&self, _: &Url) -> bool {
            true
        }
    }
    let mut visits = Visits::default();
    // Two hosts of one domain overlap; another keeps half of its delay.
    visits.push(Entry { end_us: 5 * SECOND, ..entry(0, "http://data.h1.example/a", 200) });
    visits.push(entry(3 * SECOND, "http://www.h1.example/b", 200));
    visits.push(Entry { end_us: SECOND, ..entry(0, "http://www.h2.example/a", 200) });
    visits.push(entry(3 * SECOND, "http://www.h2.example/b", 200));
    let addresses =
        ["data.h1.example", "www.h1.example", "www.h2.example"].map(|host| (host.to_owned(), "10.0.0.1".to_owned()));
    let promises = Promises { floor_s: 1.0, addresses: addresses.into() };

    let report = Scorer::new(visits, None).finish(&Delayed, &promises);

    let ratios: Vec<Option<f64>> = report.politeness_per_domain.groups.iter().map(|group| group.ratio_min).collect();
    assert_eq!(ratios, [Some(-2.0), Some(0.5)]);
    let per_address = report.politeness_per_address.expect("addresses were given");
    assert_eq!((per_address.ratio_min, per_address.too_early), (Some(-5.0), 3));
}

#[test]
fn packed_files_are_read_by_their_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let world = world();
    let (entries, quads) = perfect(&world);
    let log = folder.path().join("access.log");
    // The last line is cut short, as by a kill.
    let lines: String = entries.iter().map(Entry::to_line).collect();
    std::fs::write(&log, lines + "12\t3").expect("a file");
    let packed = [folder.path().join("a.nq.gz"), folder.path().join("a.nq.zst")];
    let mut encoder =
        flate2::write::GzEncoder::new(File::create(&packed[0]).expect("a file"), flate2::Compression::fast());
    encoder.write_all(quads.as_bytes()).and_then(|()| encoder.finish()).expect("written");
    std::fs::write(&packed[1], zstd::encode_all(quads.as_bytes(), 1).expect("packed")).expect("a file");

    for harvest in &packed {
        let report = score_world(&world, Mode::All, &log, Some(harvest), &Promises::default()).expect("a score");

        assert_eq!(report.fidelity.equal, report.bearing.expected);
        assert!(report.to_json().contains("\"fetched_share\": 1.0"));
    }
    let told = folder.path().join("truth.ndjson");
    truth::write_ndjson(&world, Mode::All, &mut File::create(&told).expect("a file")).expect("written");
    let promises = Promises::default();
    let from_file = score_truth(&told, &world, &log, Some(&packed[0]), &promises).expect("a score");
    let from_world = score_world(&world, Mode::All, &log, Some(&packed[1]), &promises).expect("a score");
    assert_eq!(from_file, from_world);
}

#[test]
fn a_statement_of_rel_is_nobodys_fault() {
    let triple = "<http://a.example/> <http://a.example/p> \"x\"".to_owned();
    let document = Document {
        url: "http://a.example/".to_owned(),
        kind: Kind::HtmlRdfa,
        relevant: true,
        reachable: true,
        obtainable: true,
        topic: None,
        fault: None,
        quads: vec![Quad { triple: triple.clone(), original_graph: None }],
    };
    let rel = "<http://a.example/> <http://www.w3.org/1999/xhtml/vocab#alternate> <http://a.example/b>";
    let quads = format!("{triple} <http://a.example/> .\n{rel} <http://a.example/> .\n");
    let mut scorer = Scorer::new(Visits::default(), Some(Harvest::read(quads.as_bytes())));
    scorer.document(&document);

    let report = scorer.finish(&NoRules, &Promises::default());

    assert_eq!((report.fidelity.equal, report.fidelity.extra_quads), (1, 0));
}
