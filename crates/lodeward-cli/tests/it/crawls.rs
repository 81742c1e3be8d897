//! Whole crawls with the real binary.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Read as _;
use std::path::Path;

use lodeward_rdf::{RdfFormat, RdfReader};
use oxrdf::{Quad, Triple};
use serde_json::Value;

use crate::web::{TestWeb, sorted_lines, succeed};

fn json(path: &std::path::Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_mixed_world_is_harvested_completely_politely_and_once() {
    let web = TestWeb::new("mixed", |parameters| {
        parameters.hosts = 10;
        parameters.documents_per_host = 20;
    });

    succeed(web.crawl("data", &["-o", "out.nq.zst", "--report", "report.json"]));

    let report = json(&web.path("report.json"));
    assert_eq!(report["stop_reason"], "drained");
    assert!(report["peak_memory_bytes"].as_u64().unwrap() > 0);
    let score = web.score("out.nq.zst", 0.0);
    assert!(score.rdf_documents.expected > 50, "{score}");
    assert_eq!(score.rdf_documents.extracted, score.rdf_documents.expected, "{score}");
    assert_eq!(score.fidelity.equal, score.fidelity.compared, "{score}");
    assert_eq!((score.fidelity.unknown_documents, score.fidelity.unreadable_lines), (0, 0), "{score}");
    assert_eq!(score.requests.disallowed, 0, "{score}");
    assert_eq!(score.requests.documents_repeated, 0, "{score}");
}

#[test]
fn the_delays_of_a_polite_world_are_respected() {
    let web = TestWeb::new("polite", |parameters| {
        parameters.hosts = 8;
        parameters.documents_per_host = 4;
        parameters.robots.crawl_delay_seconds = 0.1;
    });

    succeed(web.crawl("data", &["-o", "out.nq", "--delay", "50ms"]));

    let score = web.score("out.nq", 0.05);
    assert!(score.politeness_per_domain.min_ratio.unwrap() >= 1.0, "{score}");
    assert_eq!(score.politeness_per_domain.too_early, 0, "{score}");
    assert_eq!(score.requests.disallowed, 0, "{score}");
}

#[test]
fn every_generated_fault_is_detected_and_reported() {
    let web = TestWeb::new("faults", |parameters| {
        parameters.hosts = 4;
        parameters.documents_per_host = 6;
        // Longer than the timeout below.
        parameters.faults.slow_seconds = 4.0;
    });
    std::fs::write(
        web.path("lodeward.toml"),
        "[fetch]\nread_timeout = \"1s\"\nmax_document_size = \"1200kB\"\n[politeness]\nmax_retry_after = \"1s\"\n",
    )
    .unwrap();

    let output = succeed(web.crawl("data", &["-o", "out.nq", "--report", "report.json", "--timeout", "3s"]));

    let report = json(&web.path("report.json"));
    let faults = report["faults_by_kind"].as_object().unwrap();
    let kinds: Vec<&str> = faults.keys().map(String::as_str).collect();
    let errors = String::from_utf8_lossy(&output.stderr);
    let expected =
        ["timeout", "truncated", "overloaded", "too-large", "decompression-bomb", "charset", "tls", "status"];
    for kind in expected {
        assert!(kinds.contains(&kind), "{kind} is not among {kinds:?}\n{errors}");
    }
    assert!(report["peak_memory_bytes"].as_u64().unwrap() < 500 << 20, "{report}");
}

#[test]
fn a_crawl_stopped_by_a_limit_is_resumed() {
    let web = TestWeb::new("demo", |parameters| {
        parameters.hosts = 4;
        parameters.documents_per_host = 10;
        parameters.robots.crawl_delay_share = 0.0;
    });

    succeed(web.crawl("whole", &["-o", "whole.nq"]));
    succeed(web.crawl("parts", &["-o", "part.nq", "--max-documents", "10", "--report", "part.json"]));
    succeed(web.crawl("parts", &["-o", "parts.nq", "--max-documents", "0", "--report", "parts.json"]));

    assert_eq!(json(&web.path("part.json"))["documents"], 10);
    assert_eq!(json(&web.path("part.json"))["stop_reason"], "max-documents");
    assert_eq!(json(&web.path("parts.json"))["stop_reason"], "drained");
    assert!(sorted_lines(&web.path("part.nq")).len() < sorted_lines(&web.path("whole.nq")).len());
    assert!(sorted_lines(&web.path("parts.nq")) == sorted_lines(&web.path("whole.nq")));
}

#[test]
fn a_recording_replays_to_the_same_harvest() {
    let web = TestWeb::new("demo", |parameters| {
        parameters.hosts = 4;
        parameters.documents_per_host = 10;
        parameters.robots.crawl_delay_share = 0.0;
    });

    succeed(web.crawl("live", &["-o", "live.nq", "--warc-dir", "warc"]));
    let recording = web.path("warc/lodeward-00001.warc.gz");
    succeed(web.crawl("again", &["-o", "again.nq", "--replay", recording.to_str().unwrap()]));

    assert!(!sorted_lines(&web.path("live.nq")).is_empty());
    assert!(sorted_lines(&web.path("live.nq")) == sorted_lines(&web.path("again.nq")));
}

#[test]
fn a_seed_that_redirects_out_of_its_pattern_is_harvested() {
    let web = TestWeb::new("demo", |parameters| {
        parameters.hosts = 2;
        parameters.documents_per_host = 10;
    });
    let home = lodeward::model::Uri::parse(&web.world.seeds()[0]).unwrap();
    let seed = format!("{}/moved/303/2/0", home.origin());
    let limits = ["--include", "/moved/303/2/", "--max-depth", "0", "--report", "report.json"];

    succeed(web.crawl_from(&[&seed], "data", &limits));

    let report = json(&web.path("report.json"));
    assert_eq!(report["documents"], 1, "{report}");
    let target = format!("{}/moved/303/1/0", home.origin());
    let about_target = String::from_utf8(web.lodeward(&["explain", &target, "--data", "data"]).stdout).unwrap();
    assert!(about_target.contains("found     by a redirect (303)"), "{about_target}");
    assert!(about_target.contains("allowed   a redirect inherits the permission"), "{about_target}");
}

/// The exit code and the errors of a command.
fn exit(mut command: std::process::Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_crawl_without_a_document_is_an_error_that_names_the_seeds() {
    let web = TestWeb::new("demo", |parameters| {
        parameters.hosts = 2;
        parameters.documents_per_host = 10;
    });
    let home = lodeward::model::Uri::parse(&web.world.seeds()[0]).unwrap();
    let seeds: Vec<String> = (0..12).map(|number| format!("{}/moved/303/2/{number}", home.origin())).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let check = |name: &str, arguments: &[&str], expected: &str| {
        let (code, errors) = exit(web.crawl_from(&seeds, name, arguments));
        assert_eq!(code, Some(4), "{errors}");
        assert!(errors.contains("error: the crawl fetched no document\n"), "{errors}");
        let lines = errors.lines().filter(|line| line.starts_with(&format!("  {}", home.origin())));
        assert_eq!(lines.clone().count(), 10, "{errors}");
        assert!(lines.clone().all(|line| line.contains("hint: ")), "{errors}");
        assert!(lines.clone().any(|line| line.contains(expected)), "{errors}");
    };

    let excluded =
        "/moved/303/1/0: dropped (pattern): it is excluded by --include or --exclude; hint: change --exclude";
    check("excluded", &["--exclude", "/moved/303/1/"], excluded);
    check("excluded", &["--quiet", "--exclude", "/moved/303/1/"], excluded);
    check("limited", &["--max-requests", "1"], "not fetched yet; hint: raise the limits");
}

#[test]
fn a_finished_crawl_that_is_resumed_is_no_error() {
    let web = TestWeb::new("demo", |parameters| {
        parameters.hosts = 2;
        parameters.documents_per_host = 4;
    });
    succeed(web.crawl("data", &["--max-depth", "0"]));

    succeed(web.crawl("data", &["--max-depth", "0", "--report", "report.json"]));
    succeed(web.crawl("data", &["--max-depth", "0", "--refresh"]));

    assert!(json(&web.path("report.json"))["documents"].as_u64().unwrap() > 0);
}

#[test]
fn the_summary_of_a_crawl_names_the_seeds_without_a_document() {
    let web = TestWeb::new("demo", |parameters| {
        parameters.hosts = 2;
        parameters.documents_per_host = 4;
    });
    let missing = "http://127.0.0.1:1/";
    let home = web.world.seeds()[0].clone();

    let output = succeed(web.crawl_from(&[&home, missing], "data", &["--max-depth", "0"]));

    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains(&format!(" no result  {missing}: forbidden-address")), "{errors}");
    assert!(errors.contains("hint: --allow-private permits private IP addresses"), "{errors}");
}

#[test]
fn a_dead_proxy_is_reported_at_once() {
    let sandbox = crate::sandbox::Sandbox::new();

    let crawl = ["crawl", "http://a.example/", "--contact", "me@example.org", "--data", "data"];
    let result = sandbox.run(&[&crawl[..], &["--proxy", "http://user:secret@127.0.0.1:1"]].concat());

    assert_eq!(result.code, 4, "{}", result.errors);
    assert!(result.errors.contains("error: cannot connect to the proxy 127.0.0.1:1: "), "{}", result.errors);
    assert!(result.errors.contains("hint: start the proxy"), "{}", result.errors);
    assert!(!result.errors.contains("secret"), "{}", result.errors);
}

#[test]
fn explain_and_status_describe_a_crawl() {
    let web = TestWeb::new("demo", |parameters| {
        parameters.hosts = 2;
        parameters.documents_per_host = 10;
    });
    let seed = &web.world.seeds()[0];
    succeed(web.crawl("data", &["--max-depth", "1"]));
    let output_of = |arguments: &[&str]| {
        let output = web.lodeward(arguments);
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };

    let about_seed = output_of(&["explain", seed, "--data", "data"]);
    let about_unknown = output_of(&["explain", "http://unknown.example/", "--data", "data"]);
    let status = output_of(&["status", "--data", "data"]);
    let of_other = output_of(&["status", "--data", "data", "--name", "other"]);

    assert!(about_seed.contains("found     as a seed"), "{about_seed}");
    assert!(about_unknown.contains("unknown"), "{about_unknown}");
    assert!(status.contains("finished: no URIs left") && status.contains("documents"), "{status}");
    assert!(of_other.contains("no crawl `other`") && of_other.contains("crawls: default"), "{of_other}");
}

#[test]
fn extract_prints_the_quads_and_faults_of_one_document() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.ttl");
    std::fs::write(&file, "@prefix : <http://p.example/> .\n<#me> :knows <b>, [] .\n<#me> : broken\n").unwrap();

    let output = std::process::Command::new(env!("CARGO_BIN_EXE_lodeward"))
        .args(["extract", file.to_str().unwrap(), "--base", "http://a.example/a"])
        .output()
        .unwrap();

    let quads = String::from_utf8(output.stdout).unwrap();
    let me = "<http://a.example/a#me> <http://p.example/knows>";
    assert!(quads.contains(&format!("{me} <http://a.example/b> <http://a.example/a> .\n")), "{quads}");
    assert_eq!(quads.lines().count(), 2, "{quads}");
    let faults = String::from_utf8(output.stderr).unwrap();
    assert!(faults.starts_with("fault: syntax: "), "{faults}");
    assert!(output.status.success());
}

#[test]
fn the_extension_of_the_output_selects_its_format() {
    let web = TestWeb::new("demo", |parameters| {
        parameters.hosts = 3;
        parameters.documents_per_host = 5;
    });
    succeed(web.crawl("data", &["-o", "out.nq"]));
    let parse = |name: &str, format: RdfFormat| {
        let bytes = std::fs::read(web.path(name)).unwrap();
        let packing = Path::new(name).extension().and_then(OsStr::to_str);
        let bytes = if packing == Some("gz") {
            let mut unpacked = Vec::new();
            flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked).unwrap();
            unpacked
        } else if packing == Some("zst") {
            zstd::decode_all(bytes.as_slice()).unwrap()
        } else {
            bytes
        };
        RdfReader::new(format).collect(bytes.as_slice().into()).unwrap()
    };
    let quads = parse("out.nq", RdfFormat::NQuads);
    let distinct = |quads: &[Quad], with_graphs: bool| -> BTreeSet<String> {
        let text = |quad: &Quad| if with_graphs { quad.to_string() } else { Triple::from(quad.clone()).to_string() };
        quads.iter().map(text).filter(|line| !line.contains("_:")).collect()
    };
    assert!(quads.len() > 50);

    for (name, format) in [
        ("out.nt", RdfFormat::NTriples),
        ("out.ttl.gz", RdfFormat::Turtle),
        ("out.trig.zst", RdfFormat::TriG),
        ("out.jsonld", RdfFormat::JsonLd),
        ("out.rdf", RdfFormat::RdfXml),
    ] {
        // The crawl is complete: the file is written from the store again.
        succeed(web.crawl("data", &["-o", name]));
        let read = parse(name, format);
        assert_eq!(read.len(), quads.len(), "{name}");
        assert_eq!(distinct(&read, format.has_graphs()), distinct(&quads, format.has_graphs()), "{name}");
    }

    let unknown = web.crawl("data", &["-o", "out.doc"]).output().unwrap();
    let errors = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert_eq!(unknown.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("extension .doc") && errors.contains("hint: use .nq, .nt, .ttl, .trig, .jsonld"),
        "{errors}"
    );
    assert!(!web.path("out.doc").exists());
}
