//! Reads `HexTuples`: a JSON array of six strings per line.
//!
//! Each line is an array of subject, predicate, value, datatype, language and graph. The datatype `globalId` marks an
//! IRI, `localId` a blank node. See <https://github.com/ontola/hextuples>.

use std::io::{self, BufRead, BufReader, Read};

use oxrdf::vocab::rdf;
use oxrdf::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};

use super::{RdfInput, ReadEnd};
use crate::blank_nodes::label_from_text;
use crate::json_ld::parse_strings;
use crate::sink::{QuadSink, RdfFault, RdfFaultKind, TextPosition};

/// Maximum length of a line.
const MAX_LINE_BYTES: u64 = 8 << 20;

/// Reads a document. A line with an error is a fault, and the others are read.
pub(super) fn read(input: RdfInput<'_>, max_errors: usize, sink: &mut dyn QuadSink) -> io::Result<ReadEnd> {
    let mut reader: Box<dyn BufRead + '_> = match input {
        RdfInput::Slice(bytes) => Box::new(bytes),
        RdfInput::Stream(stream) => Box::new(BufReader::new(stream)),
    };
    let mut text = Vec::new();
    let mut errors = 0;
    for line in 1.. {
        text.clear();
        if reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut text)? == 0 {
            break;
        }
        if text.len() as u64 == MAX_LINE_BYTES {
            let detail = format!("line {line} is longer than {MAX_LINE_BYTES} bytes; the rest is not read");
            sink.fault(RdfFault::new(RdfFaultKind::Limit, detail));
            return Ok(ReadEnd::TooManyErrors);
        }
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match parse_line(&text) {
            Ok(quad) => sink.owned_quad(quad),
            Err(detail) => {
                let position = Some(TextPosition { line, column: 1 });
                sink.fault(RdfFault { kind: RdfFaultKind::Syntax, position, detail });
                errors += 1;
                if errors >= max_errors {
                    return Ok(ReadEnd::TooManyErrors);
                }
            }
        }
        if !sink.is_open() {
            return Ok(ReadEnd::Closed);
        }
    }
    Ok(ReadEnd::Complete)
}

fn parse_line(line: &[u8]) -> Result<Quad, String> {
    let text = std::str::from_utf8(line).map_err(|error| error.to_string())?;
    let strings = parse_strings(text)?;
    let [subject, predicate, value, datatype, language, graph] = strings.as_slice() else {
        return Err(format!("expected an array of 6 strings, found {}", strings.len()));
    };
    let object = match (datatype.as_str(), language.as_str()) {
        ("globalId", _) => Term::from(named(value)?),
        ("localId", _) => blank(value).into(),
        ("", "") => Literal::new_simple_literal(value).into(),
        (datatype, language) if datatype.is_empty() || datatype == rdf::LANG_STRING.as_str() => {
            let literal = Literal::new_language_tagged_literal(value, language);
            literal.map_err(|error| format!("language tag `{language}`: {error}"))?.into()
        }
        (datatype, _) => Literal::new_typed_literal(value, named(datatype)?).into(),
    };
    let graph = if graph.is_empty() { GraphName::DefaultGraph } else { node(graph)?.into() };
    Ok(Quad::new(node(subject)?, named(predicate)?, object, graph))
}

fn node(text: &str) -> Result<NamedOrBlankNode, String> {
    if text.starts_with("_:") { Ok(blank(text).into()) } else { Ok(named(text)?.into()) }
}

fn named(text: &str) -> Result<NamedNode, String> {
    NamedNode::new(text).map_err(|error| format!("`{text}` is not an absolute IRI: {error}"))
}

fn blank(text: &str) -> BlankNode {
    BlankNode::new_unchecked(label_from_text(text.strip_prefix("_:").unwrap_or(text)))
}
