//! How answers are written, and in which format.

use lodeward_archive::sparql::AnswerFormat as Written;
use std::io::Write as _;

use lodeward_archive::sparql::{Answer, AnswerKind, QueryError};

use super::table;
use crate::arguments::{AnswerFormat, Query};
use crate::failure::Usage;
use crate::target::{self, Target};

/// How an answer is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// As was said.
    Said(AnswerFormat),
    /// As suits where it goes and what it is.
    Suitable,
}

/// What --format says, or else the extension of --output.
pub(super) fn format(arguments: &Query) -> Result<Format, Usage> {
    if let Some(format) = arguments.format {
        return Ok(Format::Said(format));
    }
    let extension = arguments.output.as_deref().and_then(target::extension);
    let Some(extension) = extension else { return Ok(Format::Suitable) };
    let format = match extension.as_str() {
        "json" | "srj" => AnswerFormat::Json,
        "xml" | "srx" => AnswerFormat::Xml,
        "csv" => AnswerFormat::Csv,
        "tsv" => AnswerFormat::Tsv,
        "txt" => AnswerFormat::Table,
        "nt" => AnswerFormat::NTriples,
        "ttl" => AnswerFormat::Turtle,
        "rdf" => AnswerFormat::RdfXml,
        "trig" => AnswerFormat::TriG,
        "nq" => AnswerFormat::NQuads,
        "jsonld" => AnswerFormat::JsonLd,
        _ => {
            return Err(Usage {
                message: format!("cannot tell a format from the extension .{extension}"),
                hint: Some("say --format".to_owned()),
            });
        }
    };
    Ok(Format::Said(format))
}

/// Whether JSON was asked for.
pub(super) fn is_json(arguments: &Query) -> bool {
    format(arguments).is_ok_and(|format| format == Format::Said(AnswerFormat::Json))
}

/// Writes an answer, and tells how many rows it had.
pub(super) fn write(answer: Answer, format: Format, mut target: Target) -> Result<u64, QueryError> {
    let format = match format {
        Format::Said(format) => format,
        Format::Suitable => suitable(answer.kind(), target.is_terminal()),
    };
    let rows = match (written(format), answer) {
        (None | Some(Written::Csv | Written::Tsv), Answer::Boolean(value)) => {
            writeln!(target, "{value}").map_err(QueryError::Write)?;
            1
        }
        (Some(format @ (Written::Json | Written::Xml)), answer) => {
            let rows = answer.write(format, &mut target)?;
            // What is one line should end like one.
            writeln!(target).map_err(QueryError::Write)?;
            rows
        }
        (Some(format), answer) => answer.write(format, &mut target)?,
        (None, Answer::Solutions(solutions)) => table::write(solutions, &mut target)?,
        // Triples are no table, and Turtle is for people, too.
        (None, graph @ Answer::Graph(_)) => graph.write(Written::Turtle, &mut target)?,
    };
    target.finish().map_err(QueryError::Write)?;
    Ok(rows)
}

fn suitable(kind: AnswerKind, is_terminal: bool) -> AnswerFormat {
    match (kind, is_terminal) {
        (_, true) => AnswerFormat::Table,
        (AnswerKind::Graph, false) => AnswerFormat::NTriples,
        (_, false) => AnswerFormat::Tsv,
    }
}

/// The format as the archive knows it; it knows no table.
fn written(format: AnswerFormat) -> Option<Written> {
    match format {
        AnswerFormat::Table => None,
        AnswerFormat::Json => Some(Written::Json),
        AnswerFormat::Xml => Some(Written::Xml),
        AnswerFormat::Csv => Some(Written::Csv),
        AnswerFormat::Tsv => Some(Written::Tsv),
        AnswerFormat::NTriples => Some(Written::NTriples),
        AnswerFormat::Turtle => Some(Written::Turtle),
        AnswerFormat::RdfXml => Some(Written::RdfXml),
        AnswerFormat::TriG => Some(Written::TriG),
        AnswerFormat::NQuads => Some(Written::NQuads),
        AnswerFormat::JsonLd => Some(Written::JsonLd),
    }
}
