//! `lodeward export`: writes the archive, or a part of it, to a file.

use std::io;
use std::process::ExitCode;

use anyhow::Context as _;
use lodeward_app::data_dir::DataDir;
use lodeward_app::file_export::{
    ExportSelection, FileExportError, GraphSelection, candidate_subjects, format_by_name, generated_graphs,
};
use lodeward_app::review::CandidateFilter;
use lodeward_app::settings::Config;
use lodeward_archive::Snapshot;
use lodeward_rdf::RdfFormat;

use crate::args::{ExportArgs, RdfFormatArg, VerbosityArgs};
use crate::catch_up::{ArchiveOpener, HarvestState};
use crate::commands::{candidates, find_crawl};
use crate::errors::{InterruptedError, UsageError};
use crate::interrupt::Interrupt;
use crate::output_target::{self, OutputTarget};
use crate::progress::print_stderr;
use crate::settings;

mod to_archive;

pub(crate) fn run(arguments: &ExportArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    if arguments.to_archive {
        return to_archive::run(arguments, verbosity);
    }
    let format = output_format(arguments)?;
    output_target::require_writable(Some(&arguments.output))?;
    require_graph_support(arguments, format)?;
    let interrupt = Interrupt::listen()?;
    let config = settings::load_config(&arguments.data)?;
    let opener =
        ArchiveOpener { config: &config, data: &arguments.data.data, interrupt: &interrupt, quiet: verbosity.quiet };
    let (targets, archive) = opener.open()?;
    let harvest = if arguments.no_catch_up { HarvestState::Complete } else { opener.catch_up(&targets)? };
    let selection = selection(arguments, &config)?;
    let target = OutputTarget::create(Some(&arguments.output))?;
    let name = target.name();
    match write(&archive.snapshot(), &selection, format, target, &interrupt) {
        Ok(written) if !verbosity.quiet => print_stderr(&format!("wrote {written} statements to {name}\n")),
        // The reader of the pipe has closed it, as `| head` does.
        Err(error) if is_broken_pipe(&error) => {}
        written => drop(written?),
    }
    Ok(harvest.exit_code())
}

fn write(
    snapshot: &Snapshot,
    selection: &ExportSelection,
    format: RdfFormat,
    target: OutputTarget,
    interrupt: &Interrupt,
) -> anyhow::Result<u64> {
    let name = target.name();
    let cannot = || format!("cannot write {name}");
    let (written, target) =
        selection.write(snapshot, format, target, &interrupt.token).map_err(|error| match error {
            FileExportError::Cancelled => InterruptedError::ctrl_c().into(),
            FileExportError::Io(error) => anyhow::Error::new(error).context(cannot()),
            error => error.into(),
        })?;
    target.finish().with_context(cannot)?;
    Ok(written)
}

/// The requested statements.
fn selection(arguments: &ExportArgs, config: &Config) -> anyhow::Result<ExportSelection> {
    let data = &arguments.data.data;
    let graphs = match &arguments.crawl {
        name if arguments.candidates.is_some() => candidate_graphs(arguments, name.as_deref())?,
        Some(name) => GraphSelection::OfCrawl(find_crawl::find_by_name(&DataDir::open(data)?, data, name)?.id),
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
fn candidate_graphs(arguments: &ExportArgs, name: Option<&str>) -> anyhow::Result<GraphSelection> {
    let text = arguments.candidates.as_deref().unwrap_or_default();
    let filter = CandidateFilter::parse(text).map_err(candidates::explain_filter)?;
    let data = &arguments.data.data;
    let data_dir = DataDir::open(data)?;
    let record = find_crawl::find_by_name(&data_dir, data, name.unwrap_or("default"))?;
    let subjects =
        candidate_subjects(&data_dir.crawl(record.id), &filter).map_err(|error| candidates::explain(error, &record))?;
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

fn output_format(arguments: &ExportArgs) -> Result<RdfFormat, UsageError> {
    if let Some(RdfFormatArg(format)) = arguments.format {
        return Ok(format);
    }
    format_by_name(&arguments.output).map_err(|error| UsageError {
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
