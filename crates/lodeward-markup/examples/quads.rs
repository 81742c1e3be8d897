//! The RDF of a page, as N-Quads: `quads FILE ADDRESS`.
//!
//! What a program needs that reads pages by itself: bytes become text, the page
//! is read, and statements are written as they come. Blank nodes are made
//! unique, because each script of a page has its own.
#![expect(clippy::print_stdout, reason = "it is a tool")]

use lodeward_markup::charset::{self, Kind};
use lodeward_markup::rdfa::Host;
use lodeward_markup::{Fault, Reader, Sink, Syntax};
use oxrdf::{BlankNode, NamedOrBlankNode, Quad, QuadRef, Term};

/// Prints statements.
#[derive(Default)]
struct Printer {
    scope: usize,
}

impl Sink for Printer {
    fn quad(&mut self, _: Syntax, quad: QuadRef<'_>) {
        let unique = |node: BlankNode| BlankNode::new_unchecked(format!("s{}{}", self.scope, node.as_str()));
        let Quad { mut subject, predicate, mut object, graph_name } = quad.into_owned();
        if let NamedOrBlankNode::BlankNode(node) = subject {
            subject = unique(node).into();
        }
        if let Term::BlankNode(node) = object {
            object = unique(node).into();
        }
        println!("{} .", Quad { subject, predicate, object, graph_name });
    }

    fn fault(&mut self, fault: Fault) {
        eprintln!("{fault}");
    }

    fn begin(&mut self, _: Syntax) {
        self.scope += 1;
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(address)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: quads FILE ADDRESS");
        std::process::exit(2);
    };
    let bytes = match std::fs::read(&file) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{file}: {error}");
            std::process::exit(1);
        }
    };
    let encoding = charset::encoding(Kind::Html, None, &bytes, None);
    let (page, _) = charset::decode(&bytes, encoding);
    let found = Reader::default().read(&page, &address, Host::Html, &mut Printer::default());
    eprintln!("{}", found.label.name());
}
