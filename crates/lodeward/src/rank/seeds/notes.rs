//! What is odd about a seed list, in plain words.

use oxrdf::NamedNode;

use super::super::graph::EntityGraph;
use super::super::hops::Hop;
use super::super::said;
use super::SeedAnalysis;
use super::coherence::Coherence;

/// Names that a note lists.
const NAMED: usize = 3;
/// More seeds than this are very many: they are about everything.
const MANY: usize = 500;

pub(super) fn notes(
    graph: &EntityGraph<'_>,
    analysis: &SeedAnalysis,
    coherence: &Coherence,
    path_max: Hop,
) -> Vec<String> {
    let mut notes = Vec::new();
    presence(analysis, &mut notes);
    connections(graph, analysis, coherence, path_max, &mut notes);
    let unlabelled = analysis.seeds.iter().filter(|seed| graph.label(seed.entity).is_none());
    let unlabelled: Vec<&str> = unlabelled.map(|seed| &*seed.name).collect();
    if !unlabelled.is_empty() {
        let those = some_of(&unlabelled, analysis.seeds.len());
        notes.push(format!("{those} without a label: the words of the IRI stand for it"));
    }
    let unreferred = analysis.seeds.iter().filter(|seed| seed.katz.is_none()).map(|seed| &*seed.name);
    let unreferred: Vec<&str> = unreferred.collect();
    if !unreferred.is_empty() {
        let those = some_of(&unreferred, analysis.seeds.len());
        notes.push(format!("{those} not in the reference graph: nobody knows how central it is, so it weighs 1"));
    }
    notes
}

/// Who is there at all.
fn presence(analysis: &SeedAnalysis, notes: &mut Vec<String>) {
    let SeedAnalysis { seeds, missing, .. } = analysis;
    let all = seeds.len() + missing.len();
    let (literals, absent): (Vec<&str>, Vec<&str>) =
        missing.iter().map(String::as_str).partition(|name| NamedNode::new(*name).is_err());
    if all == 0 {
        notes.push("there are no seeds, so there is nothing to rank by".to_owned());
    } else if seeds.is_empty() {
        notes.push("no seed was reached: nothing is known of any of them, so nothing can be ranked".to_owned());
    } else if !absent.is_empty() {
        let those = some_of(&absent, all);
        notes.push(format!("{those} not reached: nothing is known of it, and it counts for nothing"));
    }
    if !literals.is_empty() {
        let those = some_of(&literals, all);
        notes.push(format!("{those} no IRI but a text: it has to be resolved to an entity before it can count"));
    }
    if seeds.len() == 1 {
        notes.push("there is one seed: its weight is 1, and coherence is 1 by definition".to_owned());
    }
    if seeds.len() > MANY {
        let count = seeds.len();
        notes.push(format!(
            "there are {count} seeds: so many are seldom about one thing, and one by one they count for little"
        ));
    }
}

/// Who is connected with whom.
fn connections(
    graph: &EntityGraph<'_>,
    analysis: &SeedAnalysis,
    coherence: &Coherence,
    path_max: Hop,
    notes: &mut Vec<String>,
) {
    let alone = analysis.seeds.iter().filter(|seed| graph.neighbours(seed.entity).is_empty());
    let alone: Vec<&str> = alone.map(|seed| &*seed.name).collect();
    if !alone.is_empty() {
        let those = some_of(&alone, analysis.seeds.len());
        notes.push(format!("{those} without any link: no candidate is found from it"));
    }
    let Coherence { pairs, measured, unconnected, .. } = *coherence;
    if measured < pairs {
        notes.push(format!("of {pairs} pairs of seeds, {measured} were looked at: coherence is that of a sample"));
    }
    if unconnected > 0 && unconnected == measured {
        notes.push(format!(
            "no two seeds are connected by a path of at most {path_max} links: this may be several lists, each of \
             which would be ranked better alone"
        ));
    } else if unconnected > 0 {
        notes.push(format!(
            "{unconnected} of {measured} pairs of seeds are not connected by a path of at most {path_max} links, and \
             count as {path_max} links apart"
        ));
    }
}

/// `seed a is`, `2 of 5 seeds (a and b) are each`.
fn some_of(names: &[&str], all: usize) -> String {
    match names {
        [name] => format!("seed {name} is"),
        _ if names.len() <= NAMED => format!("{} of {all} seeds ({}) are each", names.len(), said(names)),
        _ => format!("{} of {all} seeds ({}, …) are each", names.len(), names[..NAMED].join(", ")),
    }
}
