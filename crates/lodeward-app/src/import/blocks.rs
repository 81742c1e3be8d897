//! N-Quads and N-Triples files in blocks: one thread splits them, another one parses them.

use std::io::{self, Read};
use std::sync::Arc;

use lodeward_rdf::read::lines::{LineReader, LineResult};
use memchr::{memchr, memrchr};
use oxrdf::{GraphName, QuadRef};

use super::feed::{FeedStopped, ImportFeed};
use super::{FaultTolerance, ImportError, ImportFault, ImportOptions, ImportWatcher, MAX_ERRORS, MAX_REPORTED_FAULTS};

/// A file in N-Quads or N-Triples.
#[derive(Debug)]
pub(super) struct LineFile {
    pub(super) name: String,
    /// A hash that distinguishes the blank nodes of this file from those of other files.
    pub(super) identity: u64,
    /// Whether the file is in N-Quads, not in N-Triples.
    pub(super) has_graphs: bool,
}

/// Some complete lines of a file.
pub(super) struct LineBlock {
    file: Arc<LineFile>,
    text: Vec<u8>,
    /// Number of the first line, from 1.
    first_line: u64,
}

/// Size of a block in bytes, unless a line is longer.
const BLOCK_BYTES: usize = 256 << 10;

/// Maximum length of a line, in bytes. Dumps have no longer lines; a file in another format might.
const MAX_LINE_BYTES: usize = 256 << 20;

/// Splits a file into blocks.
pub(super) fn split_into_blocks(
    mut content: impl Read,
    file: LineFile,
    feed: &mut ImportFeed,
) -> Result<(), FeedStopped> {
    let file = Arc::new(file);
    let mut first_line = 1;
    let mut text = Vec::new();
    loop {
        let before = text.len();
        let read = content.by_ref().take(BLOCK_BYTES as u64).read_to_end(&mut text);
        if first_line == 1 && before == 0 && text.starts_with(b"\xef\xbb\xbf") {
            text.drain(..3);
        }
        let is_end = read.as_ref().map_or(true, |bytes| *bytes == 0);
        let last_line_feed = memrchr(b'\n', &text).map(|at| at + 1);
        let end = match &read {
            Ok(0) => Some(text.len()),
            Ok(_) => last_line_feed,
            // After a read error, the incomplete last line is discarded.
            Err(_) => Some(last_line_feed.unwrap_or(0)),
        };
        let Some(end) = end else {
            if text.len() > MAX_LINE_BYTES {
                return feed.record_fault(None, "a line is too long: the file is not in N-Quads or N-Triples");
            }
            continue;
        };
        let rest = text.split_off(end);
        let lines = memchr::memchr_iter(b'\n', &text).count() as u64;
        feed.send_block(LineBlock { file: Arc::clone(&file), text: std::mem::replace(&mut text, rest), first_line })?;
        first_line += lines;
        if is_end {
            read.map(|_| ()).or_else(|error: io::Error| feed.record_fault(None, error.to_string()))?;
            return feed.finish_file();
        }
    }
}

/// Parses blocks, file after file.
pub(super) struct LineBlocks<'a> {
    options: &'a ImportOptions,
    /// The file of the last block.
    file: Option<Arc<LineFile>>,
    /// Number of faults of `file`.
    faults: u64,
    /// Number of reported faults of all files.
    pub(super) reported: u64,
}

impl<'a> LineBlocks<'a> {
    pub(super) fn new(options: &'a ImportOptions) -> Self {
        Self { options, file: None, faults: 0, reported: 0 }
    }

    pub(super) fn read(
        &mut self,
        block: &LineBlock,
        add: &mut dyn FnMut(QuadRef<'_>) -> Result<(), ImportError>,
        watcher: &mut dyn ImportWatcher,
    ) -> Result<(), ImportError> {
        if self.file.as_ref().is_none_or(|file| !Arc::ptr_eq(file, &block.file)) {
            self.finish_file(watcher);
            self.file = Some(Arc::clone(&block.file));
        }
        let LineFile { identity, has_graphs, .. } = *block.file;
        let graph = self.options.graph.clone().map_or(GraphName::DefaultGraph, GraphName::from);
        let mut lines = LineReader::new(identity, graph, self.options.lenient, has_graphs);
        let mut number = block.first_line;
        let mut rest = block.text.as_slice();
        while !rest.is_empty() && self.faults < u64::from(MAX_ERRORS) {
            let end = memchr(b'\n', rest).unwrap_or(rest.len());
            lines.read(&rest[..end], &mut |line| match line {
                LineResult::Quad(quad) => add(quad),
                LineResult::Wrong(column, message) => {
                    self.record_fault(&block.file.name, (number, column), message, watcher)
                }
            })?;
            rest = rest.get(end + 1..).unwrap_or_default();
            number += 1;
        }
        Ok(())
    }

    fn record_fault(
        &mut self,
        file: &str,
        location: (u64, u64),
        message: String,
        watcher: &mut dyn ImportWatcher,
    ) -> Result<(), ImportError> {
        let fault = ImportFault { file: file.to_owned(), location: Some(location), message };
        if self.options.tolerance == FaultTolerance::Strict {
            return Err(ImportError::Rejected(fault));
        }
        self.faults += 1;
        if self.faults <= MAX_REPORTED_FAULTS {
            self.reported += 1;
            watcher.fault(&fault);
        }
        Ok(())
    }

    /// Reports how many faults of the last file were not reported one by one.
    pub(super) fn finish_file(&mut self, watcher: &mut dyn ImportWatcher) {
        let faults = std::mem::take(&mut self.faults);
        let Some(file) = self.file.take().filter(|_| faults > MAX_REPORTED_FAULTS) else { return };
        let ending = if faults < u64::from(MAX_ERRORS) { "" } else { "; the rest of the file was not read" };
        let message = format!("{} more faults{ending}", faults - MAX_REPORTED_FAULTS);
        self.reported += 1;
        watcher.fault(&ImportFault { file: file.name.clone(), location: None, message });
    }
}
