//! The channel from the parsers to the archive.

use std::sync::mpsc::SyncSender;

use lodeward_rdf::blank_nodes::FileBlankNodes;
use oxrdf::{GraphName, Quad};

use super::blocks::LineBlock;
use super::source::ImportSource;
use super::{FaultTolerance, ImportFault, ImportOptions, MAX_REPORTED_FAULTS, ReaderMessage};

/// The error of a send after the receiver has ended the import.
pub(super) struct FeedStopped;

/// Number of statements sent at a time.
const BATCH_QUADS: usize = 2_048;

/// Assigns statements to their graph, renames their blank nodes, and sends them in batches.
pub(super) struct ImportFeed {
    sender: SyncSender<ReaderMessage>,
    tolerance: FaultTolerance,
    batch: Vec<Quad>,
    graph: GraphName,
    file: String,
    blanks: FileBlankNodes,
    faults: u64,
}

impl ImportFeed {
    pub(super) fn new(sender: SyncSender<ReaderMessage>, options: &ImportOptions) -> Self {
        Self {
            sender,
            tolerance: options.tolerance,
            batch: Vec::with_capacity(BATCH_QUADS),
            graph: options.graph.clone().map_or(GraphName::DefaultGraph, GraphName::from),
            file: String::new(),
            blanks: FileBlankNodes::hashed(0),
            faults: 0,
        }
    }

    /// Starts a file.
    pub(super) fn begin_file(&mut self, source: &ImportSource, blanks: FileBlankNodes) {
        self.file.clone_from(&source.name);
        self.blanks = blanks;
        self.faults = 0;
    }

    /// Starts a new scope of blank nodes.
    pub(super) fn begin_scope(&mut self) {
        self.blanks.begin_scope();
    }

    pub(super) fn push_quad(&mut self, mut quad: Quad) -> Result<(), FeedStopped> {
        self.blanks.rename(&mut quad);
        if quad.graph_name.is_default_graph() && !self.graph.is_default_graph() {
            quad.graph_name = self.graph.clone();
        }
        self.batch.push(quad);
        if self.batch.len() < BATCH_QUADS { Ok(()) } else { self.flush() }
    }

    pub(super) fn record_fault(
        &mut self,
        location: Option<(u64, u64)>,
        message: impl Into<String>,
    ) -> Result<(), FeedStopped> {
        self.faults += 1;
        if self.faults <= MAX_REPORTED_FAULTS {
            self.send_fault(location, message.into())?;
        }
        match self.tolerance {
            FaultTolerance::Strict => Err(FeedStopped),
            FaultTolerance::KeepGoing => Ok(()),
        }
    }

    /// Sends unparsed lines.
    pub(super) fn send_block(&mut self, block: LineBlock) -> Result<(), FeedStopped> {
        self.sender.send(ReaderMessage::Lines(block)).map_err(|_| FeedStopped)
    }

    /// Ends a file.
    pub(super) fn finish_file(&mut self) -> Result<(), FeedStopped> {
        if self.faults > MAX_REPORTED_FAULTS {
            self.send_fault(None, format!("{} more faults", self.faults - MAX_REPORTED_FAULTS))?;
        }
        self.flush()
    }

    fn send_fault(&self, location: Option<(u64, u64)>, message: String) -> Result<(), FeedStopped> {
        let fault = ImportFault { file: self.file.clone(), location, message };
        self.sender.send(ReaderMessage::Fault(fault)).map_err(|_| FeedStopped)
    }

    fn flush(&mut self) -> Result<(), FeedStopped> {
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH_QUADS));
        self.sender.send(ReaderMessage::Quads(batch)).map_err(|_| FeedStopped)
    }
}
