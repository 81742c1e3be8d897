//! Tests of predictions without crawling on a generated web.

use std::collections::HashSet;

use lodeward::select::StrategyOptions;
use lodeward::select::ldcoc::LdcocOptions;
use toyweb::world::{World, WorldParameters};

use super::*;

const SMALL: &str = include_str!("../../../../eval/worlds/small.toml");

/// A part of the small world, recorded and loaded.
fn web() -> Arc<RecordedWeb> {
    let directory = tempfile::tempdir().unwrap();
    let mut parameters = WorldParameters::from_toml(SMALL).unwrap();
    (parameters.hosts, parameters.documents_per_host) = (24, 120);
    toyweb::record::record(&World::new(parameters).unwrap(), directory.path()).unwrap();
    Arc::new(RecordedWeb::load(directory.path()).unwrap())
}

#[test]
fn every_reachable_hard_uri_is_an_example_once() {
    let web = web();

    let examples = collect(&web, &Trial::default(), FeatureSet::default(), FEATURE_BITS).unwrap();

    let uris: HashSet<&str> = examples.iter().map(|labelled| labelled.uri.as_str()).collect();
    assert_eq!(uris.len(), examples.len());
    let hard = web.pages.iter().filter(|page| page.is_document() && page.is_hard).count();
    assert!(examples.len() <= hard && examples.len() * 10 > hard * 8, "{} of {hard}", examples.len());
    for labelled in &examples {
        let page = web.page(web.find(&labelled.uri).unwrap());
        assert!(page.is_hard);
        assert_eq!(page.is_rdf(), labelled.example.label);
        assert!(labelled.example.features.is_sorted() && !labelled.example.features.is_empty());
    }
}

#[test]
fn a_split_by_hosts_separates_training_and_test_hosts() {
    let web = web();
    let examples = collect(&web, &Trial::default(), FeatureSet::default(), FEATURE_BITS).unwrap();
    for part in 0..PARTS {
        let (test, training): (Vec<&UriExample>, Vec<&UriExample>) =
            examples.iter().partition(|example| ExampleSplit::Hosts.part(example) == part);
        let hosts: HashSet<&str> = test.iter().map(|labelled| labelled.uri.host()).collect();

        assert!(training.iter().all(|labelled| !hosts.contains(labelled.uri.host())));
    }
}

#[test]
fn the_table_has_a_cell_for_every_classifier_and_split_and_training_helps() {
    let web = web();
    let sets = ["+t+r+p", "+r+p"].map(|set| set.parse().unwrap());

    let (counts, cells) = compute_table(&web, &Trial::default(), &sets, |_| {}).unwrap();

    assert_eq!(cells.len(), 2 * 2 * 3);
    for cell in &cells {
        assert_eq!(cell.scores.predictions, counts.examples, "{cell:?}");
        assert!(cell.scores.accuracy > 0.4 && cell.scores.accuracy <= 1.0, "{cell:?}");
    }
    // With known hosts, the ranking is better than the share of RDF alone.
    let share = f64::from(u32::try_from(counts.positive).unwrap()) / f64::from(u32::try_from(counts.examples).unwrap());
    let svm = cells.iter().find(|cell| cell.classifier == "svm" && cell.split == ExampleSplit::Random).unwrap();
    assert!(svm.scores.average_precision > share + 0.1, "{svm:?} {share}");
    let page = page("t", "c", counts, &cells, &[]);
    assert!(page.contains("| +t+r+p | ") && page.contains("| +r+p | "));
    assert_eq!(csv(&cells, &[]).lines().count(), 1 + cells.len());
}

#[test]
fn a_strategy_is_cross_validated_by_hosts() {
    let web = web();
    let make = || {
        let options = LdcocOptions { bits: 18, ..Default::default() };
        Ok::<_, TrialError>(StrategyOptions::Ldcoc(options).build(None).unwrap())
    };

    let scores = online_strategies::cross_validate(&web, &Trial::default(), make).unwrap();

    // Restricted to parts of the hosts, fewer documents are reachable.
    assert!(scores.predictions > 200, "{scores:?}");
    assert!(scores.average_precision > 0.0 && scores.accuracy > 0.3, "{scores:?}");
}
