//! A harvest that is asked: from a crawl to rows, by the real binary.

use crate::desk::Desk;
use crate::endpoint::Running;
use crate::web::{Box, sorted_lines, succeed};

fn web() -> Box {
    Box::new("demo", |parameters| {
        parameters.hosts = 4;
        parameters.documents_per_host = 8;
        parameters.robots.crawl_delay = 0.0;
    })
}

/// What a command put out and said; it must end well.
fn said(web: &Box, arguments: &[&str]) -> (String, String) {
    let output = web.lodeward(arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {errors}");
    (String::from_utf8(output.stdout).unwrap(), errors)
}

fn count(web: &Box, arguments: &[&str]) -> u64 {
    // Descriptions that the crawl wrote itself do not count.
    let query = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } FILTER(!STRSTARTS(STR(?g), 'urn:lodeward:')) }";
    let mut all = vec!["query", query, "--data", "data"];
    all.extend(arguments);
    said(web, &all).0.lines().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_harvest_is_in_the_archive_when_its_crawl_ends() {
    let web = web();
    let crawled = succeed(web.crawl("data", &["-o", "harvest.nq"]));
    let harvest = sorted_lines(&web.path("harvest.nq"));

    let told = String::from_utf8(crawled.stderr).unwrap();
    assert!(told.contains("ask it  lodeward query"), "{told}");
    assert_eq!(count(&web, &["--no-catch-up"]), harvest.len() as u64);
    said(&web, &["export", "--data", "data", "-o", "exported.nq"]);
    assert!(sorted_lines(&web.path("exported.nq")) == harvest, "the same statements");
    said(&web, &["export", "--data", "data", "--crawl", "default", "-o", "crawl.nq"]);
    assert!(sorted_lines(&web.path("crawl.nq")) == harvest, "the same statements");
    said(&web, &["export", "--data", "data", "--provenance", "-o", "whole.nq"]);
    assert!(sorted_lines(&web.path("whole.nq")).len() > harvest.len(), "and where they come from");
}

#[test]
fn where_documents_come_from_is_in_the_output_if_that_is_said() {
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
fn an_archive_catches_up_when_it_is_asked() {
    let web = web();
    succeed(web.crawl("data", &["-o", "harvest.nq", "--no-archive"]));
    let harvest = sorted_lines(&web.path("harvest.nq")).len() as u64;

    let before = said(&web, &["query", "SELECT * { ?s ?p ?o }", "--data", "data", "--no-catch-up"]);
    let first = said(&web, &["query", "ASK { ?s ?p ?o }", "--data", "data"]);
    let second = said(&web, &["query", "ASK { ?s ?p ?o }", "--data", "data"]);

    assert_eq!((before.0.lines().count(), before.1.as_str()), (1, "note: the archive is empty\n"));
    assert_eq!(first.0, "true\n");
    assert!(first.1.starts_with("took in ") && first.1.ends_with(" documents of the crawl `default`\n"), "{}", first.1);
    assert_eq!((second.0.as_str(), second.1.as_str()), ("true\n", ""));
    assert_eq!(count(&web, &[]), harvest);
}

#[test]
fn a_crawl_is_dropped_from_the_archive_and_rebuilt() {
    let web = web();
    succeed(web.crawl("data", &["-o", "harvest.nq"]));
    let harvest = sorted_lines(&web.path("harvest.nq")).len() as u64;

    let unasked = web.lodeward(&["drop", "--crawl", "default", "--data", "data"]);
    let dropped = said(&web, &["drop", "--crawl", "default", "--data", "data", "--yes"]);
    let gone = count(&web, &[]);
    let rebuilt = said(&web, &["rebuild", "--name", "default", "--data", "data"]);
    let back = count(&web, &[]);
    let again = said(&web, &["rebuild", "--all", "--data", "data"]);

    assert_eq!(unasked.status.code(), Some(2));
    assert!(
        dropped.1.starts_with("dropped ") && dropped.1.ends_with(" graphs of the crawl `default`\n"),
        "{}",
        dropped.1
    );
    assert_eq!((gone, back), (0, harvest));
    assert!(
        rebuilt.1.starts_with("rebuilt ") && rebuilt.1.ends_with(" documents of the crawl `default`\n"),
        "{}",
        rebuilt.1
    );
    assert_eq!(again.1, rebuilt.1);
    assert_eq!(count(&web, &[]), harvest);
}

#[test]
fn what_was_imported_survives_a_rebuild() {
    let web = web();
    std::fs::write(web.path("mine.nt"), "<http://mine.example/s> <http://mine.example/p> \"o\" .\n").unwrap();
    succeed(web.crawl("data", &[]));
    said(&web, &["import", "mine.nt", "--data", "data", "--graph", "http://mine.example/g"]);

    said(&web, &["rebuild", "--all", "--data", "data"]);

    let mine = said(&web, &["export", "--data", "data", "--graph", "http://mine.example/g"]).0;
    assert_eq!(mine, "<http://mine.example/s> <http://mine.example/p> \"o\" <http://mine.example/g> .\n");
}

#[test]
fn a_harvest_goes_to_another_store_too() {
    let web = web();
    let elsewhere = Desk::new();
    let endpoint = Running::start(&elsewhere, &["--data", "data", "--update"]);

    // A crawl through a proxy would look for the store there, so this one is a
    // repetition of one.
    succeed(web.crawl("recorded", &["--warc", "warc"]));
    let update = endpoint.address.replace("/sparql", "/update");
    let crawl =
        ["crawl", "@seeds.txt", "--replay", "warc/lodeward-00001.warc.gz", "--data", "data", "-o", "harvest.nq"];
    let crawled = web.lodeward(&[&crawl[..], &["--sparql", &update]].concat());
    assert_eq!(endpoint.stop(), Some(0));
    let sent = elsewhere.succeed(&["export", "--data", "data"]);

    let told = String::from_utf8(crawled.stderr).unwrap();
    assert!(told.contains(&format!("given to  {update}, which has everything")), "{told}");
    // Blank nodes have other names there.
    let named = |line: &&String| !line.contains("_:");
    let harvest = sorted_lines(&web.path("harvest.nq"));
    let mut sent: Vec<String> = sent.lines().map(str::to_owned).collect();
    sent.sort_unstable();
    assert_eq!(sent.len(), harvest.len());
    assert!(sent.iter().filter(named).eq(harvest.iter().filter(named)), "the same statements");
}
