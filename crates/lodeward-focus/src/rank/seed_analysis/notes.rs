//! Notes about unusual properties of a list of seeds.

use oxrdf::NamedNode;

use super::super::graph::EntityGraph;
use super::super::hops::HopCount;
use super::super::join_with_and;
use super::SeedAnalysis;
use super::coherence::Coherence;

/// Maximum number of names listed in a note.
const MAX_NAMES: usize = 3;
/// A list with more seeds than this gets a note about its size.
const MANY_SEEDS: usize = 500;

pub(super) fn notes(
    graph: &EntityGraph<'_>,
    analysis: &SeedAnalysis,
    coherence: &Coherence,
    path_max: HopCount,
) -> Vec<String> {
    let mut notes = Vec::new();
    presence_notes(analysis, &mut notes);
    connection_notes(graph, analysis, coherence, path_max, &mut notes);
    let unlabelled = analysis.seeds.iter().filter(|seed| graph.label(seed.entity).is_none());
    let unlabelled: Vec<&str> = unlabelled.map(|seed| &*seed.name).collect();
    if !unlabelled.is_empty() {
        let seeds = seed_phrase(&unlabelled, analysis.seeds.len());
        notes.push(format!("no label, so the words of the IRI are used: {seeds}"));
    }
    let unmeasured = analysis.seeds.iter().filter(|seed| seed.katz.is_none()).map(|seed| &*seed.name);
    let unmeasured: Vec<&str> = unmeasured.collect();
    if !unmeasured.is_empty() {
        let seeds = seed_phrase(&unmeasured, analysis.seeds.len());
        notes.push(format!("not in the reference graph, so the weight is 1: {seeds}"));
    }
    notes
}

/// Notes about missing seeds and the number of seeds.
fn presence_notes(analysis: &SeedAnalysis, notes: &mut Vec<String>) {
    let SeedAnalysis { seeds, missing, .. } = analysis;
    let all = seeds.len() + missing.len();
    let (literals, absent): (Vec<&str>, Vec<&str>) =
        missing.iter().map(String::as_str).partition(|name| NamedNode::new(*name).is_err());
    if all == 0 {
        notes.push("no seeds: nothing can be ranked".to_owned());
    } else if seeds.is_empty() {
        notes.push("no seed was fetched: nothing can be ranked".to_owned());
    } else if !absent.is_empty() {
        let absent = seed_phrase(&absent, all);
        notes.push(format!("not fetched, so ignored: {absent}"));
    }
    if !literals.is_empty() {
        let literals = seed_phrase(&literals, all);
        notes.push(format!("a text instead of an IRI, so ignored: {literals}"));
    }
    if seeds.len() == 1 {
        notes.push("one seed: its weight is 1, and coherence is 1 by definition".to_owned());
    }
    if seeds.len() > MANY_SEEDS {
        let count = seeds.len();
        notes.push(format!(
            "{count} seeds: a list of this size is seldom about one topic, and each seed has little weight"
        ));
    }
}

/// Notes about links of seeds.
fn connection_notes(
    graph: &EntityGraph<'_>,
    analysis: &SeedAnalysis,
    coherence: &Coherence,
    path_max: HopCount,
    notes: &mut Vec<String>,
) {
    let alone = analysis.seeds.iter().filter(|seed| graph.neighbours(seed.entity).is_empty());
    let alone: Vec<&str> = alone.map(|seed| &*seed.name).collect();
    if !alone.is_empty() {
        let alone = seed_phrase(&alone, analysis.seeds.len());
        notes.push(format!("no links, so no candidates are found from it: {alone}"));
    }
    let Coherence { pairs, measured, unconnected, .. } = *coherence;
    if measured < pairs {
        notes.push(format!("coherence was measured on a sample: {measured} of {pairs} pairs of seeds"));
    }
    if unconnected > 0 && unconnected == measured {
        notes.push(format!(
            "no two seeds are connected by a path of at most {path_max} links: this may be several lists, which \
             would be ranked better separately"
        ));
    } else if unconnected > 0 {
        notes.push(format!(
            "{unconnected} of {measured} pairs of seeds are not connected by a path of at most {path_max} links; they \
             are treated as {path_max} links apart"
        ));
    }
}

/// Formats a list of seeds: `a`, `2 of 5 seeds (a and b)`.
fn seed_phrase(names: &[&str], all: usize) -> String {
    match names {
        [name] => (*name).to_owned(),
        _ if names.len() <= MAX_NAMES => format!("{} of {all} seeds ({})", names.len(), join_with_and(names)),
        _ => format!("{} of {all} seeds ({}, …)", names.len(), names[..MAX_NAMES].join(", ")),
    }
}
