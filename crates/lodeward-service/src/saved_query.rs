//! Queries that users save.

use serde::{Deserialize, Serialize};

/// The maximum number of saved queries.
pub(crate) const MAX_SAVED_QUERIES: usize = 1_000;

/// A stored query and its owner.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedQueryRecord {
    /// Text of the query or update.
    pub(crate) text: String,
    /// What it is for.
    pub(crate) title: String,
    /// Whether string functions accept IRIs.
    pub(crate) lenient: bool,
    /// The user that saved it.
    pub(crate) owner: String,
    /// When it was saved, in milliseconds since the Unix epoch.
    pub(crate) saved_at_ms: u64,
}
