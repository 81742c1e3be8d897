//! `lodeward remove`: documents leave the harvest and the archive, and are not fetched again.

use crate::web::{TestWeb, sorted_lines, succeed};

fn small_web() -> TestWeb {
    TestWeb::new("demo", |parameters| {
        (parameters.hosts, parameters.documents_per_host) = (3, 6);
        parameters.robots.crawl_delay_share = 0.0;
    })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The graph of a line of N-Quads.
fn graph(line: &str) -> &str {
    line.trim_end_matches(" .").rsplit(' ').next().unwrap().trim_matches(['<', '>'])
}

#[test]
fn removed_documents_leave_everything_and_are_not_fetched_again() {
    let web = small_web();
    succeed(web.crawl("data", &["-o", "before.nq"]));
    let before = sorted_lines(&web.path("before.nq"));
    let document = graph(&before[0]).to_owned();
    let host_of = |uri: &str| uri.split('/').nth(2).unwrap().to_owned();
    let other = before.iter().map(|line| graph(line)).find(|uri| host_of(uri) != host_of(&document)).unwrap();
    let domain =
        host_of(other).rsplitn(3, '.').take(2).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join(".");
    let is_removed = |uri: &str| uri == document || host_of(uri).ends_with(&domain);
    let asked = |uri: &str| {
        let query = format!("ASK {{ GRAPH <{uri}> {{ ?s ?p ?o }} }}");
        text(&web.lodeward(&["query", &query, "--data", "data"]).stdout)
    };
    assert_eq!(asked(&document), "true\n");

    let unnamed = web.lodeward(&["remove", &document, "--data", "data", "--yes"]);
    let removed = web.lodeward(&["remove", &document, "--by", "its owner", "--data", "data", "--yes"]);
    let site = ["remove", "--domain", &domain, "--by", "legal", "--reason", "a letter", "--data", "data", "--yes"];
    let removed_site = web.lodeward(&site);

    assert_eq!(unnamed.status.code(), Some(2), "a removal names who asked for it");
    let errors = text(&removed.stderr);
    assert!(errors.contains(&format!("removed 1 document of {document} from crawl `default`")), "{errors}");
    assert!(removed_site.status.success(), "{}", text(&removed_site.stderr));
    assert_eq!((asked(&document), asked(other)), ("false\n".to_owned(), "false\n".to_owned()));
    let list = text(&web.lodeward(&["remove", "--list", "--data", "data"]).stdout);
    assert!(list.contains(&format!("{document}  by its owner\n")) && list.contains("by legal: a letter\n"), "{list}");

    let export = web.lodeward(&["export", "-o", "archive.nq", "--data", "data"]);
    assert!(export.status.success(), "{}", text(&export.stderr));
    let served = web.requests_served();
    succeed(web.crawl("data", &["--refresh", "all", "-o", "after.nq", "--access-log", "requests.log"]));
    assert!(web.requests_served() > served);
    for file in ["archive.nq", "after.nq"] {
        let after = sorted_lines(&web.path(file));
        assert!(!after.is_empty() && after.iter().all(|line| !is_removed(graph(line))), "{file}");
    }
    let kept = before.iter().filter(|line| !is_removed(graph(line)));
    assert_eq!(sorted_lines(&web.path("after.nq")), kept.cloned().collect::<Vec<_>>());
    let log = std::fs::read_to_string(web.path("requests.log")).unwrap();
    assert!(!log.contains(&format!(" {document} ")) && !log.contains(&format!("{domain}/")), "{log}");

    // A new crawl of the same data directory does not fetch them, either.
    succeed(web.crawl("data", &["--name", "again", "-o", "again.nq"]));
    assert!(sorted_lines(&web.path("again.nq")).iter().all(|line| !is_removed(graph(line))));
}
