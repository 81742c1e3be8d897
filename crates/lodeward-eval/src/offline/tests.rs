use std::collections::HashSet;

use lodeward::select::Ldcoc;
use toyweb::world::{Parameters, World};

use super::*;

const SMALL: &str = include_str!("../../../../eval/worlds/small.toml");

/// Part of the small world, recorded and read back.
fn web() -> Arc<Web> {
    let folder = tempfile::tempdir().unwrap();
    let mut parameters = Parameters::from_toml(SMALL).unwrap();
    (parameters.hosts, parameters.documents_per_host) = (24, 120);
    toyweb::record::record(&World::new(parameters).unwrap(), folder.path()).unwrap();
    Arc::new(Web::load(folder.path()).unwrap())
}

#[test]
fn every_hard_uri_within_reach_is_an_example_once() {
    let web = web();

    let seen = collect(&web, &Trial::default(), FeatureSet::default(), BITS).unwrap();

    let uris: HashSet<&str> = seen.iter().map(|seen| seen.uri.as_str()).collect();
    assert_eq!(uris.len(), seen.len());
    let hard = web.pages.iter().filter(|page| page.is_document() && page.is_hard).count();
    assert!(seen.len() <= hard && seen.len() * 10 > hard * 8, "{} of {hard}", seen.len());
    for seen in &seen {
        let page = web.page(web.find(&seen.uri).unwrap());
        assert!(page.is_hard);
        assert_eq!(page.is_rdf(), seen.example.label);
        assert!(seen.example.features.is_sorted() && !seen.example.features.is_empty());
    }
}

#[test]
fn nobody_is_tested_on_a_host_that_was_learned_from() {
    let web = web();
    let seen = collect(&web, &Trial::default(), FeatureSet::default(), BITS).unwrap();
    for part in 0..PARTS {
        let (tested, learned): (Vec<&Seen>, Vec<&Seen>) = seen.iter().partition(|seen| Split::Hosts.part(seen) == part);
        let hosts: HashSet<&str> = tested.iter().map(|seen| seen.uri.host()).collect();

        assert!(learned.iter().all(|seen| !hosts.contains(seen.uri.host())));
    }
}

#[test]
fn a_table_has_a_cell_for_every_classifier_and_split_and_learning_helps() {
    let web = web();
    let sets = ["+t+r+p", "+r+p"].map(|set| set.parse().unwrap());

    let (counts, cells) = table(&web, &Trial::default(), &sets, |_| {}).unwrap();

    assert_eq!(cells.len(), 2 * 2 * 3);
    for cell in &cells {
        assert_eq!(cell.scores.predictions, counts.examples, "{cell:?}");
        assert!(cell.scores.accuracy > 0.4 && cell.scores.accuracy <= 1.0, "{cell:?}");
    }
    // Whose host is known is known better than by the share of RDF alone.
    let share = f64::from(u32::try_from(counts.positive).unwrap()) / f64::from(u32::try_from(counts.examples).unwrap());
    let svm = cells.iter().find(|cell| cell.sort == "svm" && cell.split == Split::Random).unwrap();
    assert!(svm.scores.average_precision > share + 0.1, "{svm:?} {share}");
    let page = page("t", "c", counts, &cells, &[]);
    assert!(page.contains("| +t+r+p | ") && page.contains("| +r+p | "));
    assert_eq!(csv(&cells, &[]).lines().count(), 1 + cells.len());
}

#[test]
fn a_strategy_is_asked_about_hosts_it_has_not_seen() {
    let web = web();
    let make = || {
        Ok::<Box<dyn lodeward::select::Strategy>, TrialError>(Box::new(
            Ldcoc::new(lodeward::select::ldcoc::Options { bits: 18, ..Default::default() }, None).unwrap(),
        ))
    };

    let scores = taught::ask(&web, &Trial::default(), make).unwrap();

    // In parts, fewer documents are within reach than in the whole.
    assert!(scores.predictions > 200, "{scores:?}");
    assert!(scores.average_precision > 0.0 && scores.accuracy > 0.3, "{scores:?}");
}
