//! Prints the RDF of a page as N-Quads: `quads FILE URL`.
//!
//! It shows what a program needs to read pages: bytes are decoded to text, the page is read, and
//! statements are written as they are found. Blank nodes are made unique, because each script of a
//! page has its own.
#![expect(clippy::print_stdout, reason = "a tool that prints its results")]

use lodeward_markup::charset::{self, CharsetSource};
use lodeward_markup::rdfa::HostLanguage;
use lodeward_markup::{EmbeddedSyntax, MarkupFault, PageReader, PageSink};
use oxrdf::{BlankNode, NamedOrBlankNode, Quad, QuadRef, Term};

/// Prints statements.
#[derive(Default)]
struct Printer {
    scope: usize,
}

impl PageSink for Printer {
    fn quad(&mut self, _: EmbeddedSyntax, quad: QuadRef<'_>) {
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

    fn fault(&mut self, fault: MarkupFault) {
        eprintln!("{fault}");
    }

    fn begin(&mut self, _: EmbeddedSyntax) {
        self.scope += 1;
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(url)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: quads FILE URL");
        std::process::exit(2);
    };
    let bytes = match std::fs::read(&file) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{file}: {error}");
            std::process::exit(1);
        }
    };
    let encoding = charset::detect_encoding(CharsetSource::Html, None, &bytes, None);
    let (page, _) = charset::decode(&bytes, encoding);
    let summary = PageReader::default().read(&page, &url, HostLanguage::Html, &mut Printer::default());
    eprintln!("{}", summary.label.name());
}
