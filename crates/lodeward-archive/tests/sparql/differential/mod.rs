//! Comparison with Oxigraph on random data, queries and updates.
//!
//! Oxigraph uses the same parser and evaluator, so this tests our own parts: the storage, the join
//! order, the default graphs. Oxigraph stores the values of numbers and dates, not their lexical
//! forms; for literals with unusual forms, spareval on `oxrdf::Dataset` is the reference instead.
//!
//! `LODEWARD_TEST_TORTURE=1` runs 3,000 datasets with 20,000 queries and 8,000 updates. A failure
//! states its seed and the smallest data that reproduces it; `LODEWARD_TEST_SEED` runs a single
//! seed.

mod data;
mod queries;
mod updates;

use std::collections::HashSet;
use std::ops::Range;

use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{Dataset, Quad};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use spareval::{QueryEvaluator, QueryResults};
use spargebra::SparqlParser;

use crate::engine::{ArchiveEngine, Engine, Failure, Outcome, OxigraphEngine};
use data::Forms;

const BASE: &str = "http://example.org/";

/// The seeds to run: few, or 1,000 with `LODEWARD_TEST_TORTURE=1`, or as many as its value.
fn seeds(few: u64) -> Range<u64> {
    let number = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>().unwrap_or(1));
    if let Some(seed) = number("LODEWARD_TEST_SEED") {
        return seed..seed + 1;
    }
    0..number("LODEWARD_TEST_TORTURE").map_or(few, |many| if many > 1 { many } else { 1000 })
}

#[test]
fn queries_have_the_results_of_oxigraph() {
    let mut rows = 0;
    for seed in seeds(60) {
        let mut rng = SmallRng::seed_from_u64(seed);
        let quads = data::quads(&mut rng, Forms::Usual);
        let ours = load(ArchiveEngine::new(), &quads, &mut rng);
        let theirs = load(OxigraphEngine::new(), &quads, &mut rng);
        for _ in 0..10 {
            let query = queries::query(&mut rng);
            let expected = theirs.query(&query, BASE, None);
            rows += compare(seed, &quads, &query, &ours, &expected, |quads| {
                load(OxigraphEngine::new(), quads, &mut SmallRng::seed_from_u64(0)).query(&query, BASE, None)
            });
        }
    }
    assert!(rows > 0, "some queries have results");
}

#[test]
fn lexical_forms_of_literals_are_distinguished() {
    for seed in seeds(40) {
        let mut rng = SmallRng::seed_from_u64(seed ^ 0x5eed);
        let quads = data::quads(&mut rng, Forms::Odd);
        let ours = load(ArchiveEngine::new(), &quads, &mut rng);
        for _ in 0..10 {
            let query = queries::query(&mut rng);
            compare(seed, &quads, &query, &ours, &reference(&quads, &query), |quads| reference(quads, &query));
        }
    }
}

/// The result of spareval without our storage.
fn reference(quads: &[Quad], query: &str) -> Result<Outcome, Failure> {
    let dataset: &'static Dataset = Box::leak(Box::new(quads.iter().collect()));
    let query = SparqlParser::new().with_base_iri(BASE)?.parse_query(query)?;
    Ok(match QueryEvaluator::new().prepare(&query).execute(dataset)? {
        QueryResults::Boolean(value) => Outcome::Boolean(value),
        QueryResults::Graph(triples) => Outcome::Graph(triples.collect::<Result<_, _>>()?),
        QueryResults::Solutions(solutions) => {
            let variables = solutions.variables().to_vec();
            let rows = solutions.map(|row| Ok(row?.values().to_vec())).collect::<Result<_, Failure>>()?;
            Outcome::Rows { variables, rows }
        }
    })
}

/// Loads in two transactions, with repetitions.
fn load<E: Engine>(mut engine: E, quads: &[Quad], rng: &mut SmallRng) -> E {
    let at = rng.random_range(0..=quads.len());
    engine.load(&quads[..at]).expect("loading succeeds");
    engine.load(&quads[at.saturating_sub(2)..]).expect("loading succeeds");
    engine
}

fn compare(
    seed: u64,
    quads: &[Quad],
    query: &str,
    ours: &ArchiveEngine,
    expected: &Result<Outcome, Failure>,
    evaluate_reference: impl Fn(&[Quad]) -> Result<Outcome, Failure>,
) -> usize {
    let found = ours.query(query, BASE, None);
    if same(query, &found, expected) {
        return found.as_ref().map_or(0, size);
    }
    // Finds the smallest data that reproduces the difference, by removing quads.
    let differs = |quads: &[Quad]| {
        let ours = load(ArchiveEngine::new(), quads, &mut SmallRng::seed_from_u64(0));
        !same(query, &ours.query(query, BASE, None), &evaluate_reference(quads))
    };
    let mut smallest = quads.to_vec();
    let mut at = 0;
    while at < smallest.len() {
        let mut fewer = smallest.clone();
        fewer.remove(at);
        if differs(&fewer) { smallest = fewer } else { at += 1 }
    }
    let ours = load(ArchiveEngine::new(), &smallest, &mut SmallRng::seed_from_u64(0));
    let data = smallest.iter().map(|quad| format!("{quad} .")).collect::<Vec<_>>().join("\n");
    let (found, expected) = (to_lines(&ours.query(query, BASE, None)), to_lines(&evaluate_reference(&smallest)));
    panic!("seed {seed}\n{data}\n{query}\nfound  {found:#?}\nexpected {expected:#?}");
}

fn size(outcome: &Outcome) -> usize {
    match outcome {
        Outcome::Rows { rows, .. } => rows.len(),
        Outcome::Graph(triples) => triples.len(),
        Outcome::Boolean(_) => 1,
    }
}

/// Whether both have the same rows, in any order. With a LIMIT, only the number of rows is
/// compared.
fn same(query: &str, found: &Result<Outcome, Failure>, expected: &Result<Outcome, Failure>) -> bool {
    match (found, expected) {
        (Ok(found), Ok(expected)) if query.contains("LIMIT") => size(found) == size(expected),
        (Ok(_), Ok(_)) => to_lines(found) == to_lines(expected),
        (found, expected) => found.is_err() == expected.is_err(),
    }
}

fn to_lines(outcome: &Result<Outcome, Failure>) -> Vec<String> {
    let mut lines: Vec<String> = match outcome {
        Err(error) => vec![error.to_string()],
        Ok(Outcome::Boolean(value)) => vec![value.to_string()],
        Ok(Outcome::Graph(triples)) => triples.iter().map(ToString::to_string).collect(),
        Ok(Outcome::Rows { variables, rows }) => {
            let cell = |term: &Option<oxrdf::Term>| term.as_ref().map_or("-".to_owned(), ToString::to_string);
            let line = |row: &Vec<_>| row.iter().map(cell).collect::<Vec<_>>().join("  ");
            std::iter::once(format!(" {variables:?}")).chain(rows.iter().map(line)).collect()
        }
    };
    lines.sort();
    lines
}

#[test]
fn updates_have_the_effect_of_updates_in_oxigraph() {
    let mut changes = 0;
    for seed in seeds(60) {
        let mut rng = SmallRng::seed_from_u64(seed ^ 0x0bad);
        let quads = data::quads(&mut rng, Forms::Usual);
        let mut ours = load(ArchiveEngine::new(), &quads, &mut rng);
        let mut theirs = load(OxigraphEngine::new(), &quads, &mut rng);
        let mut history = Vec::new();
        for _ in 0..8 {
            let update = updates::update(&mut rng);
            history.push(update.clone());
            let (found, expected) = (ours.update(&update, BASE), theirs.update(&update, BASE));
            assert_eq!(found.is_err(), expected.is_err(), "seed {seed}\n{history:#?}\n{found:?}\n{expected:?}");
            if rng.random_bool(0.05) {
                ours = ours.reopen();
            }
            let (found, expected) = (content(&ours), content(&theirs));
            assert_eq!(found, expected, "seed {seed}\n{history:#?}");
            changes += 1;
        }
        drop(quads);
    }
    assert!(changes > 0);
}

/// Quads and graph names, sorted, with canonical blank nodes.
fn content(engine: &impl Engine) -> (Vec<String>, Vec<String>) {
    let (quads, graphs) = engine.content().expect("reading succeeds");
    assert_eq!(quads.iter().collect::<HashSet<_>>().len(), quads.len(), "every quad occurs once");
    let mut dataset: Dataset = quads.iter().collect();
    dataset.canonicalize(CanonicalizationAlgorithm::Unstable);
    let mut quads: Vec<_> = dataset.iter().map(|quad| quad.to_string()).collect();
    let mut graphs: Vec<_> = graphs.iter().map(ToString::to_string).collect();
    quads.sort();
    graphs.sort();
    (quads, graphs)
}
