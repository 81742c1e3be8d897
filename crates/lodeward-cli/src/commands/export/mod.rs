//! `lodeward export`: the harvest, or part of it, in a file.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use lodeward_archive::Snapshot;

use crate::archive::Keeper;
use crate::arguments::{Export, Loudness, RdfFormat};
use crate::failure::Usage;
use crate::interrupt::Interrupt;
use crate::progress::say;
use crate::settings;
use crate::target::{self, Target};

mod selection;
mod to_archive;
mod writer;

use selection::Selection;
use writer::Writer;

pub(crate) fn run(arguments: &Export, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    if arguments.to_archive {
        return to_archive::run(arguments, loudness);
    }
    let format = format(arguments)?;
    target::require_writable(Some(&arguments.output))?;
    require_room_for_graphs(arguments, format)?;
    let interrupt = Interrupt::listen()?;
    let config = settings::of(&arguments.data)?;
    let keeper = Keeper { config: &config, data: &arguments.data.data, interrupt: &interrupt, quiet: loudness.quiet };
    let archive = keeper.open()?;
    if !arguments.no_catch_up {
        keeper.catch_up(&archive)?;
    }
    let selection = Selection::of(arguments, &config)?;
    let target = Target::create(Some(&arguments.output))?;
    let name = target.name();
    match write(&archive.snapshot(), &selection, format, target, &interrupt) {
        Ok(written) if !loudness.quiet => say(&format!("wrote {written} statements to {name}\n")),
        // Whoever reads us has seen enough: `| head` is no error.
        Err(error) if is_broken_pipe(&error) => {}
        written => drop(written?),
    }
    Ok(ExitCode::SUCCESS)
}

fn write(
    snapshot: &Snapshot,
    selection: &Selection,
    format: RdfFormat,
    target: Target,
    interrupt: &Interrupt,
) -> anyhow::Result<u64> {
    let name = target.name();
    let cannot = || format!("cannot write {name}");
    let mut writer = Writer::new(format, target);
    let mut written = 0;
    let by_graph = matches!(format, RdfFormat::TriG | RdfFormat::JsonLd);
    selection.each(snapshot, by_graph, &mut |quad| {
        // A look at every quad would cost more than writing it.
        if written % 4_096 == 0 {
            interrupt.check()?;
        }
        written += 1;
        writer.write(quad.as_ref()).with_context(cannot)
    })?;
    writer.finish().and_then(Target::finish).with_context(cannot)?;
    Ok(written)
}

pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_pipe = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_pipe))
}

fn format(arguments: &Export) -> Result<RdfFormat, Usage> {
    if let Some(format) = arguments.format {
        return Ok(format);
    }
    if arguments.output == Path::new("-") {
        return Ok(RdfFormat::NQuads);
    }
    match target::extension(&arguments.output).as_deref() {
        Some("nq") | None => Ok(RdfFormat::NQuads),
        Some("nt") => Ok(RdfFormat::NTriples),
        Some("ttl") => Ok(RdfFormat::Turtle),
        Some("trig") => Ok(RdfFormat::TriG),
        Some("jsonld") => Ok(RdfFormat::JsonLd),
        Some("rdf" | "xml" | "owl") => Ok(RdfFormat::RdfXml),
        Some(other) => Err(Usage {
            message: format!("cannot tell a format from the extension .{other}"),
            hint: Some(
                "use .nq, .nt, .ttl, .trig, .jsonld or .rdf (and .gz or .zst after it), or say --format".to_owned(),
            ),
        }),
    }
}

/// A format without named graphs takes one graph, unless told to forget which
/// statement was in which.
fn require_room_for_graphs(arguments: &Export, format: RdfFormat) -> Result<(), Usage> {
    let name = match format {
        RdfFormat::NQuads | RdfFormat::TriG | RdfFormat::JsonLd => return Ok(()),
        RdfFormat::NTriples => "N-Triples",
        RdfFormat::Turtle => "Turtle",
        RdfFormat::RdfXml => "RDF/XML",
    };
    if arguments.merge_graphs || arguments.graph.len() == 1 {
        return Ok(());
    }
    Err(Usage {
        message: format!("{name} cannot say which statement is in which graph"),
        hint: Some(
            "write .nq or .trig, or one graph with --graph, or forget the graphs with --merge-graphs".to_owned(),
        ),
    })
}
