//! A chunk that is being edited.

use std::sync::Arc;

use crate::chunk::{Chunk, IdTriple};

/// A chunk before and after an edit.
pub(crate) struct ChunkEdit {
    pub(crate) before: Option<Arc<Chunk>>,
    pub(crate) now: Vec<IdTriple>,
    pub(crate) changed: bool,
}

impl ChunkEdit {
    pub(crate) fn from_chunk(chunk: Arc<Chunk>) -> Self {
        Self { now: chunk.triples().collect(), before: Some(chunk), changed: false }
    }
}
