//! Followers: consumers that read the segments as a log.
//!
//! The segments are the primary copy of the harvest. Every other consumer (the archive, a SPARQL
//! endpoint) is a [`Follower`]: on its own thread it reads the segments in the order in which they
//! were written, in groups, and stores its position together with the data it applied. So a
//! follower never delays the crawl; a follower that was killed or unreachable resumes at its
//! position; and no other state is stored for it.
//!
//! **What a follower receives.** A [`DocumentChange`] for every record that is the current version
//! of its document when it is read, and one without statements for every deleted document. A record
//! that has been replaced is skipped, because its successor is further on in the log. After a crash
//! the same change may be received twice, so applying a change must be idempotent.

use std::sync::Arc;
use std::time::Duration;

use oxrdf::{NamedNode, Quad};

use super::StoreError;
use super::segments::SegmentLog;
use crate::model::{Provenance, Uri};

mod backoff;
mod feed;
mod followers;
mod lag;
mod position;
mod state;
mod statements;
mod target;
#[cfg(test)]
mod tests;

pub use feed::{FeedOptions, feed_all};
pub use followers::{FollowerEnds, Followers};
pub use lag::{FollowerState, Lag};
pub use position::Position;
pub use statements::{DocumentStatements, StatementQuads};
pub use target::{AfterDrop, FollowedCrawl, FollowerTarget};

/// Applies the harvest to another store.
///
/// Called on its own thread, which may block.
pub trait Follower: Send {
    /// Name in logs, status and reports: `the archive`, or the URL of an endpoint.
    fn name(&self) -> &str;

    /// What the user can do if the follower is behind at the end of a crawl.
    fn hint(&self) -> &'static str {
        "they are sent by the next run"
    }

    /// Returns the position applied so far; `None` if nothing was applied. Called once before the
    /// first `apply`, and again after a failure that can be retried.
    fn position(&mut self) -> Result<Option<Position>, FollowerError>;

    /// Applies a group. When this returns, the changes and the position `upto` are durable. The
    /// stored position must never be ahead of the changes.
    ///
    /// After a crash or an error the same changes are passed again. A group has at most one change
    /// of a document, apart from removals.
    fn apply(&mut self, changes: &[DocumentChange], upto: Position) -> Result<(), FollowerError>;

    /// Whether the stored description of the crawl matches the position. Called once, after
    /// `position`.
    fn is_description_current(&mut self) -> Result<bool, FollowerError> {
        Ok(true)
    }

    /// Replaces the graph `graph` with the description of the whole crawl.
    fn put_description(&mut self, graph: &NamedNode, quads: &[Quad]) -> Result<(), FollowerError> {
        let _ = (graph, quads);
        Ok(())
    }

    /// Called when the whole log has been applied. Makes the applied changes survive a power cut.
    fn finish(&mut self) -> Result<(), FollowerError> {
        Ok(())
    }
}

/// Makes the description of a whole crawl, and the name of its graph.
pub type CrawlDescriber = Arc<dyn Fn(&SegmentLog) -> Result<(NamedNode, Vec<Quad>), StoreError> + Send + Sync>;

/// A new version of a document, or its removal.
#[derive(Clone, Debug)]
pub struct DocumentChange {
    /// URI of the document. [`DocumentChange::graph`] is the name of its graph.
    pub document: Uri,
    /// All statements of the document; they replace those of the previous version.
    pub statements: DocumentStatements,
    /// Number of statements; 0 if the document was removed.
    pub quads: u64,
    /// Provenance, if it was recorded. For a removed document, the provenance of the response that
    /// removed it.
    pub provenance: Option<Provenance>,
}

impl DocumentChange {
    /// Whether the document was removed.
    #[must_use]
    pub fn is_removal(&self) -> bool {
        self.quads == 0
    }

    /// Name of the document's graph. All statements are in it, unless the crawl keeps named graphs.
    #[must_use]
    pub fn graph(&self) -> NamedNode {
        self.document.document_graph()
    }
}

/// A follower could not apply a group.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FollowerError {
    /// Temporary, such as an endpoint that does not respond. The group is applied again after at
    /// least `after`; the delay increases with every failure.
    #[error("{why}")]
    Retry {
        /// Minimum delay, if the server requests one.
        after: Option<Duration>,
        /// Cause of the failure.
        why: String,
    },
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] StoreError),
    /// Permanent. The follower ends, and the crawl continues without it.
    #[error("{what}")]
    Fatal {
        /// What failed, with a hint.
        what: String,
        /// Cause of the failure.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
}
