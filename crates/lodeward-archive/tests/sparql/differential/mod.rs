//! The same answers as oxigraph, on generated data, queries and updates.
//!
//! oxigraph has the same parser and evaluator, so this tests what is ours: the
//! storage, the order of joins, the default graphs. It keeps the values of
//! numbers and dates and forgets how they were written, so where literals have
//! odd forms, spareval on `oxrdf::Dataset` says what is right instead.
//! `LODEWARD_TORTURE=1` runs 3,000 datasets with 20,000 queries and 8,000 updates; a failure tells its seed and the smallest
//! data that shows it, and `LODEWARD_SEED` runs one seed alone.

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

use crate::engine::{Engine, Failure, Ours, Outcome, Theirs};
use data::Forms;

const BASE: &str = "http://example.org/";

/// The seeds to run: few, or 1,000 with `LODEWARD_TORTURE`, or as many as it says.
fn seeds(few: u64) -> Range<u64> {
    let number = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>().unwrap_or(1));
    if let Some(seed) = number("LODEWARD_SEED") {
        return seed..seed + 1;
    }
    0..number("LODEWARD_TORTURE").map_or(few, |many| if many > 1 { many } else { 1000 })
}

#[test]
fn queries_have_the_answers_of_oxigraph() {
    let mut rows = 0;
    for seed in seeds(60) {
        let mut chance = SmallRng::seed_from_u64(seed);
        let quads = data::quads(&mut chance, Forms::Usual);
        let ours = loaded(Ours::new(), &quads, &mut chance);
        let theirs = loaded(Theirs::new(), &quads, &mut chance);
        for _ in 0..10 {
            let query = queries::query(&mut chance);
            let wanted = theirs.query(&query, BASE, None);
            rows += compare(seed, &quads, &query, &ours, &wanted, |quads| {
                loaded(Theirs::new(), quads, &mut SmallRng::seed_from_u64(0)).query(&query, BASE, None)
            });
        }
    }
    assert!(rows > 0, "some queries have answers");
}

#[test]
fn odd_forms_of_literals_are_kept_apart() {
    for seed in seeds(40) {
        let mut chance = SmallRng::seed_from_u64(seed ^ 0x5eed);
        let quads = data::quads(&mut chance, Forms::Odd);
        let ours = loaded(Ours::new(), &quads, &mut chance);
        for _ in 0..10 {
            let query = queries::query(&mut chance);
            compare(seed, &quads, &query, &ours, &reference(&quads, &query), |quads| reference(quads, &query));
        }
    }
}

/// What spareval says without any storage of ours.
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

/// Loads in one or several transactions, and with repetitions.
fn loaded<E: Engine>(mut engine: E, quads: &[Quad], chance: &mut SmallRng) -> E {
    let at = chance.random_range(0..=quads.len());
    engine.load(&quads[..at]).expect("it can be loaded");
    engine.load(&quads[at.saturating_sub(2)..]).expect("it can be loaded");
    engine
}

fn compare(
    seed: u64,
    quads: &[Quad],
    query: &str,
    ours: &Ours,
    wanted: &Result<Outcome, Failure>,
    again: impl Fn(&[Quad]) -> Result<Outcome, Failure>,
) -> usize {
    let found = ours.query(query, BASE, None);
    if same(query, &found, wanted) {
        return found.as_ref().map_or(0, size);
    }
    // The smallest data that shows it: without whatever it shows it without.
    let differs = |quads: &[Quad]| {
        let ours = loaded(Ours::new(), quads, &mut SmallRng::seed_from_u64(0));
        !same(query, &ours.query(query, BASE, None), &again(quads))
    };
    let mut least = quads.to_vec();
    let mut at = 0;
    while at < least.len() {
        let mut fewer = least.clone();
        fewer.remove(at);
        if differs(&fewer) { least = fewer } else { at += 1 }
    }
    let ours = loaded(Ours::new(), &least, &mut SmallRng::seed_from_u64(0));
    let data = least.iter().map(|quad| format!("{quad} .")).collect::<Vec<_>>().join("\n");
    let (found, wanted) = (shown(&ours.query(query, BASE, None)), shown(&again(&least)));
    panic!("seed {seed}\n{data}\n{query}\nfound  {found:#?}\nwanted {wanted:#?}");
}

fn size(outcome: &Outcome) -> usize {
    match outcome {
        Outcome::Rows { rows, .. } => rows.len(),
        Outcome::Graph(triples) => triples.len(),
        Outcome::Boolean(_) => 1,
    }
}

/// The same rows as often, in any order. With a LIMIT, any of them are right: as many.
fn same(query: &str, found: &Result<Outcome, Failure>, wanted: &Result<Outcome, Failure>) -> bool {
    match (found, wanted) {
        (Ok(found), Ok(wanted)) if query.contains("LIMIT") => size(found) == size(wanted),
        (Ok(_), Ok(_)) => shown(found) == shown(wanted),
        (found, wanted) => found.is_err() == wanted.is_err(),
    }
}

fn shown(outcome: &Result<Outcome, Failure>) -> Vec<String> {
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
fn updates_leave_what_oxigraph_leaves() {
    let mut changes = 0;
    for seed in seeds(60) {
        let mut chance = SmallRng::seed_from_u64(seed ^ 0x0bad);
        let quads = data::quads(&mut chance, Forms::Usual);
        let mut ours = loaded(Ours::new(), &quads, &mut chance);
        let mut theirs = loaded(Theirs::new(), &quads, &mut chance);
        let mut story = Vec::new();
        for _ in 0..8 {
            let update = updates::update(&mut chance);
            story.push(update.clone());
            let (found, wanted) = (ours.update(&update, BASE), theirs.update(&update, BASE));
            assert_eq!(found.is_err(), wanted.is_err(), "seed {seed}\n{story:#?}\n{found:?}\n{wanted:?}");
            if chance.random_bool(0.05) {
                ours = ours.reopened();
            }
            let (found, wanted) = (content(&ours), content(&theirs));
            assert_eq!(found, wanted, "seed {seed}\n{story:#?}");
            changes += 1;
        }
        drop(quads);
    }
    assert!(changes > 0);
}

/// Quads and names of graphs, sorted, with blank nodes named after what they are.
fn content(engine: &impl Engine) -> (Vec<String>, Vec<String>) {
    let (quads, graphs) = engine.content().expect("it can be read");
    assert_eq!(quads.iter().collect::<HashSet<_>>().len(), quads.len(), "every quad comes once");
    let mut dataset: Dataset = quads.iter().collect();
    dataset.canonicalize(CanonicalizationAlgorithm::Unstable);
    let mut quads: Vec<_> = dataset.iter().map(|quad| quad.to_string()).collect();
    let mut graphs: Vec<_> = graphs.iter().map(ToString::to_string).collect();
    quads.sort();
    graphs.sort();
    (quads, graphs)
}
