//! What is sent beside the documents: where they come from, and what a crawl is.

use oxrdf::{NamedNode, Quad};

use super::super::follow::{Change, FollowError};
use super::text::Scribe;
use super::{SparqlFollower, parcel};

impl SparqlFollower {
    /// The graph of where a document comes from, and what is in it.
    pub(super) fn provenance_of(&self, change: &Change) -> Option<(NamedNode, Vec<Quad>)> {
        let names = self.provenance.as_ref()?;
        let quads =
            change.provenance.as_ref().map(|provenance| provenance.quads(names, &change.document, change.quads));
        Some((names.provenance_graph(&change.document), quads.unwrap_or_default()))
    }

    /// Replaces a graph of ours, or says why the server will not have it.
    pub(super) fn put_graph(&mut self, graph: &NamedNode, quads: &[Quad]) -> Result<Result<(), String>, FollowError> {
        let verdict = if self.remote.takes_updates() {
            let mut update = String::new();
            parcel::replace_graph(&mut update, &Scribe::new(graph.as_str(), 0), graph, quads);
            self.remote.update(update)
        } else if quads.is_empty() {
            self.remote.delete(graph.as_str())
        } else {
            let triples = quads.iter().map(|quad| format!("{} .\n", oxrdf::TripleRef::from(quad.as_ref())));
            let triples: String = triples.collect();
            let bytes = triples.len() as u64;
            self.remote.put(graph.as_str(), Box::new(std::io::Cursor::new(triples)), bytes)
        };
        Ok(self.judge(verdict)?.map_err(|(_, why)| why))
    }

    /// Sends where a document comes from, after it.
    pub(super) fn deliver_provenance(&mut self, change: &Change) -> Result<(), FollowError> {
        let Some((graph, quads)) = self.provenance_of(change) else { return Ok(()) };
        match self.put_graph(&graph, &quads) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(why)) => {
                tracing::warn!(document = %change.document, why, "the remote store refused a provenance");
                Ok(())
            }
            Err(error) => {
                // Both come again.
                self.delivered.remove(&change.document.fingerprint());
                Err(error)
            }
        }
    }
}
