//! Bytes in, quads and links out.
//!
//! An extractor reads a representation from front to back into a [`Sink`] and
//! never fails: what could not be read is a [`Fault`], and whatever came before
//! it is kept. It has no clock and does no I/O but reading the body, so it runs
//! on any thread beside the conductor.
//!
//! [`Reader`] is the extractor of the crawl. It decides what a document is by
//! looking at it (`sniff`), makes UTF-8 of it, and lets the reader
//! of that syntax (`rdf`, `json_ld`, `html`) fill a `Harvest`, through which
//! every statement passes on its way to the sink. What is packed, in whatever
//! nesting, is unpacked first (`archive`), and then is many documents or one.

use oxrdf::QuadRef;

use crate::discover::Step;
use crate::fetch::{Body, Representation};
use crate::model::{Fault, Link, Relevance};

pub mod options;
mod reader;
pub mod content_type;
pub mod sniff;
mod rdf;
mod contexts;
mod json_ld;
mod depth;
mod html;
mod archive;
mod harvest;
mod blank;
mod triple_links;
mod siblings;
mod steps;
pub mod link_header;
mod lists;
mod linkset;

pub use archive::decompressed;
pub use contexts::contexts;
pub use options::{NamedGraphs, Options};
pub(crate) use rdf::fault_of_stream;
pub use reader::Reader;

/// Reads a representation.
pub trait Extractor: Send + Sync {
    /// Reads what can be read.
    ///
    /// Every quad handed to the sink is in the graph named by the document
    /// (unless named graphs are kept), and its blank nodes are unique to the
    /// document: the same document always yields the same labels.
    ///
    /// If it [may wait](Self::may_wait), on a thread that may block.
    fn extract(&self, representation: Representation, sink: &mut dyn Sink) -> Extracted;

    /// Whether reading this may have to wait: for the rest of it, or for others to
    /// be read.
    fn may_wait(&self, representation: &Representation) -> bool {
        matches!(representation.body, Body::Stream(_))
    }

    /// Reads what a service answered, and finds the steps that come next.
    fn take_step(&self, step: &Step, representation: Representation, sink: &mut dyn Sink) -> Extracted {
        let _ = step;
        self.extract(representation, sink)
    }
}

/// Takes what an extractor finds, as it finds it.
pub trait Sink {
    /// A statement.
    fn quad(&mut self, quad: QuadRef<'_>);
    /// A reference to another document. Each target at most once a document.
    fn link(&mut self, link: Link);
    /// Something that could not be read. Bounded in number by the extractor.
    fn fault(&mut self, fault: Fault);
}

/// What sort of document it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extracted {
    /// The syntax it turned out to be in: `turtle`, `rdf-xml`, `html`, `other`;
    /// `archive` for one with documents in several.
    pub syntax: &'static str,
    /// Bytes read.
    pub bytes: u64,
    /// xxh3-64 of those bytes; 0 when they were streamed.
    pub digest: u64,
    /// Whether it holds RDF.
    pub relevance: Relevance,
    /// Quads by the syntax they were written in (`turtle`, `json-ld-script`).
    pub quads_by_syntax: Vec<(&'static str, u64)>,
}
