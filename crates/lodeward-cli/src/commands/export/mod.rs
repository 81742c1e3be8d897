//! `lodeward export`: writes the archive, or a part of it, to a file.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use lodeward_archive::Snapshot;
use lodeward_rdf::write::{COMMON_PREFIXES, WRITTEN_FORMATS};
use lodeward_rdf::{QuadWriter, RdfFormat};

use crate::args::{ExportArgs, RdfFormatArg, VerbosityArgs};
use crate::catch_up::{ArchiveOpener, HarvestState};
use crate::errors::UsageError;
use crate::interrupt::Interrupt;
use crate::output_target::{self, OutputTarget};
use crate::progress::print_stderr;
use crate::settings;

mod file_export;
mod to_archive;

use file_export::ExportSelection;

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
    let selection = ExportSelection::from_args(arguments, &config)?;
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
    let mut writer = QuadWriter::with_prefixes(format, COMMON_PREFIXES, target).with_context(cannot)?;
    let mut written = 0;
    let by_graph = format.has_graphs() && format != RdfFormat::NQuads;
    selection.for_each_quad(snapshot, by_graph, &mut |quad| {
        // Checking at every quad would cost more than writing it.
        if written % 4_096 == 0 {
            interrupt.check()?;
        }
        written += 1;
        writer.write(quad.as_ref()).with_context(cannot)
    })?;
    writer.finish().and_then(OutputTarget::finish).with_context(cannot)?;
    Ok(written)
}

pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_pipe = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_pipe))
}

fn output_format(arguments: &ExportArgs) -> Result<RdfFormat, UsageError> {
    if let Some(RdfFormatArg(format)) = arguments.format {
        return Ok(format);
    }
    if arguments.output == Path::new("-") {
        return Ok(RdfFormat::NQuads);
    }
    match output_target::extension(&arguments.output).as_deref() {
        None => Ok(RdfFormat::NQuads),
        Some("xml") => Ok(RdfFormat::RdfXml),
        Some(extension) => {
            let format = RdfFormat::from_extension(extension).filter(|format| WRITTEN_FORMATS.contains(format));
            format.ok_or_else(|| UsageError {
                message: format!("cannot derive a format from the extension .{extension}"),
                hint: Some(
                    "use .nq, .nt, .ttl, .trig, .jsonld or .rdf (optionally with .gz or .zst), or set --format"
                        .to_owned(),
                ),
            })
        }
    }
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
