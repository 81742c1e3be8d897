//! `lodeward import`: loads RDF files into the archive.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lodeward_app::import::{
    self, FaultTolerance, ImportError, ImportFault, ImportOptions, ImportSource, ImportSummary, ImportWatcher,
};
use lodeward_rdf::RdfFormat;
use oxrdf::NamedNode;

use crate::args::{ImportArgs, VerbosityArgs};
use crate::catch_up::ArchiveOpener;
use crate::errors::{HintedError, InterruptedError, UsageError};
use crate::interrupt::Interrupt;
use crate::progress::print_stderr;
use crate::settings;
use lodeward_app::display_text::single_line;

pub(crate) fn run(arguments: ImportArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let sources = import::collect_sources(&arguments.files).map_err(explain)?;
    let (config, data) = (settings::load_config(&arguments.data)?, arguments.data.data.clone());
    let options = options(arguments)?;
    let interrupt = Interrupt::listen()?;
    let opener = ArchiveOpener { config: &config, data: &data, interrupt: &interrupt, quiet: verbosity.quiet };
    let (_, archive) = opener.open_or_create()?;
    let mut bar = ImportBar::new(&sources, verbosity.quiet);
    let loaded = import::load(&archive, &sources, &options, &interrupt.token, &mut bar);
    bar.finish();
    let loaded = loaded.map_err(explain)?;
    archive.sync()?;
    if !verbosity.quiet {
        print_stderr(&summary(&loaded, sources.len()));
    }
    let nothing_but_faults = loaded.quads == 0 && loaded.faults > 0;
    Ok(if nothing_but_faults { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn options(arguments: ImportArgs) -> Result<ImportOptions, UsageError> {
    let ImportArgs { graph, base, content_type, keep_going, lenient, contexts, .. } = arguments;
    if let Some(directory) = contexts.as_deref().filter(|directory| !directory.is_dir()) {
        let message = format!("--contexts {}: no such directory", directory.display());
        return Err(UsageError { message, hint: None });
    }
    if let Some(base) = &base {
        let invalid =
            |error| UsageError { message: format!("--base {base}: not an absolute IRI: {error}"), hint: None };
        NamedNode::new(base).map_err(invalid)?;
    }
    let tolerance = if keep_going { FaultTolerance::KeepGoing } else { FaultTolerance::Strict };
    let syntax = content_type.as_deref().map(parse_syntax).transpose()?;
    Ok(ImportOptions { graph, base, format: syntax, tolerance, lenient, contexts })
}

fn parse_syntax(name: &str) -> Result<RdfFormat, UsageError> {
    RdfFormat::from_name(name.trim_start_matches('.')).ok_or_else(|| {
        let names: Vec<&str> = RdfFormat::all().map(RdfFormat::name).collect();
        let hint = Some(format!("use a media type, extension or name of: {}", names.join(", ")));
        UsageError { message: format!("--content-type {name}: unknown format"), hint }
    })
}

/// Adds a hint to the error of an import.
pub(super) fn explain(error: ImportError) -> anyhow::Error {
    match error {
        ImportError::Unreadable(_) => UsageError { message: error.to_string(), hint: None }.into(),
        ImportError::NoFiles => {
            let extensions = ".nq .nt .ttl .trig .rdf .jsonld …";
            let hint = Some(format!("files in directories are selected by their extensions: {extensions}"));
            UsageError { message: error.to_string(), hint }.into()
        }
        ImportError::Rejected(_) => {
            let hint = "nothing was imported; --keep-going imports the valid statements and lists the faults; \
                        --content-type sets the format";
            HintedError { error: error.into(), hint: hint.to_owned() }.into()
        }
        ImportError::Cancelled => InterruptedError::ctrl_c().into(),
        error => error.into(),
    }
}

fn summary(loaded: &ImportSummary, files: usize) -> String {
    let ImportSummary { quads, inserted, faults } = loaded;
    let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
    let faults = if *faults > 0 { format!("; {faults} faults") } else { String::new() };
    format!("imported {quads} quads from {files}, {inserted} of them new{faults}\n")
}

/// A progress bar over the bytes read, on a terminal; faults are always printed.
struct ImportBar(ProgressBar);

impl ImportBar {
    fn new(sources: &[ImportSource], quiet: bool) -> Self {
        let bytes = sources.iter().map(|source| source.bytes).sum();
        if quiet || !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
        let template = "{bar:24} {percent}% {bytes} of {total_bytes}, {eta} left";
        bar.set_style(ProgressStyle::with_template(template).expect("valid template"));
        Self(bar)
    }

    fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl ImportWatcher for ImportBar {
    fn bytes_read(&mut self, read: u64) {
        self.0.set_position(read);
    }

    fn fault(&mut self, fault: &ImportFault) {
        self.0.suspend(|| print_stderr(&format!("fault: {}\n", single_line(&fault.to_string()))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_known_by_media_type_extension_and_name() {
        for name in ["ttl", ".ttl", "text/turtle; charset=utf-8", "Turtle"] {
            assert_eq!(parse_syntax(name).unwrap(), RdfFormat::Turtle, "{name}");
        }
        assert!(parse_syntax("pdf").is_err());
    }

    #[test]
    fn the_summary_counts_quads_files_and_faults() {
        let loaded = ImportSummary { quads: 12, inserted: 10, faults: 0 };
        assert_eq!(summary(&loaded, 1), "imported 12 quads from 1 file, 10 of them new\n");
        let loaded = ImportSummary { faults: 2, ..loaded };
        assert_eq!(summary(&loaded, 3), "imported 12 quads from 3 files, 10 of them new; 2 faults\n");
    }
}
