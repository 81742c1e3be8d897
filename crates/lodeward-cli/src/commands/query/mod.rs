//! `lodeward query`: runs SPARQL on the archive, or on files.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use lodeward_app::display_text::single_line;
use lodeward_app::federation;
use lodeward_app::followers::FollowerTargets;
use lodeward_app::import::{self, ImportError, ImportFault, ImportOptions, ImportWatcher};
use lodeward_app::settings::Config;
use lodeward_archive::sparql::{QueryError, QueryOptions, UpdateOptions};
use lodeward_archive::{Archive, Options, Snapshot};

use crate::args::{ExplainMode, QueryArgs, VerbosityArgs};
use crate::catch_up::{ArchiveOpener, HarvestState};
use crate::interrupt::Interrupt;
use crate::output_target::{self, OutputTarget};
use crate::progress::print_stderr;
use crate::settings;

mod output;
mod errors;
mod table;
mod text;

use text::QuerySource;

pub(crate) fn run(mut arguments: QueryArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    output_target::require_writable(arguments.output.as_deref())?;
    output::output_format(&arguments)?;
    // With --file, the first positional argument is a data file, not the query.
    if arguments.file.is_some() {
        arguments.files.splice(0..0, arguments.sparql.take().map(PathBuf::from));
    }
    let text = QuerySource::from_args(&arguments)?;
    let invocation = QueryInvocation {
        config: settings::load_config(&arguments.data)?,
        interrupt: Interrupt::listen()?,
        arguments,
        text,
        quiet: verbosity.quiet,
    };
    let harvest = if invocation.arguments.update {
        invocation.update()?
    } else if invocation.arguments.files.is_empty() {
        invocation.query_archive()?
    } else {
        invocation.query_files()?;
        HarvestState::Complete
    };
    Ok(harvest.exit_code())
}

/// A query or update with its settings.
struct QueryInvocation {
    arguments: QueryArgs,
    text: QuerySource,
    config: Config,
    interrupt: Interrupt,
    quiet: bool,
}

impl QueryInvocation {
    fn archive_opener(&self) -> ArchiveOpener<'_> {
        let Self { config, interrupt, quiet, .. } = self;
        ArchiveOpener { config, data: &self.arguments.data.data, interrupt, quiet: *quiet }
    }

    /// Queries the archive.
    fn query_archive(&self) -> anyhow::Result<HarvestState> {
        let opener = self.archive_opener();
        let (targets, archive) = opener.open()?;
        let harvest = self.catch_up(&opener, &targets)?;
        let snapshot = archive.snapshot();
        if snapshot.is_empty()? && !self.quiet {
            print_stderr("note: the archive is empty\n");
        }
        self.run_query(&snapshot)?;
        Ok(harvest)
    }

    fn catch_up(&self, opener: &ArchiveOpener<'_>, targets: &FollowerTargets) -> anyhow::Result<HarvestState> {
        if self.arguments.no_catch_up { Ok(HarvestState::Complete) } else { opener.catch_up(targets) }
    }

    /// Queries files, in a temporary archive.
    fn query_files(&self) -> anyhow::Result<()> {
        // The hint of a rejected file names flags of `lodeward import`.
        let explain = |error| match error {
            ImportError::Rejected(_) => anyhow::Error::new(error),
            error => super::import::explain(error),
        };
        let sources = import::collect_sources(&self.arguments.files).map_err(explain)?;
        let directory = tempfile::tempdir().context("cannot create a temporary directory")?;
        let archive = Archive::open(directory.path(), &Options::default())?;
        let cancellation = &self.interrupt.token;
        import::load(&archive, &sources, &ImportOptions::default(), cancellation, &mut SilentWatcher)
            .map_err(explain)?;
        self.run_query(&archive.snapshot())
    }

    fn run_query(&self, snapshot: &Snapshot) -> anyhow::Result<()> {
        let options = self.query_options()?;
        let explain = |error| errors::explain_query_error(error, &self.text);
        let output = self.arguments.output.as_deref();
        if let Some(mode) = self.arguments.explain {
            let plan = match mode {
                ExplainMode::Plan => snapshot.explain(&self.text.sparql, &options),
                ExplainMode::Analyze => snapshot.profile(&self.text.sparql, &options),
            };
            let plan = plan.map_err(explain)?;
            let text = if output::is_json(&self.arguments) { plan.json } else { plan.text };
            let mut target = OutputTarget::create(output)?;
            writeln!(target, "{}", text.trim_end()).and_then(|()| target.finish()).context("cannot write the plan")?;
            return Ok(());
        }
        let result = snapshot.query(&self.text.sparql, &options).map_err(explain)?;
        match output::write(result, output::output_format(&self.arguments)?, OutputTarget::create(output)?) {
            Ok(rows) => {
                if let Some(file) = output.filter(|_| !self.quiet) {
                    print_stderr(&format!("wrote {rows} rows to {}\n", file.display()));
                }
            }
            // The reader of the pipe has closed it, as `| head` does.
            Err(QueryError::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            Err(error) => return Err(explain(error)),
        }
        Ok(())
    }

    fn update(&self) -> anyhow::Result<HarvestState> {
        let opener = self.archive_opener();
        let (targets, archive) = opener.open_or_create()?;
        let harvest = self.catch_up(&opener, &targets)?;
        let options = UpdateOptions {
            timeout: self.arguments.timeout,
            default_graph: self.arguments.default_graph.into(),
            lenient: self.arguments.lenient,
            with_provenance: self.arguments.with_provenance,
            services: Some(federation::service_handler(&self.config, self.arguments.allow_private)?),
            cancel: self.interrupt.token.clone(),
            ..UpdateOptions::default()
        };
        let explain = |error| errors::explain_update_error(error, &self.text);
        let done = archive.update(&self.text.sparql, &options).map_err(explain)?;
        archive.sync()?;
        if !self.quiet {
            print_stderr(&format!("{} quads inserted, {} deleted\n", done.inserted, done.removed));
        }
        Ok(harvest)
    }

    fn query_options(&self) -> anyhow::Result<QueryOptions> {
        let QueryArgs { timeout, max_rows, max_memory, graph, lenient, allow_private, .. } = &self.arguments;
        Ok(QueryOptions {
            timeout: *timeout,
            max_rows: *max_rows,
            max_memory_bytes: *max_memory,
            default_graph: self.arguments.default_graph.into(),
            default_graph_uris: graph.clone(),
            lenient: *lenient,
            with_provenance: self.arguments.with_provenance,
            services: Some(federation::service_handler(&self.config, *allow_private)?),
            cancel: self.interrupt.token.clone(),
            ..QueryOptions::default()
        })
    }
}

/// Files that are only queried need no progress bar.
struct SilentWatcher;

impl ImportWatcher for SilentWatcher {
    fn bytes_read(&mut self, _: u64) {}

    fn fault(&mut self, fault: &ImportFault) {
        print_stderr(&format!("fault: {}\n", single_line(&fault.to_string())));
    }
}
