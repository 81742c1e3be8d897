//! Random data with few distinct terms, so that joins find matches.

use oxrdf::vocab::xsd;
use oxrdf::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};
use rand::Rng;
use rand::rngs::SmallRng;

/// The lexical forms of literals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Forms {
    /// The usual forms of values.
    Usual,
    /// Also `01`, `1.0e0`, `+1`.
    Odd,
}

/// A dataset of up to 24 quads in up to four graphs. With more, cross products take minutes.
pub(super) fn quads(rng: &mut SmallRng, forms: Forms) -> Vec<Quad> {
    let count = rng.random_range(0..24);
    (0..count).map(|_| Quad::new(subject(rng), predicate(rng), object(rng, forms), graph(rng))).collect()
}

fn node(letter: &str, number: u32) -> NamedNode {
    NamedNode::new_unchecked(format!("http://example.org/{letter}{number}"))
}

pub(super) fn subject(rng: &mut SmallRng) -> NamedOrBlankNode {
    match rng.random_range(0..8) {
        0 => BlankNode::new_unchecked(format!("b{}", rng.random_range(0..2))).into(),
        // A long name with non-ASCII characters.
        1 => NamedNode::new_unchecked(format!("http://example.org/{}/é/日本", "long".repeat(30))).into(),
        _ => node("s", rng.random_range(0..4)).into(),
    }
}

pub(super) fn predicate(rng: &mut SmallRng) -> NamedNode {
    node("p", rng.random_range(0..3))
}

pub(super) fn graph(rng: &mut SmallRng) -> GraphName {
    match rng.random_range(0..8) {
        0..4 => GraphName::DefaultGraph,
        4 => BlankNode::new_unchecked("g").into(),
        _ => node("g", rng.random_range(0..2)).into(),
    }
}

pub(super) fn object(rng: &mut SmallRng, forms: Forms) -> Term {
    if rng.random_bool(0.4) {
        return subject(rng).into();
    }
    literal(rng, forms).into()
}

pub(super) fn literal(rng: &mut SmallRng, forms: Forms) -> Literal {
    if forms == Forms::Odd && rng.random_bool(0.5) {
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
        let (form, datatype) = odd[rng.random_range(0..odd.len())];
        return Literal::new_typed_literal(form, datatype);
    }
    match rng.random_range(0..9) {
        0 => Literal::from(rng.random_range(-2i64..3)),
        1 => Literal::new_typed_literal("1.5", xsd::DECIMAL),
        2 => Literal::from(true),
        3 => Literal::new_typed_literal("2020-01-01", xsd::DATE),
        4 => Literal::new_language_tagged_literal_unchecked("chat", ["en", "fr"][rng.random_range(0..2)]),
        5 => Literal::new_simple_literal("längere Rede ".repeat(rng.random_range(1..40))),
        6 => Literal::new_typed_literal("x", node("type", 0)),
        7 => Literal::new_simple_literal("日本\n\"quoted\"\\"),
        _ => Literal::new_simple_literal(["chat", "a", ""][rng.random_range(0..3)]),
    }
}

/// A term in SPARQL syntax, which is never a blank node.
pub(super) fn constant(rng: &mut SmallRng) -> String {
    loop {
        let term = object(rng, Forms::Usual);
        if !term.is_blank_node() {
            return term.to_string();
        }
    }
}
