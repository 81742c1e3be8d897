//! A chunk that may change.

use std::sync::Arc;

use crate::chunk::{Chunk, Triple};

/// A chunk, as it was and as it will be.
pub(crate) struct Working {
    pub(crate) before: Option<Arc<Chunk>>,
    pub(crate) now: Vec<Triple>,
    pub(crate) changed: bool,
}

impl Working {
    pub(crate) fn of(chunk: Arc<Chunk>) -> Self {
        Self { now: chunk.triples().collect(), before: Some(chunk), changed: false }
    }
}
