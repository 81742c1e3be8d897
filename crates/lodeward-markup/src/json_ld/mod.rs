//! JSON-LD, in documents and in the scripts of pages.
//!
//! A reader of JSON-LD 1.1 of our own. There are parsers in Rust, and one was
//! here before: it panics at a graph map with a set in it, and runs without end
//! over contexts that name each other.

mod active;
mod canonical;
mod contexts;
mod define;
mod document;
mod emit;
mod error;
mod expand;
mod json;
mod maps;
mod object;
mod process;
mod resolve;

use std::sync::Arc;

pub use contexts::Contexts;

use crate::{Sink, Syntax};

/// How JSON-LD is read.
#[derive(Clone, Debug)]
pub struct Options {
    /// A context that is in force before that of the document: the text of a
    /// JSON document with a `@context` in it, or of the context itself.
    pub expand_context: Option<String>,
    /// What is allowed.
    pub mode: Mode,
    /// What becomes of the direction of texts, which RDF 1.1 has no place for:
    /// by default nothing.
    pub direction: Option<Direction>,
    /// Whether text that is not quite JSON is read as what it was meant to be.
    pub repair: bool,
    /// The longest document that is read in any order. A longer one is read as
    /// it comes, a piece at a time, none of which may be longer either.
    pub bytes_max: usize,
    /// The longest context from elsewhere.
    pub context_bytes_max: usize,
    /// How deep brackets may nest. What people write is a dozen levels deep.
    pub depth_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            expand_context: None,
            mode: Mode::JsonLd11,
            direction: None,
            repair: true,
            bytes_max: 4 << 20,
            context_bytes_max: 1 << 20,
            depth_max: 128,
        }
    }
}

/// The version of JSON-LD that a document is held to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// JSON-LD 1.1, which can read nearly all of 1.0.
    #[default]
    JsonLd11,
    /// Errors for what is of 1.1 only.
    JsonLd10,
}

/// How RDF says in which direction a text runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// By a datatype that names the language and the direction.
    I18nDatatype,
    /// By a blank node with a value, a language and a direction.
    CompoundLiteral,
}

/// Reads a JSON-LD document.
pub fn read(document: &[u8], base: &str, options: &Options, contexts: &Arc<dyn Contexts>, sink: &mut dyn Sink) {
    sink.begin(Syntax::JsonLd);
    document::read(document, base, options, &**contexts, sink);
}
