//! Prints what pages contain, one JSON object per page and line: statements by syntax, JSON-LD
//! scripts, faults. `yield [--quads] [--stray] [--base IRI] PAGE…`; with `--quads` also the
//! statements themselves, with `--stray` also stray Microdata items. Without `--base`, the URL of a
//! page is `http://example.org/` and its file name. `benches/markup_yield.py` compares the results.
#![expect(clippy::print_stdout, reason = "a tool that prints its results")]

use std::collections::BTreeMap;
use std::fs;

use lodeward_markup::microdata::{self, StrayItemPolicy};
use lodeward_markup::rdfa::HostLanguage;
use lodeward_markup::{EmbeddedSyntax, MarkupFault, PageOptions, PageReader, PageSink};
use oxrdf::QuadRef;
use serde_json::json;

#[derive(Default)]
struct PageCollector {
    counts: BTreeMap<&'static str, usize>,
    scripts: usize,
    quads: Vec<(&'static str, String)>,
    faults: Vec<String>,
}

impl PageSink for PageCollector {
    fn quad(&mut self, syntax: EmbeddedSyntax, quad: QuadRef<'_>) {
        *self.counts.entry(syntax.name()).or_default() += 1;
        // Makes the blank nodes of different scripts distinct.
        let text = format!("{quad} .").replace("_:", &format!("_:s{}", self.scripts));
        self.quads.push((syntax.name(), text));
    }

    fn fault(&mut self, fault: MarkupFault) {
        self.faults.push(format!("{} {:?}: {}", fault.syntax, fault.kind, fault.detail));
    }

    fn begin(&mut self, syntax: EmbeddedSyntax) {
        self.scripts += usize::from(syntax == EmbeddedSyntax::JsonLd);
    }
}

fn main() {
    let mut with_quads = false;
    let mut microdata = microdata::MicrodataOptions::default();
    let mut base = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quads" => with_quads = true,
            "--stray" => microdata.stray_items = StrayItemPolicy::Read,
            "--base" => base = arguments.next(),
            path => {
                let options = PageOptions { microdata: Some(microdata.clone()), ..PageOptions::default() };
                print_page(path, base.as_deref(), &PageReader::new(options), with_quads);
            }
        }
    }
}

fn print_page(path: &str, base: Option<&str>, reader: &PageReader, with_quads: bool) {
    let page = fs::read_to_string(path).expect("a readable page in UTF-8");
    let name = path.rsplit('/').next().unwrap_or_default();
    let base = base.map_or_else(|| format!("http://example.org/{name}"), str::to_owned);
    let mut collector = PageCollector::default();
    reader.read(&page, &base, HostLanguage::Html, &mut collector);
    let PageCollector { counts, scripts, quads, faults } = collector;
    let quads = if with_quads { quads } else { Vec::new() };
    println!("{}", json!({"page": name, "counts": counts, "scripts": scripts, "faults": faults, "quads": quads}));
}
