//! Generated updates.

use rand::Rng;
use rand::rngs::SmallRng;

use super::data::{self, Forms};

/// A request of one to three operations.
pub(super) fn update(chance: &mut SmallRng) -> String {
    let count = chance.random_range(1..4);
    (0..count).map(|_| operation(chance)).collect::<Vec<_>>().join(" ;\n")
}

fn operation(chance: &mut SmallRng) -> String {
    let silent = if chance.random_bool(0.7) { "SILENT " } else { "" };
    let pattern = pattern(chance);
    match chance.random_range(0..16) {
        0..3 => format!("INSERT DATA {{ {} }}", ground(chance)),
        3 => format!("DELETE DATA {{ {} }}", ground(chance)),
        4 => format!("DELETE WHERE {{ {pattern} }}"),
        5 => format!("DELETE {{ ?a ?p ?b }} INSERT {{ ?a <p2> ?b }} WHERE {{ ?a ?p ?b . {pattern} }}"),
        6 => format!("INSERT {{ GRAPH <g1> {{ ?a <p1> ?b . ?b <p0> <s1> }} }} WHERE {{ {pattern} }}"),
        7 => format!("WITH <g0> DELETE {{ ?a <p0> ?b }} INSERT {{ ?a <p1> ?b }} WHERE {{ {pattern} }}"),
        8 => format!("INSERT {{ ?a <p0> ?b }} USING <g0> USING <g1> WHERE {{ {pattern} }}"),
        9 => "INSERT { GRAPH ?g { ?a <p2> [] } } WHERE { GRAPH ?g { ?a <p0> ?b } }".to_owned(),
        10 => format!("CLEAR {silent}{}", target(chance)),
        11 => format!("DROP {silent}{}", target(chance)),
        12 => format!("CREATE {silent}GRAPH <g{}>", chance.random_range(0..3)),
        13 => format!("COPY {silent}{} TO {}", place(chance), place(chance)),
        14 => format!("MOVE {silent}{} TO {}", place(chance), place(chance)),
        _ => format!("ADD {silent}{} TO {}", place(chance), place(chance)),
    }
}

fn target(chance: &mut SmallRng) -> String {
    match chance.random_range(0..12) {
        0 => "DEFAULT".to_owned(),
        1 => "NAMED".to_owned(),
        2 => "ALL".to_owned(),
        _ => format!("GRAPH <g{}>", chance.random_range(0..3)),
    }
}

fn place(chance: &mut SmallRng) -> String {
    if chance.random_bool(0.3) { "DEFAULT".to_owned() } else { format!("GRAPH <g{}>", chance.random_range(0..3)) }
}

fn pattern(chance: &mut SmallRng) -> String {
    let predicate = chance.random_range(0..3);
    match chance.random_range(0..4) {
        0 => format!("?a <p{predicate}> ?b . ?b <p0> ?c ."),
        1 => format!("GRAPH <g0> {{ ?a <p{predicate}> ?b }}"),
        2 => format!("<s0> <p{predicate}> ?b . ?a <p1> ?b ."),
        _ => format!("?a <p{predicate}> ?b ."),
    }
}

fn ground(chance: &mut SmallRng) -> String {
    (0..chance.random_range(1..4))
        .map(|_| {
            let subject = chance.random_range(0..4);
            let object = loop {
                let object = data::object(chance, Forms::Usual);
                if !object.is_blank_node() {
                    break object;
                }
            };
            let triple = format!("<s{subject}> {} {object} .", data::predicate(chance));
            if chance.random_bool(0.5) {
                triple
            } else {
                format!("GRAPH <g{}> {{ {triple} }}", chance.random_range(0..3))
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}
