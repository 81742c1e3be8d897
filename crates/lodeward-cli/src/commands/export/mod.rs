//! `lodeward export`: writes the archive, or a part of it, to a file.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use lodeward_app::data_dir::DataDir;
use lodeward_app::display_text::counted;
use lodeward_app::file_export::{
    ExportSelection, FileExportError, GraphSelection, candidate_subjects, format_by_name, generated_graphs,
};
use lodeward_app::review::CandidateFilter;
use lodeward_app::settings::Config;
use lodeward_rdf::RdfFormat;

use super::read::{self, CatchUpChoice, CommandEnd, ReadArchive, ReadCommand, ReadContext, ReadRequest};
use super::{candidates, find_crawl};
use crate::args::{ExportArgs, RdfFormatArg, VerbosityArgs};
use crate::errors::{InterruptedError, UsageError};
use crate::interrupt::Interrupt;
use crate::output_target::{self, is_standard_output};
use crate::progress::{TaskBar, TaskUnit};
use crate::settings::SettingsInput;

mod to_archive;

pub(crate) fn run(arguments: ExportArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    if arguments.to_archive {
        return to_archive::run(&arguments, verbosity);
    }
    let format = output_format(arguments.format, &arguments.output)?;
    output_target::require_writable(Some(&arguments.output))?;
    require_graph_support(&arguments, format)?;
    let settings = SettingsInput::read(&arguments.data.source)?;
    let (data, output) = (arguments.data.data.clone(), arguments.output.clone());
    let request = ReadRequest::new(settings, verbosity, ReadCommand::Export(Box::new(arguments)));
    read::run(&request, &data, Some(&output), &Interrupt::listen()?)
}

pub(super) fn perform(arguments: &ExportArgs, context: &mut ReadContext<'_>) -> anyhow::Result<CommandEnd> {
    let format = output_format(arguments.format, &arguments.output)?;
    let config = context.settings.load()?;
    let choice = CatchUpChoice::new(arguments.no_catch_up);
    let ReadArchive { archive, harvest, .. } = context.access.archive(&config, choice, &mut *context.output)?;
    let selection = selection(arguments, &config, context)?;
    let name = if is_standard_output(&arguments.output) {
        "standard output".to_owned()
    } else {
        arguments.output.display().to_string()
    };
    let snapshot = archive.snapshot();
    let total = selection.known_total(&snapshot)?;
    let bar = TaskBar::new(context.progress, TaskUnit::Items("statement"));
    let written = selection.write(&snapshot, format, &mut *context.output, context.cancel, &mut |written| {
        bar.show(written, total, "");
    });
    drop(bar);
    let (written, _) = written.map_err(|error| match error {
        FileExportError::Cancelled => InterruptedError::ctrl_c().into(),
        FileExportError::Io(error) => anyhow::Error::new(error).context(format!("cannot write {name}")),
        error => error.into(),
    })?;
    let summary = (!context.quiet).then(|| format!("wrote {} to {name}\n", counted(written, "statement")));
    Ok(CommandEnd { code: harvest.code(), summary })
}

/// The requested statements.
fn selection(arguments: &ExportArgs, config: &Config, context: &ReadContext<'_>) -> anyhow::Result<ExportSelection> {
    let data = context.access.data();
    let graphs = match &arguments.crawl {
        name if arguments.candidates.is_some() => candidate_graphs(arguments, name.as_deref(), context)?,
        Some(name) => {
            let shown = &arguments.data.data;
            GraphSelection::OfCrawl(find_crawl::find_by_name(&DataDir::open(data)?, shown, name)?.id)
        }
        None if arguments.graph.is_empty() => GraphSelection::All,
        None => GraphSelection::Named(arguments.graph.clone()),
    };
    // A graph that is named explicitly is exported, even if it is generated.
    let excluded = if arguments.graph.is_empty() { generated_graphs(config, data)? } else { Vec::new() };
    let ExportArgs { subject, predicate, object, .. } = arguments;
    let (subject, predicate, object) = (subject.clone(), predicate.clone(), object.clone());
    let with_provenance = arguments.with_provenance;
    Ok(ExportSelection { graphs, subject, predicate, object, excluded, with_provenance })
}

/// The candidates of a crawl that match a filter.
fn candidate_graphs(
    arguments: &ExportArgs,
    name: Option<&str>,
    context: &ReadContext<'_>,
) -> anyhow::Result<GraphSelection> {
    let text = arguments.candidates.as_deref().unwrap_or_default();
    let filter = CandidateFilter::parse(text).map_err(candidates::explain_filter)?;
    let data_dir = DataDir::open(context.access.data())?;
    let record = find_crawl::find_by_name(&data_dir, &arguments.data.data, name.unwrap_or("default"))?;
    let harvest = candidates::open_harvest(&filter, &data_dir, &record, context)?;
    let subjects = candidate_subjects(&data_dir.crawl(record.id), &filter, harvest)
        .map_err(|error| candidates::explain(error, &record))?;
    if subjects.is_empty() {
        let message = format!("no candidate of crawl `{}` matches: {text}", record.name);
        let hint = Some("`lodeward candidates` lists candidates, `lodeward candidates keep` marks them".to_owned());
        return Err(anyhow::Error::new(UsageError { message, hint }));
    }
    Ok(GraphSelection::About(record.id, subjects))
}

pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_pipe = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_pipe))
}

/// The format of an output file: as requested, or by its extension.
pub(super) fn output_format(format: Option<RdfFormatArg>, output: &Path) -> Result<RdfFormat, UsageError> {
    if let Some(RdfFormatArg(format)) = format {
        return Ok(format);
    }
    format_by_name(output).map_err(|error| UsageError {
        message: error.to_string(),
        hint: Some(format!("{}, or set --format", error.hint())),
    })
}

/// A format without named graphs needs a single graph, or `--merge-graphs`.
fn require_graph_support(arguments: &ExportArgs, format: RdfFormat) -> Result<(), UsageError> {
    if format.has_graphs() || arguments.merge_graphs || arguments.graph.len() == 1 {
        return Ok(());
    }
    Err(UsageError {
        message: format!("{} cannot represent several graphs", format.title()),
        hint: Some(
            "write .nq or .trig, select one graph with --graph, or discard graph names with --merge-graphs".to_owned(),
        ),
    })
}
