//! Random queries with a unique correct result: no SAMPLE, no sums that depend on their order, no
//! text of a number.

use rand::Rng;
use rand::rngs::SmallRng;

use super::data;

const VARIABLES: [&str; 4] = ["?a", "?b", "?c", "?d"];

fn pick<'a>(rng: &mut SmallRng, from: &[&'a str]) -> &'a str {
    from[rng.random_range(0..from.len())]
}

/// A random query.
pub(super) fn query(rng: &mut SmallRng) -> String {
    let dataset = match rng.random_range(0..12) {
        0 => "FROM <g0> ",
        1 => "FROM <g0> FROM NAMED <g1> ",
        _ => "",
    };
    let body = group(rng, 2);
    match rng.random_range(0..12) {
        0 => format!("ASK {dataset}{body}"),
        1 => format!("CONSTRUCT {{ ?a <p9> ?b }} {dataset}WHERE {body}"),
        2 => format!("SELECT DISTINCT ?a ?b {dataset}WHERE {body}"),
        3 => format!("SELECT ?a (COUNT(?b) AS ?n) (COUNT(DISTINCT ?c) AS ?m) {dataset}WHERE {body} GROUP BY ?a"),
        4 => format!("SELECT (COUNT(*) AS ?n) {dataset}WHERE {body}"),
        5 => format!("SELECT ?a ?b {dataset}WHERE {body} ORDER BY ?a DESC(?b)"),
        6 => format!("SELECT ?a ?b {dataset}WHERE {body} ORDER BY ?a LIMIT 3 OFFSET 1"),
        7 => format!("SELECT ?a (COUNT(*) AS ?n) {dataset}WHERE {body} GROUP BY ?a HAVING (COUNT(*) > 1)"),
        _ => format!("SELECT ?a ?b ?c ?d ?g {dataset}WHERE {body}"),
    }
}

fn group(rng: &mut SmallRng, depth: u32) -> String {
    let mut parts = vec![triples(rng)];
    for _ in 0..rng.random_range(0..3) {
        parts.push(part(rng, depth));
    }
    format!("{{ {} }}", parts.join(" "))
}

fn part(rng: &mut SmallRng, depth: u32) -> String {
    if depth == 0 {
        return triples(rng);
    }
    let inner = group(rng, depth - 1);
    match rng.random_range(0..14) {
        0 | 1 => format!("OPTIONAL {inner}"),
        2 => format!("{{ {inner} UNION {} }}", group(rng, depth - 1)),
        3 => format!("MINUS {inner}"),
        4 => format!("FILTER ({})", condition(rng)),
        5 => format!("FILTER EXISTS {inner}"),
        6 => format!("FILTER NOT EXISTS {inner}"),
        7 => format!("GRAPH ?g {{ {} }}", triples(rng)),
        8 => format!("GRAPH {} {{ {} }}", pick(rng, &["<g0>", "<g1>", "<g7>"]), triples(rng)),
        9 => values(rng),
        10 => format!("{{ SELECT ?a ?b WHERE {inner} }}"),
        11 => format!("{{ SELECT ?a (COUNT(*) AS ?d) WHERE {inner} GROUP BY ?a }}"),
        12 => path(rng),
        _ => triples(rng),
    }
}

fn triples(rng: &mut SmallRng) -> String {
    let count = rng.random_range(1..4);
    (0..count).map(|_| triple(rng)).collect::<Vec<_>>().join(" ")
}

fn triple(rng: &mut SmallRng) -> String {
    let subject = match rng.random_range(0..10) {
        0 => "<s0>".to_owned(),
        1 => "_:x".to_owned() + &rng.random_range(0..u32::MAX).to_string(),
        _ => pick(rng, &VARIABLES).to_owned(),
    };
    let predicate =
        if rng.random_bool(0.2) { pick(rng, &VARIABLES).to_owned() } else { format!("<p{}>", rng.random_range(0..3)) };
    let object = if rng.random_bool(0.3) { data::constant(rng) } else { pick(rng, &VARIABLES).to_owned() };
    format!("{subject} {predicate} {object} .")
}

fn path(rng: &mut SmallRng) -> String {
    let path = pick(
        rng,
        &["<p0>/<p1>", "<p0>|<p1>", "^<p0>", "<p0>*", "<p0>+", "<p0>?", "!<p0>", "!(<p0>|^<p1>)", "(<p0>/<p1>)+"],
    );
    let subject = pick(rng, &["?a", "?b", "<s0>"]);
    let object = pick(rng, &["?a", "?c", "<s1>"]);
    format!("{subject} {path} {object} .")
}

fn values(rng: &mut SmallRng) -> String {
    let rows: Vec<_> = (0..rng.random_range(1..4))
        .map(|_| {
            let second = if rng.random_bool(0.3) { "UNDEF".to_owned() } else { data::constant(rng) };
            format!("(<s{}> {second})", rng.random_range(0..4))
        })
        .collect();
    format!("VALUES (?a {}) {{ {} }}", pick(rng, &["?b", "?c"]), rows.join(" "))
}

fn condition(rng: &mut SmallRng) -> String {
    let (one, other) = (pick(rng, &VARIABLES), pick(rng, &VARIABLES));
    let constant = data::constant(rng);
    match rng.random_range(0..9) {
        0 => format!("{one} = {other}"),
        1 => format!("{one} != {constant}"),
        2 => format!("{one} = {constant}"),
        3 => format!("{one} < {other} || bound({other})"),
        4 => format!("isIRI({one}) && !bound({other})"),
        5 => format!("STRLEN(STR({one})) > 3"),
        6 => format!("regex({one}, \"a\", \"i\")"),
        7 => format!("{one} IN ({constant}, {other})"),
        _ => format!("lang({one}) = \"en\" || sameTerm({one}, {other})"),
    }
}
