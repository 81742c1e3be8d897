//! Import of RDF into the archive: files ([`load`]), or one document that replaces a graph
//! ([`import_into_graph`]).
//!
//! **Files.** One thread reads, decompresses and parses; lines of N-Quads and N-Triples it only splits into
//! blocks. The calling thread adds the statements to the archive. They become visible after the last
//! file, so a file with an error, a full disk or Ctrl-C leaves the archive unchanged.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use lodeward_archive::sparql::CancellationToken;
use lodeward_archive::{Archive, ArchiveError};
use lodeward_rdf::RdfFormat;
use oxrdf::{NamedNode, Quad, QuadRef};

mod blocks;
mod feed;
mod into_graph;
mod pages;
mod parse;
mod source;

pub use into_graph::{GraphImportError, ImportContent, ImportPayload, import_into_graph, remove_graphs};
pub use source::{ImportSource, collect_sources};

use blocks::{LineBlock, LineBlocks};
use feed::{FeedStopped, ImportFeed};

/// Options of an import.
#[derive(Debug, Default)]
pub struct ImportOptions {
    /// The graph of statements without one.
    pub graph: Option<NamedNode>,
    /// Base of relative IRIs; by default the URL of each file.
    pub base: Option<String>,
    /// The format of all files; by default detected.
    pub format: Option<RdfFormat>,
    /// Whether a fault rejects the whole import.
    pub tolerance: FaultTolerance,
    /// Whether invalid IRIs and language tags are accepted.
    pub lenient: bool,
    /// Directory of JSON-LD contexts, in addition to the bundled ones.
    pub contexts: Option<PathBuf>,
}

/// What happens on a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FaultTolerance {
    /// The import fails, and nothing is loaded.
    #[default]
    Strict,
    /// The readable statements are loaded.
    KeepGoing,
}

/// A part of a file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportFault {
    /// Name of the file.
    pub file: String,
    /// Line and column, from 1.
    pub location: Option<(u64, u64)>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ImportFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.location {
            Some((line, column)) => write!(formatter, "{}:{line}:{column}: {}", self.file, self.message),
            None => write!(formatter, "{}: {}", self.file, self.message),
        }
    }
}

/// Files cannot be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// Files or directories cannot be read.
    #[error("cannot read {0}")]
    Unreadable(String),
    /// There is no file to import.
    #[error("no RDF file found")]
    NoFiles,
    /// A file has a fault. Nothing was imported.
    #[error("{0}")]
    Rejected(ImportFault),
    /// The archive cannot be written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The thread that reads files cannot be started.
    #[error("cannot start a thread")]
    Thread(#[source] std::io::Error),
    /// The import was cancelled. Nothing was imported.
    #[error("import cancelled")]
    Cancelled,
}

/// Counts of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportSummary {
    /// Number of statements read.
    pub quads: u64,
    /// Number of statements that are new to the archive.
    pub inserted: u64,
    /// Number of reported faults.
    pub faults: u64,
}

/// A message of the reading thread.
enum ReaderMessage {
    Quads(Vec<Quad>),
    /// Lines of N-Quads or N-Triples, which the receiving thread parses.
    Lines(LineBlock),
    Fault(ImportFault),
}

/// Receives progress and faults.
pub trait ImportWatcher {
    /// Bytes of all files read so far.
    fn bytes_read(&mut self, read: u64);
    /// A fault, with [`FaultTolerance::KeepGoing`].
    fn fault(&mut self, fault: &ImportFault);
}

/// Maximum number of reported faults per file. The last report states how many others there are.
const MAX_REPORTED_FAULTS: u64 = 20;

/// Number of errors after which the rest of a file is not read: a file in another format may have
/// an error in every line.
const MAX_ERRORS: u32 = 1_000;

/// Capacity of the channel, in batches. It evens out the speeds of the threads.
const MAX_BATCHES: usize = 8;

/// Stack size of the parsing thread, in bytes: the parsers of RDF/XML and JSON-LD are recursive.
const STACK_BYTES: usize = 64 << 20;

/// Loads files. All of their statements become visible at once.
pub fn load(
    archive: &Archive,
    sources: &[ImportSource],
    options: &ImportOptions,
    cancellation: &CancellationToken,
    watcher: &mut dyn ImportWatcher,
) -> Result<ImportSummary, ImportError> {
    let mut loader = archive.bulk_loader();
    let mut loaded = ImportSummary::default();
    let read = Arc::new(AtomicU64::new(0));
    thread::scope(|scope| {
        let (sender, messages) = sync_channel(MAX_BATCHES);
        let meter = Arc::clone(&read);
        let parsing = move || {
            let mut feed = ImportFeed::new(sender, options);
            let _: Result<(), FeedStopped> =
                sources.iter().try_for_each(|source| parse::read(source, options, &meter, &mut feed));
        };
        thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, parsing).map_err(ImportError::Thread)?;
        let mut add = |quad: QuadRef<'_>| -> Result<(), ImportError> {
            loaded.quads += 1;
            Ok(loader.add(quad)?)
        };
        // The receiver is dropped at the end of this call, which stops the thread.
        loaded.faults = ImportConsumer { options, cancellation, read: &read, watcher }.consume(messages, &mut add)?;
        Ok::<(), ImportError>(())
    })?;
    loaded.inserted = loader.finish()?.inserted;
    Ok(loaded)
}

/// The receiving side of the channel: passes statements to the archive, and reports progress and faults.
struct ImportConsumer<'a> {
    options: &'a ImportOptions,
    cancellation: &'a CancellationToken,
    read: &'a AtomicU64,
    watcher: &'a mut dyn ImportWatcher,
}

impl ImportConsumer<'_> {
    /// Processes all messages and returns the number of reported faults.
    fn consume(
        self,
        messages: Receiver<ReaderMessage>,
        add: &mut dyn FnMut(QuadRef<'_>) -> Result<(), ImportError>,
    ) -> Result<u64, ImportError> {
        let mut blocks = LineBlocks::new(self.options);
        let mut faults = 0;
        for message in messages {
            if self.cancellation.is_cancelled() {
                return Err(ImportError::Cancelled);
            }
            match message {
                ReaderMessage::Quads(quads) => quads.iter().try_for_each(|quad| add(quad.as_ref()))?,
                ReaderMessage::Lines(block) => blocks.read(&block, add, self.watcher)?,
                ReaderMessage::Fault(fault) if self.options.tolerance == FaultTolerance::Strict => {
                    return Err(ImportError::Rejected(fault));
                }
                ReaderMessage::Fault(fault) => {
                    faults += 1;
                    self.watcher.fault(&fault);
                }
            }
            self.watcher.bytes_read(self.read.load(Ordering::Relaxed));
        }
        blocks.finish_file(self.watcher);
        Ok(faults + blocks.reported)
    }
}

#[cfg(test)]
mod tests;
