//! Pages, in every host language and with every option.
//!
//! The first byte of an input says what the page is served as and what is
//! asked for; the rest is the page.

use std::collections::BTreeSet;

use lodeward_markup::rdfa::{self, Host};
use lodeward_markup::{Fault, FaultKind, Options, Reader, Sink, Syntax, links};
use oxrdf::QuadRef;
use oxttl::NQuadsParser;

use super::Target;
use super::seeds::DOCUMENTS;

const ADDRESS: &str = "http://a.example/dir/page?q";
const HOSTS: [Host; 4] = [Host::Html, Host::Xhtml, Host::Svg, Host::Xml];
const ROLES: u8 = 4;
const PROCESSOR_GRAPH: u8 = 8;
const LINKS: u8 = 16;

pub(super) struct Pages;

impl Target for Pages {
    fn name(&self) -> &'static str {
        "markup"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let pages = DOCUMENTS.iter().filter(|(_, text)| text.contains('<'));
        pages.flat_map(|(_, text)| (0..32).map(move |way| [&[way], text.as_bytes()].concat())).collect()
    }

    fn adopt(&self, path: &str, document: &[u8]) -> Vec<Vec<u8>> {
        let host: u8 = match path.rsplit('.').next().unwrap_or_default() {
            "html" | "htm" | "dat" | "test" => 0,
            "xhtml" => 1,
            "svg" => 2,
            "xml" => 3,
            _ => return Vec::new(),
        };
        // Some more is asked for, for want of a better chance by its length.
        let way = host | (u8::try_from(document.len() % 8).expect("less than 8") << 2);
        vec![[&[way], document].concat()]
    }

    fn run(&self, input: &[u8]) {
        let [way, page @ ..] = input else { return };
        let page = String::from_utf8_lossy(page);
        let has = |flag: u8| way & flag != 0;
        let host = HOSTS[usize::from(way % 4)];
        let rdfa = rdfa::Options { role: has(ROLES), processor_graph: has(PROCESSOR_GRAPH), ..Default::default() };
        let links = has(LINKS).then(links::Options::default);
        let options = Options { rdfa: Some(rdfa.clone()), links, ..Options::default() };
        let mut found = Found::default();
        Reader::new(options).read(&page, ADDRESS, host, &mut found);
        found.check();
        // With a tree or without one, a page says the same.
        let mut of_tree = Found::default();
        rdfa::read(&page, ADDRESS, host, &rdfa, &mut of_tree);
        if !of_tree.is_cut {
            assert_eq!(found.of(Syntax::Rdfa), of_tree.of(Syntax::Rdfa), "the quick way differs");
        }
    }
}

#[derive(Default)]
struct Found {
    statements: Vec<(Syntax, String)>,
    faults: usize,
    /// Something was left out, which depends on the way.
    is_cut: bool,
}

impl Found {
    fn of(&self, syntax: Syntax) -> BTreeSet<&str> {
        self.statements.iter().filter(|(it, _)| *it == syntax).map(|(_, text)| text.as_str()).collect()
    }

    /// What is said can be written down, and read again by a strict reader.
    fn check(&self) {
        for (syntax, line) in &self.statements {
            let read = NQuadsParser::new().for_slice(line.as_bytes()).collect::<Result<Vec<_>, _>>();
            assert!(read.is_ok_and(|quads| quads.len() == 1), "{syntax}: {line}");
        }
        assert!(self.faults <= 10_000, "faults are bounded");
    }
}

impl Sink for Found {
    fn quad(&mut self, syntax: Syntax, quad: QuadRef<'_>) {
        self.statements.push((syntax, format!("{quad} .\n")));
    }

    fn fault(&mut self, fault: Fault) {
        self.is_cut |= fault.kind == FaultKind::Excess;
        self.faults += 1;
    }

    fn begin(&mut self, _: Syntax) {}
}
