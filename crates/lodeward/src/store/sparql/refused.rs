//! What the server would not take, and what it takes after all.

use super::super::follow::{Change, FollowError};
use super::journal::Journal;
use super::{SparqlFollower, fingerprint};

impl SparqlFollower {
    /// Keeps a document that the server will not take, unless it takes nothing.
    pub(super) fn refuse(&mut self, change: &Change, why: &str) -> Result<(), FollowError> {
        if !self.accepted && self.remote.takes_updates() {
            let probe = self.remote.update("DROP SILENT GRAPH <urn:x-lodeward:nothing>".to_owned());
            if let Err((_, why)) = self.judge(probe)? {
                return Err(self.unusable(&format!("it does not take even an empty update: {why}")));
            }
        }
        tracing::warn!(document = %change.document, why, "the remote store refused a document, which is kept");
        self.journal.refuse(change, why)?;
        self.delivered.insert(change.document.fingerprint(), fingerprint(change));
        Ok(())
    }

    pub(super) fn note_delivered(&mut self, change: &Change) -> Result<(), FollowError> {
        self.journal.accept(&change.document)?;
        self.delivered.insert(change.document.fingerprint(), fingerprint(change));
        Ok(())
    }

    /// Tries once more what was refused by an earlier run, until all of it has
    /// had an answer.
    pub(super) fn retry_refused(&mut self) -> Result<(), FollowError> {
        if self.refused_tried {
            return Ok(());
        }
        for path in self.journal.refused_files()? {
            // One at a time: some are large.
            let Some(change) = Journal::refused_change(&path)? else { continue };
            if !self.delivered.contains_key(&change.document.fingerprint()) {
                self.deliver_all(std::slice::from_ref(&change))?;
            }
        }
        self.refused_tried = true;
        Ok(())
    }
}
