//! Tests of ranking and listing candidates.

use tempfile::TempDir;

use super::*;
use crate::review::load_facts::tests::{harvest, uri};
use crate::review::marks::MarkAuthor;

const SEED: &str = "http://a.example/cologne";

/// A crawl of a town with a church, a bridge and a stadium.
async fn town(dir: &TempDir) -> OpenCrawl {
    let label = "<http://www.w3.org/2000/01/rdf-schema#label>";
    let class = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
    let about_seed = format!(
        "<{SEED}> {label} \"Cologne on the Rhine\" .
<{SEED}> <urn:has> <http://a.example/dom> .
<{SEED}> <urn:has> <http://a.example/bridge> .
<{SEED}> <urn:has> <http://b.example/stadium> .
<http://a.example/bridge> {label} \"bridge over the Rhine\" ."
    );
    let about_dom = format!(
        "<http://a.example/dom> {label} \"Cologne cathedral\" .
<http://a.example/dom> {class} <http://a.example/Church> .
<http://a.example/dom> <http://a.example/height> \"157\" .
<http://a.example/dom> <urn:has> <http://a.example/tower> .
<http://a.example/tower> {label} \"south tower\" ."
    );
    harvest(dir, &[(SEED, &[], &about_seed), ("http://a.example/dom", &[], &about_dom)]).await
}

fn config() -> Config {
    let mut config = Config::default();
    config.ranking.ranker = "ejsim".parse().unwrap();
    config.ranking.max_hops = Some(1);
    config
}

fn ranked(crawl: &OpenCrawl) -> RankingHeader {
    let seeds = [uri(SEED), uri("http://unknown.example/")];
    rank(&config(), crawl, RedirectMap::default(), &seeds, RankingDepth::Crawl, 7, &RankingProgress::default())
        .unwrap()
        .0
}

fn found(crawl: &OpenCrawl, filter: &str, marks: MarkFilter, offset: u64, limit: u64) -> (Vec<String>, u64, u64) {
    let filter = CandidateFilter::parse(filter).unwrap();
    let query = CandidateQuery { filter: &filter, marks, offset, limit };
    let candidates = candidates_with(crawl.dir.path(), &query, || Ok(Arc::clone(&crawl.segments))).unwrap();
    let name = |candidate: &Candidate| candidate.row.entity.rsplit('/').next().unwrap().to_owned();
    let mut names: Vec<String> = candidates.candidates.iter().map(name).collect();
    names.sort_unstable();
    (names, candidates.total, candidates.dropped)
}

#[tokio::test]
async fn a_crawl_is_ranked_from_its_harvest() {
    let dir = tempfile::tempdir().unwrap();
    let crawl = town(&dir).await;

    let heading = ranked(&crawl);

    assert_eq!((heading.candidates, heading.listed, heading.max_hops), (3, 3, 1));
    assert_eq!(heading.seeds.seeds.iter().map(|seed| seed.name.as_str()).collect::<Vec<_>>(), [SEED]);
    assert_eq!(heading.seeds.missing, ["http://unknown.example/"]);
    assert_eq!(found(&crawl, "", MarkFilter::default(), 0, 9).0, ["bridge", "dom", "stadium"]);
    assert_eq!(found(&crawl, "described", MarkFilter::default(), 0, 9).0, ["dom"]);
}

#[tokio::test]
async fn candidates_are_filtered_by_their_statements() {
    let dir = tempfile::tempdir().unwrap();
    let crawl = town(&dir).await;
    ranked(&crawl);
    let check = |filter: &str, names: &[&str]| {
        assert_eq!(found(&crawl, filter, MarkFilter::default(), 0, 9).0, names, "{filter}");
    };

    check("type = Church", &["dom"]);
    check("domain = b.example", &["stadium"]);
    check("has height", &["dom"]);
    check("not has height", &["bridge", "stadium"]);
    check("property height > 100 or domain = b.example", &["dom", "stadium"]);
    check("property height > 200", &[]);
}

#[tokio::test]
async fn marks_survive_a_new_ranking_and_dropped_candidates_are_hidden() {
    let dir = tempfile::tempdir().unwrap();
    let crawl = town(&dir).await;
    ranked(&crawl);
    let mut marks = MarkFile::open(crawl.dir.path()).unwrap();
    marks.set(["http://a.example/bridge"], Some(MarkKind::Drop), &MarkAuthor::default()).unwrap();
    marks.set(["http://a.example/dom"], Some(MarkKind::Keep), &MarkAuthor::default()).unwrap();

    let heading = ranked(&crawl);

    let check = |filter: &str, shown: MarkFilter, names: &[&str], dropped: u64| {
        let found = found(&crawl, filter, shown, 0, 9);
        assert_eq!((found.0, found.2), (names.iter().map(|&name| name.to_owned()).collect(), dropped), "{filter}");
    };
    assert_eq!(heading.marks, 2);
    check("", MarkFilter::Undropped, &["dom", "stadium"], 1);
    check("hop = 2", MarkFilter::Undropped, &[], 0);
    check("", MarkFilter::All, &["bridge", "dom", "stadium"], 0);
    check("", MarkFilter::Only(Some(MarkKind::Drop)), &["bridge"], 0);
    check("", MarkFilter::Only(None), &["stadium"], 1);
    check("marked = drop", MarkFilter::Undropped, &["bridge"], 0);
    check("not marked = keep", MarkFilter::Undropped, &["bridge", "stadium"], 0);
}

#[tokio::test]
async fn candidates_are_returned_in_pages() {
    let dir = tempfile::tempdir().unwrap();
    let crawl = town(&dir).await;
    ranked(&crawl);
    let page = |offset, limit| {
        let (names, wanted, _) = found(&crawl, "", MarkFilter::default(), offset, limit);
        (names.len(), wanted)
    };

    assert_eq!(page(0, 2), (2, 3));
    assert_eq!(page(2, 2), (1, 3));
    assert_eq!(page(9, 2), (0, 3));
    assert_eq!(page(u64::MAX, u64::MAX), (0, 3));
    assert_eq!(page(0, 0), (0, 3));
}

#[tokio::test]
async fn candidates_of_a_running_crawl_are_listed_unless_the_harvest_is_needed() {
    let dir = tempfile::tempdir().unwrap();
    let crawl = town(&dir).await;
    ranked(&crawl);
    let count = |filter: &str| {
        let filter = CandidateFilter::parse(filter).unwrap();
        let query = CandidateQuery { filter: &filter, marks: MarkFilter::default(), offset: 0, limit: 9 };
        candidates(crawl.dir.path(), &query).map(|candidates| candidates.candidates.len())
    };

    assert_eq!(count("type = Church").unwrap(), 1);
    assert_eq!(count("hop = 2 and has height").unwrap(), 0);
    assert!(matches!(count("has height"), Err(CandidateError::Open(CrawlOpenError::InUse(_)))));
}

#[tokio::test]
async fn candidates_without_a_ranking_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let filter = CandidateFilter::default();
    let query = CandidateQuery { filter: &filter, marks: MarkFilter::default(), offset: 0, limit: 9 };

    let error = candidates(dir.path(), &query).unwrap_err();

    assert_eq!(error.to_string(), "the crawl has not been ranked; hint: run `lodeward rank`");
}

/// Ranks with another depth and list length.
fn ranked_again(crawl: &OpenCrawl, depth: RankingDepth, max_listed: usize) -> RankingHeader {
    let mut config = config();
    config.ranking.max_listed = max_listed;
    rank(&config, crawl, RedirectMap::default(), &[uri(SEED)], depth, 8, &RankingProgress::default()).unwrap().0
}

fn keep(crawl: &OpenCrawl, names: &[&str]) {
    let names: Vec<String> = names.iter().map(|name| format!("http://a.example/{name}")).collect();
    let mut marks = MarkFile::open(crawl.dir.path()).unwrap();
    marks.set(names.iter().map(String::as_str), Some(MarkKind::Keep), &MarkAuthor::default()).unwrap();
}

#[tokio::test]
async fn a_kept_candidate_stays_listed_if_it_is_too_far_for_a_new_ranking() {
    let dir = tempfile::tempdir().unwrap();
    let crawl = town(&dir).await;
    ranked_again(&crawl, RankingDepth::Requested(2), 9);
    assert_eq!(found(&crawl, "", MarkFilter::default(), 0, 9).0, ["bridge", "dom", "stadium", "tower"]);
    keep(&crawl, &["tower"]);

    let header = ranked_again(&crawl, RankingDepth::Requested(1), 9);

    assert_eq!((header.candidates, header.listed), (3, 4));
    assert_eq!(found(&crawl, "", MarkFilter::default(), 0, 9).0, ["bridge", "dom", "stadium", "tower"]);
    assert_eq!(found(&crawl, "label = \"south tower\"", MarkFilter::default(), 0, 9).0, ["tower"]);
    assert_eq!(found(&crawl, "score >= -1000", MarkFilter::default(), 0, 9).0.len(), 3, "it has no score");
}

#[tokio::test]
async fn a_kept_candidate_stays_listed_below_the_end_of_a_short_list() {
    let dir = tempfile::tempdir().unwrap();
    let crawl = town(&dir).await;
    ranked(&crawl);
    let filter = CandidateFilter::default();
    let query = CandidateQuery { filter: &filter, marks: MarkFilter::All, offset: 2, limit: 1 };
    let last = candidates_with(crawl.dir.path(), &query, || unreachable!()).unwrap().candidates.remove(0).row;
    let name = last.entity.rsplit_once('/').unwrap().1;
    MarkFile::open(crawl.dir.path())
        .unwrap()
        .set([last.entity.as_str()], Some(MarkKind::Keep), &MarkAuthor::default())
        .unwrap();

    let header = ranked_again(&crawl, RankingDepth::Last, 1);

    assert_eq!((header.candidates, header.listed), (3, 2));
    let (names, total, _) = found(&crawl, "", MarkFilter::default(), 0, 9);
    assert!(names.contains(&name.to_owned()) && total == 2, "{names:?}");
}

#[tokio::test]
async fn a_kept_candidate_stays_listed_after_its_document_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let crawl = town(&dir).await;
    ranked(&crawl);
    keep(&crawl, &["dom", "bridge"]);
    let empty = format!("<{SEED}> <urn:has> <http://b.example/stadium> .");
    drop(crawl);
    let crawl = harvest(&dir, &[(SEED, &[], &empty), ("http://a.example/dom", &[], "")]).await;

    let header = ranked_again(&crawl, RankingDepth::Last, 9);

    assert_eq!((header.candidates, header.listed), (1, 3));
    assert_eq!(found(&crawl, "", MarkFilter::default(), 0, 9).0, ["bridge", "dom", "stadium"]);
    assert_eq!(found(&crawl, "label ~ Rhine", MarkFilter::default(), 0, 9).0, ["bridge"], "labels are carried over");
    ranked_again(&crawl, RankingDepth::Last, 9);
    assert_eq!(found(&crawl, "label ~ Rhine", MarkFilter::default(), 0, 9).0, ["bridge"], "also twice");
}

#[tokio::test]
async fn an_entity_that_is_kept_while_a_ranking_runs_is_listed() {
    let dir = tempfile::tempdir().unwrap();
    let crawl = town(&dir).await;
    ranked(&crawl);
    keep(&crawl, &["tower"]);

    assert_eq!(found(&crawl, "", MarkFilter::default(), 0, 9).0, ["bridge", "dom", "stadium", "tower"]);
    assert_eq!(found(&crawl, "not has height", MarkFilter::Only(Some(MarkKind::Keep)), 0, 9).0, ["tower"]);
}

#[tokio::test]
async fn a_ranking_keeps_the_depth_of_the_crawl() {
    let dir = tempfile::tempdir().unwrap();
    let crawl = town(&dir).await;
    let depth = |depth| {
        // The settings of the command have another depth than those of the crawl.
        let mut config = config();
        config.ranking.max_hops = None;
        let header = rank(&config, &crawl, RedirectMap::default(), &[uri(SEED)], depth, 8, &RankingProgress::default())
            .unwrap()
            .0;
        (header.max_hops, header.crawl_max_hops)
    };
    assert_eq!(depth(RankingDepth::Last).1, None, "the crawl was not ranked at its end");
    ranked(&crawl);

    assert_eq!(depth(RankingDepth::Last), (1, Some(1)));
    assert_eq!(depth(RankingDepth::Requested(2)), (2, Some(1)));
    assert_eq!(depth(RankingDepth::Last), (1, Some(1)), "a request counts once");
}
