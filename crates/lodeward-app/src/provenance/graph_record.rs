//! Compact records of the graphs that a crawl generates: of the provenance of a document, and of the
//! description of the crawl.
//!
//! An archive stores these records instead of the graphs, and expands them when they are read. A record
//! of provenance has about 200 bytes, its graph 25 to 40 quads.

use std::fmt::Write as _;

use lodeward::model::{Provenance, Uri};
use oxrdf::{NamedNode, Quad};
use serde::{Deserialize, Serialize};

use super::{GraphNames, provenance_quads};

/// Version of the encoding, its first byte.
const VERSION: u8 = 1;

/// The record of a generated graph.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum GraphRecord {
    /// The provenance of a document.
    Document { crawl: String, document: Uri, quads: u64, provenance: Box<Provenance> },
    /// The description of a crawl, as N-Quads.
    Description { quads: String },
}

/// Encodes the provenance graph of a document with `quads` statements.
#[must_use]
pub(crate) fn encode_provenance(provenance: &Provenance, names: &GraphNames, document: &Uri, quads: u64) -> Vec<u8> {
    let (crawl, provenance) = (names.crawl().into_string(), Box::new(provenance.clone()));
    encode(&GraphRecord::Document { crawl, document: document.clone(), quads, provenance })
}

/// Encodes the graph that describes a crawl.
#[must_use]
pub(crate) fn encode_description(quads: &[Quad]) -> Vec<u8> {
    let mut text = String::new();
    for quad in quads {
        writeln!(text, "{quad} .").expect("writing to a string cannot fail");
    }
    encode(&GraphRecord::Description { quads: text })
}

fn encode(record: &GraphRecord) -> Vec<u8> {
    postcard::to_extend(record, vec![VERSION]).expect("a record can always be encoded")
}

/// The quads of an encoded graph; `None` if the bytes are no such graph.
#[must_use]
pub(crate) fn expand_graph(record: &[u8]) -> Option<Vec<Quad>> {
    let (&VERSION, payload) = record.split_first()? else { return None };
    match postcard::from_bytes(payload).ok()? {
        GraphRecord::Document { crawl, document, quads, provenance } => {
            let names = GraphNames::of_crawl(NamedNode::new(crawl).ok()?);
            Some(provenance_quads(&provenance, &names, &document, quads))
        }
        GraphRecord::Description { quads } => {
            oxttl::NQuadsParser::new().for_slice(&quads).collect::<Result<_, _>>().ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> GraphNames {
        GraphNames::new("https://data.example.org/", 12)
    }

    #[test]
    fn a_record_expands_to_the_quads_of_its_graph() {
        let document = Uri::parse("http://a.example/100%?a|b").unwrap();
        let provenance = Provenance::sample(3);

        let record = encode_provenance(&provenance, &names(), &document, 3);

        assert_eq!(expand_graph(&record), Some(provenance_quads(&provenance, &names(), &document, 3)));
        assert!(record.len() < 300, "{} bytes", record.len());
    }

    #[test]
    fn a_description_expands_to_its_quads() {
        let quads = provenance_quads(&Provenance::sample(3), &names(), &Uri::parse("http://a.example/").unwrap(), 3);

        assert_eq!(expand_graph(&encode_description(&quads)), Some(quads));
    }

    #[test]
    fn other_bytes_are_no_record() {
        for bytes in [&b""[..], &[VERSION], &[VERSION + 1, 0], &[VERSION, 9], &[VERSION, 0, 200]] {
            assert_eq!(expand_graph(bytes), None, "{bytes:?}");
        }
    }
}
