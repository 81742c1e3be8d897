//! Expands the provenance records of an archive to graphs.

use crate::provenance::{GeneratedGraph, GraphNames, document_fingerprint, expand_graph};
use lodeward_archive::{Collection, ProvenanceExpander, RecordCandidates, RecordKey};
use oxrdf::Quad;

/// The fingerprint of the record that describes a crawl. No document has it, except with a probability
/// of 2⁻¹²⁸.
const DESCRIPTION_FINGERPRINT: u128 = 0;

/// The key of the record of a graph.
pub(super) fn record_key(crawl: u32, graph: GeneratedGraph) -> RecordKey {
    let fingerprint = match graph {
        GeneratedGraph::Provenance(fingerprint) => fingerprint,
        GeneratedGraph::Description => DESCRIPTION_FINGERPRINT,
    };
    RecordKey { collection: Collection(crawl), fingerprint }
}

/// Expands the records that [`ArchiveFollower`](super::archive::ArchiveFollower) stores.
#[derive(Debug)]
pub(super) struct CrawlProvenance;

impl ProvenanceExpander for CrawlProvenance {
    fn expand(&self, _: RecordKey, record: &[u8]) -> Option<Vec<Quad>> {
        expand_graph(record)
    }

    fn record_of_graph(&self, graph: &str) -> Option<RecordKey> {
        GraphNames::parse_graph(graph).map(|(crawl, graph)| record_key(crawl, graph))
    }

    fn records_of_subject(&self, subject: &str) -> RecordCandidates {
        match self.record_of_part(subject) {
            Some(key) => RecordCandidates::One(key),
            None if GraphNames::is_shared_resource(subject) => RecordCandidates::Any,
            None => RecordCandidates::InEachCollection(document_fingerprint(subject)),
        }
    }

    fn records_of_object(&self, object: &str) -> RecordCandidates {
        self.record_of_part(object).map_or(RecordCandidates::Any, RecordCandidates::One)
    }
}

impl CrawlProvenance {
    /// The record of a resource that occurs only in one graph.
    fn record_of_part(&self, resource: &str) -> Option<RecordKey> {
        resource.split_once('#').and_then(|(graph, _)| self.record_of_graph(graph))
    }
}

#[cfg(test)]
mod tests {
    use crate::provenance::provenance_quads;
    use lodeward::model::{Provenance, Uri};
    use oxrdf::{NamedOrBlankNode, Term};

    use super::*;

    /// Every subject and object of a record must lead to it.
    #[test]
    fn terms_of_a_record_lead_to_the_record() {
        for base in ["urn:lodeward:", "https://data.example.org/crawl/"] {
            let names = GraphNames::new(base, 7);
            let document = Uri::parse("http://a.example/100%?a|b").unwrap();
            let fingerprint = document_fingerprint(document.document_graph().as_str());
            let key = RecordKey { collection: Collection(7), fingerprint };
            assert_eq!(CrawlProvenance.record_of_graph(names.provenance_graph(&document).as_str()), Some(key));
            assert_eq!(
                CrawlProvenance.record_of_graph(names.description_graph().as_str()),
                Some(record_key(7, GeneratedGraph::Description))
            );
            let reaches = |candidates| match candidates {
                RecordCandidates::One(found) => found == key,
                RecordCandidates::InEachCollection(found) => found == fingerprint,
                RecordCandidates::Any => true,
            };

            for quad in provenance_quads(&Provenance::sample(7), &names, &document, 7) {
                let NamedOrBlankNode::NamedNode(subject) = &quad.subject else { panic!("{quad} has a blank node") };
                assert!(reaches(CrawlProvenance.records_of_subject(subject.as_str())), "{quad}");
                if let Term::NamedNode(object) = &quad.object {
                    assert!(reaches(CrawlProvenance.records_of_object(object.as_str())), "{quad}");
                }
            }
        }
    }

    #[test]
    fn graphs_of_documents_and_exports_have_no_record() {
        for name in
            ["http://a.example/", "urn:lodeward:crawl/1", "urn:lodeward:crawl/x/description", "crawl/1/provenance/1"]
        {
            assert_eq!(CrawlProvenance.record_of_graph(name), None, "{name}");
        }
    }
}
