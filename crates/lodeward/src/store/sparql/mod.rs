//! A SPARQL 1.1 store somewhere else, kept up with the harvest.
//!
//! A [`SparqlFollower`] follows the log and sends what it reads, in batches of
//! documents, as SPARQL 1.1 updates: for each document, its graph is dropped
//! and its statements are added. So a batch that is sent again, because nobody
//! knows whether it arrived, changes nothing. How far we have come is written
//! down after the server has confirmed; while it is down, the log waits.
//!
//! **Blank nodes** are the same node in all graphs of a document, and never in
//! two documents. A document that is too large for one request goes to the
//! server's graph store as one stream, if it has one; else it is cut where no
//! blank node is, and each part takes effect once ([`parcel::Parts`]).
//!
//! **What the server says.** Not now (connection errors, 408, 429, 5xx, half
//! answers): the log waits, at least as long as the server asks. Not this (400,
//! 413 and their kin): the batch is taken apart until the document at fault is
//! alone; that one is kept with the reason, told, and tried again when the crawl
//! is next continued; the others go on. Nothing at all (401, 403, 404): the
//! follower ends with what the server said, and what to do.

mod options;
mod text;
mod survey;
mod parcel;
mod journal;
mod remote;
mod beside;
mod large;
mod refused;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;

use oxrdf::{GraphName, NamedNode, Quad};
use xxhash_rust::xxh3::xxh3_128;

pub use options::{Options, OptionsError, Secret};

use self::journal::Journal;
use self::remote::{Remote, Verdict};
use self::survey::Survey;
use self::text::Scribe;
use super::StoreError;
use super::follow::{Change, FollowError, Follower, Position};
use crate::fetch;
use crate::provenance::Names;

/// A remote store cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It was not described well.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// No HTTP client can be made.
    #[error(transparent)]
    Client(#[from] fetch::OptionsError),
    /// What we remember of it cannot be read.
    #[error(transparent)]
    Journal(#[from] StoreError),
}

/// Sends the harvest to a SPARQL 1.1 store.
pub struct SparqlFollower {
    name: String,
    options: Options,
    /// How provenance is named, if it is wanted.
    provenance: Option<Names>,
    remote: Remote,
    journal: Journal,
    /// What the server has confirmed of a group that is not complete.
    delivered: HashMap<u128, u128>,
    /// A large document of which some parts are there.
    unfinished: Option<large::Unfinished>,
    /// Bytes of a request; less than in the options once the server has said
    /// that it is too much.
    batch_bytes: usize,
    /// Times that the server stumbled over this group.
    stumbles: u32,
    /// Whether the server has ever taken something.
    accepted: bool,
    refused_tried: bool,
}

/// A document, ready to be sent together with others.
struct Parcel<'a> {
    change: &'a Change,
    update: String,
}

impl SparqlFollower {
    /// Follows for this server. `folder` belongs to the crawl; what is to be
    /// remembered is kept there. Provenance is sent if there are names for it.
    pub fn open(
        options: Options,
        fetch: fetch::Options,
        folder: &Path,
        provenance: Option<Names>,
    ) -> Result<Self, OpenError> {
        let remote = Remote::new(&options, fetch)?;
        let journal = Journal::open(folder, &remote.identity())?;
        Ok(Self {
            name: remote.name().to_owned(),
            batch_bytes: options.batch_bytes.max(1),
            options,
            provenance,
            remote,
            journal,
            delivered: HashMap::new(),
            unfinished: None,
            stumbles: 0,
            accepted: false,
            refused_tried: false,
        })
    }

    /// How many documents the server would not take. They are kept.
    #[must_use]
    pub fn refused(&self) -> usize {
        self.journal.refused_count()
    }

    fn deliver_all(&mut self, changes: &[Change]) -> Result<(), FollowError> {
        let mut batch: Vec<Parcel<'_>> = Vec::new();
        let mut bytes = 0;
        for (number, change) in changes.iter().enumerate() {
            // Once a document is sent again, whatever follows for it is, too.
            if self.delivered.remove(&change.document.fingerprint()) == Some(fingerprint(change)) {
                self.delivered.insert(change.document.fingerprint(), fingerprint(change));
                continue;
            }
            let survey = Survey::of(&change.statements)?;
            let drops = self.claim(change, &survey)?;
            let is_small = change.statements.lines().is_some_and(|lines| lines.len() <= self.batch_bytes);
            if !is_small || !self.remote.takes_updates() {
                self.deliver(&std::mem::take(&mut batch))?;
                bytes = 0;
                self.deliver_alone(change, survey, drops)?;
                self.deliver_provenance(change)?;
                continue;
            }
            let mut update = parcel::whole(change, number, &survey, &drops)?;
            if let Some((graph, quads)) = self.provenance_of(change) {
                let scribe = Scribe::beside(change.document.as_str(), number);
                parcel::replace_graph(&mut update, &scribe, &graph, &quads);
            }
            if !batch.is_empty()
                && (bytes + update.len() > self.batch_bytes || batch.len() >= self.options.batch_documents)
            {
                self.deliver(&std::mem::take(&mut batch))?;
                bytes = 0;
            }
            bytes += update.len();
            batch.push(Parcel { change, update });
        }
        self.deliver(&batch)
    }

    /// The graphs to drop for a document.
    fn claim(&mut self, change: &Change, survey: &Survey) -> Result<Vec<String>, StoreError> {
        let scribe = Scribe::new(change.document.as_str(), 0);
        let own = change.graph();
        let others = survey.graphs.iter().filter(|graph| **graph != GraphName::NamedNode(own.clone()));
        let others = others.filter_map(|graph| scribe.graph(graph)).map(std::borrow::Cow::into_owned);
        self.journal.claim(&change.document, own.as_str(), &others.collect::<Vec<_>>())
    }

    /// Sends a batch; if the server will not take it, its halves.
    fn deliver(&mut self, batch: &[Parcel<'_>]) -> Result<(), FollowError> {
        let Some(first) = batch.first() else { return Ok(()) };
        let update: String = batch.iter().map(|parcel| parcel.update.as_str()).collect();
        let bytes = update.len();
        match self.judge(self.remote.update(update))? {
            Ok(()) => batch.iter().try_for_each(|parcel| self.note_delivered(parcel.change)),
            Err((status, why)) if batch.len() > 1 => {
                tracing::debug!(%status, why, documents = batch.len(), "a batch was refused, and is taken apart");
                self.learn_size(status, bytes);
                let (left, right) = batch.split_at(batch.len() / 2);
                self.deliver(left)?;
                self.deliver(right)
            }
            Err((http::StatusCode::PAYLOAD_TOO_LARGE, why)) => {
                self.learn_size(http::StatusCode::PAYLOAD_TOO_LARGE, bytes);
                self.deliver_smaller(first.change, &why)?;
                self.deliver_provenance(first.change)
            }
            Err((_, why)) => self.refuse(first.change, &why),
        }
    }

    /// What to do about a verdict: go on, take apart, or give up for now.
    fn judge(&mut self, verdict: Verdict) -> Result<Result<(), (http::StatusCode, String)>, FollowError> {
        match verdict {
            Verdict::Done => {
                self.accepted = true;
                Ok(Ok(()))
            }
            Verdict::Busy { why, stumbled: true, .. } if self.stumbles >= self.options.server_errors_max => {
                Ok(Err((http::StatusCode::INTERNAL_SERVER_ERROR, why)))
            }
            Verdict::Busy { after, why, stumbled } => {
                self.stumbles += u32::from(stumbled);
                Err(FollowError::Retry { after, why: format!("{}: {why}", self.name) })
            }
            Verdict::Refused { status, why } => Ok(Err((status, why))),
            Verdict::Unusable(why) => Err(self.unusable(&why)),
        }
    }

    fn unusable(&self, why: &str) -> FollowError {
        FollowError::Fatal { what: format!("cannot send to {}: {why}", self.name), source: None }
    }

    /// A server that says how much is too much is not asked that much again.
    fn learn_size(&mut self, status: http::StatusCode, bytes: usize) {
        const BYTES_MIN: usize = 4 * 1_024;
        if status == http::StatusCode::PAYLOAD_TOO_LARGE {
            self.batch_bytes = self.batch_bytes.min(bytes / 2).max(BYTES_MIN.min(self.batch_bytes));
        }
    }
}

impl Follower for SparqlFollower {
    fn name(&self) -> &str {
        &self.name
    }

    fn position(&mut self) -> Result<Option<Position>, FollowError> {
        Ok(self.journal.position()?)
    }

    fn apply(&mut self, changes: &[Change], upto: Position) -> Result<(), FollowError> {
        self.retry_refused()?;
        self.deliver_all(changes)?;
        self.journal.advance(upto)?;
        self.delivered.clear();
        self.stumbles = 0;
        Ok(())
    }

    fn is_described(&mut self) -> Result<bool, FollowError> {
        Ok(self.provenance.is_none() || self.journal.is_described()?)
    }

    fn describe(&mut self, graph: &NamedNode, quads: &[Quad]) -> Result<(), FollowError> {
        match self.put_graph(graph, quads)? {
            Ok(()) => Ok(self.journal.described()?),
            Err(why) => {
                tracing::warn!(%graph, why, "the remote store refused the description of the crawl");
                Ok(())
            }
        }
    }

    /// A run without anything new has not tried yet what was refused before.
    fn finish(&mut self) -> Result<(), FollowError> {
        self.retry_refused()
    }
}

/// Tells versions of a document apart.
fn fingerprint(change: &Change) -> u128 {
    match change.statements.lines() {
        Some(lines) => xxh3_128(lines),
        // A part of a file that is never changed in place.
        None => xxh3_128(format!("{:?}", change.statements).as_bytes()),
    }
}
