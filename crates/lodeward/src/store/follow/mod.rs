//! Segments as a log that others follow.
//!
//! What a crawl harvests is in its segments first, and there it is safe. Whoever
//! else wants it (the archive, a SPARQL endpoint) is a [`Follower`]: it reads the
//! segments in the order in which they were written, in groups, on a thread of
//! its own, and remembers together with what it took how far it has come. So a
//! follower never holds up the crawl; one that was killed, or could not be
//! reached, goes on where it stopped; and nothing has to be kept for it anywhere
//! else.
//!
//! **What a follower sees.** A [`Change`] for every record that is the current
//! one of its document when it is read, and one without statements for every
//! document that is gone. A record that has been replaced is passed over, for
//! its successor is further on. The same change may come twice, after a crash
//! in the middle of it, so taking one has to be idempotent.

use std::sync::Arc;
use std::time::Duration;

use oxrdf::{NamedNode, Quad};

use super::StoreError;
use super::segments::Log;
use crate::model::Uri;
use crate::provenance::{Provenance, graph_of};

mod backoff;
mod feed;
mod followers;
mod lag;
mod position;
mod state;
mod statements;
mod survey;
#[cfg(test)]
mod tests;

pub use feed::{Pace, feed_now};
pub use followers::{Ends, Followers};
pub use lag::{Lag, Standing};
pub use position::Position;
pub use statements::{Quads, Statements};
pub use survey::survey;

/// Takes what has been harvested somewhere else.
///
/// Called on a thread of its own, which may block.
pub trait Follower: Send {
    /// What it is called in logs, status and reports: `archive`, or the address
    /// of an endpoint.
    fn name(&self) -> &str;

    /// What to do if it is behind at the end of a crawl.
    fn remedy(&self) -> &'static str {
        "they are taken by the next run"
    }

    /// How far it has come; `None` if it has nothing yet. Asked once, before
    /// anything is applied, and again after a failure that may be over.
    fn position(&mut self) -> Result<Option<Position>, FollowError>;

    /// Takes a group. When this returns, the changes are durable and so is
    /// `upto`, which must never be ahead of them.
    ///
    /// After a crash, or an error, the same changes come again. Of the changes
    /// of a group none is about the same document as another, unless it is gone.
    fn apply(&mut self, changes: &[Change], upto: Position) -> Result<(), FollowError>;

    /// Whether the description it has is one of what it has. Asked once, after
    /// its position.
    fn is_described(&mut self) -> Result<bool, FollowError> {
        Ok(true)
    }

    /// Takes a description of the whole crawl, which replaces the graph of this
    /// name.
    fn describe(&mut self, graph: &NamedNode, quads: &[Quad]) -> Result<(), FollowError> {
        let _ = (graph, quads);
        Ok(())
    }

    /// Everything has been applied, for now: makes it safe from a power cut.
    fn finish(&mut self) -> Result<(), FollowError> {
        Ok(())
    }
}

/// Makes a description of a whole crawl, and says what its graph is called.
pub type Describe = Arc<dyn Fn(&Log) -> Result<(NamedNode, Vec<Quad>), StoreError> + Send + Sync>;

/// What became of a document.
#[derive(Clone, Debug)]
pub struct Change {
    /// Which one. Its graph is named by [`Change::graph`].
    pub document: Uri,
    /// Its statements, all of them: whatever it had before is gone.
    pub statements: Statements,
    /// How many those are; 0 if the document is gone.
    pub quads: u64,
    /// Where they come from, if that was written down; of a document that is gone,
    /// how that was seen.
    pub provenance: Option<Provenance>,
}

impl Change {
    /// Whether the document is gone.
    #[must_use]
    pub fn is_removal(&self) -> bool {
        self.quads == 0
    }

    /// The name of the document's graph. All its statements are in it, unless
    /// the crawl keeps graphs that documents name themselves.
    #[must_use]
    pub fn graph(&self) -> NamedNode {
        graph_of(&self.document)
    }
}

/// A follower could not take what it was given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FollowError {
    /// Not now, but perhaps later: an endpoint that does not answer. The group
    /// is offered again, after this time at least, and after longer and longer
    /// times as long as it fails.
    #[error("{why}")]
    Retry {
        /// How long it is to be left alone, if it said so.
        after: Option<Duration>,
        /// Why not.
        why: String,
    },
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] StoreError),
    /// Never. The follower is left behind, and the crawl goes on without it.
    #[error("{what}")]
    Fatal {
        /// What could not be done, and what to do about it.
        what: String,
        /// Why not.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
}
