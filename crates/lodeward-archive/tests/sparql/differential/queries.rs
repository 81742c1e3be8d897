//! Generated queries. Only what has one right answer: no SAMPLE, no sums that
//! depend on their order, no text of a number.

use rand::Rng;
use rand::rngs::SmallRng;

use super::data;

const VARIABLES: [&str; 4] = ["?a", "?b", "?c", "?d"];

fn pick<'a>(chance: &mut SmallRng, from: &[&'a str]) -> &'a str {
    from[chance.random_range(0..from.len())]
}

/// Any query.
pub(super) fn query(chance: &mut SmallRng) -> String {
    let dataset = match chance.random_range(0..12) {
        0 => "FROM <g0> ",
        1 => "FROM <g0> FROM NAMED <g1> ",
        _ => "",
    };
    let body = group(chance, 2);
    match chance.random_range(0..12) {
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

fn group(chance: &mut SmallRng, depth: u32) -> String {
    let mut parts = vec![triples(chance)];
    for _ in 0..chance.random_range(0..3) {
        parts.push(part(chance, depth));
    }
    format!("{{ {} }}", parts.join(" "))
}

fn part(chance: &mut SmallRng, depth: u32) -> String {
    if depth == 0 {
        return triples(chance);
    }
    let inner = group(chance, depth - 1);
    match chance.random_range(0..14) {
        0 | 1 => format!("OPTIONAL {inner}"),
        2 => format!("{{ {inner} UNION {} }}", group(chance, depth - 1)),
        3 => format!("MINUS {inner}"),
        4 => format!("FILTER ({})", condition(chance)),
        5 => format!("FILTER EXISTS {inner}"),
        6 => format!("FILTER NOT EXISTS {inner}"),
        7 => format!("GRAPH ?g {{ {} }}", triples(chance)),
        8 => format!("GRAPH {} {{ {} }}", pick(chance, &["<g0>", "<g1>", "<g7>"]), triples(chance)),
        9 => values(chance),
        10 => format!("{{ SELECT ?a ?b WHERE {inner} }}"),
        11 => format!("{{ SELECT ?a (COUNT(*) AS ?d) WHERE {inner} GROUP BY ?a }}"),
        12 => path(chance),
        _ => triples(chance),
    }
}

fn triples(chance: &mut SmallRng) -> String {
    let count = chance.random_range(1..4);
    (0..count).map(|_| triple(chance)).collect::<Vec<_>>().join(" ")
}

fn triple(chance: &mut SmallRng) -> String {
    let subject = match chance.random_range(0..10) {
        0 => "<s0>".to_owned(),
        1 => "_:x".to_owned() + &chance.random_range(0..u32::MAX).to_string(),
        _ => pick(chance, &VARIABLES).to_owned(),
    };
    let predicate = if chance.random_bool(0.2) {
        pick(chance, &VARIABLES).to_owned()
    } else {
        format!("<p{}>", chance.random_range(0..3))
    };
    let object = if chance.random_bool(0.3) { data::constant(chance) } else { pick(chance, &VARIABLES).to_owned() };
    format!("{subject} {predicate} {object} .")
}

fn path(chance: &mut SmallRng) -> String {
    let path = pick(
        chance,
        &["<p0>/<p1>", "<p0>|<p1>", "^<p0>", "<p0>*", "<p0>+", "<p0>?", "!<p0>", "!(<p0>|^<p1>)", "(<p0>/<p1>)+"],
    );
    let subject = pick(chance, &["?a", "?b", "<s0>"]);
    let object = pick(chance, &["?a", "?c", "<s1>"]);
    format!("{subject} {path} {object} .")
}

fn values(chance: &mut SmallRng) -> String {
    let rows: Vec<_> = (0..chance.random_range(1..4))
        .map(|_| {
            let second = if chance.random_bool(0.3) { "UNDEF".to_owned() } else { data::constant(chance) };
            format!("(<s{}> {second})", chance.random_range(0..4))
        })
        .collect();
    format!("VALUES (?a {}) {{ {} }}", pick(chance, &["?b", "?c"]), rows.join(" "))
}

fn condition(chance: &mut SmallRng) -> String {
    let (one, other) = (pick(chance, &VARIABLES), pick(chance, &VARIABLES));
    let constant = data::constant(chance);
    match chance.random_range(0..9) {
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
