//! `lodeward log`: the outcomes of URIs, the newest first, or the URIs that wait.

use std::process::ExitCode;

use lodeward::frontier::{QueueEntry, UriRecord};
use lodeward::model::{Outcome, Pld, Uri};
use lodeward::time::format_iso8601;
use lodeward_app::crawl_dir::OpenCrawl;
use lodeward_app::crawl_log::{LogFilter, LogPosition, OutcomeKind, read_log, status_of};
use lodeward_app::display_text::{escape_json, single_line};
use serde_json::{Value, json};

use super::find_crawl;
use super::read::{self, CommandEnd, ReadCommand, ReadContext, ReadRequest};
use crate::args::{LogArgs, VerbosityArgs};
use crate::errors::InterruptedError;
use crate::interrupt::Interrupt;
use crate::settings::SettingsInput;

/// Number of URIs read at a time.
const PAGE_SIZE: usize = 1_024;

/// Number of records examined before an interrupt is noticed.
const MAX_EXAMINED: usize = 10_000;

pub(crate) fn run(arguments: LogArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let settings = SettingsInput::read(&arguments.source)?;
    let data = arguments.selector.data.clone();
    let request = ReadRequest::new(settings, verbosity, ReadCommand::Log(arguments));
    read::run(&request, &data, None, &Interrupt::listen()?)
}

pub(super) fn perform(arguments: &LogArgs, context: &mut ReadContext<'_>) -> anyhow::Result<CommandEnd> {
    let (data_dir, record) = find_crawl::find_at(context.access.data(), &arguments.selector)?;
    let config = context.settings.load_crawl(&data_dir, &record)?;
    let crawl = context.access.crawl(&config, &data_dir.crawl(record.id))?;
    if arguments.queued {
        list_queued(arguments, (*crawl).as_ref(), context)?;
    } else {
        list_settled(arguments, (*crawl).as_ref(), context)?;
    }
    Ok(CommandEnd::default())
}

fn list_settled(arguments: &LogArgs, crawl: &OpenCrawl, context: &mut ReadContext<'_>) -> anyhow::Result<()> {
    let kinds = [
        (arguments.failed, OutcomeKind::Failed),
        (arguments.dropped, OutcomeKind::Dropped),
        (arguments.stored, OutcomeKind::Document),
    ];
    let filter = LogFilter {
        kind: kinds.into_iter().find_map(|(is_selected, kind)| is_selected.then_some(kind)),
        domain: arguments.domain.clone(),
        status: arguments.status,
        has_quads: arguments.stored,
        ..LogFilter::default()
    };
    let mut left = if arguments.limit == 0 { usize::MAX } else { arguments.limit };
    let mut before = u64::MAX;
    while left > 0 {
        if context.cancel.is_cancelled() {
            return Err(InterruptedError::ctrl_c().into());
        }
        let part = read_log(crawl, &filter, LogPosition::Before(before), left.min(PAGE_SIZE), MAX_EXAMINED)?;
        left -= part.entries.len();
        for (number, record) in &part.entries {
            let line = if arguments.json { settled_json(*number, record) } else { settled_line(record) };
            writeln!(context.output, "{line}")?;
        }
        let Some(last) = part.last else { return Ok(()) };
        before = last;
    }
    Ok(())
}

fn list_queued(arguments: &LogArgs, crawl: &OpenCrawl, context: &mut ReadContext<'_>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let domain = arguments.domain.as_deref().map(Pld::from_host);
    let max = if arguments.limit == 0 { usize::MAX } else { arguments.limit };
    let entries = runtime.block_on(crawl.frontier.next_entries(domain.as_ref(), max))?;
    for (entry, due_ms) in &entries {
        let line = if arguments.json { queued_json(entry, *due_ms) } else { queued_line(entry) };
        writeln!(context.output, "{line}")?;
    }
    Ok(())
}

fn settled_line(record: &UriRecord) -> String {
    let Some(outcome) = &record.outcome else { return String::new() };
    let (kind, detail) = (OutcomeKind::of(outcome).name(), outcome_detail(outcome));
    format!("{kind:<10}  {:<24}  {}", single_line(&detail), single_line(record.uri.as_str()))
}

/// The outcome in a few words.
fn outcome_detail(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Document(document) => {
            format!("{} {}, {} quads", document.fetch.status, document.fetch.format, document.quads)
        }
        Outcome::Redirected { status, target } => {
            format!("{status} to {}", target.as_ref().map_or("an invalid URL", Uri::as_str))
        }
        Outcome::Failed(fault) | Outcome::Deleted { fault, .. } => fault.to_string(),
        Outcome::Dropped(reason) => reason.name().to_owned(),
    }
}

fn settled_json(number: u64, record: &UriRecord) -> String {
    let Some(outcome) = &record.outcome else { return String::new() };
    let fetched_at = match outcome {
        Outcome::Document(document) => Some(format_iso8601(document.fetch.fetched_at_ms)),
        _ => None,
    };
    let quads = match outcome {
        Outcome::Document(document) => Some(document.quads),
        _ => None,
    };
    print(&json!({
        "number": number, "uri": record.uri.as_str(), "outcome": OutcomeKind::of(outcome).name(),
        "status": status_of(outcome), "detail": outcome_detail(outcome), "quads": quads, "fetched_at": fetched_at,
        "depth": record.depth, "source": record.source.as_ref().map(Uri::as_str),
        "found_by": record.found_by.to_string(),
    }))
}

fn queued_line(entry: &QueueEntry) -> String {
    let priority = format!("priority {:.3}", entry.priority);
    format!("{:<10}  {priority:<24}  {}", "queued", single_line(entry.target.as_str()))
}

fn queued_json(entry: &QueueEntry, due_ms: u64) -> String {
    print(&json!({
        "uri": entry.target.as_str(), "outcome": Value::Null, "priority": entry.priority, "depth": entry.depth,
        "source": entry.source.as_ref().map(Uri::as_str), "found_by": entry.found_by.to_string(),
        "not_before": format_iso8601(due_ms),
    }))
}

/// JSON on one line, safe for a terminal.
fn print(value: &Value) -> String {
    escape_json(&value.to_string()).into_owned()
}
