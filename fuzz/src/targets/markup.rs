//! Pages in every host language, with every option.
//!
//! The first byte of an input selects the host language and the options; the rest is the page.

use std::collections::BTreeSet;

use lodeward_markup::rdfa::{self, HostLanguage};
use lodeward_markup::{EmbeddedSyntax, MarkupFault, PageOptions, PageReader, PageSink, RdfFaultKind, links};
use oxrdf::QuadRef;
use oxttl::NQuadsParser;

use super::Target;
use super::seeds::DOCUMENTS;

const URL: &str = "http://a.example/dir/page?q";
const HOSTS: [HostLanguage; 4] = [HostLanguage::Html, HostLanguage::Xhtml, HostLanguage::Svg, HostLanguage::Xml];
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
        pages.flat_map(|(_, text)| (0..32).map(move |flags| [&[flags], text.as_bytes()].concat())).collect()
    }

    fn adopt(&self, path: &str, document: &[u8]) -> Vec<Vec<u8>> {
        let host: u8 = match path.rsplit('.').next().unwrap_or_default() {
            "html" | "htm" | "dat" | "test" => 0,
            "xhtml" => 1,
            "svg" => 2,
            "xml" => 3,
            _ => return Vec::new(),
        };
        // The other options are derived from the length.
        let flags = host | (u8::try_from(document.len() % 8).expect("less than 8") << 2);
        vec![[&[flags], document].concat()]
    }

    fn run(&self, input: &[u8]) {
        let [flags, page @ ..] = input else { return };
        let page = String::from_utf8_lossy(page);
        let has = |flag: u8| flags & flag != 0;
        let host = HOSTS[usize::from(flags % 4)];
        let rdfa = rdfa::RdfaOptions { role: has(ROLES), processor_graph: has(PROCESSOR_GRAPH), ..Default::default() };
        let links = has(LINKS).then(links::LinkOptions::default);
        let options = PageOptions { rdfa: Some(rdfa.clone()), links, ..PageOptions::default() };
        let mut sink = CollectingSink::default();
        PageReader::new(options).read(&page, URL, host, &mut sink);
        sink.check();
        // A page yields the same statements with and without a tree.
        let mut from_tree = CollectingSink::default();
        rdfa::read(&page, URL, host, &rdfa, &mut from_tree);
        if !from_tree.is_truncated {
            assert_eq!(sink.of(EmbeddedSyntax::Rdfa), from_tree.of(EmbeddedSyntax::Rdfa), "the fast path differs");
        }
    }
}

#[derive(Default)]
struct CollectingSink {
    statements: Vec<(EmbeddedSyntax, String)>,
    faults: usize,
    /// Whether the result was truncated. The position of a truncation depends on the reading path.
    is_truncated: bool,
}

impl CollectingSink {
    fn of(&self, syntax: EmbeddedSyntax) -> BTreeSet<&str> {
        self.statements.iter().filter(|(it, _)| *it == syntax).map(|(_, text)| text.as_str()).collect()
    }

    /// Checks that the statements can be written and read by a strict parser.
    fn check(&self) {
        for (syntax, line) in &self.statements {
            let read = NQuadsParser::new().for_slice(line.as_bytes()).collect::<Result<Vec<_>, _>>();
            assert!(read.is_ok_and(|quads| quads.len() == 1), "{syntax}: {line}");
        }
        assert!(self.faults <= 10_000, "faults are bounded");
    }
}

impl PageSink for CollectingSink {
    fn quad(&mut self, syntax: EmbeddedSyntax, quad: QuadRef<'_>) {
        self.statements.push((syntax, format!("{quad} .\n")));
    }

    fn fault(&mut self, fault: MarkupFault) {
        self.is_truncated |= fault.kind == RdfFaultKind::Limit;
        self.faults += 1;
    }

    fn begin(&mut self, _: EmbeddedSyntax) {}
}
