//! Drafts of the segment store: documents being written.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use oxrdf::QuadRef;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::super::{Draft, FinishedDraft, StoreError};
use super::SegmentOptions;
use super::frame::FrameWriter;
use crate::model::Uri;
use lodeward_rdf::write::n_quads::NQuadsWriter;

/// Content of a finished draft of this store.
pub(super) enum DraftContent {
    /// N-Quads.
    InMemory(Vec<u8>),
    /// Labelled frames, ready to be copied into a segment.
    Spooled(File),
    /// The draft could not be written.
    Failed(StoreError),
}

/// Writes statements as lines into memory, and whenever `max_draft_bytes` is reached, from there as
/// frames into a file. The lines are compressed here, on the thread that parses the document, so
/// that putting even a dump of many gigabytes only copies a file.
pub(super) struct SegmentDraft {
    document: Uri,
    quads: u64,
    lines: Vec<u8>,
    writer: NQuadsWriter,
    spool: Option<DraftSpool>,
    failure: Option<StoreError>,
    options: SegmentOptions,
    spool_directory: Arc<PathBuf>,
}

struct DraftSpool {
    file: File,
    frame_writer: FrameWriter,
    /// Digest of all lines in the spool.
    digest: Box<Xxh3>,
}

impl SegmentDraft {
    pub(super) fn new(document: &Uri, options: SegmentOptions, spool_directory: Arc<PathBuf>) -> Self {
        const INITIAL_LINES_BYTES: usize = 16 << 10;
        Self {
            document: document.clone(),
            quads: 0,
            lines: Vec::with_capacity(INITIAL_LINES_BYTES),
            writer: NQuadsWriter::new(document.as_str()),
            spool: None,
            failure: None,
            options,
            spool_directory,
        }
    }

    /// Moves the lines to the spool.
    fn spill(&mut self) {
        if self.failure.is_none()
            && let Err(source) = self.try_spill()
        {
            self.failure = Some(StoreError::Write { path: self.spool_directory.to_path_buf(), source });
        }
        self.lines.clear();
    }

    fn try_spill(&mut self) -> io::Result<()> {
        let spool = match &mut self.spool {
            Some(spool) => spool,
            None => self.spool.insert(DraftSpool {
                // An unnamed file is deleted with its last handle: a dropped draft, or a killed
                // process, leaves nothing behind.
                file: tempfile::tempfile_in(&*self.spool_directory)?,
                frame_writer: FrameWriter::new(self.options.level)?,
                digest: Box::default(),
            }),
        };
        // The header line of the record is written when the number of statements is known, so no
        // document begins in this frame.
        spool.digest.update(&self.lines);
        spool.file.write_all(spool.frame_writer.encode_frame(0, &self.lines, &[])?.0)
    }
}

impl Draft for SegmentDraft {
    fn append(&mut self, quad: QuadRef<'_>) {
        self.quads += 1;
        self.writer.write(&mut self.lines, quad);
        if self.lines.len() >= self.options.max_draft_bytes {
            self.spill();
        }
    }

    fn finish(mut self: Box<Self>) -> FinishedDraft {
        if self.spool.is_some() && !self.lines.is_empty() {
            self.spill();
        }
        let digest = match &self.spool {
            Some(spool) => spool.digest.digest(),
            None if self.quads == 0 => 0,
            None => xxh3_64(&self.lines),
        };
        let content = match (self.failure, self.spool) {
            (Some(failure), _) => DraftContent::Failed(failure),
            (None, Some(spool)) => DraftContent::Spooled(spool.file),
            (None, None) => DraftContent::InMemory(self.lines),
        };
        FinishedDraft {
            document: self.document,
            quads: self.quads,
            digest,
            provenance: None,
            content: Box::new(content),
        }
    }
}
