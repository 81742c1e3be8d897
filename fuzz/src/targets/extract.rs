//! Documents in every format.
//!
//! The first byte of an input selects the declared media type, the second the reading options;
//! the rest is the document.

use std::collections::HashSet;
use std::io::Cursor;

use bytes::Bytes;
use lodeward::extract::{DocumentReader, ExtractOptions, ExtractSink, Extractor, NamedGraphPolicy};
use lodeward::fetch::{Representation, ResponseBody};
use lodeward::model::{Fault, Link, Uri};
use lodeward_rdf::write::n_quads::NQuadsWriter;
use oxrdf::QuadRef;
use oxttl::NQuadsParser;

use super::Target;
use super::seeds::DOCUMENTS;

const MEDIA_TYPES: &[Option<&str>] = &[
    None,
    Some("text/turtle"),
    Some("application/n-triples"),
    Some("application/n-quads"),
    Some("application/trig"),
    Some("text/n3"),
    Some("application/rdf+xml"),
    Some("application/ld+json"),
    Some("text/html; charset=windows-1252"),
    Some("application/xhtml+xml"),
    Some("text/xml; charset=utf-16"),
    Some("text/plain"),
    Some("application/octet-stream"),
    Some("application/x-brotli"),
    Some("application/linkset"),
    Some("application/linkset+json"),
    Some("application/xml"),
];
/// Indices of media types.
pub(super) const OCTETS: u8 = 12;
pub(super) const BROTLI: u8 = 13;

pub(super) const STREAMED: u8 = 1;
const KEEP_NAMED_GRAPHS: u8 = 2;
const KEEP_SIBLINGS: u8 = 4;
const SMALL_LIMITS: u8 = 8;
const UNUSUAL_URL: u8 = 16;

/// Documents of one format. The first byte selects the reading options.
#[derive(Clone, Copy)]
pub(super) struct DocumentFormat {
    name: &'static str,
    kind: u8,
}

/// The formats that have a target of their own, so that each gets its share of time.
pub(super) const FORMATS: &[DocumentFormat] = &[
    DocumentFormat { name: "turtle", kind: 1 },
    DocumentFormat { name: "n-triples", kind: 2 },
    DocumentFormat { name: "n-quads", kind: 3 },
    DocumentFormat { name: "trig", kind: 4 },
    DocumentFormat { name: "n3", kind: 5 },
    DocumentFormat { name: "rdf-xml", kind: 6 },
    DocumentFormat { name: "json-ld", kind: 7 },
    DocumentFormat { name: "html", kind: 8 },
    DocumentFormat { name: "xml", kind: 16 },
    DocumentFormat { name: "linkset", kind: 14 },
    DocumentFormat { name: "linkset-json", kind: 15 },
];

impl Target for DocumentFormat {
    fn name(&self) -> &'static str {
        self.name
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let is_own = |input: &Vec<u8>| input[0] == self.kind;
        Documents.seeds().into_iter().filter(is_own).map(|input| input[1..].to_vec()).collect()
    }

    fn adopt(&self, path: &str, document: &[u8]) -> Vec<Vec<u8>> {
        let is_own = |input: &Vec<u8>| input[0] == self.kind || (self.kind == 16 && input[0] == 10);
        Documents.adopt(path, document).into_iter().filter(is_own).map(|input| input[1..].to_vec()).collect()
    }

    fn run(&self, input: &[u8]) {
        Documents.run(&[&[self.kind], input].concat());
    }
}

pub(super) struct Documents;

impl Target for Documents {
    fn name(&self) -> &'static str {
        "extract"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let seed = |flags: u8| DOCUMENTS.iter().map(move |(kind, text)| [&[*kind, flags], text.as_bytes()].concat());
        [0, STREAMED, KEEP_NAMED_GRAPHS | KEEP_SIBLINGS].into_iter().flat_map(seed).collect()
    }

    fn adopt(&self, path: &str, document: &[u8]) -> Vec<Vec<u8>> {
        let kind: u8 = match path.rsplit('.').next().unwrap_or_default() {
            "ttl" => 1,
            "nt" => 2,
            "nq" => 3,
            "trig" => 4,
            "n3" => 5,
            "rdf" | "owl" => 6,
            "jsonld" | "json" => 7,
            "html" | "htm" | "dat" | "test" => 8,
            "xhtml" => 9,
            "xml" | "svg" => 10,
            _ => return Vec::new(),
        };
        // The flags are derived from the length.
        let flags = u8::try_from(document.len() % 32).expect("less than 32");
        vec![[&[kind, flags], document].concat()]
    }

    fn run(&self, input: &[u8]) {
        let [kind, flags, document @ ..] = input else { return };
        let has = |flag: u8| flags & flag != 0;
        let mut options = ExtractOptions::default();
        if has(KEEP_NAMED_GRAPHS) {
            options.named_graphs = NamedGraphPolicy::Keep;
        }
        if has(KEEP_SIBLINGS) {
            options.max_siblings = 5;
        }
        if has(SMALL_LIMITS) {
            (options.max_links_per_document, options.max_faults, options.max_syntax_errors) = (3, 2, 2);
        }
        let url = if has(UNUSUAL_URL) { "http://a.example/100%?a|b[1]^`.ttl" } else { "http://a.example/dir/page" };
        let document = Bytes::copy_from_slice(document);
        let body = if has(STREAMED) {
            ResponseBody::Stream(Box::new(Cursor::new(document)))
        } else {
            ResponseBody::Buffered { bytes: document, truncation: None }
        };
        let representation = Representation::new(
            Uri::parse(url).expect("a valid URL"),
            MEDIA_TYPES[usize::from(*kind) % MEDIA_TYPES.len()].map(str::to_owned),
            body,
        );
        let mut sink = CheckingSink::new(&representation.uri);
        let extracted = DocumentReader::new(options.clone()).extract(representation, &mut sink);
        let counted: u64 = extracted.quads_by_format.iter().map(|(_, quads)| quads).sum();
        assert_eq!(counted, sink.quads, "quads are counted");
        assert!(sink.faults <= options.max_faults + 1, "faults are bounded");
        sink.check();
    }
}

/// Collects the results, and writes them as the store would.
pub(super) struct CheckingSink {
    writer: NQuadsWriter,
    lines: Vec<u8>,
    quads: u64,
    targets: HashSet<Uri>,
    faults: usize,
}

impl CheckingSink {
    pub(super) fn new(document: &Uri) -> Self {
        let writer = NQuadsWriter::new(document.as_str());
        Self { writer, lines: Vec::new(), quads: 0, targets: HashSet::new(), faults: 0 }
    }

    /// Checks that the harvest is valid N-Quads for a strict parser.
    pub(super) fn check(&self) {
        let mut lines = 0;
        for quad in NQuadsParser::new().for_slice(&self.lines) {
            if let Err(error) = quad {
                let line = error.location().start.line;
                let line = self.lines.split(|byte| *byte == b'\n').nth(usize::try_from(line).unwrap_or(0));
                panic!("the harvest is not N-Quads: {error} in {:?}", line.map(String::from_utf8_lossy));
            }
            lines += 1;
        }
        assert_eq!(lines, self.quads, "a quad is a line");
    }
}

impl ExtractSink for CheckingSink {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.quads += 1;
        self.writer.write(&mut self.lines, quad);
    }

    fn link(&mut self, link: Link) {
        let target = link.target.clone();
        assert!(self.targets.insert(link.target), "{target} is reported twice");
    }

    fn fault(&mut self, _: Fault) {
        self.faults += 1;
    }
}
