//! Archives and quads for tests.

use std::collections::BTreeSet;

use lodeward_archive::{Archive, Options, Snapshot};
use oxrdf::{BlankNode, GraphName, Literal, NamedNode, Quad, Term};
use tempfile::TempDir;

/// Small buffers, so that little data exercises all code paths.
pub(crate) fn options() -> Options {
    let mut options = Options::default();
    options.cache_bytes = 1 << 20;
    options.buffer_bytes = 1 << 20;
    options.recent_terms = 50;
    options.run_quads = 150;
    options.min_ingested_quads = 60;
    // The journal is marked every few commits.
    options.replayed_bytes = 10 << 10;
    options
}

pub(crate) fn archive() -> (TempDir, Archive) {
    let directory = TempDir::new().unwrap();
    let archive = Archive::open(directory.path().join("archive"), &options()).unwrap();
    (directory, archive)
}

pub(crate) fn node(name: impl std::fmt::Display) -> NamedNode {
    NamedNode::new(format!("http://a.example/{name}")).unwrap()
}

pub(crate) fn quad(graph: &str, subject: u64, predicate: u64, object: impl Into<Term>) -> Quad {
    Quad::new(node(subject), node(format!("p{predicate}")), object, node(graph))
}

/// An object; its kind depends on the number.
pub(crate) fn object(number: u64) -> Term {
    let typed = |value: String, name: &str| {
        let datatype = format!("http://www.w3.org/2001/XMLSchema#{name}");
        Literal::new_typed_literal(value, NamedNode::new(datatype).unwrap())
    };
    match number % 10 {
        0 => node(number).into(),
        1 => BlankNode::new(format!("b{number}")).unwrap().into(),
        2 => Literal::new_simple_literal(format!("a text that is long enough: {number}")).into(),
        3 => Literal::new_simple_literal(format!("s{number}")).into(),
        4 => typed(format!("0{number}"), "integer").into(),
        5 => Literal::new_language_tagged_literal(format!("wort {number}"), "de").unwrap().into(),
        6 => typed(format!("2012-05-{:02}T00:00:00Z", number % 28 + 1), "dateTime").into(),
        7 => typed(format!("{number}.5"), "decimal").into(),
        8 => Literal::new_language_tagged_literal("x", "en-gb").unwrap().into(),
        _ => Literal::new_typed_literal("\u{0}é\n\"", NamedNode::new("http://a.example/type").unwrap()).into(),
    }
}

pub(crate) fn insert<'a>(archive: &Archive, quads: impl IntoIterator<Item = &'a Quad>) {
    let mut transaction = archive.begin();
    for quad in quads {
        transaction.insert(quad.as_ref()).unwrap();
    }
    transaction.commit().unwrap();
}

pub(crate) fn graph(name: &str) -> GraphName {
    node(name).into()
}

/// All quads of a snapshot, after a consistency check.
pub(crate) fn everything(snapshot: &Snapshot) -> BTreeSet<String> {
    snapshot.check().unwrap();
    let all: Vec<String> = snapshot.quads(None, None, None, None).map(|quad| quad.unwrap().to_string()).collect();
    let set: BTreeSet<String> = all.iter().cloned().collect();
    assert_eq!(set.len(), all.len(), "no quad occurs twice");
    assert_eq!(snapshot.len().unwrap(), all.len() as u64);
    set
}

pub(crate) fn lines<'a>(quads: impl IntoIterator<Item = &'a Quad>) -> BTreeSet<String> {
    quads.into_iter().map(Quad::to_string).collect()
}
