//! RDF files into an archive.
//!
//! One thread reads, unpacks and parses, all but lines of N-Quads, which it only
//! cuts into blocks; the one that called puts the statements into the archive. Nothing becomes visible before the
//! last file has been read, so that a file with an error, a full disk or
//! Ctrl-C leaves the archive as it was.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use anyhow::Context as _;
use lodeward::model::media_type::Syntax;
use lodeward_archive::Archive;
use oxrdf::{NamedNode, Quad, QuadRef};

mod blank;
mod blocks;
mod feed;
mod lines;
mod pages;
mod parse;
mod source;

pub(crate) use source::{Source, gather};

use crate::interrupt::Interrupt;
use blocks::{Block, Blocks};
use feed::{Feed, Stop};

/// How files are read.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// Where statements go that are in no named graph.
    pub(crate) graph: Option<NamedNode>,
    /// What relative IRIs are relative to; the address of each file otherwise.
    pub(crate) base: Option<String>,
    /// What all files are in.
    pub(crate) syntax: Option<Syntax>,
    /// Whether a fault stops everything.
    pub(crate) tolerance: Tolerance,
    /// Whether IRIs and language tags are taken as they are.
    pub(crate) lenient: bool,
    /// Where JSON-LD contexts are, besides the bundled ones.
    pub(crate) contexts: Option<PathBuf>,
}

/// What becomes of a file with a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tolerance {
    /// It stops everything, and nothing is loaded.
    #[default]
    Strict,
    /// What can be read of it is loaded.
    KeepGoing,
}

/// Something in a file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) file: String,
    /// Line and column, from 1.
    pub(crate) place: Option<(u64, u64)>,
    pub(crate) what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(formatter, "{}:{line}:{column}: {}", self.file, self.what),
            None => write!(formatter, "{}: {}", self.file, self.what),
        }
    }
}

/// A file that stopped everything.
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) Fault);

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Refused {}

/// What was loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Loaded {
    /// Statements read.
    pub(crate) quads: u64,
    /// Those that were not there before.
    pub(crate) inserted: u64,
    /// What could not be read.
    pub(crate) faults: u64,
}

/// What the reading thread tells.
enum Message {
    Quads(Vec<Quad>),
    /// Lines of N-Quads or N-Triples, for whoever loads to read in place.
    Lines(Block),
    Fault(Fault),
}

/// Who watches.
pub(crate) trait Watcher {
    /// So many bytes of the files have been read.
    fn bytes(&mut self, read: u64);
    /// Something was left out.
    fn fault(&mut self, fault: &Fault);
}

/// Faults of one file that are told; the rest is counted in the last one.
const FAULTS_TOLD_MAX: u64 = 20;

/// Errors after which the rest of a file is not read: a parser in a file that
/// is not in its syntax finds no end of them.
const ERRORS_MAX: u32 = 1_000;

/// Batches under way between the threads: enough to even out their speeds.
const BATCHES_MAX: usize = 8;

/// RDF/XML and JSON-LD are read by functions that call themselves.
const STACK_BYTES: usize = 64 << 20;

/// Loads files. All of their statements become visible at once.
pub(crate) fn load(
    archive: &Archive,
    sources: &[Source],
    options: &Options,
    interrupt: &Interrupt,
    watcher: &mut dyn Watcher,
) -> anyhow::Result<Loaded> {
    let mut loader = archive.bulk_loader();
    let mut loaded = Loaded::default();
    let read = Arc::new(AtomicU64::new(0));
    thread::scope(|scope| {
        let (sender, messages) = sync_channel(BATCHES_MAX);
        let meter = Arc::clone(&read);
        let parsing = move || {
            let mut feed = Feed::new(sender, options);
            let _: Result<(), Stop> =
                sources.iter().try_for_each(|source| parse::read(source, options, &meter, &mut feed));
        };
        thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, parsing).context("cannot start a thread")?;
        let mut add = |quad: QuadRef<'_>| -> anyhow::Result<()> {
            loaded.quads += 1;
            Ok(loader.add(quad)?)
        };
        // The receiver ends with this call, and the thread notices.
        loaded.faults = Taking { options, interrupt, read: &read, watcher }.take(messages, &mut add)?;
        anyhow::Ok(())
    })?;
    loaded.inserted = loader.finish()?.inserted;
    Ok(loaded)
}

/// The loading thread's side.
struct Taking<'a> {
    options: &'a Options,
    interrupt: &'a Interrupt,
    read: &'a AtomicU64,
    watcher: &'a mut dyn Watcher,
}

impl Taking<'_> {
    /// Takes everything there is. Tells how many faults were told.
    fn take(
        self,
        messages: Receiver<Message>,
        add: &mut dyn FnMut(QuadRef<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<u64> {
        let mut blocks = Blocks::new(self.options);
        let mut faults = 0;
        for message in messages {
            self.interrupt.check()?;
            match message {
                Message::Quads(quads) => quads.iter().try_for_each(|quad| add(quad.as_ref()))?,
                Message::Lines(block) => blocks.read(&block, add, self.watcher)?,
                Message::Fault(fault) if self.options.tolerance == Tolerance::Strict => {
                    return Err(Refused(fault).into());
                }
                Message::Fault(fault) => {
                    faults += 1;
                    self.watcher.fault(&fault);
                }
            }
            self.watcher.bytes(self.read.load(Ordering::Relaxed));
        }
        blocks.end(self.watcher);
        Ok(faults + blocks.told)
    }
}

#[cfg(test)]
mod tests;
