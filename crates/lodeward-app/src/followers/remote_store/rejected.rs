//! Documents that the server rejected, and their retries.

use super::journal::RemoteJournal;
use super::{SparqlFollower, fingerprint};
use lodeward::store::follow::{DocumentChange, FollowerError};

impl SparqlFollower {
    /// Stores a document that the server rejected. Fails if the server rejects every update.
    pub(super) fn store_rejected(&mut self, change: &DocumentChange, why: &str) -> Result<(), FollowerError> {
        if !self.accepted && self.remote.supports_update() {
            let probe = self.remote.update("DROP SILENT GRAPH <urn:x-lodeward:nothing>".to_owned());
            if let Err((_, why)) = self.handle_result(probe)? {
                return Err(self.fatal_error(&format!("the server rejects even an empty update: {why}")));
            }
        }
        tracing::warn!(document = %change.document, why, "remote store rejected a document; stored locally");
        self.journal.store_rejected(change, why)?;
        self.delivered.insert(change.document.fingerprint(), fingerprint(change));
        Ok(())
    }

    pub(super) fn mark_delivered(&mut self, change: &DocumentChange) -> Result<(), FollowerError> {
        self.journal.mark_delivered(&change.document)?;
        self.delivered.insert(change.document.fingerprint(), fingerprint(change));
        Ok(())
    }

    /// Sends the documents rejected in an earlier run once more.
    pub(super) fn retry_rejected(&mut self) -> Result<(), FollowerError> {
        if self.rejected_retried {
            return Ok(());
        }
        for path in self.journal.rejected_files()? {
            // One document at a time is held in memory, because some are large.
            let Some(change) = RemoteJournal::read_rejected(&path)? else { continue };
            if !self.delivered.contains_key(&change.document.fingerprint()) {
                self.deliver_all(std::slice::from_ref(&change))?;
            }
        }
        self.rejected_retried = true;
        Ok(())
    }
}
