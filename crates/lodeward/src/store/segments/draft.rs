//! A document on its way into a segment.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use oxrdf::QuadRef;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::super::nquads::LineWriter;
use super::super::{Draft, Finished, StoreError};
use super::Options;
use super::frame::Press;
use crate::model::Uri;

/// What a draft of this store holds when it is finished.
pub(super) enum Content {
    /// N-Quads.
    Held(Vec<u8>),
    /// Labelled frames, ready to be copied into a segment.
    Spooled(File),
    /// Nothing, because it could not be written.
    Lost(StoreError),
}

/// Statements are written as lines into memory, and from there, whenever too
/// many have gathered, as frames into a file. The compression is done here, on
/// the thread that reads the document, so that putting even a dump of many
/// gigabytes is but copying a file.
pub(super) struct SegmentDraft {
    document: Uri,
    quads: u64,
    lines: Vec<u8>,
    writer: LineWriter,
    spool: Option<Spool>,
    failure: Option<StoreError>,
    options: Options,
    spool_directory: Arc<PathBuf>,
}

struct Spool {
    file: File,
    press: Press,
    /// Of all lines that went there.
    digest: Box<Xxh3>,
}

impl SegmentDraft {
    pub(super) fn new(document: &Uri, options: Options, spool_directory: Arc<PathBuf>) -> Self {
        const LINES_BYTES_USUAL: usize = 16 << 10;
        Self {
            document: document.clone(),
            quads: 0,
            lines: Vec::with_capacity(LINES_BYTES_USUAL),
            writer: LineWriter::new(document.as_str()),
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
            self.failure = Some(StoreError::Io { path: self.spool_directory.to_path_buf(), source });
        }
        self.lines.clear();
    }

    fn try_spill(&mut self) -> io::Result<()> {
        let spool = match &mut self.spool {
            Some(spool) => spool,
            None => self.spool.insert(Spool {
                // A file without a name goes with its last handle: a draft that
                // is dropped, or killed, leaves nothing behind.
                file: tempfile::tempfile_in(&*self.spool_directory)?,
                press: Press::new(self.options.level)?,
                digest: Box::default(),
            }),
        };
        // The record's first line, which counts as its beginning, is written
        // when the number of statements is known: no document begins here.
        spool.digest.update(&self.lines);
        spool.file.write_all(spool.press.press(0, &self.lines, &[])?)
    }
}

impl Draft for SegmentDraft {
    fn append(&mut self, quad: QuadRef<'_>) {
        self.quads += 1;
        self.writer.write(&mut self.lines, quad);
        if self.lines.len() >= self.options.draft_bytes_max {
            self.spill();
        }
    }

    fn finish(mut self: Box<Self>) -> Finished {
        if self.spool.is_some() && !self.lines.is_empty() {
            self.spill();
        }
        let digest = match &self.spool {
            Some(spool) => spool.digest.digest(),
            None if self.quads == 0 => 0,
            None => xxh3_64(&self.lines),
        };
        let content = match (self.failure, self.spool) {
            (Some(failure), _) => Content::Lost(failure),
            (None, Some(spool)) => Content::Spooled(spool.file),
            (None, None) => Content::Held(self.lines),
        };
        Finished { document: self.document, quads: self.quads, digest, provenance: None, content: Box::new(content) }
    }
}
