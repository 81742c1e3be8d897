//! Reading JSON-LD: documents, and the text of script elements.
//!
//! A text is parsed as JSON (`json`), after repairs if needed (`repair`). Contexts define the
//! meaning of its keys (`context_processing`). Expansion turns it into nodes, values and lists
//! (`expand`), and these are written as statements (`to_rdf`). Independent parts are read one after
//! another, so an error in one part does not affect the others, and a document of any length can be
//! read piece by piece (`stream`).
//!
//! The module implements JSON-LD 1.1 and passes its test suite. In addition, no document causes a
//! panic or takes more time or memory than its length allows: a graph map that contains a set,
//! contexts that refer to each other, a long context for each of many nodes. The parser of the
//! Oxigraph family, which reads the other formats, fails on all three.

mod active_context;
mod bundled;
mod canonical;
mod contexts;
mod term_definition;
mod document;
mod to_rdf;
mod error;
mod expand;
mod json;
mod maps;
mod object;
mod pieces;
mod context_processing;
mod repair;
mod context_settings;
mod stream;

use std::io::{self, Read};
use std::sync::Arc;

pub use contexts::{BundledContexts, ContextCache, ContextChain, ContextLoader};

use crate::sink::QuadSink;
use context_processing::ContextMemory;
use document::read_with;
use error::INVALID_SCRIPT;

/// The strings of a JSON array that has nothing else in it.
pub(crate) fn parse_strings(text: &str) -> Result<Vec<String>, String> {
    let value = json::parse(text.trim(), 2).map_err(|error| format!("{} at byte {}", error.message, error.at))?;
    let json::JsonValue::Array(elements) = value else { return Err("not a JSON array".to_owned()) };
    let strings = elements.iter().map(|element| element.as_str().map(str::to_owned));
    strings.collect::<Option<_>>().ok_or_else(|| "an element of the array is not a string".to_owned())
}

/// Options of the JSON-LD reader.
#[derive(Clone, Debug)]
pub struct JsonLdOptions {
    /// A context that applies before that of the document: the text of a JSON document with a
    /// `@context`, or of the context itself.
    pub expand_context: Option<String>,
    /// The JSON-LD version.
    pub mode: JsonLdVersion,
    /// How to represent the direction of texts, which RDF 1.1 does not support. By default it is
    /// omitted.
    pub direction: Option<RdfDirection>,
    /// Whether to repair text that is almost JSON.
    pub repair: bool,
    /// Which scripts of a page to read.
    pub scripts: ScriptSelection,
    /// The maximum length in bytes of a document that is read at once. A longer one is streamed in
    /// pieces, each at most this long.
    pub max_bytes: usize,
    /// The maximum length in bytes of a remote context.
    pub max_context_bytes: usize,
    /// The maximum nesting depth. Normal documents have about a dozen levels. Values above 256 are
    /// reduced to 256, because the stack is limited.
    pub max_depth: usize,
}

impl JsonLdOptions {
    /// The maximum nesting depth that the stack allows.
    fn max_depth(&self) -> usize {
        self.max_depth.min(256)
    }
}

impl Default for JsonLdOptions {
    fn default() -> Self {
        Self {
            expand_context: None,
            mode: JsonLdVersion::JsonLd11,
            direction: None,
            repair: true,
            scripts: ScriptSelection::All,
            max_bytes: 4 << 20,
            max_context_bytes: 1 << 20,
            max_depth: 128,
        }
    }
}

/// The version of JSON-LD.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JsonLdVersion {
    /// JSON-LD 1.1, which also reads nearly all of 1.0.
    #[default]
    JsonLd11,
    /// JSON-LD 1.0: features of 1.1 are errors.
    JsonLd10,
}

/// How to represent the direction of a text in RDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RdfDirection {
    /// As a datatype that contains the language and the direction.
    I18nDatatype,
    /// As a blank node with a value, a language and a direction.
    CompoundLiteral,
}

/// Which scripts of a page to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScriptSelection {
    /// All of them, each as a separate document.
    #[default]
    All,
    /// Only the first; without one, an error is reported.
    First,
}

/// Reads a JSON-LD document.
///
/// Statements are passed to the sink as they are found, and errors after them: what could be read
/// is not discarded. A document that is longer than [`JsonLdOptions::max_bytes`] is read as by
/// [`read_from`].
///
/// ```
/// use std::sync::Arc;
///
/// use lodeward_rdf::json_ld::{self, BundledContexts, ContextLoader, JsonLdOptions};
/// use lodeward_rdf::{QuadSink, RdfFault};
///
/// struct Print(String);
///
/// impl QuadSink for Print {
///     fn quad(&mut self, quad: oxrdf::QuadRef<'_>) {
///         self.0 += &format!("{quad} .\n");
///     }
///
///     fn fault(&mut self, fault: RdfFault) {
///         panic!("{fault}");
///     }
/// }
///
/// let document = br##"{"@context": "https://schema.org", "@id": "#me", "url": "/"}"##;
/// let contexts: Arc<dyn ContextLoader> = Arc::new(BundledContexts);
/// let mut print = Print(String::new());
/// json_ld::read(document, "http://a.org/b", &JsonLdOptions::default(), &contexts, &mut print);
/// assert_eq!(print.0, "<http://a.org/b#me> <http://schema.org/url> <http://a.org/> .\n");
/// ```
pub fn read(
    document: &[u8],
    base: &str,
    options: &JsonLdOptions,
    contexts: &Arc<dyn ContextLoader>,
    sink: &mut dyn QuadSink,
) {
    read_from(document, base, options, contexts, sink).expect("reading from memory cannot fail");
}

/// Reads a JSON-LD document from a stream.
///
/// A document that is longer than [`JsonLdOptions::max_bytes`] is never held in memory as a whole.
/// At its outermost level, contexts and node names must then precede what they apply to. Returns
/// only errors of the stream; all others are reported as faults.
pub fn read_from(
    document: impl Read,
    base: &str,
    options: &JsonLdOptions,
    contexts: &Arc<dyn ContextLoader>,
    sink: &mut dyn QuadSink,
) -> io::Result<()> {
    read_with(base, &mut ScriptSession::new(options, contexts), sink, |reader| reader.read_bytes(document))
}

/// Reads the text of a script element. For several scripts of a page, use [`ScriptSession`].
pub fn read_script(
    text: &str,
    base: &str,
    options: &JsonLdOptions,
    contexts: &Arc<dyn ContextLoader>,
    sink: &mut dyn QuadSink,
) {
    ScriptSession::new(options, contexts).read_script(text, base, sink);
}

/// Reads the scripts of one page, one after another.
///
/// Each script is a separate document. Contexts that they share are loaded once, and the limit of
/// their total cost depends on their length, not on their number.
pub struct ScriptSession<'a> {
    options: &'a JsonLdOptions,
    contexts: &'a Arc<dyn ContextLoader>,
    memory: ContextMemory,
}

impl<'a> ScriptSession<'a> {
    /// Creates a session for one page.
    #[must_use]
    pub fn new(options: &'a JsonLdOptions, contexts: &'a Arc<dyn ContextLoader>) -> Self {
        Self { options, contexts, memory: ContextMemory::new() }
    }

    /// Reads the text of the next script.
    pub fn read_script(&mut self, text: &str, base: &str, sink: &mut dyn QuadSink) {
        if self.options.repair && text.trim_ascii().is_empty() {
            return sink.begin_scope();
        }
        let is_long = text.len() > self.options.max_bytes;
        let result = read_with(base, self, sink, |reader| {
            if is_long { reader.read_bytes(text.as_bytes()) } else { reader.read_text(text, INVALID_SCRIPT) }
        });
        result.expect("reading from memory cannot fail");
    }
}
