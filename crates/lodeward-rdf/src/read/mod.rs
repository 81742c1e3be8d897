//! Reading documents in all RDF formats.
//!
//! Turtle, `TriG`, N-Triples, N-Quads and N3 are parsed by `oxttl`, RDF/XML by `oxrdfxml`, and
//! JSON-LD by [`json_ld`]. OWL/XML, `TriX`, `HexTuples` and YAML-LD are read here. The parsers of the Turtle family continue after an error with the next
//! statement or line; the parser of RDF/XML cannot.

pub mod canonical;
mod hextuples;
mod input;
pub mod lines;
mod nesting;
mod output_bound;
mod owl_xml;
mod rdf_12;
mod statement;
mod trix;
mod xml;
mod yaml_ld;

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use oxiri::Iri;
use oxrdf::{Quad, QuadRef};
use oxrdfxml::RdfXmlParser;
use oxttl::{N3Parser, NQuadsParser, NTriplesParser, TriGParser, TurtleParser};

use crate::format::RdfFormat;
use crate::iri::percent_encode;
use crate::json_ld::{self, BundledContexts, ContextLoader, JsonLdOptions};
use crate::sink::{QuadSink, RdfFault, RdfFaultKind};
pub use input::RdfInput;
use nesting::bound_nesting;
use output_bound::OutputBound;
use rdf_12::{rdf_12_feature, split_rdf_12_head};
use statement::drain;
use xml::{ReachedLimit, XmlElementReader, XmlReadError, bound_xml};
use yaml_ld::YamlError;

/// How reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadEnd {
    /// The whole document was read.
    Complete,
    /// The document has too many errors; the rest was not read.
    TooManyErrors,
    /// The sink was closed; the rest was not read.
    Closed,
}

/// Why a document was rejected.
#[derive(Debug, thiserror::Error)]
pub enum RdfReadError {
    /// The document has a fault.
    #[error(transparent)]
    Fault(#[from] RdfFault),
    /// The document could not be read to its end.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads documents of one format.
///
/// By default, IRIs and language tags are validated, nothing is repaired, and the document is in
/// UTF-8 without a byte order mark.
#[derive(Clone)]
pub struct RdfReader {
    format: RdfFormat,
    base: Option<String>,
    contexts: Arc<dyn ContextLoader>,
    max_errors: usize,
    is_lenient: bool,
    repairs: bool,
    is_raw: bool,
}

impl RdfReader {
    /// A reader with the bundled JSON-LD contexts, for at most 1,000 errors.
    #[must_use]
    pub fn new(format: RdfFormat) -> Self {
        let contexts = Arc::new(BundledContexts);
        Self { format, base: None, contexts, max_errors: 1_000, is_lenient: false, repairs: false, is_raw: false }
    }

    /// Resolves relative IRIs to this base, whose invalid characters are escaped.
    #[must_use]
    pub fn base(self, iri: &str) -> Self {
        Self { base: Some(percent_encode(iri).into_owned()), ..self }
    }

    /// Loads JSON-LD contexts with this loader.
    #[must_use]
    pub fn contexts(self, contexts: Arc<dyn ContextLoader>) -> Self {
        Self { contexts, ..self }
    }

    /// Stops after this number of errors: a document in another format can cause any number of
    /// them. RDF/XML is always read up to its first error.
    #[must_use]
    pub fn max_errors(self, max_errors: usize) -> Self {
        Self { max_errors, ..self }
    }

    /// Skips the validation of IRIs and language tags, except in JSON-LD.
    #[must_use]
    pub fn lenient(self) -> Self {
        Self { is_lenient: true, ..self }
    }

    /// Repairs JSON-LD where possible, and reports the repairs as faults.
    #[must_use]
    pub fn repair(self) -> Self {
        Self { repairs: true, ..self }
    }

    /// Reads bytes as they were found: skips a byte order mark, and decodes RDF/XML in another
    /// encoding.
    #[must_use]
    pub fn raw(self) -> Self {
        Self { is_raw: true, ..self }
    }

    /// Reads a whole document, or rejects it at its first fault.
    pub fn collect(&self, input: RdfInput<'_>) -> Result<Vec<Quad>, RdfReadError> {
        let mut collector = QuadCollector::default();
        let result = self.read(input, &mut collector);
        match collector.fault {
            Some(fault) => Err(fault.into()),
            None => Ok(result.map(|_| collector.quads)?),
        }
    }

    /// Passes the statements and faults of a document to a sink. Returns only errors of the stream;
    /// all others are reported as faults. A document that exceeds a limit is read up to it.
    pub fn read<S: QuadSink>(&self, input: RdfInput<'_>, sink: &mut S) -> io::Result<ReadEnd> {
        if let Err(error) = self.base.as_deref().map_or(Ok(()), |base| Iri::parse(base).map(drop)) {
            let base = self.base.as_deref().unwrap_or_default();
            return Ok(reject(sink, format!("invalid base IRI `{base}`: {error}")));
        }
        let was_replaced = Rc::new(Cell::new(false));
        let input = match self.format {
            _ if !self.is_raw => input,
            RdfFormat::RdfXml | RdfFormat::OwlXml | RdfFormat::TriX => input.into_utf_8_xml(&was_replaced),
            _ => input.without_bom(),
        };
        let (input, mut bounded) = OutputBound::new(input, sink);
        let end = self.read_text(input, &mut bounded);
        if was_replaced.get() {
            let detail = "bytes invalid in the character encoding were replaced";
            sink.fault(RdfFault::new(RdfFaultKind::Syntax, detail));
        }
        end
    }

    /// Reads a document in UTF-8.
    fn read_text<S: QuadSink>(&self, input: RdfInput<'_>, sink: &mut S) -> io::Result<ReadEnd> {
        let reached = ReachedLimit::default();
        let has_errors = Rc::new(Cell::new(false));
        let (head, input) = split_rdf_12_head(self.format, input);
        let end = self.parse(input, sink, &reached, &has_errors);
        if let Some(feature) = rdf_12_feature(&head).filter(|_| has_errors.get()) {
            let detail = format!("RDF 1.2 is not read: the document uses {feature}");
            sink.fault(RdfFault::new(RdfFaultKind::Unsupported, detail));
        }
        match reached.take() {
            Some(detail) => {
                sink.fault(RdfFault::new(RdfFaultKind::Limit, detail));
                Ok(ReadEnd::TooManyErrors)
            }
            None => end,
        }
    }

    /// Passes a document to the parser of its format. A stream that exceeds a limit fails there.
    fn parse<S: QuadSink>(
        &self,
        input: RdfInput<'_>,
        sink: &mut S,
        reached: &ReachedLimit,
        has_errors: &Rc<Cell<bool>>,
    ) -> io::Result<ReadEnd> {
        macro_rules! parse {
            ($parser:expr) => {
                parse!($parser, input, self.max_errors)
            };
            (nested $parser:expr) => {
                parse!($parser, bound_nesting(input, has_errors, reached), self.max_errors)
            };
            ($parser:expr, $input:expr, $max_errors:expr) => {{
                let parser = $parser;
                let parser = if self.is_lenient { parser.lenient() } else { parser };
                match $input {
                    RdfInput::Slice(bytes) => drain(parser.for_slice(bytes), $max_errors, has_errors, sink),
                    RdfInput::Stream(reader) => drain(parser.for_reader(reader), $max_errors, has_errors, sink),
                }
            }};
        }
        macro_rules! with_base {
            ($parser:expr) => {
                match &self.base {
                    Some(base) => $parser.with_base_iri(base).expect("`read` has checked the base"),
                    None => $parser,
                }
            };
        }
        match self.format {
            RdfFormat::NTriples => parse!(NTriplesParser::new()),
            RdfFormat::NQuads => parse!(NQuadsParser::new()),
            RdfFormat::Turtle => parse!(nested with_base!(TurtleParser::new())),
            RdfFormat::TriG => parse!(nested with_base!(TriGParser::new())),
            RdfFormat::N3 => parse!(nested with_base!(N3Parser::new())),
            RdfFormat::RdfXml => {
                let input = bound_xml(input, reached);
                if let Some(detail) = reached.take() {
                    sink.fault(RdfFault::new(RdfFaultKind::Limit, detail));
                }
                // After an error the parser has lost its position in the tree and produces wrong statements.
                parse!(with_base!(RdfXmlParser::new()), input, 1)
            }
            RdfFormat::OwlXml => self.read_elements(input, owl_xml::read, sink, reached),
            RdfFormat::TriX => self.read_elements(input, trix::read, sink, reached),
            RdfFormat::HexTuples => hextuples::read(input, self.max_errors, sink),
            RdfFormat::JsonLd => self.read_json_ld(input, sink),
            RdfFormat::YamlLd => self.read_yaml_ld(input, sink),
            RdfFormat::Html | RdfFormat::Xhtml | RdfFormat::Svg | RdfFormat::Xml => {
                Ok(reject(sink, format!("{} is not an RDF format", self.format.title())))
            }
        }
    }

    /// Reads a format that is written in XML.
    fn read_elements<S: QuadSink>(
        &self,
        input: RdfInput<'_>,
        read: fn(&mut XmlElementReader<'_>, &mut dyn QuadSink) -> Result<(), XmlReadError>,
        sink: &mut S,
        reached: &ReachedLimit,
    ) -> io::Result<ReadEnd> {
        let mut reader = XmlElementReader::new(bound_xml(input, reached), self.base.as_deref());
        match read(&mut reader, sink) {
            Ok(()) => Ok(if sink.is_open() { ReadEnd::Complete } else { ReadEnd::Closed }),
            Err(XmlReadError::Io(error)) => Err(error),
            Err(XmlReadError::TooManyElements) => {
                sink.fault(RdfFault::new(RdfFaultKind::Limit, "an element is too large; the rest is not read"));
                Ok(ReadEnd::TooManyErrors)
            }
            Err(XmlReadError::Syntax(detail)) => Ok(reject(sink, detail)),
        }
    }

    fn read_yaml_ld<S: QuadSink>(&self, input: RdfInput<'_>, sink: &mut S) -> io::Result<ReadEnd> {
        let options = JsonLdOptions { repair: false, ..JsonLdOptions::default() };
        let base = self.base.as_deref().unwrap_or_default();
        let read = |json: &str| {
            sink.begin_scope();
            json_ld::read(json.as_bytes(), base, &options, &self.contexts, sink);
        };
        let result = yaml_ld::read_text(input)?.and_then(|text| yaml_ld::rewrite(&text, read));
        match result {
            Ok(()) => Ok(if sink.is_open() { ReadEnd::Complete } else { ReadEnd::Closed }),
            Err(YamlError::Syntax(detail)) => Ok(reject(sink, detail)),
            Err(YamlError::Limit(detail)) => {
                sink.fault(RdfFault::new(RdfFaultKind::Limit, detail));
                Ok(ReadEnd::TooManyErrors)
            }
        }
    }

    fn read_json_ld(&self, input: RdfInput<'_>, sink: &mut dyn QuadSink) -> io::Result<ReadEnd> {
        let options = JsonLdOptions { repair: self.repairs, ..JsonLdOptions::default() };
        let base = self.base.as_deref().unwrap_or_default();
        match input {
            RdfInput::Slice(bytes) => json_ld::read_from(bytes, base, &options, &self.contexts, sink)?,
            RdfInput::Stream(reader) => json_ld::read_from(reader, base, &options, &self.contexts, sink)?,
        }
        Ok(if sink.is_open() { ReadEnd::Complete } else { ReadEnd::Closed })
    }
}

fn reject(sink: &mut dyn QuadSink, detail: String) -> ReadEnd {
    sink.fault(RdfFault::new(RdfFaultKind::Syntax, detail));
    ReadEnd::TooManyErrors
}

/// Stores statements up to the first fault.
#[derive(Default)]
struct QuadCollector {
    quads: Vec<Quad>,
    fault: Option<RdfFault>,
}

impl QuadSink for QuadCollector {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.owned_quad(quad.into_owned());
    }

    fn owned_quad(&mut self, quad: Quad) {
        if self.is_open() {
            self.quads.push(quad);
        }
    }

    fn fault(&mut self, fault: RdfFault) {
        self.fault.get_or_insert(fault);
    }

    fn is_open(&self) -> bool {
        self.fault.is_none()
    }
}

#[cfg(test)]
mod tests;
