//! `lodeward query`: runs SPARQL on the archive, or on files.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use lodeward_app::display_text::single_line;
use lodeward_app::federation;
use lodeward_app::import::{self, ImportError, ImportFault, ImportOptions, ImportWatcher};
use lodeward_app::prefixes;
use lodeward_app::search::SparqlSearch;
use lodeward_app::settings::Config;
use lodeward_archive::sparql::{CancellationToken, QueryOptions, UpdateOptions};
use lodeward_archive::{Archive, Options, Snapshot};
use serde::{Deserialize, Serialize};

use super::read::{self, CatchUpChoice, CommandEnd, ReadArchive, ReadCommand, ReadContext, ReadOutput, ReadRequest};
use crate::args::{ExplainMode, QueryArgs, VerbosityArgs};
use crate::catch_up::{ArchiveOpener, HarvestState};
use crate::interrupt::Interrupt;
use crate::output_target;
use crate::progress::print_stderr;
use crate::settings::{self, SettingsInput};

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
    let interrupt = Interrupt::listen()?;
    if arguments.update {
        return update(&arguments, &text, &interrupt, verbosity);
    }
    let settings = SettingsInput::read(&arguments.data.source)?;
    let is_terminal = output_target::is_terminal(arguments.output.as_deref());
    let query = QueryRequest { arguments, text, is_terminal };
    if !query.arguments.files.is_empty() {
        return query.run_on_files(&settings.load()?, &interrupt, verbosity.quiet);
    }
    let (data, file) = (query.arguments.data.data.clone(), query.arguments.output.clone());
    let request = ReadRequest::new(settings, verbosity, ReadCommand::Query(Box::new(query)));
    read::run(&request, &data, file.as_deref(), &interrupt)
}

/// Queries an archive that is open in this process.
pub(super) fn perform(query: &QueryRequest, context: &mut ReadContext<'_>) -> anyhow::Result<CommandEnd> {
    let config = context.settings.load()?;
    let choice = CatchUpChoice::new(query.arguments.no_catch_up);
    let ReadArchive { archive, search, harvest } = context.access.archive(&config, choice, &mut *context.output)?;
    if let Some(index) = search.as_ref().filter(|_| query.text.may_search()) {
        index.update_now()?;
    }
    let snapshot = archive.snapshot();
    if snapshot.is_empty()? && !context.quiet {
        context.output.note("note: the archive is empty\n");
    }
    let options = QueryOptions {
        max_memory_bytes: smaller(query.arguments.max_memory, context.access.max_memory_bytes()),
        search: SparqlSearch::of(search),
        ..query.options(&config, context.cancel)?
    };
    let summary = query.run_on(&snapshot, &options, &mut *context.output)?;
    Ok(CommandEnd { code: harvest.code(), summary: summary.filter(|_| !context.quiet) })
}

/// The smaller of two limits, if there are any.
fn smaller(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

/// A query with its arguments.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct QueryRequest {
    arguments: QueryArgs,
    text: QuerySource,
    /// Whether the output is a terminal, which selects the default format.
    is_terminal: bool,
}

impl QueryRequest {
    /// Queries files, in a temporary archive.
    fn run_on_files(&self, config: &Config, interrupt: &Interrupt, quiet: bool) -> anyhow::Result<ExitCode> {
        // The hint of a rejected file names flags of `lodeward import`.
        let explain = |error| match error {
            ImportError::Rejected(_) => anyhow::Error::new(error),
            error => super::import::explain(error),
        };
        let sources = import::collect_sources(&self.arguments.files).map_err(explain)?;
        let directory = tempfile::tempdir().context("cannot create a temporary directory")?;
        let archive = Archive::open(directory.path(), &Options::default())?;
        import::load(&archive, &sources, &ImportOptions::default(), &interrupt.token, &mut SilentWatcher)
            .map_err(explain)?;
        let options = self.options(config, &interrupt.token)?;
        read::write_here(self.arguments.output.as_deref(), |output| {
            let summary = self.run_on(&archive.snapshot(), &options, output)?;
            Ok(CommandEnd { code: 0, summary: summary.filter(|_| !quiet) })
        })
    }

    /// Writes the result, or the plan. Returns a text about a file.
    fn run_on(
        &self,
        snapshot: &Snapshot,
        options: &QueryOptions,
        output: &mut dyn ReadOutput,
    ) -> anyhow::Result<Option<String>> {
        let explain = |error| errors::explain_query_error(error, &self.text, self.arguments.max_memory);
        if let Some(mode) = self.arguments.explain {
            let plan = match mode {
                ExplainMode::Plan => snapshot.explain(&self.text.sparql, options),
                ExplainMode::Analyze => snapshot.profile(&self.text.sparql, options),
            };
            let plan = plan.map_err(explain)?;
            let text = if output::is_json(&self.arguments) { plan.json } else { plan.text };
            writeln!(output, "{}", text.trim_end()).context("cannot write the plan")?;
            return Ok(None);
        }
        let result = snapshot.query(&self.text.sparql, options).map_err(explain)?;
        let format = output::output_format(&self.arguments)?;
        let rows = output::write(result, format, self.is_terminal, output).map_err(explain)?;
        let file = self.arguments.output.as_ref().filter(|file| !output_target::is_standard_output(file));
        Ok(file.map(|file| format!("wrote {rows} rows to {}\n", file.display())))
    }

    fn options(&self, config: &Config, cancel: &CancellationToken) -> anyhow::Result<QueryOptions> {
        let QueryArgs { timeout, max_rows, max_memory, graph, lenient, allow_private, .. } = &self.arguments;
        Ok(QueryOptions {
            usual_prefixes: Some(prefixes::namespace),
            timeout: *timeout,
            max_rows: *max_rows,
            max_memory_bytes: *max_memory,
            default_graph: self.arguments.default_graph.into(),
            default_graph_uris: graph.clone(),
            lenient: *lenient,
            with_provenance: self.arguments.with_provenance,
            services: Some(federation::service_handler(config, *allow_private)?),
            cancel: cancel.clone(),
            ..QueryOptions::default()
        })
    }
}

/// An update without `GRAPH` changes the default graph only, but crawled and imported documents are in
/// named graphs.
const NAMED_GRAPHS_NOTE: &str = "note: the quads to delete are in named graphs only, and the update names none\n\
     hint: write DELETE { GRAPH ?g { … } } WHERE { GRAPH ?g { … } }, or begin with WITH <graph>\n";

fn update(
    arguments: &QueryArgs,
    text: &QuerySource,
    interrupt: &Interrupt,
    verbosity: &VerbosityArgs,
) -> anyhow::Result<ExitCode> {
    let (config, quiet) = (settings::load_config(&arguments.data)?, verbosity.quiet);
    let progress = verbosity.progress_mode();
    let opener = ArchiveOpener { config: &config, data: &arguments.data.data, interrupt, quiet, progress };
    let (targets, archive) = opener.open_or_create()?;
    let harvest = if arguments.no_catch_up { HarvestState::Complete } else { opener.catch_up(&targets)? };
    let search = targets.search();
    if let Some(index) = search.as_ref().filter(|_| text.may_search()) {
        index.update_now()?;
    }
    let options = UpdateOptions {
        search: SparqlSearch::of(search),
        usual_prefixes: Some(prefixes::namespace),
        timeout: arguments.timeout,
        default_graph: arguments.default_graph.into(),
        lenient: arguments.lenient,
        with_provenance: arguments.with_provenance,
        services: Some(federation::service_handler(&config, arguments.allow_private)?),
        cancel: interrupt.token.clone(),
        ..UpdateOptions::default()
    };
    let explain = |error| errors::explain_update_error(error, text);
    let done = archive.update(&text.sparql, &options).map_err(explain)?;
    archive.sync()?;
    if !quiet {
        print_stderr(&format!("{} quads inserted, {} deleted\n", done.inserted, done.removed));
        if done.matches_only_named_graphs {
            print_stderr(NAMED_GRAPHS_NOTE);
        }
    }
    Ok(harvest.exit_code())
}

/// Files that are only queried need no progress bar.
struct SilentWatcher;

impl ImportWatcher for SilentWatcher {
    fn bytes_read(&mut self, _: u64) {}

    fn fault(&mut self, fault: &ImportFault) {
        print_stderr(&format!("fault: {}\n", single_line(&fault.to_string())));
    }
}
