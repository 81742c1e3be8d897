//! Tests of what the W3C suite does not cover; `tests/it/rdfa.rs` runs the suite.

mod hostile;
mod statements;

use oxrdf::QuadRef;

use super::*;
use crate::{MarkupFault, RdfFaultKind};

const PAGE: &str = "http://a.org/page";

/// The output, one line per statement, in a short form: the page is `page`, and well-known
/// namespaces are prefixes.
#[derive(Default)]
struct PageOutput {
    lines: Vec<String>,
    faults: Vec<MarkupFault>,
}

impl PageSink for PageOutput {
    fn quad(&mut self, _: EmbeddedSyntax, quad: QuadRef<'_>) {
        let line = quad.to_string().replace("http://a.org/", "").replace("http://schema.org/", "s:");
        let line = line.replace("http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:");
        self.lines.push(line.replace("http://www.w3.org/2001/XMLSchema#", "xsd:").replace(['<', '>'], ""));
    }

    fn fault(&mut self, fault: MarkupFault) {
        self.faults.push(fault);
    }

    fn begin(&mut self, _: EmbeddedSyntax) {}
}

fn read_as(document: &str, host: HostLanguage, options: &RdfaOptions) -> PageOutput {
    let mut found = PageOutput::default();
    read(document, PAGE, host, options, &mut found);
    found
}

/// Reads HTML with the vocabulary schema.org; the statement about the vocabulary is omitted.
fn read_html(body: &str) -> PageOutput {
    let page = format!("<!DOCTYPE html><body vocab='http://schema.org/'>{body}</body>");
    let mut found = read_as(&page, HostLanguage::Html, &RdfaOptions::default());
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
