//! `lodeward query`: SPARQL on the harvest, or on a few files.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use lodeward_archive::sparql::{self, QueryError, QueryOptions, Stopped, SyntaxError, UpdateError, UpdateOptions};
use lodeward_archive::{Archive, Options, Snapshot};

use crate::archive::Keeper;
use crate::arguments::{DefaultGraph, ExplainQuery, Loudness, Query};
use crate::failure::{CutShort, Usage};
use crate::interrupt::Interrupt;
use crate::load::{self, Fault, Watcher};
use crate::progress::say;
use crate::settings;
use crate::target::{self, Target};

mod answer;
mod table;
mod text;

use text::Text;

pub(crate) fn run(mut arguments: Query, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    target::require_writable(arguments.output.as_deref())?;
    let format = answer::format(&arguments)?;
    // With --file, what would be the query is a file to be asked.
    if arguments.file.is_some() {
        arguments.files.splice(0..0, arguments.sparql.take().map(PathBuf::from));
    }
    let text = Text::of(&arguments)?;
    let interrupt = Interrupt::listen()?;
    if arguments.update {
        return update(&arguments, &text, &interrupt, loudness);
    }
    if !arguments.files.is_empty() {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let archive = Archive::open(folder.path(), &Options::default())?;
        let sources = load::gather(&arguments.files)?;
        load::load(&archive, &sources, &load::Options::default(), &interrupt, &mut Nobody)?;
        return ask(&archive.snapshot(), &arguments, format, &text, &interrupt, loudness);
    }
    let config = settings::of(&arguments.data)?;
    let keeper = Keeper { config: &config, data: &arguments.data.data, interrupt: &interrupt, quiet: loudness.quiet };
    let archive = keeper.open()?;
    if !arguments.no_catch_up {
        keeper.catch_up(&archive)?;
    }
    let snapshot = archive.snapshot();
    if snapshot.is_empty()? && !loudness.quiet {
        say("note: the archive is empty\n");
    }
    ask(&snapshot, &arguments, format, &text, &interrupt, loudness)
}

fn ask(
    snapshot: &Snapshot,
    arguments: &Query,
    format: answer::Format,
    text: &Text,
    interrupt: &Interrupt,
    loudness: &Loudness,
) -> anyhow::Result<ExitCode> {
    let options = query_options(arguments, interrupt);
    let explained = |error| explained(error, text);
    if let Some(how) = arguments.explain {
        return explain(snapshot, arguments, how, text, &options);
    }
    let answer = snapshot.query(&text.sparql, &options).map_err(explained)?;
    let target = Target::create(arguments.output.as_deref())?;
    match answer::write(answer, format, target) {
        Ok(rows) => {
            if let Some(file) = arguments.output.as_deref().filter(|_| !loudness.quiet) {
                say(&format!("wrote {rows} rows to {}\n", file.display()));
            }
        }
        // Whoever reads us has seen enough: `| head` is no error.
        Err(QueryError::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
        Err(error) => return Err(explained(error)),
    }
    Ok(ExitCode::SUCCESS)
}

fn explain(
    snapshot: &Snapshot,
    arguments: &Query,
    how: ExplainQuery,
    text: &Text,
    options: &QueryOptions,
) -> anyhow::Result<ExitCode> {
    use std::io::Write as _;
    let _ = how;
    let plan = snapshot.explain(&text.sparql, options).map_err(|error| explained(error, text))?;
    let told = if answer::is_json(arguments) { plan.json } else { plan.text };
    let mut target = Target::create(arguments.output.as_deref())?;
    writeln!(target, "{}", told.trim_end()).and_then(|()| target.finish()).context("cannot write the plan")?;
    Ok(ExitCode::SUCCESS)
}

fn query_options(arguments: &Query, interrupt: &Interrupt) -> QueryOptions {
    QueryOptions {
        timeout: arguments.timeout.map(Duration::from_secs),
        rows_max: arguments.rows,
        memory_bytes_max: arguments.memory.map(|megabytes| megabytes << 20),
        default_graph: default_graph(arguments),
        default_graph_uris: arguments.graph.clone(),
        lenient: arguments.lenient,
        services: None,
        cancel: interrupt.token.clone(),
        ..QueryOptions::default()
    }
}

fn default_graph(arguments: &Query) -> sparql::DefaultGraph {
    match arguments.default_graph {
        DefaultGraph::Union => sparql::DefaultGraph::Union,
        DefaultGraph::Own => sparql::DefaultGraph::Own,
    }
}

fn update(arguments: &Query, text: &Text, interrupt: &Interrupt, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let config = settings::of(&arguments.data)?;
    let keeper = Keeper { config: &config, data: &arguments.data.data, interrupt, quiet: loudness.quiet };
    let archive = keeper.open_or_make()?;
    if !arguments.no_catch_up {
        keeper.catch_up(&archive)?;
    }
    let options = UpdateOptions {
        timeout: arguments.timeout.map(Duration::from_secs),
        default_graph: default_graph(arguments),
        lenient: arguments.lenient,
        services: None,
        cancel: interrupt.token.clone(),
        ..UpdateOptions::default()
    };
    let done = archive.update(&text.sparql, &options).map_err(|error| match error {
        UpdateError::Syntax(error) => not_sparql("update", &error, text),
        UpdateError::Stopped(why) => stopped("update", why),
        error => anyhow::Error::new(error),
    })?;
    archive.sync()?;
    if !loudness.quiet {
        say(&format!("{} quads inserted, {} removed\n", done.inserted, done.removed));
    }
    Ok(ExitCode::SUCCESS)
}

/// Sorts errors of queries into what is to be changed, what was cut short, and
/// the rest.
fn explained(error: QueryError, text: &Text) -> anyhow::Error {
    match error {
        QueryError::Syntax(error) => not_sparql("query", &error, text),
        QueryError::Stopped(why) => stopped("query", why),
        QueryError::Format { .. } => anyhow::Error::new(Usage { message: error.to_string(), hint: None }),
        error => anyhow::Error::new(error),
    }
}

fn stopped(what: &str, why: Stopped) -> anyhow::Error {
    let cut = CutShort::new(format!("the {what} was stopped: {why}"));
    let hint = match why {
        Stopped::Time(_) => "--timeout allows more time",
        Stopped::Rows(_) => "what was written are the first of its rows; --rows allows more",
        Stopped::Memory(_) => "--memory allows more",
        _ => return cut.into(),
    };
    cut.with_hint(hint).into()
}

fn not_sparql(what: &str, error: &SyntaxError, text: &Text) -> anyhow::Error {
    let message = format!("{} is no SPARQL {what}: {}{}", text.name, text::in_short(&error.message), text.shown(error));
    let parser = spargebra::SparqlParser::new;
    let hint = match what {
        "query" if parser().parse_update(&text.sparql).is_ok() => Some("it is an update: say --update".to_owned()),
        "update" if parser().parse_query(&text.sparql).is_ok() => Some("it is a query: leave out --update".to_owned()),
        _ => error.hint.clone(),
    };
    anyhow::Error::new(Usage { message, hint })
}

/// Files that are asked and forgotten need no progress bar.
struct Nobody;

impl Watcher for Nobody {
    fn bytes(&mut self, _: u64) {}

    fn fault(&mut self, fault: &Fault) {
        say(&format!("fault: {fault}\n"));
    }
}
