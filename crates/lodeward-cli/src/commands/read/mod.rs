//! Commands that only read. They run in the process that holds the data directory, if there is one,
//! and otherwise here; the output is the same.
//!
//! A command is its arguments as plain data ([`ReadRequest`]). [`perform`] runs it on a
//! [`DataAccess`], which is a data directory that this process opens ([`LocalAccess`]), or one that a
//! crawl or a service has open (`holder`).

mod access;
mod holder;
mod local_output;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use lodeward_app::data_dir::DataDir;
use lodeward_app::display_text::{counted, escape_json, multi_line};
use lodeward_app::followers::search::SearchIndex;
use lodeward_app::live::{self, LiveAnswer, LiveError};
use lodeward_archive::sparql::CancellationToken;
use serde::{Deserialize, Serialize};

pub(super) use access::{CatchUpChoice, DataAccess, LocalAccess, ReadArchive};
pub(super) use holder::{CrawlHolder, LiveReads, ServedArchive, ServiceHolder};

use self::local_output::LocalOutput;
use super::find_crawl::find_by_name;
use super::{candidates, changes, cluster, domains, explain, export, links, log, query, search, similar};
use crate::args::{
    CandidatesListArgs, ChangesArgs, ClusterArgs, ExplainArgs, ExportArgs, LinkExportArgs, LinksListArgs, LogArgs,
    SearchArgs, SimilarArgs, VerbosityArgs,
};
use crate::catch_up::HarvestState;
use crate::errors::{DataInUseError, UsageError};
use crate::interrupt::Interrupt;
use crate::progress::ProgressMode;
use crate::settings::SettingsInput;

/// How long, and how often, a command waits for a data directory that another process uses without
/// listening: a crawl that is about to start or has just ended, or another command.
const MAX_WAITS: u32 = 40;
const WAIT_INTERVAL: Duration = Duration::from_millis(50);

/// A command that only reads, with its checked arguments.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ReadCommand {
    Query(Box<query::QueryRequest>),
    Export(Box<ExportArgs>),
    Explain(ExplainArgs),
    Changes(ChangesArgs),
    Domains(domains::DomainsRequest),
    Log(LogArgs),
    Candidates(CandidatesListArgs),
    Search(Box<SearchArgs>),
    Similar(Box<SimilarArgs>),
    Cluster(Box<ClusterArgs>),
    Links(Box<LinksListArgs>),
    LinkExport(Box<LinkExportArgs>),
}

/// A command with what it needs of its environment.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ReadRequest {
    /// The version of the binary: a process of another version may read the request differently.
    version: String,
    settings: SettingsInput,
    quiet: bool,
    #[serde(skip)]
    progress: ProgressMode,
    command: ReadCommand,
}

impl ReadRequest {
    pub(super) fn new(settings: SettingsInput, verbosity: &VerbosityArgs, command: ReadCommand) -> Self {
        let (quiet, progress) = (verbosity.quiet, verbosity.progress_mode());
        Self { version: env!("CARGO_PKG_VERSION").to_owned(), settings, quiet, progress, command }
    }
}

/// What a command reads and writes.
pub(super) struct ReadContext<'a> {
    pub(super) access: &'a dyn DataAccess,
    pub(super) settings: &'a SettingsInput,
    pub(super) quiet: bool,
    pub(super) cancel: &'a CancellationToken,
    pub(super) output: &'a mut dyn ReadOutput,
    /// How progress is shown.
    pub(super) progress: ProgressMode,
}

impl ReadContext<'_> {
    /// Writes JSON.
    pub(super) fn print_json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(value)?;
        writeln!(self.output, "{}", escape_json(&text)).context("cannot write to standard output")
    }

    /// The search index, brought up to date, and whether the harvests of all crawls could be read.
    pub(super) fn search_index(&mut self) -> anyhow::Result<(Arc<SearchIndex>, HarvestState)> {
        let config = self.settings.load()?;
        let opened = self.access.archive(&config, CatchUpChoice::Update, self.output)?;
        let index = opened.search.ok_or_else(|| UsageError {
            message: "the search index is disabled".to_owned(),
            hint: Some("set `search.index = true`, and start a process that uses the data directory again".to_owned()),
        })?;
        let updated = index.update_now()?;
        if updated.is_rebuilt && !self.quiet {
            self.output.note(&format!("built the search index: {}\n", counted(updated.entities, "entity")));
        }
        Ok((index, opened.harvest))
    }

    /// The number of a crawl.
    pub(super) fn crawl_number(&self, data: &Path, name: Option<&String>) -> anyhow::Result<Option<u32>> {
        let Some(name) = name else { return Ok(None) };
        Ok(Some(find_by_name(&DataDir::open(self.access.data())?, data, name)?.id))
    }

    /// Writes text for people, without control characters of other sites.
    pub(super) fn print(&mut self, text: &str) -> anyhow::Result<()> {
        self.output.write_all(multi_line(text).as_bytes()).context("cannot write to standard output")
    }
}

/// Receives the output of a command, and notes that are not part of it.
pub(super) trait ReadOutput: Write {
    fn note(&mut self, text: &str);
}

/// The end of a command that has not failed.
#[derive(Debug, Default)]
pub(super) struct CommandEnd {
    /// The exit code.
    pub(super) code: u8,
    /// A text to print after the output is complete.
    pub(super) summary: Option<String>,
}

/// Runs a command.
fn perform(command: &ReadCommand, context: &mut ReadContext<'_>) -> anyhow::Result<CommandEnd> {
    match command {
        ReadCommand::Query(request) => query::perform(request, context),
        ReadCommand::Export(arguments) => export::perform(arguments, context),
        ReadCommand::Explain(arguments) => explain::perform(arguments, context),
        ReadCommand::Changes(arguments) => changes::perform(arguments, context),
        ReadCommand::Domains(request) => domains::perform(request, context),
        ReadCommand::Log(arguments) => log::perform(arguments, context),
        ReadCommand::Candidates(arguments) => candidates::perform(arguments, context),
        ReadCommand::Search(arguments) => search::perform(arguments, context),
        ReadCommand::Similar(arguments) => similar::perform(arguments, context),
        ReadCommand::Cluster(arguments) => cluster::perform(arguments, context),
        ReadCommand::Links(arguments) => links::perform(arguments, context),
        ReadCommand::LinkExport(arguments) => links::perform_export(arguments, context),
    }
}

/// Runs a command in the process that holds the data directory, or here.
pub(super) fn run(
    request: &ReadRequest,
    data: &Path,
    file: Option<&Path>,
    interrupt: &Interrupt,
) -> anyhow::Result<ExitCode> {
    let encoded = serde_json::to_vec(request)?;
    for wait in 0.. {
        let mut output = LocalOutput::create(file)?;
        let ran = match live::ask(data, &encoded, &mut output, &interrupt.token) {
            Ok(LiveAnswer::Done(end)) => return output.end(end.code, end.is_complete, end.summary.as_deref()),
            Ok(LiveAnswer::Absent) => run_here(request, data, interrupt, output),
            Ok(LiveAnswer::Ended { has_output }) if has_output && !output.is_file() => return Err(ended_error(data)),
            // Nothing was written yet, or into a file that is created again.
            Ok(LiveAnswer::Ended { .. }) => Err(ended_error(data)),
            Err(error) => return output.explain(error).map(|()| ExitCode::SUCCESS),
        };
        match ran {
            Err(error) if error.is::<DataInUseError>() && wait < MAX_WAITS => std::thread::sleep(WAIT_INTERVAL),
            ran => return ran,
        }
    }
    unreachable!("the number of waits is limited")
}

fn run_here(
    request: &ReadRequest,
    data: &Path,
    interrupt: &Interrupt,
    output: LocalOutput,
) -> anyhow::Result<ExitCode> {
    let ReadRequest { settings, quiet, progress, command, .. } = request;
    let (quiet, progress, cancel) = (*quiet, *progress, &interrupt.token);
    let access = LocalAccess { data, interrupt, quiet, progress };
    complete(output, |output| {
        perform(command, &mut ReadContext { access: &access, settings, quiet, cancel, output, progress })
    })
}

/// Runs a command that needs no data directory.
pub(super) fn write_here(
    file: Option<&Path>,
    write: impl FnOnce(&mut dyn ReadOutput) -> anyhow::Result<CommandEnd>,
) -> anyhow::Result<ExitCode> {
    complete(LocalOutput::create(file)?, write)
}

fn complete(
    mut output: LocalOutput,
    write: impl FnOnce(&mut dyn ReadOutput) -> anyhow::Result<CommandEnd>,
) -> anyhow::Result<ExitCode> {
    match write(&mut output) {
        // The reader of the pipe has closed it, as `| head` does.
        Err(error) if export::is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        Err(error) => {
            // What was written before the error is printed before it.
            let _ = output.flush();
            Err(error)
        }
        Ok(end) => output.end(end.code, true, end.summary.as_deref()),
    }
}

fn ended_error(data: &Path) -> anyhow::Error {
    DataInUseError {
        message: format!("the process that uses {} ended before the result was complete", data.display()),
        hint: "run the command again".to_owned(),
    }
    .into()
}

/// Adds a hint to an error of connecting to another process.
fn explain_live(error: LiveError) -> anyhow::Error {
    match error {
        LiveError::Denied(_) => {
            let hint = "run the command as the user who runs that process".to_owned();
            UsageError { message: error.to_string(), hint: Some(hint) }.into()
        }
        error => error.into(),
    }
}
