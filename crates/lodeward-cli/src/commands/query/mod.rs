//! `lodeward query`: SPARQL on the harvest, or on a few files.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use lodeward::config::Config;
use lodeward::open;
use lodeward_archive::sparql::{QueryError, QueryOptions, UpdateOptions};
use lodeward_archive::{Archive, Options, Snapshot};

use crate::archive::Keeper;
use crate::arguments::{Loudness, Plan, Query};
use crate::interrupt::Interrupt;
use crate::load::{self, Fault, Watcher};
use crate::progress::say;
use crate::settings;
use crate::target::{self, Target};

mod answer;
mod refusal;
mod table;
mod text;

use text::Text;

pub(crate) fn run(mut arguments: Query, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    target::require_writable(arguments.output.as_deref())?;
    answer::format(&arguments)?;
    // With --file, what would be the query is a file to be asked.
    if arguments.file.is_some() {
        arguments.files.splice(0..0, arguments.sparql.take().map(PathBuf::from));
    }
    let text = Text::of(&arguments)?;
    let asking = Asking {
        config: settings::of(&arguments.data)?,
        interrupt: Interrupt::listen()?,
        arguments,
        text,
        quiet: loudness.quiet,
    };
    if asking.arguments.update {
        asking.update()?;
    } else if asking.arguments.files.is_empty() {
        asking.archive()?;
    } else {
        asking.files()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What was asked, and with which settings.
struct Asking {
    arguments: Query,
    text: Text,
    config: Config,
    interrupt: Interrupt,
    quiet: bool,
}

impl Asking {
    fn keeper(&self) -> Keeper<'_> {
        let Self { config, interrupt, quiet, .. } = self;
        Keeper { config, data: &self.arguments.data.data, interrupt, quiet: *quiet }
    }

    /// Asks the archive.
    fn archive(&self) -> anyhow::Result<()> {
        let keeper = self.keeper();
        let archive = keeper.open()?;
        if !self.arguments.no_catch_up {
            keeper.catch_up(&archive)?;
        }
        let snapshot = archive.snapshot();
        if snapshot.is_empty()? && !self.quiet {
            say("note: the archive is empty\n");
        }
        self.ask(&snapshot)
    }

    /// Asks files, in an archive that is made for them and thrown away.
    fn files(&self) -> anyhow::Result<()> {
        let sources = load::gather(&self.arguments.files)?;
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let archive = Archive::open(folder.path(), &Options::default())?;
        load::load(&archive, &sources, &load::Options::default(), &self.interrupt, &mut Nobody)?;
        self.ask(&archive.snapshot())
    }

    fn ask(&self, snapshot: &Snapshot) -> anyhow::Result<()> {
        let options = self.query_options()?;
        let refused = |error| refusal::of_query(error, &self.text);
        let output = self.arguments.output.as_deref();
        if let Some(how) = self.arguments.explain {
            let plan = match how {
                Plan::Plan => snapshot.explain(&self.text.sparql, &options),
                Plan::Analyze => snapshot.profile(&self.text.sparql, &options),
            };
            let plan = plan.map_err(refused)?;
            let told = if answer::is_json(&self.arguments) { plan.json } else { plan.text };
            let mut target = Target::create(output)?;
            writeln!(target, "{}", told.trim_end()).and_then(|()| target.finish()).context("cannot write the plan")?;
            return Ok(());
        }
        let answer = snapshot.query(&self.text.sparql, &options).map_err(refused)?;
        match answer::write(answer, answer::format(&self.arguments)?, Target::create(output)?) {
            Ok(rows) => {
                if let Some(file) = output.filter(|_| !self.quiet) {
                    say(&format!("wrote {rows} rows to {}\n", file.display()));
                }
            }
            // Whoever reads us has seen enough: `| head` is no error.
            Err(QueryError::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            Err(error) => return Err(refused(error)),
        }
        Ok(())
    }

    fn update(&self) -> anyhow::Result<()> {
        let keeper = self.keeper();
        let archive = keeper.open_or_make()?;
        if !self.arguments.no_catch_up {
            keeper.catch_up(&archive)?;
        }
        let options = UpdateOptions {
            timeout: self.arguments.timeout.map(Duration::from_secs),
            default_graph: self.arguments.default_graph.into(),
            lenient: self.arguments.lenient,
            services: Some(open::services(&self.config, self.arguments.allow_private)?),
            cancel: self.interrupt.token.clone(),
            ..UpdateOptions::default()
        };
        let refused = |error| refusal::of_update(error, &self.text);
        let done = archive.update(&self.text.sparql, &options).map_err(refused)?;
        archive.sync()?;
        if !self.quiet {
            say(&format!("{} quads inserted, {} removed\n", done.inserted, done.removed));
        }
        Ok(())
    }

    fn query_options(&self) -> anyhow::Result<QueryOptions> {
        let Query { timeout, rows, memory, graph, lenient, allow_private, .. } = &self.arguments;
        Ok(QueryOptions {
            timeout: timeout.map(Duration::from_secs),
            rows_max: *rows,
            memory_bytes_max: memory.map(|megabytes| megabytes << 20),
            default_graph: self.arguments.default_graph.into(),
            default_graph_uris: graph.clone(),
            lenient: *lenient,
            services: Some(open::services(&self.config, *allow_private)?),
            cancel: self.interrupt.token.clone(),
            ..QueryOptions::default()
        })
    }
}

/// Files that are asked and forgotten need no progress bar.
struct Nobody;

impl Watcher for Nobody {
    fn bytes(&mut self, _: u64) {}

    fn fault(&mut self, fault: &Fault) {
        say(&format!("fault: {fault}\n"));
    }
}
