//! The harvest of a crawl in the archive: queried, exported, dropped and rebuilt, with the real binary.

use crate::endpoint::RunningEndpoint;
use crate::sandbox::Sandbox;
use crate::web::{TestWeb, sorted_lines, succeed};

fn web() -> TestWeb {
    TestWeb::new("demo", |parameters| {
        parameters.hosts = 4;
        parameters.documents_per_host = 8;
        parameters.robots.crawl_delay_share = 0.0;
    })
}

/// Standard output and standard error of a command, which must succeed.
fn outputs(web: &TestWeb, arguments: &[&str]) -> (String, String) {
    let output = web.lodeward(arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {errors}");
    (String::from_utf8(output.stdout).unwrap(), errors)
}

fn count(web: &TestWeb, arguments: &[&str]) -> u64 {
    // Without the statements that the crawl generates.
    let query = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } FILTER(!STRSTARTS(STR(?g), 'urn:lodeward:')) }";
    let mut all = vec!["query", query, "--data", "data"];
    all.extend(arguments);
    outputs(web, &all).0.lines().nth(1).unwrap().parse().unwrap()
}

#[test]
fn the_archive_has_the_harvest_when_the_crawl_ends() {
    let web = web();
    let crawled = succeed(web.crawl("data", &["-o", "harvest.nq"]));
    let harvest = sorted_lines(&web.path("harvest.nq"));

    let errors = String::from_utf8(crawled.stderr).unwrap();
    assert!(errors.contains("query with  lodeward query"), "{errors}");
    assert_eq!(count(&web, &["--no-catch-up"]), harvest.len() as u64);
    outputs(&web, &["export", "--data", "data", "-o", "exported.nq"]);
    assert!(sorted_lines(&web.path("exported.nq")) == harvest, "same statements");
    outputs(&web, &["export", "--data", "data", "--crawl", "default", "-o", "crawl.nq"]);
    assert!(sorted_lines(&web.path("crawl.nq")) == harvest, "same statements");
    outputs(&web, &["export", "--data", "data", "--with-provenance", "-o", "whole.nq"]);
    assert!(sorted_lines(&web.path("whole.nq")).len() > harvest.len(), "provenance is added");
}

#[test]
fn provenance_is_written_to_the_output_on_request() {
    let web = web();
    let generated = |file: &str| {
        let lines = sorted_lines(&web.path(file));
        lines.iter().filter(|line| line.contains("<http://www.w3.org/ns/prov#wasGeneratedBy>")).count()
    };

    succeed(web.crawl("data", &["-o", "plain.nq"]));
    succeed(web.crawl("data", &["-o", "all.nq", "--provenance", "all"]));

    assert_eq!(generated("plain.nq"), 0);
    assert!(generated("all.nq") > 20, "one for each document");
}

#[test]
fn a_query_catches_up_with_the_crawls_first() {
    let web = web();
    succeed(web.crawl("data", &["-o", "harvest.nq", "--no-archive"]));
    let harvest = sorted_lines(&web.path("harvest.nq")).len() as u64;

    let before = outputs(&web, &["query", "SELECT * { ?s ?p ?o }", "--data", "data", "--no-catch-up"]);
    let first = outputs(&web, &["query", "ASK { ?s ?p ?o }", "--data", "data"]);
    let second = outputs(&web, &["query", "ASK { ?s ?p ?o }", "--data", "data"]);

    assert_eq!((before.0.lines().count(), before.1.as_str()), (1, "note: the archive is empty\n"));
    assert_eq!(first.0, "true\n");
    assert!(first.1.starts_with("added ") && first.1.ends_with(" documents of crawl `default`\n"), "{}", first.1);
    assert_eq!((second.0.as_str(), second.1.as_str()), ("true\n", ""));
    assert_eq!(count(&web, &[]), harvest);
}

#[test]
fn a_crawl_is_dropped_from_the_archive_and_rebuilt() {
    let web = web();
    succeed(web.crawl("data", &["-o", "harvest.nq"]));
    let harvest = sorted_lines(&web.path("harvest.nq")).len() as u64;

    let unconfirmed = web.lodeward(&["archive", "drop", "default", "--data", "data"]);
    let dropped = outputs(&web, &["archive", "drop", "default", "--data", "data", "--yes"]);
    let after_drop = count(&web, &[]);
    let rebuilt = outputs(&web, &["archive", "rebuild", "--name", "default", "--data", "data"]);
    let after_rebuild = count(&web, &[]);
    let again = outputs(&web, &["archive", "rebuild", "--all", "--data", "data"]);

    assert_eq!(unconfirmed.status.code(), Some(2));
    assert!(dropped.1.starts_with("dropped ") && dropped.1.ends_with(" graphs of crawl `default`\n"), "{}", dropped.1);
    assert_eq!((after_drop, after_rebuild), (0, harvest));
    assert!(
        rebuilt.1.starts_with("rebuilt ") && rebuilt.1.ends_with(" documents of crawl `default`\n"),
        "{}",
        rebuilt.1
    );
    assert_eq!(again.1, rebuilt.1);
    assert_eq!(count(&web, &[]), harvest);
}

#[test]
fn imported_statements_survive_a_rebuild() {
    let web = web();
    std::fs::write(web.path("mine.nt"), "<http://mine.example/s> <http://mine.example/p> \"o\" .\n").unwrap();
    succeed(web.crawl("data", &[]));
    outputs(&web, &["import", "mine.nt", "--data", "data", "--graph", "http://mine.example/g"]);

    outputs(&web, &["archive", "rebuild", "--all", "--data", "data"]);

    let mine = outputs(&web, &["export", "--data", "data", "--graph", "http://mine.example/g"]).0;
    assert_eq!(mine, "<http://mine.example/s> <http://mine.example/p> \"o\" <http://mine.example/g> .\n");
}

#[test]
fn the_harvest_is_sent_to_a_remote_store() {
    let web = web();
    let remote = Sandbox::new();
    let endpoint = RunningEndpoint::start(&remote, &["--data", "data", "--update"]);

    // A crawl through a proxy would send requests for the store to the proxy, too, so this one replays
    // a recording.
    succeed(web.crawl("recorded", &["--warc-dir", "warc"]));
    let update = endpoint.url.replace("/sparql", "/update");
    let crawl =
        ["crawl", "@seeds.txt", "--replay", "warc/lodeward-00001.warc.gz", "--data", "data", "-o", "harvest.nq"];
    let crawled = web.lodeward(&[&crawl[..], &["--remote-store", &update]].concat());
    assert_eq!(endpoint.stop(), Some(0));
    let sent = remote.succeed(&["export", "--data", "data"]);

    let errors = String::from_utf8(crawled.stderr).unwrap();
    assert!(errors.contains(&format!("remote  {update}: up to date")), "{errors}");
    // Blank nodes have other names in the remote store.
    let named = |line: &&String| !line.contains("_:");
    let harvest = sorted_lines(&web.path("harvest.nq"));
    let mut sent: Vec<String> = sent.lines().map(str::to_owned).collect();
    sent.sort_unstable();
    assert_eq!(sent.len(), harvest.len());
    assert!(sent.iter().filter(named).eq(harvest.iter().filter(named)), "same statements");
}
