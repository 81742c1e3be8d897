//! JSON-LD, in documents and in the scripts of pages.
//!
//! A text becomes JSON (`json`), after repairs if it has to (`repair`); a
//! context gives its words a meaning (`process`); expansion turns it into
//! nodes, values and lists (`expand`), and these are said as statements
//! (`emit`). What has nothing to do with each other is read one after the
//! other, so that what is wrong in one place costs little elsewhere, and a
//! document of any length can be read piece by piece (`stream`).
//!
//! This is JSON-LD 1.1 to the letter of its suite. The promise beyond that is
//! that no document, whatever it says, makes a panic or takes more than its
//! length allows: a graph map with a set in it, contexts that name each other,
//! a long context for each of many nodes. That is why this is not left to the
//! parser of the Oxigraph family, as other syntaxes are: it stumbles over all three.

mod active;
mod bundled;
mod canonical;
mod contexts;
mod define;
mod document;
mod emit;
mod error;
mod expand;
mod html;
mod json;
mod maps;
mod object;
mod pieces;
mod process;
mod repair;
mod settings;
mod stream;

use std::io::{self, Read};
use std::sync::Arc;

pub use contexts::{Bundled, Cache, Chain, Contexts};
pub use html::read_html;

use crate::{Sink, Syntax};
use document::read_with;
use error::INVALID_SCRIPT;
use process::Memory;

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
    /// Which scripts of a page are read.
    pub scripts: Scripts,
    /// The longest document that is read in any order. A longer one is read as
    /// it comes, a piece at a time, none of which may be longer either.
    pub bytes_max: usize,
    /// The longest context from elsewhere.
    pub context_bytes_max: usize,
    /// How deep brackets may nest. What people write is a dozen levels deep.
    /// More than 256 are taken for 256: the stack has an end.
    pub depth_max: usize,
}

impl Options {
    /// How deep brackets may nest, as far as the stack allows.
    fn depth(&self) -> usize {
        self.depth_max.min(256)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            expand_context: None,
            mode: Mode::JsonLd11,
            direction: None,
            repair: true,
            scripts: Scripts::All,
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

/// Which scripts of a page are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scripts {
    /// All of them, each a document of its own.
    #[default]
    All,
    /// The first, and it is an error if there is none.
    First,
}

/// Reads a JSON-LD document.
///
/// Statements go to the sink as they are found, and what is wrong with the
/// document after them: what could be read stays read. A document that is
/// longer than [`Options::bytes_max`] is read as by [`read_from`].
///
/// ```
/// use std::sync::Arc;
///
/// use lodeward_markup::json_ld::{self, Bundled, Contexts, Options};
/// use lodeward_markup::{Fault, Sink, Syntax};
///
/// struct Print(String);
///
/// impl Sink for Print {
///     fn quad(&mut self, _: Syntax, quad: oxrdf::QuadRef<'_>) {
///         self.0 += &format!("{quad} .\n");
///     }
///
///     fn fault(&mut self, fault: Fault) {
///         panic!("{}", fault.detail);
///     }
///
///     fn begin(&mut self, _: Syntax) {}
/// }
///
/// let document = br##"{"@context": "https://schema.org", "@id": "#me", "url": "/"}"##;
/// let contexts: Arc<dyn Contexts> = Arc::new(Bundled);
/// let mut print = Print(String::new());
/// json_ld::read(document, "http://a.org/b", &Options::default(), &contexts, &mut print);
/// assert_eq!(print.0, "<http://a.org/b#me> <http://schema.org/url> <http://a.org/> .\n");
/// ```
pub fn read(document: &[u8], base: &str, options: &Options, contexts: &Arc<dyn Contexts>, sink: &mut dyn Sink) {
    read_from(document, base, options, contexts, sink).expect("what is in memory can be read");
}

/// Reads a JSON-LD document from a stream.
///
/// If it is longer than [`Options::bytes_max`], it is never held as a whole:
/// then contexts and names have to come before what they are about, on the
/// outermost level. An error is that of the stream; all others are faults.
pub fn read_from(
    document: impl Read,
    base: &str,
    options: &Options,
    contexts: &Arc<dyn Contexts>,
    sink: &mut dyn Sink,
) -> io::Result<()> {
    read_with(base, &mut Session::new(options, contexts), sink, |reader| reader.bytes(document))
}

/// Reads the text of a script element. For the scripts of a page, there is
/// [`Session`].
pub fn read_script(text: &str, base: &str, options: &Options, contexts: &Arc<dyn Contexts>, sink: &mut dyn Sink) {
    Session::new(options, contexts).script(text, base, sink);
}

/// Reads the scripts of one page, one after the other.
///
/// Each is a document of its own, but contexts that they share are read once,
/// and what they may cost together grows with their length, not their number.
pub struct Session<'a> {
    options: &'a Options,
    contexts: &'a Arc<dyn Contexts>,
    memory: Memory,
}

impl<'a> Session<'a> {
    /// For the scripts of a page.
    #[must_use]
    pub fn new(options: &'a Options, contexts: &'a Arc<dyn Contexts>) -> Self {
        Self { options, contexts, memory: Memory::new() }
    }

    /// Reads the text of the next script.
    pub fn script(&mut self, text: &str, base: &str, sink: &mut dyn Sink) {
        if self.options.repair && text.trim_ascii().is_empty() {
            return sink.begin(Syntax::JsonLd);
        }
        let is_long = text.len() > self.options.bytes_max;
        let result = read_with(base, self, sink, |reader| {
            if is_long { reader.bytes(text.as_bytes()) } else { reader.text(text, INVALID_SCRIPT) }
        });
        result.expect("what is in memory can be read");
    }
}

/// Whether the type of a script says that there is JSON-LD in it. A frame is
/// JSON-LD as well, but states nothing.
pub(crate) fn is_json_ld(media_type: &str) -> bool {
    let (essence, parameters) = media_type.split_once(';').unwrap_or((media_type, ""));
    essence.trim().eq_ignore_ascii_case("application/ld+json") && !parameters.contains("json-ld#frame")
}
