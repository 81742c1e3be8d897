//! What the crawler brought home.
//!
//! Held small enough that a harvest of millions of quads can be compared: a
//! quad without blank nodes is a hash, the others are kept as they are, to be
//! compared up to the names of their blank nodes.

use std::collections::HashMap;
use std::io::BufRead;

use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{Dataset, GraphName, NamedOrBlankNode, Quad, Term};
use oxttl::{NQuadsParser, NTriplesParser};
use xxhash_rust::xxh3::xxh3_64;

use super::report::Difference;
use crate::truth::Document;

/// HTML processors differ in whether `rel="alternate"` and its like are RDF
/// statements, so these count neither for nor against anyone.
const REL_KEYWORDS: &str = "http://www.w3.org/1999/xhtml/vocab#";

/// The quads of a crawl, by graph.
#[derive(Default)]
pub struct Harvest {
    graphs: HashMap<String, Graph>,
    /// Lines that are no N-Quads.
    pub unreadable_lines: u64,
}

/// The quads of one document.
#[derive(Default)]
pub(super) struct Graph {
    /// Hashes of the quads without blank nodes.
    ground: Vec<u64>,
    /// The quads with blank nodes, in the default graph.
    with_blanks: Vec<Quad>,
}

impl Harvest {
    /// Reads N-Quads.
    pub fn read(reader: impl BufRead) -> Self {
        let mut harvest = Self::default();
        for quad in NQuadsParser::new().for_reader(reader) {
            match quad {
                Ok(quad) => harvest.push(quad),
                Err(oxttl::TurtleParseError::Syntax(_)) => harvest.unreadable_lines += 1,
                // What cannot be read on counts as one line.
                Err(oxttl::TurtleParseError::Io(_)) => {
                    harvest.unreadable_lines += 1;
                    break;
                }
            }
        }
        harvest
    }

    fn push(&mut self, mut quad: Quad) {
        if quad.predicate.as_str().starts_with(REL_KEYWORDS) {
            return;
        }
        let name = match std::mem::take(&mut quad.graph_name) {
            GraphName::NamedNode(name) => name.into_string(),
            GraphName::BlankNode(_) | GraphName::DefaultGraph => String::new(),
        };
        self.graphs.entry(name).or_default().push(quad);
    }

    /// Takes the quads of a document out.
    pub(super) fn take(&mut self, url: &str) -> Option<Graph> {
        self.graphs.remove(url)
    }

    /// How many graphs are left.
    pub(super) fn graphs(&self) -> u64 {
        self.graphs.len() as u64
    }

    /// How many quads are left.
    pub(super) fn quads(self) -> u64 {
        self.graphs.into_values().map(Graph::len).sum()
    }
}

impl Graph {
    /// How this differs from the truth about its document.
    pub(super) fn differ(self, document: &Document) -> Difference {
        let (missing, extra) = self.compare(Self::of(document));
        Difference { url: document.url.clone(), missing, extra }
    }

    fn of(document: &Document) -> Self {
        let mut graph = Self::default();
        // Read by the same parser as the harvest, so that both are spelt alike.
        let mut text = String::new();
        for quad in &document.quads {
            text.push_str(&quad.triple);
            text.push_str(" .\n");
        }
        for triple in NTriplesParser::new().for_slice(&text) {
            let triple = triple.expect("the truth is written in N-Triples");
            if !triple.predicate.as_str().starts_with(REL_KEYWORDS) {
                graph.push(triple.in_graph(GraphName::DefaultGraph));
            }
        }
        graph
    }

    fn push(&mut self, quad: Quad) {
        let has_blank =
            matches!(quad.subject, NamedOrBlankNode::BlankNode(_)) || matches!(quad.object, Term::BlankNode(_));
        if has_blank {
            self.with_blanks.push(quad);
        } else {
            self.ground.push(xxh3_64(quad.to_string().as_bytes()));
        }
    }

    /// How many quads, some perhaps said twice.
    pub(super) fn len(self) -> u64 {
        (self.ground.len() + self.with_blanks.len()) as u64
    }

    /// How many quads of `truth` are missing here, and how many are extra.
    fn compare(self, truth: Self) -> (u64, u64) {
        let (missing_ground, extra_ground) = difference(self.ground, truth.ground);
        let (missing, extra) = difference(canonical(self.with_blanks), canonical(truth.with_blanks));
        (missing_ground + missing, extra_ground + extra)
    }
}

/// Hashes of quads whose blank nodes have been given canonical names.
fn canonical(quads: Vec<Quad>) -> Vec<u64> {
    let mut dataset: Dataset = quads.into_iter().collect();
    dataset.canonicalize(CanonicalizationAlgorithm::Unstable);
    dataset.iter().map(|quad| xxh3_64(quad.to_string().as_bytes())).collect()
}

fn difference(mut found: Vec<u64>, mut truth: Vec<u64>) -> (u64, u64) {
    for hashes in [&mut found, &mut truth] {
        hashes.sort_unstable();
        hashes.dedup();
    }
    let missing = truth.iter().filter(|hash| found.binary_search(hash).is_err()).count() as u64;
    let extra = found.iter().filter(|hash| truth.binary_search(hash).is_err()).count() as u64;
    (missing, extra)
}
