use tempfile::TempDir;

use super::*;
use crate::open::gather::tests::{harvest, uri};
use crate::rank::marks::By;
use crate::seed::Origin;

const SEED: &str = "http://a.example/cologne";

/// A crawl of a town, in which there are a church, a bridge and a stadium.
async fn town(folder: &TempDir) -> Shelf {
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
<http://a.example/dom> <http://a.example/height> \"157\" ."
    );
    harvest(folder, &[(SEED, &[], &about_seed), ("http://a.example/dom", &[], &about_dom)]).await
}

fn config() -> Config {
    let mut config = Config::default();
    config.focus.ranker = crate::config::Ranker::Ejsim;
    config.focus.depth = Some(1);
    config
}

fn ranked(shelf: &Shelf) -> Heading {
    let seeds = [uri(SEED), uri("http://nobody.example/")];
    rank(&config(), shelf, Redirects::default(), &seeds, 7).unwrap().0
}

fn found(shelf: &Shelf, filter: &str, shown: Shown, offset: u64, limit: u64) -> (Vec<String>, u64, u64) {
    let filter = Filter::parse(filter).unwrap();
    let wish = Wish { filter: &filter, shown, offset, limit };
    let candidates = candidates_with(&shelf.directory, &wish, || Ok(Arc::clone(&shelf.segments))).unwrap();
    let name = |candidate: &Candidate| candidate.row.entity.rsplit('/').next().unwrap().to_owned();
    let mut names: Vec<String> = candidates.found.iter().map(name).collect();
    names.sort_unstable();
    (names, candidates.wanted, candidates.dropped)
}

#[tokio::test]
async fn a_crawl_is_ranked_from_its_harvest() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = town(&folder).await;

    let heading = ranked(&shelf);

    assert_eq!((heading.candidates, heading.listed, heading.depth), (3, 3, 1));
    assert_eq!(heading.seeds.seeds.iter().map(|seed| seed.name.as_str()).collect::<Vec<_>>(), [SEED]);
    assert_eq!(heading.seeds.missing, ["http://nobody.example/"]);
    assert_eq!(found(&shelf, "", Shown::default(), 0, 9).0, ["bridge", "dom", "stadium"]);
    assert_eq!(found(&shelf, "described", Shown::default(), 0, 9).0, ["dom"]);
}

#[tokio::test]
async fn a_seed_is_the_entity_that_was_named_if_documents_speak_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let page = "http://a.example/page";
    let statements =
        format!("<{page}#one> <urn:p> <urn:a> .\n<{page}#two> <urn:p> <urn:b> .\n<{page}#two> <urn:p> <urn:c> .");
    let shelf = harvest(&folder, &[(page, &[], &statements)]).await;
    let gathered = gathering(&config(), &shelf.segments, Redirects::default()).unwrap();
    let check = |named: &[&str], expected: &[&str]| {
        let note = |iri: &&str| Note::of_iri(iri, Origin::Given, None).unwrap();
        let notes: Vec<Note> = named.iter().map(note).collect();
        assert_eq!(names_of_seeds(&gathered, &[uri(page)], &notes), expected, "{named:?}");
    };

    check(&[], &["http://a.example/page#two"]);
    check(&["http://a.example/page#one"], &["http://a.example/page#one"]);
    check(&["http://a.example/page#nobody"], &["http://a.example/page#two"]);
    let both = ["http://a.example/page#one", "http://a.example/page#two"];
    check(&both, &both);
    assert_eq!(names_of_seeds(&gathered, &[uri("http://b.example/")], &[]), ["http://b.example/"]);
}

#[tokio::test]
async fn candidates_are_filtered_by_what_is_said_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = town(&folder).await;
    ranked(&shelf);
    let check = |filter: &str, names: &[&str]| {
        assert_eq!(found(&shelf, filter, Shown::default(), 0, 9).0, names, "{filter}");
    };

    check("type = Church", &["dom"]);
    check("pld = b.example", &["stadium"]);
    check("has height", &["dom"]);
    check("not has height", &["bridge", "stadium"]);
    check("property height > 100 or pld = b.example", &["dom", "stadium"]);
    check("property height > 200", &[]);
}

#[tokio::test]
async fn marks_survive_ranking_again_and_what_was_dropped_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = town(&folder).await;
    ranked(&shelf);
    let mut marks = Marks::of_crawl(&shelf.directory).unwrap();
    marks.set(["http://a.example/bridge"], Some(Opinion::Drop), &By::default()).unwrap();
    marks.set(["http://a.example/dom"], Some(Opinion::Keep), &By::default()).unwrap();

    let heading = ranked(&shelf);

    let check = |filter: &str, shown: Shown, names: &[&str], dropped: u64| {
        let found = found(&shelf, filter, shown, 0, 9);
        assert_eq!((found.0, found.2), (names.iter().map(|&name| name.to_owned()).collect(), dropped), "{filter}");
    };
    assert_eq!(heading.marks, 2);
    check("", Shown::Undropped, &["dom", "stadium"], 1);
    check("hop = 2", Shown::Undropped, &[], 0);
    check("", Shown::All, &["bridge", "dom", "stadium"], 0);
    check("", Shown::Only(Some(Opinion::Drop)), &["bridge"], 0);
    check("", Shown::Only(None), &["stadium"], 1);
    check("marked = drop", Shown::Undropped, &["bridge"], 0);
    check("not marked = keep", Shown::Undropped, &["bridge", "stadium"], 0);
}

#[tokio::test]
async fn candidates_are_had_page_by_page() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = town(&folder).await;
    ranked(&shelf);
    let page = |offset, limit| {
        let (names, wanted, _) = found(&shelf, "", Shown::default(), offset, limit);
        (names.len(), wanted)
    };

    assert_eq!(page(0, 2), (2, 3));
    assert_eq!(page(2, 2), (1, 3));
    assert_eq!(page(9, 2), (0, 3));
    assert_eq!(page(u64::MAX, u64::MAX), (0, 3));
    assert_eq!(page(0, 0), (0, 3));
}

#[tokio::test]
async fn candidates_of_a_crawl_that_runs_are_had_unless_the_harvest_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = town(&folder).await;
    ranked(&shelf);
    let had = |filter: &str| {
        let filter = Filter::parse(filter).unwrap();
        let wish = Wish { filter: &filter, shown: Shown::default(), offset: 0, limit: 9 };
        candidates(&config(), &shelf.directory, &wish).map(|candidates| candidates.found.len())
    };

    assert_eq!(had("type = Church").unwrap(), 1);
    assert_eq!(had("hop = 2 and has height").unwrap(), 0);
    assert!(matches!(had("has height"), Err(CandidatesError::Open(OpenError::InUse(_)))));
}

#[tokio::test]
async fn what_was_never_ranked_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let filter = Filter::default();
    let wish = Wish { filter: &filter, shown: Shown::default(), offset: 0, limit: 9 };

    let error = candidates(&config(), folder.path(), &wish).unwrap_err();

    assert_eq!(error.to_string(), "there is no ranking yet: `lodeward rank` makes one");
}
