//! `lodeward import`: loads RDF files into the archive.

use std::process::ExitCode;

use lodeward_app::import::{
    self, FaultTolerance, ImportError, ImportFault, ImportOptions, ImportSummary, ImportWatcher,
};
use lodeward_rdf::RdfFormat;
use oxrdf::NamedNode;

use crate::args::{ImportArgs, VerbosityArgs};
use crate::catch_up::ArchiveOpener;
use crate::errors::{HintedError, InterruptedError, UsageError};
use crate::interrupt::Interrupt;
use crate::progress::{TaskBar, TaskUnit, print_stderr};
use crate::settings;
use lodeward_app::display_text::{counted, single_line};

pub(crate) fn run(arguments: ImportArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let sources = import::collect_sources(&arguments.files).map_err(explain)?;
    let (config, data) = (settings::load_config(&arguments.data)?, arguments.data.data.clone());
    let options = options(arguments)?;
    let interrupt = Interrupt::listen()?;
    let opener = ArchiveOpener {
        config: &config,
        data: &data,
        interrupt: &interrupt,
        quiet: verbosity.quiet,
        progress: verbosity.progress_mode(),
    };
    let (_, archive) = opener.open_or_create()?;
    let total = Some(sources.iter().map(|source| source.bytes).sum()).filter(|bytes| *bytes > 0);
    let mut progress = ImportProgress { bar: TaskBar::new(verbosity.progress_mode(), TaskUnit::Bytes), total };
    let loaded = import::load(&archive, &sources, &options, &interrupt.token, &mut progress);
    drop(progress);
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
            let extensions = ".nq .nt .ttl .trig .rdf .jsonld .zip .tar …";
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
    let (quads, files) = (counted(*quads, "quad"), counted(files, "file"));
    let faults = if *faults > 0 { format!("; {}", counted(*faults, "fault")) } else { String::new() };
    format!("imported {quads} from {files}, {inserted} new{faults}\n")
}

/// Shows the bytes read; faults are always printed.
struct ImportProgress {
    bar: TaskBar,
    /// Bytes of all files, if they are known.
    total: Option<u64>,
}

impl ImportWatcher for ImportProgress {
    fn bytes_read(&mut self, read: u64) {
        self.bar.show(read, self.total, "");
    }

    fn fault(&mut self, fault: &ImportFault) {
        print_stderr(&format!("fault: {}\n", single_line(&fault.to_string())));
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
        assert_eq!(summary(&loaded, 1), "imported 12 quads from 1 file, 10 new\n");
        let loaded = ImportSummary { faults: 2, ..loaded };
        assert_eq!(summary(&loaded, 3), "imported 12 quads from 3 files, 10 new; 2 faults\n");
    }
}
