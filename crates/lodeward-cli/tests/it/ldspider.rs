//! Features of LDSpider: hops, and logs besides the harvest.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;

use lodeward_rdf::{RdfFormat, RdfReader};
use serde_json::Value;

use crate::web::{TestWeb, sorted_lines, succeed};

fn web() -> TestWeb {
    TestWeb::new("mixed", |parameters| {
        parameters.hosts = 6;
        parameters.documents_per_host = 12;
    })
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The lines of all files of a directory with this prefix and suffix, each with the name of its file.
fn lines_of(directory: &Path, prefix: &str, suffix: &str) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.starts_with(prefix) && name.ends_with(suffix) {
            let bytes = std::fs::read(&path).unwrap();
            let mut text = String::new();
            if suffix.ends_with("gz") {
                flate2::read::MultiGzDecoder::new(&*bytes).read_to_string(&mut text).unwrap();
            } else {
                text = String::from_utf8(bytes).unwrap();
            }
            lines.extend(text.lines().map(|line| (name.clone(), line.to_owned())));
        }
    }
    lines
}

#[test]
fn a_harvest_is_split_by_hops() {
    let web = web();
    let hops = ["--strategy", "bfs", "--set", "crawl.hops.strict=true"];

    succeed(web.crawl("data", &[&hops[..], &["-o", "whole.nq"]].concat()));
    let files = ["-o", "out.nq.gz", "--split-hops", "--report", "report.json"];
    succeed(web.crawl("data", &[&hops[..], &files[..]].concat()));

    let parts = lines_of(web.directory.path(), "out.hop-", ".nq.gz");
    let mut lines: Vec<&String> = parts.iter().map(|(_, line)| line).collect();
    lines.sort_unstable();
    assert_eq!(lines, sorted_lines(&web.path("whole.nq")).iter().collect::<Vec<_>>());
    let names: BTreeSet<&String> = parts.iter().map(|(name, _)| name).collect();
    assert!(names.len() > 2, "{names:?}");
    // A document is in the file of its hop.
    let (name, line) = parts.iter().find(|(name, _)| name != "out.hop-0.nq.gz").unwrap();
    let graph = line.rsplit(' ').nth(1).unwrap().trim_matches(['<', '>']);
    let explained = web.lodeward(&["explain", graph, "--data", "data"]);
    let explained = String::from_utf8(explained.stdout).unwrap();
    let hop = name.trim_start_matches("out.hop-").trim_end_matches(".nq.gz");
    assert!(explained.contains(&format!(", {hop} hops from a seed")), "{name}: {explained}");
    let by_hop = json(&web.path("report.json"))["documents_by_hop"].as_array().unwrap().len();
    assert!(by_hop >= names.len());
}

#[test]
fn a_resumed_crawl_appends_every_request_to_the_access_log() {
    let web = web();
    let files = ["--access-log", "requests.log", "--redirect-log", "redirects.nx.gz", "--header-log", "headers.nq"];

    succeed(web.crawl("data", &[&files[..], &["--max-documents", "20"]].concat()));
    let lines_before = std::fs::read_to_string(web.path("requests.log")).unwrap().lines().count();
    succeed(web.crawl("data", &[&files[..], &["--max-documents", "0", "--report", "report.json"]].concat()));

    let report = json(&web.path("report.json"));
    let log = std::fs::read_to_string(web.path("requests.log")).unwrap();
    assert_eq!(log.lines().count() as u64, report["requests"].as_u64().unwrap());
    assert!(lines_before > 20 && lines_before < log.lines().count());
    for line in log.lines() {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let [_, _, client, result, _, method, url, user, peer, _] = columns[..] else { panic!("{line}") };
        assert_eq!((client, method == "GET" || method == "HEAD", user, peer), ("127.0.0.1", true, "-", "NONE/-"));
        assert!(result.starts_with("TCP_MISS/") && url.starts_with("http"), "{line}");
    }
    let redirects = lines_of(web.directory.path(), "redirects", ".nx.gz");
    assert_eq!(redirects.len() as u64, report["redirects"].as_u64().unwrap());
    let headers = std::fs::read_to_string(web.path("headers.nq")).unwrap();
    let of = |name: &str| headers.lines().filter(|line| line.contains(name)).count();
    assert_eq!(of("ldspider/ns#headerInfo>"), of("http#responseCode>"));
    assert_eq!(of("http#location>"), redirects.len());
    let quads = RdfReader::new(RdfFormat::NQuads).collect(headers.as_bytes().into()).unwrap().len();
    assert_eq!(quads, headers.lines().count());
}

#[test]
fn logs_are_split_by_hops() {
    let web = web();
    let files = ["--access-log", "requests.json.gz", "--access-log-format", "json", "--split-hops"];

    succeed(
        web.crawl("data", &[&["--strategy", "bfs-rdf", "--set", "crawl.hops.strict=true"][..], &files[..]].concat()),
    );

    let lines = lines_of(web.directory.path(), "requests.hop-", ".json.gz");
    assert!(lines.len() > 50);
    for (name, line) in &lines {
        let request: Value = serde_json::from_str(line).unwrap();
        assert_eq!(*name, format!("requests.hop-{}.json.gz", request["hop"]));
    }
}

#[test]
fn uris_beyond_a_limit_of_a_hop_are_dropped_with_a_reason() {
    let web = web();
    let limits = [
        "--strategy",
        "bfs",
        "--set",
        "crawl.hops.max_documents_per_domain=2",
        "--access-log",
        "a.log",
        "--report",
        "report.json",
    ];

    let output = succeed(web.crawl("data", &limits));

    let report = json(&web.path("report.json"));
    assert!(report["dropped_by_reason"]["hop-domain-limit"].as_u64().unwrap() > 0, "{report}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("hop-domain-limit") && errors.contains("by hop"), "{errors}");
}

#[test]
fn invalid_combinations_of_flags_are_rejected_before_the_crawl_starts() {
    let web = web();
    let check = |arguments: &[&str], message: &str| {
        let output = web.crawl("data", arguments).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(message), "{error}");
        assert!(!web.path("data").exists(), "no crawl was created");
    };

    check(&["--set", "crawl.hops.strict=true"], "strategy learned cannot fetch hop by hop");
    check(&["--split-hops", "-o", "-"], "cannot split standard output");
    check(&["--split-hops", "-o", "o.nq", "--provenance", "all"], "cannot be combined with --split-hops");
    check(&["--access-log", "-"], "only --output");
    check(&["--redirect-log", "nowhere/r.nx"], "cannot write nowhere/r.nx");
    check(&["--set", "crawl.skip_extensions=a b"], "not an extension");
    check(&["--strategy", "bfs", "--set", "crawl.hops.max_domains=0"], "must be above 0");
}

#[test]
fn stay_host_excludes_other_hosts_of_the_domain() {
    let web = web();
    let seed = web.world.seeds()[0].clone();
    let host = seed.split('/').nth(2).unwrap().to_owned();
    std::fs::write(web.path("seeds.txt"), &seed).unwrap();

    succeed(web.crawl("data", &["--stay", "host", "--access-log", "a.log", "--max-documents", "0"]));

    let log = std::fs::read_to_string(web.path("a.log")).unwrap();
    assert!(log.lines().count() > 2);
    for line in log.lines() {
        assert_eq!(line.split_whitespace().nth(6).unwrap().split('/').nth(2), Some(&*host), "{line}");
    }
}
