use std::collections::BTreeSet;

use tempfile::TempDir;

use super::*;
use crate::open::gather::tests::{harvest, uri};
use crate::open::{Redirects, Shelf, Shown, rank};
use crate::rank::marks::By;
use crate::rank::{Filter, Marks, Opinion};

const SEED: &str = "http://a.example/cologne";

/// A crawl of a town with a church, which has an address, and a bridge.
async fn town(folder: &TempDir) -> (Shelf, Archive) {
    let about_seed = format!(
        "<{SEED}> <urn:has> <http://a.example/dom> .\n<{SEED}> <urn:has> <http://a.example/bridge> .\n\
         <http://a.example/bridge> <urn:p> \"a bridge\" ."
    );
    // What is said of blank nodes comes before and after their names.
    let about_dom = "_:street <urn:name> \"Domkloster\" .\n_:address <urn:street> _:street .\n\
                     <http://a.example/dom> <urn:address> _:address .\n_:address <urn:number> \"4\" .\n\
                     _:other <urn:of> <http://a.example/dom> .\n<http://a.example/elsewhere> <urn:p> _:other .";
    let shelf = harvest(folder, &[(SEED, &[], &about_seed), ("http://a.example/dom", &[], about_dom)]).await;
    let archive = Archive::open(folder.path().join("archive"), &lodeward_archive::Options::default()).unwrap();
    (shelf, archive)
}

fn config() -> Config {
    let mut config = Config::default();
    config.focus.ranker = crate::config::Ranker::Ejsim;
    config.focus.depth = Some(1);
    config
}

fn export(shelf: &Shelf, archive: &Archive, part: Part<'_>) -> Result<CrawlGraph, ExportError> {
    export_crawl(&config(), archive, 1, &shelf.directory, &shelf.segments, part)
}

/// The predicates of the exported graph.
fn exported(archive: &Archive) -> BTreeSet<String> {
    let graph = crawl_graph(&config(), 1);
    let quads = archive.snapshot().quads(None, None, None, Some(graph.as_ref().into())).map(Result::unwrap);
    quads.map(|quad| quad.predicate.as_str().to_owned()).collect()
}

#[tokio::test]
async fn a_harvest_is_exported_whole_and_again_without_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let (shelf, archive) = town(&folder).await;

    let first = export(&shelf, &archive, Part::Harvest).unwrap();
    let second = export(&shelf, &archive, Part::Harvest).unwrap();

    assert_eq!((first.graph.as_str(), first.candidates), ("urn:lodeward:crawl/1", None));
    assert_eq!((first.documents, first.statements), (2, 9));
    assert_eq!(first, second);
    assert_eq!(archive.snapshot().len().unwrap(), 9);
}

#[tokio::test]
async fn candidates_are_exported_with_the_blank_nodes_that_they_name_and_without_those_who_were_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let (shelf, archive) = town(&folder).await;
    let filter = Filter::default();
    let wish = |shown| Part::Candidates(Wish { filter: &filter, shown, offset: 0, limit: u64::MAX });
    assert!(matches!(
        export(&shelf, &archive, wish(Shown::Undropped)),
        Err(ExportError::Candidates(CandidatesError::Listing(_)))
    ));
    rank(&config(), &shelf, Redirects::default(), &[uri(SEED)], 7).unwrap();

    let all = export(&shelf, &archive, wish(Shown::Undropped)).unwrap();
    assert_eq!((all.candidates, all.documents, all.statements), (Some(2), 2, 5));
    let names = ["urn:address", "urn:name", "urn:number", "urn:p", "urn:street"];
    assert_eq!(exported(&archive), names.map(str::to_owned).into());

    let mut marks = Marks::of_crawl(&shelf.directory).unwrap();
    marks.set(["http://a.example/dom"], Some(Opinion::Drop), &By::default()).unwrap();
    let rest = export(&shelf, &archive, wish(Shown::Undropped)).unwrap();
    assert_eq!((rest.candidates, rest.statements), (Some(1), 1));
    assert_eq!(exported(&archive), ["urn:p".to_owned()].into());
}

#[tokio::test]
async fn an_export_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let (shelf, archive) = town(&folder).await;
    export(&shelf, &archive, Part::Harvest).unwrap();

    let graph = crawl_graph(&config(), 1);
    assert!(remove_crawl_graph(&archive, &graph).unwrap());
    assert!(!remove_crawl_graph(&archive, &graph).unwrap());

    assert!(archive.snapshot().is_empty().unwrap());
}
