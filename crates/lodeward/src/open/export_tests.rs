use std::collections::BTreeSet;

use tempfile::TempDir;

use super::*;
use crate::open::gather::tests::{harvest_in, uri};
use crate::open::{Redirects, Shelf, Shown, rank};
use crate::rank::marks::By;
use crate::rank::{Filter, Marks, Opinion};

const SEED: &str = "http://a.example/cologne";

/// A crawl, the data directory that it is in, and an archive.
struct Town {
    shelf: Shelf,
    registry: Registry,
    archive: Archive,
}

/// A crawl of a town with a church, which has an address, and a bridge.
async fn town(folder: &TempDir) -> Town {
    let about_seed = format!(
        "<{SEED}> <urn:has> <http://a.example/dom> .\n<{SEED}> <urn:has> <http://a.example/bridge> .\n\
         <http://a.example/bridge> <urn:p> \"a bridge\" ."
    );
    // What is said of blank nodes comes before and after their names.
    let about_dom = "_:street <urn:name> \"Domkloster\" .\n_:address <urn:street> _:street .\n\
                     <http://a.example/dom> <urn:address> _:address .\n_:address <urn:number> \"4\" .\n\
                     _:other <urn:of> <http://a.example/dom> .\n<http://a.example/elsewhere> <urn:p> _:other .";
    let registry = Registry::open(folder.path()).unwrap();
    let id = registry.create("town", "focus", 0, 0).unwrap().id;
    let documents = [(SEED, &[][..], about_seed.as_str()), ("http://a.example/dom", &[], about_dom)];
    let shelf = harvest_in(&registry.directory_of(id), &documents).await;
    let archive = Archive::open(folder.path().join("archive"), &lodeward_archive::Options::default()).unwrap();
    Town { shelf, registry, archive }
}

fn config() -> Config {
    let mut config = Config::default();
    config.focus.ranker = crate::config::Ranker::Ejsim;
    config.focus.depth = Some(1);
    config
}

impl Town {
    fn export(&self, part: Part<'_>) -> Result<Exported, ExportError> {
        let (config, registry, segments) = (&config(), &self.registry, &self.shelf.segments);
        export_crawl(&Source { config, registry, crawl: 1, segments }, &self.archive, part, 7)
    }
}

/// The predicates of the exported graph.
fn predicates(archive: &Archive) -> BTreeSet<String> {
    let graph = crawl_graph(&config(), 1);
    let quads = archive.snapshot().quads(None, None, None, Some(graph.as_ref().into())).map(Result::unwrap);
    quads.map(|quad| quad.predicate.as_str().to_owned()).collect()
}

#[tokio::test]
async fn a_harvest_is_exported_whole_and_again_without_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let town = town(&folder).await;

    let first = town.export(Part::Harvest).unwrap();
    let second = town.export(Part::Harvest).unwrap();

    assert_eq!((first.graph.as_str(), first.candidates), ("urn:lodeward:crawl/1", None));
    assert_eq!(exported(&town.registry, 1).unwrap(), Some(second.clone()));
    assert_eq!((first.documents, first.statements), (2, 9));
    assert_eq!(first, second);
    assert_eq!(town.archive.snapshot().len().unwrap(), 9);
}

#[tokio::test]
async fn candidates_are_exported_with_the_blank_nodes_that_they_name_and_without_those_who_were_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let town = town(&folder).await;
    let filter = Filter::default();
    let wish = |shown| Part::Candidates(Wish { filter: &filter, shown, offset: 0, limit: u64::MAX });
    assert!(matches!(town.export(wish(Shown::Undropped)), Err(ExportError::Candidates(CandidatesError::Listing(_)))));
    rank(&config(), &town.shelf, Redirects::default(), &[uri(SEED)], 7).unwrap();

    let all = town.export(wish(Shown::Undropped)).unwrap();
    assert_eq!((all.candidates, all.documents, all.statements), (Some(2), 2, 5));
    let names = ["urn:address", "urn:name", "urn:number", "urn:p", "urn:street"];
    assert_eq!(predicates(&town.archive), names.map(str::to_owned).into());

    let mut marks = Marks::of_crawl(&town.shelf.directory).unwrap();
    marks.set(["http://a.example/dom"], Some(Opinion::Drop), &By::default()).unwrap();
    let rest = town.export(wish(Shown::Undropped)).unwrap();
    assert_eq!((rest.candidates, rest.statements), (Some(1), 1));
    assert_eq!(predicates(&town.archive), ["urn:p".to_owned()].into());
}

#[tokio::test]
async fn an_export_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let town = town(&folder).await;
    town.export(Part::Harvest).unwrap();

    let remove = || remove_export(&config(), &town.registry, &town.archive, 1).unwrap();
    assert!(remove());
    assert!(!remove());

    assert!(town.archive.snapshot().is_empty().unwrap());
    assert_eq!(exported(&town.registry, 1).unwrap(), None);
}
