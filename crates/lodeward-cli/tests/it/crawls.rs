//! Whole crawls by the real binary.

use serde_json::Value;

use crate::web::{Box, sorted_lines, succeed};

fn json(path: &std::path::Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_mixed_world_is_harvested_whole_politely_and_once() {
    let web = Box::new("mixed", |parameters| {
        parameters.hosts = 10;
        parameters.documents_per_host = 20;
    });

    succeed(web.crawl("data", &["-o", "out.nq.zst", "--report", "report.json"]));

    let report = json(&web.path("report.json"));
    assert_eq!(report["stopped"], "drained");
    assert!(report["peak_memory_bytes"].as_u64().unwrap() > 0);
    let score = web.score("out.nq.zst", 0.0);
    let told = score.to_string();
    assert!(score.bearing.expected > 50, "{told}");
    assert_eq!(score.bearing.extracted, score.bearing.expected, "{told}");
    assert_eq!(score.fidelity.equal, score.fidelity.compared, "{told}");
    assert_eq!((score.fidelity.unknown_documents, score.fidelity.unreadable_lines), (0, 0), "{told}");
    assert_eq!(score.requests.disallowed, 0, "{told}");
    assert_eq!(score.requests.documents_repeated, 0, "{told}");
}

#[test]
fn a_polite_world_is_asked_no_sooner_than_it_asks() {
    let web = Box::new("polite", |parameters| {
        parameters.hosts = 8;
        parameters.documents_per_host = 4;
        parameters.robots.crawl_delay_s = 0.1;
    });

    succeed(web.crawl("data", &["-o", "out.nq", "--delay", "50"]));

    let score = web.score("out.nq", 0.05);
    assert!(score.politeness_per_domain.ratio_min.unwrap() >= 1.0, "{score}");
    assert_eq!(score.politeness_per_domain.too_early, 0, "{score}");
    assert_eq!(score.requests.disallowed, 0, "{score}");
}

#[test]
fn every_named_fault_is_met_and_told() {
    let web = Box::new("faults", |parameters| {
        parameters.hosts = 4;
        parameters.documents_per_host = 6;
        // Longer than the time allowed below for a document.
        parameters.faults.slow_s = 4.0;
    });
    std::fs::write(
        web.path("lodeward.toml"),
        "[fetch]\nread_timeout_s = 1\nbody_bytes_max = 1200000\n[politeness]\nretry_after_max_s = 1\n",
    )
    .unwrap();

    let output = succeed(web.crawl("data", &["-o", "out.nq", "--report", "report.json", "--timeout", "3"]));

    let report = json(&web.path("report.json"));
    let faults = report["faults"].as_object().unwrap();
    let met: Vec<&str> = faults.keys().map(String::as_str).collect();
    let told = String::from_utf8_lossy(&output.stderr);
    for kind in ["timeout", "truncated", "busy", "too-large", "bomb", "protocol", "charset", "tls", "status"] {
        assert!(met.contains(&kind), "{kind} is not among {met:?}\n{told}");
    }
    assert!(report["peak_memory_bytes"].as_u64().unwrap() < 500 << 20, "{report}");
}

#[test]
fn a_crawl_goes_on_where_a_limit_stopped_it() {
    let web = Box::new("demo", |parameters| {
        parameters.hosts = 4;
        parameters.documents_per_host = 10;
        parameters.robots.crawl_delay = 0.0;
    });

    succeed(web.crawl("whole", &["-o", "whole.nq"]));
    succeed(web.crawl("parts", &["-o", "part.nq", "--max-documents", "10", "--report", "part.json"]));
    succeed(web.crawl("parts", &["-o", "parts.nq", "--max-documents", "0", "--report", "parts.json"]));

    assert_eq!(json(&web.path("part.json"))["documents"], 10);
    assert_eq!(json(&web.path("part.json"))["stopped"], "max-documents");
    assert_eq!(json(&web.path("parts.json"))["stopped"], "drained");
    assert!(sorted_lines(&web.path("part.nq")).len() < sorted_lines(&web.path("whole.nq")).len());
    assert!(sorted_lines(&web.path("parts.nq")) == sorted_lines(&web.path("whole.nq")));
}

#[test]
fn a_recording_replays_to_the_same_harvest() {
    let web = Box::new("demo", |parameters| {
        parameters.hosts = 4;
        parameters.documents_per_host = 10;
        parameters.robots.crawl_delay = 0.0;
    });

    succeed(web.crawl("live", &["-o", "live.nq", "--warc", "warc"]));
    let recording = web.path("warc/lodeward-00001.warc.gz");
    succeed(web.crawl("again", &["-o", "again.nq", "--replay", recording.to_str().unwrap()]));

    assert!(!sorted_lines(&web.path("live.nq")).is_empty());
    assert!(sorted_lines(&web.path("live.nq")) == sorted_lines(&web.path("again.nq")));
}

#[test]
fn a_crawl_can_be_asked_about() {
    let web = Box::new("demo", |parameters| {
        parameters.hosts = 2;
        parameters.documents_per_host = 10;
    });
    let seed = &web.world.seeds()[0];
    succeed(web.crawl("data", &["--max-depth", "1"]));
    let said = |arguments: &[&str]| {
        let output = web.lodeward(arguments);
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };

    let about_seed = said(&["explain", seed, "--data", "data"]);
    let about_stranger = said(&["explain", "http://stranger.example/", "--data", "data"]);
    let status = said(&["status", "--data", "data"]);
    let of_another = said(&["status", "--data", "data", "--name", "other"]);

    assert!(about_seed.contains("found     as a seed"), "{about_seed}");
    assert!(about_stranger.contains("unknown"), "{about_stranger}");
    assert!(status.contains("drained") && status.contains("documents"), "{status}");
    assert!(
        of_another.contains("there is no crawl `other`") && of_another.contains("it holds: default"),
        "{of_another}"
    );
}

#[test]
fn one_document_can_be_read_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.ttl");
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
