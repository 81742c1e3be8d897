//! Extracts quads and links from representations.
//!
//! An extractor reads a representation into an [`ExtractSink`] and never fails: unreadable parts are reported as a
//! [`Fault`], and everything before them is preserved. It reads no clock and does no I/O other than reading the body,
//! so it runs on any thread, concurrently with the conductor.
//!
//! [`DocumentReader`] is the extractor of the crawl. It detects the format from the content, converts to UTF-8 and
//! passes the text to the reader of that format (`rdf`, `html`), which are in `lodeward-rdf` and `lodeward-markup`. Every statement passes through an
//! `Extraction` to the sink. Archives and compressed files, in any nesting, are unpacked first (`unpack`) into one or
//! more documents.

use oxrdf::QuadRef;

use crate::discover::{NextStep, Step};
use crate::fetch::{Representation, ResponseBody};
use crate::model::{Fault, Link, Relevance, UsageTerms};

pub mod options;
mod document_reader;
mod document_usage;
mod rdf;
mod context_dir;
mod html;
mod unpack;
mod extraction;
mod triple_links;
mod siblings;
mod step_response;
pub(crate) mod link_header;
mod link_lists;
mod linkset;

pub use context_dir::contexts;
pub use document_reader::DocumentReader;
pub use options::{ExtractOptions, NamedGraphPolicy};
pub use unpack::unpack_file;

/// Extracts the contents of a representation.
pub trait Extractor: Send + Sync {
    /// Extracts everything that can be read.
    ///
    /// Every quad passed to the sink is in the graph named by the document (unless named graphs are preserved), and its
    /// blank nodes are unique to the document: the same document always yields the same labels.
    ///
    /// If [`may_block`](Self::may_block) is true, call this on a blocking thread.
    fn extract(&self, representation: Representation, sink: &mut dyn ExtractSink) -> ExtractSummary;

    /// Whether reading may block: for more bytes, or for decoder memory.
    fn may_block(&self, representation: &Representation) -> bool {
        matches!(representation.body, ResponseBody::Stream(_))
    }

    /// Reads the response of a service and finds the next steps.
    fn extract_step(&self, step: &Step, representation: Representation, sink: &mut dyn ExtractSink) -> ExtractSummary {
        let _ = step;
        self.extract(representation, sink)
    }

    /// The number of documents that are being read now.
    fn reads_in_progress(&self) -> usize {
        0
    }

    /// The crawl has ended: what is being read will not be stored, and is abandoned as soon as possible.
    fn abandon(&self) {}
}

/// Receives quads, links, steps and faults as they are found.
pub trait ExtractSink {
    /// A statement.
    fn quad(&mut self, quad: QuadRef<'_>);
    /// A reference to another document. Each target is reported at most once per document.
    fn link(&mut self, link: Link);
    /// A step to take next in the harvest of a service. Ignored by default.
    fn step(&mut self, _next: NextStep) {}
    /// A part that could not be read. The number is limited by the extractor.
    fn fault(&mut self, fault: Fault);
}

/// The properties of an extracted document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtractSummary {
    /// The detected format: `turtle`, `rdf-xml`, `html`, `other`; `archive` for a dump with several formats.
    pub format: &'static str,
    /// Number of bytes read.
    pub bytes: u64,
    /// xxh3-64 of the bytes read; 0 if the body was streamed.
    pub digest: u64,
    /// Whether the document contains RDF.
    pub relevance: Relevance,
    /// Number of quads by the format they were written in (`turtle`, `json-ld-script`).
    pub quads_by_format: Vec<(&'static str, u64)>,
    /// What the publisher states about the use of the document.
    pub terms: UsageTerms,
}

#[cfg(test)]
mod usage_tests;
