//! Models of crawls: stored, printed, explained, merged, and never truncated.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use toyweb::access_log::AccessLogEntry;

use crate::sandbox::Sandbox;
use crate::web::{TestWeb, start, succeed};

fn web() -> TestWeb {
    TestWeb::new("demo", |parameters| {
        parameters.hosts = 6;
        parameters.documents_per_host = 15;
        parameters.robots.crawl_delay_share = 0.0;
    })
}

/// The output of a command and its exit code.
fn output_of(web: &TestWeb, arguments: &[&str]) -> (String, i32) {
    let output = web.lodeward(arguments);
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (text, output.status.code().unwrap())
}

#[test]
fn a_model_can_be_printed_merged_and_used_by_another_crawl() {
    let web = web();
    succeed(web.crawl("data", &["--strategy", "ldcoc"]));

    let (of_crawl, code) = output_of(&web, &["model", "show", "--data", "data", "--top", "3"]);
    assert_eq!(code, 0, "{of_crawl}");
    assert!(of_crawl.starts_with("model of strategy ldcoc\n  feature sets  +t+r+p\n"), "{of_crawl}");
    assert!(of_crawl.contains("evidence for RDF\n  +"), "{of_crawl}");
    assert!(of_crawl.contains("t.") && !of_crawl.contains(" 0 with RDF"), "{of_crawl}");
    let (of_file, _) = output_of(&web, &["model", "show", "data/crawls/1/model", "--top", "3"]);
    assert_eq!(of_file, of_crawl);

    let model = "data/crawls/1/model";
    let (output, code) = output_of(&web, &["model", "merge", "-o", "sum", model, model, "--base", model]);
    assert_eq!((output.as_str(), code), ("", 0));
    let (of_sum, _) = output_of(&web, &["model", "show", "sum", "--top", "3"]);
    let without_memory = |shown: &str| -> Vec<String> {
        shown.lines().filter(|line| !line.contains("media types")).map(str::to_owned).collect()
    };
    let equal = "the sum of two equal models, minus their base; the media types of a crawl are its own";
    assert_eq!(without_memory(&of_sum), without_memory(&of_crawl), "{equal}");

    succeed(web.crawl("other", &["--strategy", "ldcoc", "--model", "sum"]));
    let examples = |shown: &str| shown.lines().find(|line| line.contains("examples")).unwrap().to_owned();
    let (of_other, _) = output_of(&web, &["model", "show", "--data", "other"]);
    assert_ne!(examples(&of_other), examples(&of_crawl), "the other crawl continued to learn");
}

#[test]
fn link_analysis_names_the_class_of_a_link_and_lists_the_pages_that_lead_to_rdf() {
    let web = web();
    succeed(web.crawl("data", &["--strategy", "link-analysis", "-o", "out.nq"]));

    let (model, code) = output_of(&web, &["model", "show", "--data", "data", "--top", "2"]);
    assert_eq!(code, 0, "{model}");
    assert!(model.contains("class R") && model.contains("documents had RDF"), "{model}");
    assert!(model.contains("S_HR") && model.contains("evidence for RDF\n  +"), "{model}");
    assert_eq!(model.lines().filter(|line| line.contains("S_HR page")).count(), 2, "{model}");

    let quads = std::fs::read_to_string(web.path("out.nq")).unwrap();
    let graphs: BTreeSet<&str> = quads.lines().filter_map(|line| line.rsplit(' ').nth(1)).collect();
    let is_explained = |graph: &&str| {
        let (text, _) = output_of(&web, &["explain", graph.trim_matches(['<', '>']), "--data", "data"]);
        text.contains("predicted class R: an RDF document")
    };
    assert!(graphs.iter().any(is_explained), "{graphs:?}");
}

#[test]
fn explain_prints_why_a_uri_was_fetched_skipped_or_is_waiting() {
    let web = web();
    let seed = web.world.seeds()[0].clone();
    succeed(web.crawl("data", &["--strategy", "ldcoc", "-o", "out.nq"]));
    succeed(web.crawl("partial", &["--strategy", "ldcoc", "--model", "data/crawls/1/model", "--max-documents", "5"]));

    let (about_seed, _) = output_of(&web, &["explain", &seed, "--data", "data"]);
    assert!(about_seed.contains("judged    a seed: always fetched"), "{about_seed}");

    let log = std::fs::read_to_string(web.path("access.log")).unwrap();
    let requested: Vec<String> = log.lines().map(|line| AccessLogEntry::parse(line).unwrap().url).collect();
    let requested = requested.iter().filter(|url| !url.ends_with("/robots.txt")).collect::<BTreeSet<_>>();
    // The judgment of a URI depends on the order of the responses.
    let any_contains = |data: &str, words: &[&str]| {
        requested.iter().any(|url| {
            let (text, _) = output_of(&web, &["explain", url, "--data", data]);
            words.iter().all(|word| text.contains(word))
        })
    };
    assert!(
        any_contains("data", &["judged    predicted ", "with probability 0.", "  t.host="]),
        "with reasons in words"
    );
    assert!(any_contains("partial", &["now estimated to contain RDF with probability", "waiting"]));
}

#[test]
fn an_invalid_model_is_a_usage_error() {
    let sandbox = Sandbox::new();
    sandbox.write("page.html", "<html>");
    std::fs::create_dir(sandbox.path("empty")).unwrap();

    insta::assert_snapshot!("model_show_of_an_html_file", sandbox.shown(&["model", "show", "page.html"]));
    insta::assert_snapshot!("model_show_of_a_missing_file", sandbox.shown(&["model", "show", "nowhere"]));
    insta::assert_snapshot!("model_show_without_crawl", sandbox.shown(&["model", "show", "--data", "empty"]));
    insta::assert_snapshot!(
        "model_merge_of_an_html_file",
        sandbox.shown(&["model", "merge", "-o", "sum", "page.html"])
    );
    let crawl = ["crawl", "http://127.0.0.1:9/", "--strategy", "ldcoc", "--model"];
    insta::assert_snapshot!("crawl_with_an_html_file_as_model", sandbox.shown(&[&crawl[..], &["page.html"]].concat()));
    insta::assert_snapshot!("crawl_with_a_missing_model", sandbox.shown(&[&crawl[..], &["nowhere"]].concat()));
    assert!(!sandbox.path("lodeward-data").exists(), "no crawl was created");
}

#[test]
fn a_damaged_model_is_learned_again() {
    let web = web();
    succeed(web.crawl("data", &["--strategy", "ldcoc", "--max-documents", "10"]));
    let path = web.path("data/crawls/1/model");
    let mut model = std::fs::read(&path).unwrap();
    let middle = model.len() / 2;
    model[middle] ^= 1;
    std::fs::write(&path, &model).unwrap();

    let output = succeed(web.crawl("data", &["--strategy", "ldcoc"]));

    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("the model file is corrupted"), "{errors}");
    assert_eq!(output_of(&web, &["model", "show", "--data", "data"]).1, 0, "the model is valid again");
}

/// Five kills in `make test`, thirty in `make torture`.
fn kills() -> u32 {
    if std::env::var_os("LODEWARD_TEST_TORTURE").is_some() { 30 } else { 5 }
}

/// Makes a crawl write its model after every document.
fn save_often(mut command: Command) -> Command {
    command.env("LODEWARD_TEST_SAVE_INTERVAL", "1ms");
    command
}

#[test]
fn a_model_survives_every_kill() {
    let web = web();
    let mut rng = SmallRng::seed_from_u64(3);
    let mut whole = 0;

    for kill in 0..kills() {
        let data = format!("data{}", kill / 3);
        let until = web.requests_served() + rng.random_range(20..60);
        let mut child = start(save_often(web.crawl(&data, &["--strategy", "ldcoc"])));
        while web.requests_served() < until && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(rng.random_range(0..5_000)));
        child.kill().unwrap();
        child.wait().unwrap();

        let model = format!("{data}/crawls/1/model");
        if web.path(&model).exists() {
            let (text, code) = output_of(&web, &["model", "show", &model]);
            assert_eq!(code, 0, "after kill {kill}: {text}");
            whole += 1;
        }
    }

    assert!(whole > 0, "some kills must come after a model was written");
}
