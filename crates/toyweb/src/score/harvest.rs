//! The harvest of a crawl, in a form that can be compared with the truth.
//!
//! To keep millions of quads in memory, a quad without blank nodes is stored as a hash. The others are stored whole and
//! compared up to the labels of their blank nodes.

use std::collections::HashMap;
use std::io::BufRead;

use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{Dataset, GraphName, NamedOrBlankNode, Quad, Term};
use oxttl::{NQuadsParser, NTriplesParser};
use xxhash_rust::xxh3::xxh3_64;

use super::report::DocumentDifference;
use crate::truth::TruthDocument;

/// Namespace of quads that are not scored, because HTML processors differ in whether `rel="alternate"` and similar are
/// RDF statements.
const REL_KEYWORDS: &str = "http://www.w3.org/1999/xhtml/vocab#";

/// The quads of a crawl, by graph.
#[derive(Default)]
pub struct CrawlHarvest {
    graphs: HashMap<String, HarvestGraph>,
    /// Lines that are not N-Quads.
    pub unreadable_lines: u64,
}

/// The quads of one document.
#[derive(Default)]
pub(super) struct HarvestGraph {
    /// Hashes of the quads without blank nodes.
    ground: Vec<u64>,
    /// The quads with blank nodes, in the default graph.
    with_blanks: Vec<Quad>,
}

impl CrawlHarvest {
    /// Reads N-Quads.
    pub fn read(reader: impl BufRead) -> Self {
        let mut harvest = Self::default();
        for quad in NQuadsParser::new().for_reader(reader) {
            match quad {
                Ok(quad) => harvest.push(quad),
                Err(oxttl::TurtleParseError::Syntax(_)) => harvest.unreadable_lines += 1,
                // A read error ends the harvest and is counted as one unreadable line.
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

    /// Removes and returns the quads of a document.
    pub(super) fn take(&mut self, url: &str) -> Option<HarvestGraph> {
        self.graphs.remove(url)
    }

    /// The number of graphs left.
    pub(super) fn graph_count(&self) -> u64 {
        self.graphs.len() as u64
    }

    /// The number of quads left.
    pub(super) fn quad_count(self) -> u64 {
        self.graphs.into_values().map(HarvestGraph::len).sum()
    }
}

impl HarvestGraph {
    /// Compares these quads with the truth about the document.
    pub(super) fn diff(self, document: &TruthDocument) -> DocumentDifference {
        let (missing, extra) = self.compare(Self::from_document(document));
        DocumentDifference { url: document.url.clone(), missing, extra }
    }

    fn from_document(document: &TruthDocument) -> Self {
        let mut graph = Self::default();
        // The truth is parsed by the same parser as the harvest, so that equal terms have equal spelling.
        let mut text = String::new();
        for quad in &document.quads {
            text.push_str(&quad.triple);
            text.push_str(" .\n");
        }
        for triple in NTriplesParser::new().for_slice(&text) {
            let triple = triple.expect("the truth consists of N-Triples");
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

    /// The number of quads, duplicates included.
    pub(super) fn len(self) -> u64 {
        (self.ground.len() + self.with_blanks.len()) as u64
    }

    /// The numbers of missing and extra quads, compared to `truth`.
    fn compare(self, truth: Self) -> (u64, u64) {
        let (missing_ground, extra_ground) = difference(self.ground, truth.ground);
        let (missing, extra) = difference(canonical_hashes(self.with_blanks), canonical_hashes(truth.with_blanks));
        (missing_ground + missing, extra_ground + extra)
    }
}

/// Hashes of quads with canonical blank node labels.
fn canonical_hashes(quads: Vec<Quad>) -> Vec<u64> {
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
