//! Writing query results, and choosing their format.

use lodeward_app::file_export;
use lodeward_archive::sparql::{QueryError, QueryOutput, ResultFormat, ResultKind};
use lodeward_rdf::RdfFormat;

use super::ReadOutput;
use super::table;
use crate::args::{QueryArgs, ResultFormatArg};
use crate::errors::UsageError;

/// The format of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputFormat {
    /// The format is set by `--format`, or by the extension of `--output`.
    Explicit(ResultFormatArg),
    /// The format depends on the kind of the result and on whether the output is a terminal.
    Auto,
}

/// The format from `--format`, or else from the extension of `--output`.
pub(super) fn output_format(arguments: &QueryArgs) -> Result<OutputFormat, UsageError> {
    if let Some(format) = arguments.format {
        return Ok(OutputFormat::Explicit(format));
    }
    let extension = arguments.output.as_deref().and_then(file_export::extension);
    let Some(extension) = extension else { return Ok(OutputFormat::Auto) };
    let format = match extension.as_str() {
        "txt" => Some(ResultFormatArg::Table),
        extension => ResultFormat::from_name(extension).map(ResultFormatArg::Result),
    };
    let format = format.ok_or_else(|| UsageError {
        message: format!("cannot derive a format from the extension .{extension}"),
        hint: Some("set --format".to_owned()),
    })?;
    Ok(OutputFormat::Explicit(format))
}

/// Whether `--format` or the extension of `--output` sets JSON.
pub(super) fn is_json(arguments: &QueryArgs) -> bool {
    output_format(arguments)
        .is_ok_and(|format| format == OutputFormat::Explicit(ResultFormatArg::Result(ResultFormat::Json)))
}

/// Writes a result and returns the number of rows.
pub(super) fn write(
    result: QueryOutput,
    format: OutputFormat,
    is_terminal: bool,
    mut target: &mut dyn ReadOutput,
) -> Result<u64, QueryError> {
    let format = match format {
        OutputFormat::Explicit(format) => format,
        OutputFormat::Auto => default_format(result.kind(), is_terminal),
    };
    let format = match format {
        ResultFormatArg::Table => None,
        ResultFormatArg::Result(format) => Some(format),
    };
    match (format, result) {
        (None | Some(ResultFormat::Csv | ResultFormat::Tsv), QueryOutput::Boolean(value)) => {
            writeln!(target, "{value}").map_err(QueryError::Write)?;
            Ok(1)
        }
        (Some(format @ (ResultFormat::Json | ResultFormat::Xml)), result) => {
            let rows = result.write(format, &mut target)?;
            // The serializers end without a line feed.
            writeln!(target).map_err(QueryError::Write)?;
            Ok(rows)
        }
        (Some(format), result) => result.write(format, &mut target),
        (None, QueryOutput::Solutions(solutions)) => table::write(solutions, &mut target),
        // Triples do not fit into a table; Turtle is the most readable format.
        (None, graph @ QueryOutput::Graph(_)) => graph.write(ResultFormat::Rdf(RdfFormat::Turtle), &mut target),
    }
}

fn default_format(kind: ResultKind, is_terminal: bool) -> ResultFormatArg {
    match (kind, is_terminal) {
        (_, true) => ResultFormatArg::Table,
        (ResultKind::Graph, false) => ResultFormatArg::Result(ResultFormat::Rdf(RdfFormat::NTriples)),
        (_, false) => ResultFormatArg::Result(ResultFormat::Tsv),
    }
}
