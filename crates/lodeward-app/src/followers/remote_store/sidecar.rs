//! Sends the graphs that accompany documents: provenance, and the description of the crawl.

use crate::provenance::provenance_quads;
use oxrdf::{NamedNode, Quad};

use super::sparql_text::SparqlTextWriter;
use super::{SparqlFollower, update_batch};
use lodeward::store::follow::{DocumentChange, FollowerError};

impl SparqlFollower {
    /// Provenance graph of a document, with its quads.
    pub(super) fn provenance_of(&self, change: &DocumentChange) -> Option<(NamedNode, Vec<Quad>)> {
        let names = self.provenance.as_ref()?;
        let quads = change
            .provenance
            .as_ref()
            .map(|provenance| provenance_quads(provenance, names, &change.document, change.quads));
        Some((names.provenance_graph(&change.document), quads.unwrap_or_default()))
    }

    /// Replaces a generated graph, or returns why the server rejected it.
    pub(super) fn put_graph(&mut self, graph: &NamedNode, quads: &[Quad]) -> Result<Result<(), String>, FollowerError> {
        let result = if self.remote.supports_update() {
            let mut update = String::new();
            update_batch::replace_graph(&mut update, &SparqlTextWriter::new(graph.as_str(), 0), graph, quads);
            self.remote.update(update)
        } else if quads.is_empty() {
            self.remote.delete(graph.as_str())
        } else {
            let triples = quads.iter().map(|quad| format!("{} .\n", oxrdf::TripleRef::from(quad.as_ref())));
            let triples: String = triples.collect();
            let bytes = triples.len() as u64;
            self.remote.put(graph.as_str(), Box::new(std::io::Cursor::new(triples)), bytes)
        };
        Ok(self.handle_result(result)?.map_err(|(_, why)| why))
    }

    /// Sends the provenance of a document, after the document.
    pub(super) fn deliver_provenance(&mut self, change: &DocumentChange) -> Result<(), FollowerError> {
        let Some((graph, quads)) = self.provenance_of(change) else { return Ok(()) };
        match self.put_graph(&graph, &quads) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(why)) => {
                tracing::warn!(document = %change.document, why, "remote store rejected provenance");
                Ok(())
            }
            Err(error) => {
                // The document is no longer treated as delivered, so that it is sent again with its
                // provenance.
                self.delivered.remove(&change.document.fingerprint());
                Err(error)
            }
        }
    }
}
