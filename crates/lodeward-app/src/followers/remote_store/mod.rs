//! Sends the harvest to another SPARQL 1.1 store and keeps it up to date.
//!
//! [`SparqlFollower`] follows the log and sends batches of documents as SPARQL 1.1 updates. For
//! each document its graph is dropped and its statements are inserted, so a batch that is sent
//! twice, because the response to the first was lost, has the same effect as once. The position is
//! stored after the server has confirmed; while the server is down, nothing is lost, because the
//! log persists.
//!
//! **Blank nodes** are shared by all graphs of a document, and never by two documents. A document
//! too large for one request is streamed to the server's graph store, if it has one; otherwise it
//! is split between components of blank nodes, and each part takes effect once
//! (`update_batch::SplitUpdate`).
//!
//! **Responses.** Temporary failures (connection errors, 408, 429, 5xx, truncated responses):
//! retried, no sooner than Retry-After. Rejected content (400, 413 and similar): the batch is
//! bisected until the rejected document is alone; it is stored with the reason, logged, and sent
//! again when the crawl is next continued. Permanent failures (401, 403, 404): the follower ends
//! with the server's message and a hint.

mod options;
mod sparql_text;
mod document_scan;
mod update_batch;
mod journal;
mod server;
mod sidecar;
mod large_documents;
mod rejected;
pub(super) mod target;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;

use oxrdf::{GraphName, NamedNode, Quad};
use xxhash_rust::xxh3::xxh3_128;

pub use options::{RemoteStoreOptions, RemoteStoreOptionsError};

use self::document_scan::DocumentScan;
use self::journal::RemoteJournal;
use self::server::{RemoteServer, UpdateResult};
use self::sparql_text::SparqlTextWriter;
use crate::provenance::GraphNames;
use lodeward::fetch;
use lodeward::store::StoreError;
use lodeward::store::follow::{DocumentChange, Follower, FollowerError, Position};

/// A remote store cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteStoreError {
    /// Invalid settings.
    #[error(transparent)]
    Options(#[from] RemoteStoreOptionsError),
    /// The HTTP client cannot be created.
    #[error(transparent)]
    Client(#[from] fetch::FetchOptionsError),
    /// The local state cannot be read or written.
    #[error(transparent)]
    Journal(#[from] StoreError),
}

/// Sends the harvest to a SPARQL 1.1 store.
pub struct SparqlFollower {
    name: String,
    options: RemoteStoreOptions,
    /// Names of provenance graphs; `None` if provenance is not sent.
    provenance: Option<GraphNames>,
    remote: RemoteServer,
    journal: RemoteJournal,
    /// Documents of the current group that the server has confirmed, with the fingerprint of their
    /// version.
    delivered: HashMap<u128, u128>,
    /// A large document of which some parts were sent.
    partial: Option<large_documents::PartialUpload>,
    /// Maximum size of a request; smaller than in the options after a 413 response.
    batch_bytes: usize,
    /// Number of internal server errors (status 500) in this group.
    server_errors: u32,
    /// Whether the server has ever accepted an update.
    accepted: bool,
    rejected_retried: bool,
}

/// A document, rendered as part of a batch.
struct PreparedDocument<'a> {
    change: &'a DocumentChange,
    update: String,
}

impl SparqlFollower {
    /// Opens the follower of this server. `dir` belongs to the crawl and holds the local state.
    /// Provenance is sent if names for it are given.
    pub fn open(
        options: RemoteStoreOptions,
        fetch: fetch::FetchOptions,
        dir: &Path,
        provenance: Option<GraphNames>,
    ) -> Result<Self, RemoteStoreError> {
        let remote = RemoteServer::new(&options, fetch)?;
        let journal = RemoteJournal::open(dir, &remote.identity())?;
        Ok(Self {
            name: remote.name().to_owned(),
            batch_bytes: options.max_batch_bytes.max(1),
            options,
            provenance,
            remote,
            journal,
            delivered: HashMap::new(),
            partial: None,
            server_errors: 0,
            accepted: false,
            rejected_retried: false,
        })
    }

    /// Number of documents that the server rejected. They are stored locally.
    #[must_use]
    pub fn rejected_count(&self) -> usize {
        self.journal.rejected_count()
    }

    fn deliver_all(&mut self, changes: &[DocumentChange]) -> Result<(), FollowerError> {
        let mut batch: Vec<PreparedDocument<'_>> = Vec::new();
        let mut bytes = 0;
        for (number, change) in changes.iter().enumerate() {
            // If a document is sent again, all later changes to it must be sent again, too, so its
            // entry is removed.
            if self.delivered.remove(&change.document.fingerprint()) == Some(fingerprint(change)) {
                self.delivered.insert(change.document.fingerprint(), fingerprint(change));
                continue;
            }
            let scan = DocumentScan::from_statements(&change.statements)?;
            let drops = self.claim_graphs(change, &scan)?;
            let is_small = change.statements.lines().is_some_and(|lines| lines.len() <= self.batch_bytes);
            if !is_small || !self.remote.supports_update() {
                self.deliver_batch(&std::mem::take(&mut batch))?;
                bytes = 0;
                self.deliver_single(change, scan, drops)?;
                self.deliver_provenance(change)?;
                continue;
            }
            let mut update = update_batch::document_update(change, number, &scan, &drops)?;
            if let Some((graph, quads)) = self.provenance_of(change) {
                let writer = SparqlTextWriter::for_provenance(change.document.as_str(), number);
                update_batch::replace_graph(&mut update, &writer, &graph, &quads);
            }
            if !batch.is_empty()
                && (bytes + update.len() > self.batch_bytes || batch.len() >= self.options.max_batch_documents)
            {
                self.deliver_batch(&std::mem::take(&mut batch))?;
                bytes = 0;
            }
            bytes += update.len();
            batch.push(PreparedDocument { change, update });
        }
        self.deliver_batch(&batch)
    }

    /// Returns the graphs to drop for a document.
    fn claim_graphs(&mut self, change: &DocumentChange, scan: &DocumentScan) -> Result<Vec<String>, StoreError> {
        let writer = SparqlTextWriter::new(change.document.as_str(), 0);
        let own = change.graph();
        let others = scan.graphs.iter().filter(|graph| **graph != GraphName::NamedNode(own.clone()));
        let others = others.filter_map(|graph| writer.graph_iri(graph)).map(std::borrow::Cow::into_owned);
        self.journal.claim_graphs(&change.document, own.as_str(), &others.collect::<Vec<_>>())
    }

    /// Sends a batch. If the server rejects it, sends its halves separately.
    fn deliver_batch(&mut self, batch: &[PreparedDocument<'_>]) -> Result<(), FollowerError> {
        let Some(first) = batch.first() else { return Ok(()) };
        let update: String = batch.iter().map(|document| document.update.as_str()).collect();
        let bytes = update.len();
        match self.handle_result(self.remote.update(update))? {
            Ok(()) => batch.iter().try_for_each(|document| self.mark_delivered(document.change)),
            Err((status, why)) if batch.len() > 1 => {
                tracing::debug!(%status, why, documents = batch.len(), "batch rejected, splitting it");
                self.reduce_batch_size(status, bytes);
                let (left, right) = batch.split_at(batch.len() / 2);
                self.deliver_batch(left)?;
                self.deliver_batch(right)
            }
            Err((http::StatusCode::PAYLOAD_TOO_LARGE, why)) => {
                self.reduce_batch_size(http::StatusCode::PAYLOAD_TOO_LARGE, bytes);
                self.deliver_split(first.change, &why)?;
                self.deliver_provenance(first.change)
            }
            Err((_, why)) => self.store_rejected(first.change, &why),
        }
    }

    /// Decides how to continue after a result: proceed, split, or stop for now.
    fn handle_result(&mut self, result: UpdateResult) -> Result<Result<(), (http::StatusCode, String)>, FollowerError> {
        match result {
            UpdateResult::Done => {
                self.accepted = true;
                Ok(Ok(()))
            }
            UpdateResult::Busy { why, is_server_error: true, .. }
                if self.server_errors >= self.options.max_server_errors =>
            {
                Ok(Err((http::StatusCode::INTERNAL_SERVER_ERROR, why)))
            }
            UpdateResult::Busy { after, why, is_server_error } => {
                self.server_errors += u32::from(is_server_error);
                Err(FollowerError::Retry { after, why: format!("{}: {why}", self.name) })
            }
            UpdateResult::Rejected { status, why } => Ok(Err((status, why))),
            UpdateResult::Unusable(why) => Err(self.fatal_error(&why)),
        }
    }

    fn fatal_error(&self, why: &str) -> FollowerError {
        FollowerError::Fatal { what: format!("cannot send to {}: {why}", self.name), source: None }
    }

    /// Limits the size of requests after a 413 response, so that no request of that size is sent
    /// again.
    fn reduce_batch_size(&mut self, status: http::StatusCode, bytes: usize) {
        const MIN_BATCH_BYTES: usize = 4 * 1_024;
        if status == http::StatusCode::PAYLOAD_TOO_LARGE {
            self.batch_bytes = self.batch_bytes.min(bytes / 2).max(MIN_BATCH_BYTES.min(self.batch_bytes));
        }
    }
}

impl Follower for SparqlFollower {
    fn name(&self) -> &str {
        &self.name
    }

    fn position(&mut self) -> Result<Option<Position>, FollowerError> {
        Ok(self.journal.position()?)
    }

    fn apply(&mut self, changes: &[DocumentChange], upto: Position) -> Result<(), FollowerError> {
        self.retry_rejected()?;
        self.deliver_all(changes)?;
        self.journal.save_position(upto)?;
        self.delivered.clear();
        self.server_errors = 0;
        Ok(())
    }

    fn is_description_current(&mut self) -> Result<bool, FollowerError> {
        Ok(self.provenance.is_none() || self.journal.is_description_current()?)
    }

    fn put_description(&mut self, graph: &NamedNode, quads: &[Quad]) -> Result<(), FollowerError> {
        match self.put_graph(graph, quads)? {
            Ok(()) => Ok(self.journal.mark_described()?),
            Err(why) => {
                tracing::warn!(%graph, why, "remote store rejected the description of the crawl");
                Ok(())
            }
        }
    }

    /// Retries rejected documents: if there was no new document, `apply` has not retried them.
    fn finish(&mut self) -> Result<(), FollowerError> {
        self.retry_rejected()
    }
}

/// Fingerprint of the version of a document.
fn fingerprint(change: &DocumentChange) -> u128 {
    match change.statements.lines() {
        Some(lines) => xxh3_128(lines),
        // Names a range of a file that is never changed in place, so it identifies the version.
        None => xxh3_128(format!("{:?}", change.statements).as_bytes()),
    }
}
