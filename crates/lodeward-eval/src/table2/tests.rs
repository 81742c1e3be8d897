//! Tests of Table 2 on a generated web.

use toyweb::world::{World, WorldParameters};

use super::*;

const SMALL: &str = include_str!("../../../../eval/worlds/small.toml");

fn web() -> Arc<RecordedWeb> {
    let directory = tempfile::tempdir().unwrap();
    let mut parameters = WorldParameters::from_toml(SMALL).unwrap();
    (parameters.hosts, parameters.documents_per_host) = (24, 160);
    toyweb::record::record(&World::new(parameters).unwrap(), directory.path()).unwrap();
    Arc::new(RecordedWeb::load(directory.path()).unwrap())
}

fn plan(parts: Option<u32>, budget: Option<f64>) -> Table2Plan {
    Table2Plan {
        trial: Trial { budget, ..Trial::default() },
        sizes: vec![300],
        parts: parts.and_then(NonZero::new),
        contenders: vec![Contender::parse("bfs", &[]).unwrap()],
        jobs: NonZero::new(2).unwrap(),
    }
}

fn row<'a>(rows: &'a [Table2Row], name: &str) -> &'a Table2Row {
    rows.iter().find(|row| row.name == name).unwrap()
}

#[test]
fn a_trained_classifier_fetches_a_larger_share_of_rdf_than_breadth_first() {
    let rows = compute_table(&web(), &plan(None, None), &|_| {}).unwrap();

    assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["bfs", "nb", "svm", "knn"]);
    let end = |name: &str| row(&rows, name).at[BUDGET_SHARES.len() - 1];
    assert!(end("svm").percentage() > end("bfs").percentage(), "{rows:?}");
    assert!(end("svm").hard < end("bfs").hard);
    assert_eq!((row(&rows, "svm").examples, row(&rows, "bfs").examples), (Some(300), None));
}

#[test]
fn a_budget_ends_a_crawl_and_shares_are_relative_to_it() {
    let rows = compute_table(&web(), &plan(None, Some(400.0)), &|_| {}).unwrap();

    let at = row(&rows, "bfs").at;
    assert!(at[3].documents <= 400 && at[3].documents > 250, "{at:?}");
    assert!(at.is_sorted_by_key(|at| at.documents) && at[0].documents <= 40, "{at:?}");
}

#[test]
fn parts_cover_all_hosts_and_training_excludes_test_hosts() {
    let web = web();
    let plan = plan(Some(3), None);

    let universes = build_universes(&web, &plan).unwrap();

    let hosts = universes.iter().filter_map(|one| one.trial.hosts.as_ref());
    let all: std::collections::HashSet<&str> = web.pages.iter().map(|page| page.uri.host()).collect();
    assert_eq!(hosts.map(std::collections::HashSet::len).sum::<usize>(), all.len());
    assert!(universes.iter().all(|universe| !universe.examples.is_empty()));
    let rows = compute_table(&web, &plan, &|_| {}).unwrap();
    assert_eq!(csv(&rows).lines().count(), 1 + rows.len() * BUDGET_SHARES.len());
    assert!(page("t", "c", &plan, &rows).contains("| svm | "));
}
