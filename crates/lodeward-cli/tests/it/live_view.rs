//! The progress of a crawl: a view on a terminal, lines in a pipe.

use toyweb::world::ServerFault;

use crate::terminal::TerminalRun;
use crate::web::{TestWeb, succeed};

/// A web that a crawl with a short delay needs some seconds for.
fn slow_web() -> TestWeb {
    TestWeb::new("demo", |parameters| {
        (parameters.hosts, parameters.documents_per_host) = (4, 10);
        parameters.robots.crawl_delay_share = 0.0;
    })
}

#[test]
fn a_terminal_shows_one_view_that_is_updated_in_place() {
    let web = slow_web();
    let mut run = TerminalRun::start(web.crawl("data", &["--delay", "100ms", "--max-requests", "60"]));

    let mut screens = Vec::new();
    while run.read() {
        screens.push(run.text());
    }
    let end = run.text();

    let shows = |labels: &[&str]| screens.iter().filter(|text| labels.iter().all(|label| text.contains(label))).count();
    let labels =
        ["crawl  default, ", "rate  ", "RDF  ", "queue  ", "problems  ", "busiest  ", "slowest  ", " % of 60 requests"];
    assert!(shows(&labels) >= 2, "{screens:?}");
    assert!(shows(&[" left"]) >= 1, "the time left is shown");
    let views = |text: &str| text.matches("busiest  ").count();
    assert!(screens.iter().all(|text| views(text) <= 1), "there is one view: {screens:?}");
    assert!(views(&end) == 0 && end.contains("stopped  max-requests"), "the summary replaces the view: {end}");
    assert!(run.wait().success());
}

#[test]
fn a_pipe_gets_plain_lines_and_none_prints_only_the_summary() {
    let web = slow_web();
    let errors = |data: &str, mode: &[&str]| {
        let output = succeed(web.crawl(data, &[&["--max-requests", "20"], mode].concat()));
        String::from_utf8(output.stderr).unwrap()
    };

    let (piped, live, none) =
        (errors("a", &[]), errors("b", &["--progress", "live"]), errors("c", &["--progress", "none"]));

    for text in [&piped, &live] {
        let first = text.lines().next().unwrap();
        assert!(first.contains(" requests, ") && first.contains(" documents/s"), "{text}");
        assert!(!text.contains('\u{1b}'), "no control characters: {text}");
    }
    assert!(none.starts_with("   stopped  max-requests"), "{none}");
}

#[test]
fn warnings_are_counted_on_a_terminal_and_printed_with_v() {
    let web = TestWeb::new("demo", |parameters| {
        (parameters.hosts, parameters.documents_per_host) = (6, 4);
        (parameters.faults.hosts, parameters.faults.host_faults) = (0.5, vec![ServerFault::Drop]);
    });
    let run = |data: &str, arguments: &[&str]| {
        let limits = ["--set", "politeness.max_consecutive_failures=1"];
        let mut run = TerminalRun::start(web.crawl(data, &[&limits, arguments].concat()));
        let mut seen = String::new();
        while run.read() {
            seen += &run.text();
        }
        (seen, run.text())
    };

    let (seen, end) = run("data", &[]);
    let (verbose, verbose_end) = run("verbose", &["-v"]);

    assert!(end.contains("  warnings  ") && end.contains(" abandoned "), "{end}");
    assert!(!seen.contains(" WARN "), "{seen}");
    assert!(verbose.contains(" WARN ") && !verbose_end.contains("  warnings  "), "{verbose_end}");
    assert!(verbose.contains("lodeward::requests: document fetched method=\"GET\" uri=http"), "{verbose}");
}

#[test]
fn the_summary_of_a_resumed_crawl_counts_this_run() {
    let web = slow_web();
    succeed(web.crawl("data", &["--max-documents", "5"]));

    let output = succeed(web.crawl("data", &["--max-documents", "6"]));

    let errors = String::from_utf8(output.stderr).unwrap();
    let line = |label: &str| errors.lines().find_map(|line| line.trim_start().strip_prefix(label)).unwrap_or_default();
    assert!(line("documents").trim_start().starts_with("1, "), "{errors}");
    assert!(line("all runs").trim_start().starts_with("6 documents, "), "{errors}");
    assert!(errors.lines().any(|line| line.contains(" 1 document (")), "{errors}");
}
