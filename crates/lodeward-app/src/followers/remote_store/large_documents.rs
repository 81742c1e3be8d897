//! Sends documents one by one: documents too large for one update, and all documents if the server
//! has only a graph store.

use std::io::{self, BufRead, BufReader, Read};

use oxrdf::GraphName;

use super::document_scan::DocumentScan;
use super::update_batch::SplitUpdate;
use super::{SparqlFollower, fingerprint};
use lodeward::store::follow::{DocumentChange, FollowerError};
use lodeward_rdf::write::n_quads::write_iri;

/// A large document of which some parts were sent.
pub(super) struct PartialUpload {
    /// Fingerprint of the document's version.
    fingerprint: u128,
    batch_bytes: usize,
    parts_done: usize,
    token: String,
}

/// Why a part was not accepted.
enum UploadStop {
    Follow(FollowerError),
    Rejected(http::StatusCode, String),
}

impl From<super::StoreError> for UploadStop {
    fn from(error: super::StoreError) -> Self {
        Self::Follow(error.into())
    }
}

impl SparqlFollower {
    /// Sends one document by the best method that the server supports.
    pub(super) fn deliver_single(
        &mut self,
        change: &DocumentChange,
        scan: DocumentScan,
        drops: Vec<String>,
    ) -> Result<(), FollowerError> {
        let own = GraphName::NamedNode(change.graph());
        let is_one_graph = scan.graphs.iter().all(|graph| *graph == own) && drops.len() <= 1;
        if self.remote.supports_graph_store() && is_one_graph {
            return self.deliver_graph(change);
        }
        if !self.remote.supports_update() {
            let why = "the document has several graphs, which needs SPARQL Update; hint: set `remote_store.update_url`";
            return self.store_rejected(change, why);
        }
        self.deliver_parts(change, scan, drops)
    }

    /// Sends a document in parts after the server rejected it as too large for one request.
    pub(super) fn deliver_split(&mut self, change: &DocumentChange, why: &str) -> Result<(), FollowerError> {
        let scan = DocumentScan::from_statements(&change.statements)?;
        let drops = self.claim_graphs(change, &scan)?;
        if change.statements.lines().is_some_and(|lines| lines.len() <= self.batch_bytes)
            && !self.remote.supports_graph_store()
        {
            return self.store_rejected(change, why);
        }
        // The reduced limit applies to this document only.
        let batch_bytes_before = self.batch_bytes;
        let delivered = self.deliver_single(change, scan, drops);
        self.batch_bytes = batch_bytes_before;
        delivered
    }

    fn deliver_graph(&mut self, change: &DocumentChange) -> Result<(), FollowerError> {
        let graph = change.graph();
        let result = if change.is_removal() {
            self.remote.delete(graph.as_str())
        } else {
            let bytes = change.quads * 150;
            self.remote.put(graph.as_str(), Box::new(GraphTriples::open(change)?), bytes)
        };
        match self.handle_result(result)? {
            Ok(()) => self.mark_delivered(change),
            Err((_, why)) => self.store_rejected(change, &why),
        }
    }

    fn deliver_parts(
        &mut self,
        change: &DocumentChange,
        scan: DocumentScan,
        drops: Vec<String>,
    ) -> Result<(), FollowerError> {
        let max_bytes = self.batch_bytes;
        let version = fingerprint(change);
        let partial = self.partial.take();
        let partial = partial.filter(|known| known.fingerprint == version && known.batch_bytes == max_bytes);
        let partial = partial.unwrap_or_else(|| {
            let token = oxrdf::BlankNode::default().as_str().to_owned();
            PartialUpload { fingerprint: version, batch_bytes: max_bytes, parts_done: 0, token }
        });
        let graphs = drops.clone();
        let parts = SplitUpdate::new(change, scan, drops, max_bytes, partial.token.clone());
        let parts_done = partial.parts_done;
        self.partial = Some(partial);
        let sent = parts.for_each_part(|part| {
            if part.number <= parts_done {
                return Ok(());
            }
            let bytes = part.update.len();
            let result = self.remote.update(part.update);
            match self.handle_result(result).map_err(UploadStop::Follow)? {
                Ok(()) => {
                    if let Some(partial) = &mut self.partial {
                        partial.parts_done = part.number;
                    }
                    Ok(())
                }
                Err((status, why)) => {
                    self.reduce_batch_size(status, bytes);
                    Err(UploadStop::Rejected(status, why))
                }
            }
        });
        match sent {
            Ok(_) => {
                self.partial = None;
                self.mark_delivered(change)
            }
            Err(UploadStop::Follow(error)) => Err(error),
            // A smaller part may still be accepted.
            Err(UploadStop::Rejected(http::StatusCode::PAYLOAD_TOO_LARGE, _)) if self.batch_bytes < max_bytes => {
                let scan = DocumentScan::from_statements(&change.statements)?;
                let drops = self.claim_graphs(change, &scan)?;
                self.deliver_parts(change, scan, drops)
            }
            Err(UploadStop::Rejected(_, why)) => {
                self.partial = None;
                self.remove_partial(&graphs)?;
                self.store_rejected(change, &why)
            }
        }
    }

    /// Removes a document from the server after only some of its parts were accepted.
    fn remove_partial(&mut self, graphs: &[String]) -> Result<(), FollowerError> {
        let mut update = String::new();
        for graph in graphs {
            super::sparql_text::write_drop_graph(&mut update, graph);
        }
        let result = self.remote.update(update);
        self.handle_result(result).map(drop)
    }
}

/// Reads the statements of a document's own graph as N-Triples.
struct GraphTriples {
    lines: BufReader<Box<dyn Read + Send>>,
    /// Graph name and full stop, with which every line ends.
    ending: Vec<u8>,
    line: Vec<u8>,
    read: usize,
}

impl GraphTriples {
    fn open(change: &DocumentChange) -> Result<Self, FollowerError> {
        let mut ending = vec![b' '];
        write_iri(&mut ending, change.graph().as_str());
        ending.extend_from_slice(b" .\n");
        let lines = BufReader::with_capacity(64 << 10, change.statements.read()?);
        Ok(Self { lines, ending, line: Vec::new(), read: 0 })
    }

    fn next_line(&mut self) -> io::Result<()> {
        (self.read, self.line) = (0, std::mem::take(&mut self.line));
        loop {
            self.line.clear();
            self.lines.read_until(b'\n', &mut self.line)?;
            if self.line.is_empty() {
                return Ok(());
            }
            if self.line.first() != Some(&b'#') {
                break;
            }
        }
        if !self.line.ends_with(&self.ending) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a statement is not in the graph of its document"));
        }
        self.line.truncate(self.line.len() - self.ending.len());
        self.line.extend_from_slice(b" .\n");
        Ok(())
    }
}

impl Read for GraphTriples {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.read == self.line.len() {
            self.next_line()?;
        }
        let count = into.len().min(self.line.len() - self.read);
        into[..count].copy_from_slice(&self.line[self.read..][..count]);
        self.read += count;
        Ok(count)
    }
}
