//! Tests of exporting a crawl to the archive.

use std::collections::BTreeSet;

use tempfile::TempDir;

use super::*;
use crate::crawl_dir::OpenCrawl;
use crate::review::load_facts::tests::{harvest_in, uri};
use crate::review::marks::MarkAuthor;
use crate::review::{CandidateFilter, MarkFile, MarkKind};
use crate::review::{MarkFilter, RankingDepth, RankingProgress, RedirectMap, rank};

const SEED: &str = "http://a.example/cologne";

/// A crawl, its data directory, and an archive.
struct Town {
    crawl: OpenCrawl,
    data_dir: DataDir,
    archive: Archive,
}

/// A crawl of a town with a church, which has an address, and a bridge.
async fn town(dir: &TempDir) -> Town {
    let about_seed = format!(
        "<{SEED}> <urn:has> <http://a.example/dom> .\n<{SEED}> <urn:has> <http://a.example/bridge> .\n\
         <http://a.example/bridge> <urn:p> \"a bridge\" ."
    );
    // Statements about blank nodes precede and follow the references to them.
    let about_dom = "_:street <urn:name> \"Domkloster\" .\n_:address <urn:street> _:street .\n\
                     <http://a.example/dom> <urn:address> _:address .\n_:address <urn:number> \"4\" .\n\
                     _:other <urn:of> <http://a.example/dom> .\n<http://a.example/elsewhere> <urn:p> _:other .";
    let data_dir = DataDir::open(dir.path()).unwrap();
    let id = data_dir.create("town", "focus", 0, 0).unwrap().id;
    let documents = [(SEED, &[][..], about_seed.as_str()), ("http://a.example/dom", &[], about_dom)];
    let crawl = harvest_in(&data_dir.crawl(id), &documents).await;
    let archive = Archive::open(dir.path().join("archive"), &lodeward_archive::Options::default()).unwrap();
    Town { crawl, data_dir, archive }
}

fn config() -> Config {
    let mut config = Config::default();
    config.ranking.ranker = "ejsim".parse().unwrap();
    config.ranking.max_hops = Some(1);
    config
}

impl Town {
    fn export(&self, part: ExportPart<'_>) -> Result<GraphExport, ExportError> {
        let (config, data_dir, segments) = (&config(), &self.data_dir, &self.crawl.segments);
        export_crawl(&ExportSource { config, data_dir, crawl: 1, segments }, &self.archive, part, 7)
    }
}

/// The predicates of the exported graph.
fn predicates(archive: &Archive) -> BTreeSet<String> {
    let graph = crawl_graph(&config(), 1);
    let quads = archive.snapshot().quads(None, None, None, Some(graph.as_ref().into())).map(Result::unwrap);
    quads.map(|quad| quad.predicate.as_str().to_owned()).collect()
}

#[tokio::test]
async fn a_repeated_export_is_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let town = town(&dir).await;

    let first = town.export(ExportPart::Harvest).unwrap();
    let second = town.export(ExportPart::Harvest).unwrap();

    assert_eq!((first.graph.as_str(), first.candidates), ("urn:lodeward:crawl/1", None));
    assert_eq!(last_export(&town.data_dir, 1).unwrap(), Some(second.clone()));
    assert_eq!((first.documents, first.statements), (2, 9));
    assert_eq!(first, second);
    assert_eq!(town.archive.snapshot().len().unwrap(), 9);
}

#[tokio::test]
async fn candidates_and_seeds_are_exported_with_their_blank_nodes_and_without_dropped_ones() {
    let dir = tempfile::tempdir().unwrap();
    let town = town(&dir).await;
    let filter = CandidateFilter::default();
    let query =
        |shown| ExportPart::Candidates(CandidateQuery { filter: &filter, marks: shown, offset: 0, limit: u64::MAX });
    assert!(matches!(
        town.export(query(MarkFilter::Undropped)),
        Err(ExportError::Candidates(CandidateError::Ranking(_)))
    ));
    rank(
        &config(),
        &town.crawl,
        RedirectMap::default(),
        &[uri(SEED)],
        RankingDepth::Crawl,
        7,
        &RankingProgress::default(),
    )
    .unwrap();

    let all = town.export(query(MarkFilter::Undropped)).unwrap();
    assert_eq!((all.candidates, all.seeds), (Some(2), Some(1)));
    assert_eq!((all.documents, all.statements), (2, 7));
    let names = ["urn:address", "urn:has", "urn:name", "urn:number", "urn:p", "urn:street"];
    assert_eq!(predicates(&town.archive), names.map(str::to_owned).into());

    let mut marks = MarkFile::open(town.crawl.dir.path()).unwrap();
    marks.set(["http://a.example/dom"], Some(MarkKind::Drop), &MarkAuthor::default()).unwrap();
    let rest = town.export(query(MarkFilter::Undropped)).unwrap();
    assert_eq!((rest.candidates, rest.statements), (Some(1), 3));
    assert_eq!(predicates(&town.archive), ["urn:has", "urn:p"].map(str::to_owned).into());

    marks.set([SEED], Some(MarkKind::Drop), &MarkAuthor::default()).unwrap();
    let without_seed = town.export(query(MarkFilter::Undropped)).unwrap();
    assert_eq!((without_seed.seeds, without_seed.statements), (Some(0), 1));

    marks.set([SEED], Some(MarkKind::Keep), &MarkAuthor::default()).unwrap();
    let kept = town.export(query(MarkFilter::Only(Some(MarkKind::Keep)))).unwrap();
    assert_eq!((kept.candidates, kept.seeds, kept.statements), (Some(1), Some(0), 2), "a kept seed is a candidate");
}

#[tokio::test]
async fn an_export_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let town = town(&dir).await;
    town.export(ExportPart::Harvest).unwrap();

    let remove = || remove_export(&config(), &town.data_dir, &town.archive, 1).unwrap();
    assert!(remove());
    assert!(!remove());

    assert!(town.archive.snapshot().is_empty().unwrap());
    assert_eq!(last_export(&town.data_dir, 1).unwrap(), None);
}
