//! Files of lines, in blocks: cut by one thread, read by the other.

use std::io::{self, Read};
use std::sync::Arc;

use memchr::{memchr, memrchr};
use oxrdf::{GraphName, QuadRef};

use super::feed::{Feed, Stop};
use super::lines::{Line, Lines};
use super::{ERRORS_MAX, FAULTS_TOLD_MAX, Fault, Options, Refused, Tolerance, Watcher};

/// A file of lines.
#[derive(Debug)]
pub(super) struct About {
    pub(super) file: String,
    /// Tells it from other files, for its blank nodes.
    pub(super) identity: u64,
    /// Whether it is in N-Quads, rather than in N-Triples.
    pub(super) has_graphs: bool,
}

/// Some whole lines of a file.
pub(super) struct Block {
    about: Arc<About>,
    text: Vec<u8>,
    /// The number of the first of them, from 1.
    first_line: u64,
}

/// Bytes of a block, unless a line takes more.
const BLOCK_BYTES: usize = 256 << 10;

/// The longest line. No dump has one; what is not made of lines might.
const LINE_BYTES_MAX: usize = 256 << 20;

/// Cuts a file into blocks.
pub(super) fn cut(mut content: impl Read, about: About, feed: &mut Feed) -> Result<(), Stop> {
    let about = Arc::new(about);
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
            // The line in which it breaks off is not what somebody wrote.
            Err(_) => Some(last_line_feed.unwrap_or(0)),
        };
        let Some(end) = end else {
            if text.len() > LINE_BYTES_MAX {
                return feed.fault(None, "a line is too long: this is no file of lines");
            }
            continue;
        };
        let rest = text.split_off(end);
        let lines = memchr::memchr_iter(b'\n', &text).count() as u64;
        feed.block(Block { about: Arc::clone(&about), text: std::mem::replace(&mut text, rest), first_line })?;
        first_line += lines;
        if is_end {
            read.map(|_| ()).or_else(|error: io::Error| feed.fault(None, error.to_string()))?;
            return feed.end();
        }
    }
}

/// Reads blocks, file after file.
pub(super) struct Blocks<'a> {
    options: &'a Options,
    /// The file of the last block.
    about: Option<Arc<About>>,
    /// What was wrong in it.
    faults: u64,
    /// What was wrong in all of them, as far as it was told.
    pub(super) told: u64,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(options: &'a Options) -> Self {
        Self { options, about: None, faults: 0, told: 0 }
    }

    pub(super) fn read(
        &mut self,
        block: &Block,
        add: &mut dyn FnMut(QuadRef<'_>) -> anyhow::Result<()>,
        watcher: &mut dyn Watcher,
    ) -> anyhow::Result<()> {
        if self.about.as_ref().is_none_or(|about| !Arc::ptr_eq(about, &block.about)) {
            self.end(watcher);
            self.about = Some(Arc::clone(&block.about));
        }
        let About { identity, has_graphs, .. } = *block.about;
        let graph = self.options.graph.clone().map_or(GraphName::DefaultGraph, GraphName::from);
        let mut lines = Lines::new(identity, graph, self.options.lenient, has_graphs);
        let mut number = block.first_line;
        let mut rest = block.text.as_slice();
        while !rest.is_empty() && self.faults < u64::from(ERRORS_MAX) {
            let end = memchr(b'\n', rest).unwrap_or(rest.len());
            lines.read(&rest[..end], &mut |line| match line {
                Line::Quad(quad) => add(quad),
                Line::Wrong(column, what) => self.fault(&block.about.file, (number, column), what, watcher),
            })?;
            rest = rest.get(end + 1..).unwrap_or_default();
            number += 1;
        }
        Ok(())
    }

    fn fault(&mut self, file: &str, place: (u64, u64), what: String, watcher: &mut dyn Watcher) -> anyhow::Result<()> {
        let fault = Fault { file: file.to_owned(), place: Some(place), what };
        if self.options.tolerance == Tolerance::Strict {
            return Err(Refused(fault).into());
        }
        self.faults += 1;
        if self.faults <= FAULTS_TOLD_MAX {
            self.told += 1;
            watcher.fault(&fault);
        }
        Ok(())
    }

    /// No more of this file.
    pub(super) fn end(&mut self, watcher: &mut dyn Watcher) {
        let faults = std::mem::take(&mut self.faults);
        let Some(about) = self.about.take().filter(|_| faults > FAULTS_TOLD_MAX) else { return };
        let and_the_rest = if faults < u64::from(ERRORS_MAX) { "" } else { ", and the rest was not read" };
        let what = format!("{} more faults{and_the_rest}", faults - FAULTS_TOLD_MAX);
        self.told += 1;
        watcher.fault(&Fault { file: about.file.clone(), place: None, what });
    }
}
