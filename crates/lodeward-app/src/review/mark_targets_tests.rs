//! Tests of which entities can be marked.

use super::*;
use crate::crawl_dir::OpenCrawl;
use crate::review::load_facts::tests::{harvest, uri};
use crate::review::marks::MarkAuthor;
use crate::review::{MarkKind, RankingDepth, RankingProgress, RedirectMap, rank};
use crate::settings::Config;

const SEED: &str = "http://a.example/Cologne";

/// The error of marking these entities.
fn rejected(directory: &Path, entities: &[&str]) -> NotCandidate {
    let entities: Vec<String> = entities.iter().map(|&entity| entity.to_owned()).collect();
    match require_candidates(directory, &entities) {
        Err(CandidateError::NotCandidate(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn rank_candidates(crawl: &OpenCrawl) {
    let (config, progress) = (Config::default(), RankingProgress::default());
    rank(&config, crawl, RedirectMap::default(), &[uri(SEED)], RankingDepth::Crawl, 7, &progress).unwrap();
}

#[tokio::test]
async fn an_entity_that_is_not_a_candidate_is_rejected_with_similar_candidates() {
    let dir = tempfile::tempdir().unwrap();
    let label = "<http://www.w3.org/2000/01/rdf-schema#label>";
    let statements = format!(
        "<{SEED}> <urn:has> <http://a.example/Cologne_Cathedral> .
<{SEED}> <urn:has> <http://a.example/Q42> .
<{SEED}> <urn:has> <http://a.example/Severins_Bridge> .
<{SEED}> <urn:has> <http://a.example/Hohenzollern_Ridge> .
<http://a.example/Q42> {label} \"Hohenzollern Bridge\" ."
    );
    let crawl = harvest(&dir, &[(SEED, &[], &statements)]).await;
    let directory = crawl.dir.path();
    rank_candidates(&crawl);
    let suggested = |entity: &str| {
        let rejected = rejected(directory, &[entity]);
        rejected.suggestions.into_iter().map(|(entity, _)| entity).next().unwrap_or_default()
    };

    assert_eq!(suggested("https://a.example/Cologne_Cathedral"), "http://a.example/Cologne_Cathedral");
    assert_eq!(suggested("http://a.example/page/cologne_cathedral/"), "http://a.example/Cologne_Cathedral");
    assert_eq!(suggested("Hohenzollern bridge"), "http://a.example/Q42", "labels are compared, too");
    assert_eq!(suggested("http://a.example/Severinsbridge"), "http://a.example/Severins_Bridge");
    assert_eq!(suggested("http://b.example/xyz"), "");
    let error = rejected(directory, &["http://a.example/Q42", "Hohenzollern-Bridge", "urn:a", "urn:b"]);
    assert_eq!(error.to_string(), "`Hohenzollern-Bridge` is not a candidate of the ranking, nor are 2 other entities");
    assert_eq!(
        error.did_you_mean().unwrap(),
        "did you mean <http://a.example/Q42> (Hohenzollern Bridge) or <http://a.example/Hohenzollern_Ridge>?"
    );
}

#[tokio::test]
async fn candidates_seeds_and_marked_entities_can_be_marked() {
    let dir = tempfile::tempdir().unwrap();
    let statements = format!("<{SEED}> <urn:has> <http://a.example/dom> .");
    let crawl = harvest(&dir, &[(SEED, &[], &statements)]).await;
    let directory = crawl.dir.path();
    let gone = "http://a.example/gone";
    MarkFile::open(directory).unwrap().set([gone], Some(MarkKind::Drop), &MarkAuthor::default()).unwrap();

    assert!(require_candidates(directory, &[gone.to_owned()]).is_ok(), "no ranking is needed");
    let dom = ["http://a.example/dom".to_owned(), gone.to_owned()];
    let unranked = require_candidates(directory, &dom).unwrap_err();
    assert!(matches!(unranked, CandidateError::Ranking(RankingFileError::Missing)), "{unranked:?}");
    rank_candidates(&crawl);
    assert!(require_candidates(directory, &dom).is_ok());
    assert!(require_candidates(directory, &[SEED.to_owned()]).is_ok());
}
