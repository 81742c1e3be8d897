//! The way of statements from the parsers to the archive.

use std::sync::mpsc::SyncSender;

use oxrdf::{GraphName, Quad};

use super::blank::BlankNodes;
use super::blocks::Block;
use super::source::Source;
use super::{FAULTS_TOLD_MAX, Fault, Message, Options, Tolerance};

/// Nobody wants to hear more.
pub(super) struct Stop;

/// Statements that go from one thread to the other at a time.
const BATCH_QUADS: usize = 2_048;

/// Puts statements into their graph, names their blank nodes, and hands them
/// over in batches.
pub(super) struct Feed {
    sender: SyncSender<Message>,
    tolerance: Tolerance,
    batch: Vec<Quad>,
    graph: GraphName,
    file: String,
    blanks: BlankNodes,
    faults: u64,
}

impl Feed {
    pub(super) fn new(sender: SyncSender<Message>, options: &Options) -> Self {
        Self {
            sender,
            tolerance: options.tolerance,
            batch: Vec::with_capacity(BATCH_QUADS),
            graph: options.graph.clone().map_or(GraphName::DefaultGraph, GraphName::from),
            file: String::new(),
            blanks: BlankNodes::hashed(0),
            faults: 0,
        }
    }

    /// Statements from here on are of this file.
    pub(super) fn begin(&mut self, source: &Source, blanks: BlankNodes) {
        self.file.clone_from(&source.name);
        self.blanks = blanks;
        self.faults = 0;
    }

    /// Blank nodes from here on are not those of before.
    pub(super) fn begin_scope(&mut self) {
        self.blanks.begin_scope();
    }

    pub(super) fn quad(&mut self, mut quad: Quad) -> Result<(), Stop> {
        self.blanks.rename(&mut quad);
        if quad.graph_name.is_default_graph() && !self.graph.is_default_graph() {
            quad.graph_name = self.graph.clone();
        }
        self.batch.push(quad);
        if self.batch.len() < BATCH_QUADS { Ok(()) } else { self.flush() }
    }

    pub(super) fn fault(&mut self, place: Option<(u64, u64)>, what: impl Into<String>) -> Result<(), Stop> {
        self.faults += 1;
        if self.faults <= FAULTS_TOLD_MAX {
            self.tell(place, what.into())?;
        }
        match self.tolerance {
            Tolerance::Strict => Err(Stop),
            Tolerance::KeepGoing => Ok(()),
        }
    }

    /// Hands over lines, which are not looked at here.
    pub(super) fn block(&mut self, block: Block) -> Result<(), Stop> {
        self.sender.send(Message::Lines(block)).map_err(|_| Stop)
    }

    /// The file has been read.
    pub(super) fn end(&mut self) -> Result<(), Stop> {
        if self.faults > FAULTS_TOLD_MAX {
            self.tell(None, format!("{} more faults", self.faults - FAULTS_TOLD_MAX))?;
        }
        self.flush()
    }

    fn tell(&self, place: Option<(u64, u64)>, what: String) -> Result<(), Stop> {
        let fault = Fault { file: self.file.clone(), place, what };
        self.sender.send(Message::Fault(fault)).map_err(|_| Stop)
    }

    fn flush(&mut self) -> Result<(), Stop> {
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH_QUADS));
        self.sender.send(Message::Quads(batch)).map_err(|_| Stop)
    }
}
