//! Random updates.

use rand::Rng;
use rand::rngs::SmallRng;

use super::data::{self, Forms};

/// A request of one to three operations.
pub(super) fn update(rng: &mut SmallRng) -> String {
    let count = rng.random_range(1..4);
    (0..count).map(|_| operation(rng)).collect::<Vec<_>>().join(" ;\n")
}

fn operation(rng: &mut SmallRng) -> String {
    let silent = if rng.random_bool(0.7) { "SILENT " } else { "" };
    let pattern = pattern(rng);
    match rng.random_range(0..16) {
        0..3 => format!("INSERT DATA {{ {} }}", ground(rng)),
        3 => format!("DELETE DATA {{ {} }}", ground(rng)),
        4 => format!("DELETE WHERE {{ {pattern} }}"),
        5 => format!("DELETE {{ ?a ?p ?b }} INSERT {{ ?a <p2> ?b }} WHERE {{ ?a ?p ?b . {pattern} }}"),
        6 => format!("INSERT {{ GRAPH <g1> {{ ?a <p1> ?b . ?b <p0> <s1> }} }} WHERE {{ {pattern} }}"),
        7 => format!("WITH <g0> DELETE {{ ?a <p0> ?b }} INSERT {{ ?a <p1> ?b }} WHERE {{ {pattern} }}"),
        8 => format!("INSERT {{ ?a <p0> ?b }} USING <g0> USING <g1> WHERE {{ {pattern} }}"),
        9 => "INSERT { GRAPH ?g { ?a <p2> [] } } WHERE { GRAPH ?g { ?a <p0> ?b } }".to_owned(),
        10 => format!("CLEAR {silent}{}", target(rng)),
        11 => format!("DROP {silent}{}", target(rng)),
        12 => format!("CREATE {silent}GRAPH <g{}>", rng.random_range(0..3)),
        13 => format!("COPY {silent}{} TO {}", graph_ref(rng), graph_ref(rng)),
        14 => format!("MOVE {silent}{} TO {}", graph_ref(rng), graph_ref(rng)),
        _ => format!("ADD {silent}{} TO {}", graph_ref(rng), graph_ref(rng)),
    }
}

fn target(rng: &mut SmallRng) -> String {
    match rng.random_range(0..12) {
        0 => "DEFAULT".to_owned(),
        1 => "NAMED".to_owned(),
        2 => "ALL".to_owned(),
        _ => format!("GRAPH <g{}>", rng.random_range(0..3)),
    }
}

fn graph_ref(rng: &mut SmallRng) -> String {
    if rng.random_bool(0.3) { "DEFAULT".to_owned() } else { format!("GRAPH <g{}>", rng.random_range(0..3)) }
}

fn pattern(rng: &mut SmallRng) -> String {
    let predicate = rng.random_range(0..3);
    match rng.random_range(0..4) {
        0 => format!("?a <p{predicate}> ?b . ?b <p0> ?c ."),
        1 => format!("GRAPH <g0> {{ ?a <p{predicate}> ?b }}"),
        2 => format!("<s0> <p{predicate}> ?b . ?a <p1> ?b ."),
        _ => format!("?a <p{predicate}> ?b ."),
    }
}

fn ground(rng: &mut SmallRng) -> String {
    (0..rng.random_range(1..4))
        .map(|_| {
            let subject = rng.random_range(0..4);
            let object = loop {
                let object = data::object(rng, Forms::Usual);
                if !object.is_blank_node() {
                    break object;
                }
            };
            let triple = format!("<s{subject}> {} {object} .", data::predicate(rng));
            if rng.random_bool(0.5) { triple } else { format!("GRAPH <g{}> {{ {triple} }}", rng.random_range(0..3)) }
        })
        .collect::<Vec<_>>()
        .join(" ")
}
