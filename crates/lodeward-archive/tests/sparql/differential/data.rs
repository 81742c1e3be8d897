//! Generated data: few words, so that joins find something.

use oxrdf::vocab::xsd;
use oxrdf::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};
use rand::Rng;
use rand::rngs::SmallRng;

/// How literals are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Forms {
    /// As their values are usually written.
    Usual,
    /// Also `01`, `1.0e0`, `+1`.
    Odd,
}

/// A dataset of up to 40 quads in up to four graphs.
pub(super) fn quads(chance: &mut SmallRng, forms: Forms) -> Vec<Quad> {
    let count = chance.random_range(0..40);
    (0..count).map(|_| Quad::new(subject(chance), predicate(chance), object(chance, forms), graph(chance))).collect()
}

fn node(letter: &str, number: u32) -> NamedNode {
    NamedNode::new_unchecked(format!("http://example.org/{letter}{number}"))
}

pub(super) fn subject(chance: &mut SmallRng) -> NamedOrBlankNode {
    match chance.random_range(0..8) {
        0 => BlankNode::new_unchecked(format!("b{}", chance.random_range(0..2))).into(),
        // Names as long as those of the web, with letters of the world.
        1 => NamedNode::new_unchecked(format!("http://example.org/{}/é/日本", "long".repeat(30))).into(),
        _ => node("s", chance.random_range(0..4)).into(),
    }
}

pub(super) fn predicate(chance: &mut SmallRng) -> NamedNode {
    node("p", chance.random_range(0..3))
}

pub(super) fn graph(chance: &mut SmallRng) -> GraphName {
    match chance.random_range(0..8) {
        0..4 => GraphName::DefaultGraph,
        4 => BlankNode::new_unchecked("g").into(),
        _ => node("g", chance.random_range(0..2)).into(),
    }
}

pub(super) fn object(chance: &mut SmallRng, forms: Forms) -> Term {
    if chance.random_bool(0.4) {
        return subject(chance).into();
    }
    literal(chance, forms).into()
}

pub(super) fn literal(chance: &mut SmallRng, forms: Forms) -> Literal {
    if forms == Forms::Odd && chance.random_bool(0.5) {
        let odd = [
            ("01", xsd::INTEGER),
            ("+1", xsd::INTEGER),
            ("-0", xsd::INTEGER),
            ("1.0", xsd::DECIMAL),
            ("1.0e0", xsd::DOUBLE),
            ("1E0", xsd::DOUBLE),
            ("NaN", xsd::DOUBLE),
            ("99999999999999999999999", xsd::INTEGER),
            ("one", xsd::INTEGER),
            ("1", xsd::BOOLEAN),
            ("2020-01-01T00:00:00.000Z", xsd::DATE_TIME),
            ("2020-01-01T01:00:00+01:00", xsd::DATE_TIME),
            ("2020-13-01", xsd::DATE),
            ("", xsd::STRING),
            ("\u{0}", xsd::STRING),
        ];
        let (form, datatype) = odd[chance.random_range(0..odd.len())];
        return Literal::new_typed_literal(form, datatype);
    }
    match chance.random_range(0..9) {
        0 => Literal::from(chance.random_range(-2i64..3)),
        1 => Literal::new_typed_literal("1.5", xsd::DECIMAL),
        2 => Literal::from(true),
        3 => Literal::new_typed_literal("2020-01-01", xsd::DATE),
        4 => Literal::new_language_tagged_literal_unchecked("chat", ["en", "fr"][chance.random_range(0..2)]),
        5 => Literal::new_simple_literal("längere Rede ".repeat(chance.random_range(1..40))),
        6 => Literal::new_typed_literal("x", node("type", 0)),
        7 => Literal::new_simple_literal("日本\n\"quoted\"\\"),
        _ => Literal::new_simple_literal(["chat", "a", ""][chance.random_range(0..3)]),
    }
}

/// A term as it is written in a query: blank nodes cannot be.
pub(super) fn constant(chance: &mut SmallRng) -> String {
    loop {
        let term = object(chance, Forms::Usual);
        if !term.is_blank_node() {
            return term.to_string();
        }
    }
}
