//! What a crawl has learned: kept, shown, asked, added up, and never half written.

use std::collections::BTreeSet;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use toyweb::access_log::Entry;

use crate::desk::Desk;
use crate::web::{Box, start, succeed};

fn web() -> Box {
    Box::new("demo", |parameters| {
        parameters.hosts = 6;
        parameters.documents_per_host = 15;
        parameters.robots.crawl_delay = 0.0;
    })
}

/// What a command put out, and how it ended.
fn said(web: &Box, arguments: &[&str]) -> (String, i32) {
    let output = web.lodeward(arguments);
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (text, output.status.code().unwrap())
}

#[test]
fn what_a_crawl_has_learned_can_be_seen_added_up_and_begun_with() {
    let web = web();
    succeed(web.crawl("data", &["--strategy", "ldcoc"]));

    let (of_crawl, code) = said(&web, &["model", "show", "--data", "data", "--top", "3"]);
    assert_eq!(code, 0, "{of_crawl}");
    assert!(of_crawl.starts_with("a model of strategy ldcoc\n  feature sets  +t+r+p\n"), "{of_crawl}");
    assert!(of_crawl.contains("speaks for RDF\n  +"), "{of_crawl}");
    assert!(of_crawl.contains("t.") && !of_crawl.contains(" 0 with RDF"), "{of_crawl}");
    let (of_file, _) = said(&web, &["model", "show", "data/crawls/1/model", "--top", "3"]);
    assert_eq!(of_file, of_crawl);

    let model = "data/crawls/1/model";
    let (told, code) = said(&web, &["model", "merge", "-o", "sum", model, model, "--base", model]);
    assert_eq!((told.as_str(), code), ("", 0));
    let (of_sum, _) = said(&web, &["model", "show", "sum", "--top", "3"]);
    assert_eq!(of_sum, of_crawl, "twice the same, less what both began with");

    succeed(web.crawl("other", &["--strategy", "ldcoc", "--model", "sum"]));
    let examples = |shown: &str| shown.lines().find(|line| line.contains("examples")).unwrap().to_owned();
    let (of_other, _) = said(&web, &["model", "show", "--data", "other"]);
    assert_ne!(examples(&of_other), examples(&of_crawl), "it has gone on learning");
}

#[test]
fn explain_tells_why_a_uri_was_visited_skipped_or_waits() {
    let web = web();
    let seed = web.world.seeds()[0].clone();
    succeed(web.crawl("data", &["--strategy", "ldcoc", "-o", "out.nq"]));
    succeed(web.crawl("begun", &["--strategy", "ldcoc", "--model", "data/crawls/1/model", "--max-documents", "5"]));

    let (about_seed, _) = said(&web, &["explain", &seed, "--data", "data"]);
    assert!(about_seed.contains("judged    it was asked for, and so visited in any case"), "{about_seed}");

    let log = std::fs::read_to_string(web.path("access.log")).unwrap();
    let asked: Vec<String> = log.lines().map(|line| Entry::parse(line).unwrap().url).collect();
    let asked = asked.iter().filter(|url| !url.ends_with("/robots.txt")).collect::<BTreeSet<_>>();
    // Which URI is judged how depends on which answer came first.
    let tells = |data: &str, words: &[&str]| {
        asked.iter().any(|url| {
            let (told, _) = said(&web, &["explain", url, "--data", data]);
            words.iter().all(|word| told.contains(word))
        })
    };
    assert!(tells("data", &["judged    predicted ", "with probability 0.", "  t.host="]), "with reasons in words");
    assert!(tells("begun", &["as of now, it holds RDF with probability", "waiting"]));
}

#[test]
fn a_model_that_is_none_is_wrong_usage() {
    let desk = Desk::new();
    desk.write("page.html", "<html>");
    std::fs::create_dir(desk.path("empty")).unwrap();

    insta::assert_snapshot!("model_show_of_a_page", desk.shown(&["model", "show", "page.html"]));
    insta::assert_snapshot!("model_show_of_nothing", desk.shown(&["model", "show", "nowhere"]));
    insta::assert_snapshot!("model_show_of_no_crawl", desk.shown(&["model", "show", "--data", "empty"]));
    insta::assert_snapshot!("model_merge_of_a_page", desk.shown(&["model", "merge", "-o", "sum", "page.html"]));
    let crawl = ["crawl", "http://127.0.0.1:9/", "--strategy", "ldcoc", "--model"];
    insta::assert_snapshot!("crawl_with_a_page_for_a_model", desk.shown(&[&crawl[..], &["page.html"]].concat()));
    insta::assert_snapshot!("crawl_with_no_model", desk.shown(&[&crawl[..], &["nowhere"]].concat()));
    assert!(!desk.path("lodeward-data").exists(), "no crawl was begun");
}

#[test]
fn what_was_learned_and_is_damaged_is_learned_anew() {
    let web = web();
    succeed(web.crawl("data", &["--strategy", "ldcoc", "--max-documents", "10"]));
    let path = web.path("data/crawls/1/model");
    let mut model = std::fs::read(&path).unwrap();
    let middle = model.len() / 2;
    model[middle] ^= 1;
    std::fs::write(&path, &model).unwrap();

    let output = succeed(web.crawl("data", &["--strategy", "ldcoc"]));

    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("the model is damaged"), "{told}");
    assert_eq!(said(&web, &["model", "show", "--data", "data"]).1, 0, "it is whole again");
}

/// Few in `make test`, thirty in `make torture`.
fn kills() -> u32 {
    if std::env::var_os("LODEWARD_TORTURE").is_some() { 30 } else { 5 }
}

#[test]
fn a_model_survives_every_kill() {
    let web = web();
    // Written down as often as can be.
    std::fs::write(web.path("lodeward.toml"), "[select]\nkeep_s = 0\n\n[frontier]\nsync_ms = 1\ngroup_ms = 1\n")
        .unwrap();
    let mut rng = SmallRng::seed_from_u64(3);
    let mut whole = 0;

    for kill in 0..kills() {
        let data = format!("data{}", kill / 3);
        let until = web.answered() + rng.random_range(20..60);
        let mut child = start(web.crawl(&data, &["--strategy", "ldcoc"]));
        while web.answered() < until && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(rng.random_range(0..5_000)));
        child.kill().unwrap();
        child.wait().unwrap();

        let model = format!("{data}/crawls/1/model");
        if web.path(&model).exists() {
            let (told, code) = said(&web, &["model", "show", &model]);
            assert_eq!(code, 0, "after kill {kill}: {told}");
            whole += 1;
        }
    }

    assert!(whole > 0, "some kills must come after something was written");
}
