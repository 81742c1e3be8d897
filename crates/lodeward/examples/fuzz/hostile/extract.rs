//! Documents in every syntax.
//!
//! The first byte of an input says which media type is declared, the second how
//! the document is read; the rest is the document.

use std::collections::HashSet;
use std::io::Cursor;

use bytes::Bytes;
use lodeward::extract::{Extractor, NamedGraphs, Options, Reader, Sink};
use lodeward::fetch::{Body, Representation};
use lodeward::model::{Fault, Link, Uri};
use lodeward::store::nquads::LineWriter;
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
];
/// The last two of them.
pub(super) const OCTETS: u8 = 12;
pub(super) const BROTLI: u8 = 13;

pub(super) const STREAMED: u8 = 1;
const NAMED_GRAPHS_KEPT: u8 = 2;
const SIBLINGS_KEPT: u8 = 4;
const BOUNDS_SMALL: u8 = 8;
const ADDRESS_ODD: u8 = 16;

pub(super) struct Documents;

impl Target for Documents {
    fn name(&self) -> &'static str {
        "extract"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let seed = |way: u8| DOCUMENTS.iter().map(move |(kind, text)| [&[*kind, way], text.as_bytes()].concat());
        [0, STREAMED, NAMED_GRAPHS_KEPT | SIBLINGS_KEPT].into_iter().flat_map(seed).collect()
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
        // The way is taken from the length, for want of a better chance.
        let way = u8::try_from(document.len() % 32).expect("less than 32");
        vec![[&[kind, way], document].concat()]
    }

    fn run(&self, input: &[u8]) {
        let [kind, way, document @ ..] = input else { return };
        let has = |flag: u8| way & flag != 0;
        let mut options = Options::default();
        if has(NAMED_GRAPHS_KEPT) {
            options.named_graphs = NamedGraphs::Keep;
        }
        if has(SIBLINGS_KEPT) {
            options.siblings_max = 5;
        }
        if has(BOUNDS_SMALL) {
            (options.links_per_document_max, options.faults_max, options.syntax_errors_max) = (3, 2, 2);
        }
        let address = if has(ADDRESS_ODD) { "http://a.example/100%?a|b[1]^`.ttl" } else { "http://a.example/dir/page" };
        let document = Bytes::copy_from_slice(document);
        let body = if has(STREAMED) {
            Body::Stream(Box::new(Cursor::new(document)))
        } else {
            Body::Whole { bytes: document, cut: None }
        };
        let representation = Representation {
            uri: Uri::parse(address).expect("an address of ours"),
            status: 200,
            content_type: MEDIA_TYPES[usize::from(*kind) % MEDIA_TYPES.len()].map(str::to_owned),
            etag: None,
            last_modified: None,
            links: Vec::new(),
            body,
        };
        let mut found = Found::new(&representation.uri);
        let extracted = Reader::new(options.clone()).extract(representation, &mut found);
        let counted: u64 = extracted.quads_by_syntax.iter().map(|(_, quads)| quads).sum();
        assert_eq!(counted, found.quads, "quads are counted");
        assert!(found.faults <= options.faults_max + 1, "faults are bounded");
        found.check();
    }
}

/// What was found, kept as the store would keep it.
struct Found {
    writer: LineWriter,
    lines: Vec<u8>,
    quads: u64,
    targets: HashSet<Uri>,
    faults: usize,
}

impl Found {
    fn new(document: &Uri) -> Self {
        let writer = LineWriter::new(document.as_str());
        Self { writer, lines: Vec::new(), quads: 0, targets: HashSet::new(), faults: 0 }
    }

    /// Whatever the web wrote, the harvest is N-Quads that a strict reader
    /// takes.
    fn check(&self) {
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

impl Sink for Found {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.quads += 1;
        self.writer.write(&mut self.lines, quad);
    }

    fn link(&mut self, link: Link) {
        let target = link.target.clone();
        assert!(self.targets.insert(link.target), "{target} is told twice");
    }

    fn fault(&mut self, _: Fault) {
        self.faults += 1;
    }
}
