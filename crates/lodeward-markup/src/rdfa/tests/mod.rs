//! What the suite misses: see `tests/it/rdfa.rs` for what it does not.

mod hostile;
mod meaning;

use oxrdf::QuadRef;

use super::*;
use crate::{Fault, FaultKind};

const PAGE: &str = "http://a.org/page";

/// What was read, a line each, in a short form: IRIs of the page begin with
/// `page`, and well-known namespaces are prefixes.
#[derive(Default)]
struct Read {
    lines: Vec<String>,
    faults: Vec<Fault>,
}

impl Sink for Read {
    fn quad(&mut self, _: Syntax, quad: QuadRef<'_>) {
        let line = quad.to_string().replace("http://a.org/", "").replace("http://schema.org/", "s:");
        let line = line.replace("http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:");
        self.lines.push(line.replace("http://www.w3.org/2001/XMLSchema#", "xsd:").replace(['<', '>'], ""));
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn begin(&mut self, _: Syntax) {}
}

fn read_as(document: &str, host: Host, options: &Options) -> Read {
    let mut found = Read::default();
    read(document, PAGE, host, options, &mut found);
    found
}

/// Reads HTML whose vocabulary is schema.org, without saying so.
fn read_html(body: &str) -> Read {
    let page = format!("<!DOCTYPE html><body vocab='http://schema.org/'>{body}</body>");
    let mut found = read_as(&page, Host::Html, &Options::default());
    found.lines.retain(|line| !line.contains("usesVocabulary"));
    found
}

#[track_caller]
fn check(body: &str, expected: &[&str]) {
    let mut lines = read_html(body).lines;
    let mut expected = expected.to_vec();
    lines.sort();
    expected.sort_unstable();
    assert_eq!(lines, expected, "{body}");
}
