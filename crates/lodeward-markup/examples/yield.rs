//! What is found in pages, a JSON object per page and line: statements by
//! syntax, JSON-LD scripts, faults. `yield [--quads] [--stray] [--base IRI] PAGE…`;
//! with `--quads` also the statements themselves, with `--stray` also of items
//! that belong to none. Pages without a base of theirs are
//! at `http://example.org/`. `benches/markup_yield.py` compares them.
#![expect(clippy::print_stdout, reason = "it is a tool")]

use std::collections::BTreeMap;
use std::fs;

use lodeward_markup::microdata::{self, StrayItems};
use lodeward_markup::rdfa::Host;
use lodeward_markup::{Fault, Options, Reader, Sink, Syntax};
use oxrdf::QuadRef;
use serde_json::json;

#[derive(Default)]
struct Basket {
    counts: BTreeMap<&'static str, usize>,
    scripts: usize,
    quads: Vec<(&'static str, String)>,
    faults: Vec<String>,
}

impl Sink for Basket {
    fn quad(&mut self, syntax: Syntax, quad: QuadRef<'_>) {
        *self.counts.entry(syntax.name()).or_default() += 1;
        // Blank nodes of one script are not those of another.
        let text = format!("{quad} .").replace("_:", &format!("_:s{}", self.scripts));
        self.quads.push((syntax.name(), text));
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(format!("{} {:?}: {}", fault.syntax, fault.kind, fault.detail));
    }

    fn begin(&mut self, syntax: Syntax) {
        self.scripts += usize::from(syntax == Syntax::JsonLd);
    }
}

fn main() {
    let mut with_quads = false;
    let mut microdata = microdata::Options::default();
    let mut base = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quads" => with_quads = true,
            "--stray" => microdata.stray_items = StrayItems::Read,
            "--base" => base = arguments.next(),
            path => {
                let options = Options { microdata: Some(microdata.clone()), ..Options::default() };
                tell(path, base.as_deref(), &Reader::new(options), with_quads);
            }
        }
    }
}

fn tell(path: &str, base: Option<&str>, reader: &Reader, with_quads: bool) {
    let page = fs::read_to_string(path).expect("a page in UTF-8");
    let name = path.rsplit('/').next().unwrap_or_default();
    let base = base.map_or_else(|| format!("http://example.org/{name}"), str::to_owned);
    let mut basket = Basket::default();
    reader.read(&page, &base, Host::Html, &mut basket);
    let Basket { counts, scripts, quads, faults } = basket;
    let quads = if with_quads { quads } else { Vec::new() };
    println!("{}", json!({"page": name, "counts": counts, "scripts": scripts, "faults": faults, "quads": quads}));
}
