//! `lodeward explain`: prints the outcome of a URI, and the reasons.

use std::fmt::Write;
use std::process::ExitCode;

use lodeward::model::history::FailureStreak;
use lodeward::model::{FetchHistory, FoundBy, Outcome, Uri, outcome};
use lodeward::select::model_summary::FeatureWeight;
use lodeward::time::format_iso8601;
use lodeward_app::display_text::single_line;
use lodeward_app::explain;
use lodeward_app::explain::UriExplanation;
use lodeward_app::forecast::{UriForecast, forecast};

use super::find_crawl;
use super::model::feature_text;
use super::read::{self, CommandEnd, ReadCommand, ReadContext, ReadRequest};
use crate::args::{ExplainArgs, VerbosityArgs};
use crate::errors::UsageError;
use crate::interrupt::Interrupt;
use crate::outcome_text::{drop_reason_text, fault_hint};
use crate::report_text;
use crate::settings::SettingsInput;

pub(crate) fn run(arguments: ExplainArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    parse_uri(&arguments)?;
    let settings = SettingsInput::read(&arguments.source)?;
    let data = arguments.selector.data.clone();
    let request = ReadRequest::new(settings, verbosity, ReadCommand::Explain(arguments));
    // Ctrl-C ends the command at once.
    read::run(&request, &data, None, &Interrupt::default())
}

fn parse_uri(arguments: &ExplainArgs) -> Result<Uri, UsageError> {
    let invalid = |error| UsageError { message: format!("invalid URI `{}`: {error}", arguments.uri), hint: None };
    Uri::parse_stored(&arguments.uri).map_err(invalid)
}

pub(super) fn perform(arguments: &ExplainArgs, context: &mut ReadContext<'_>) -> anyhow::Result<CommandEnd> {
    let uri = parse_uri(arguments)?;
    let (data_dir, record) = find_crawl::find_at(context.access.data(), &arguments.selector)?;
    let config = context.settings.load_crawl(&data_dir, &record)?;
    let crawl = context.access.crawl(&config, &data_dir.crawl(record.id))?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    match runtime.block_on(explain::explain(&config, (*crawl).as_ref(), &uri))? {
        Some(explanation) => {
            let text = render(&uri, &explanation) + &history_text(&explanation) + &ranking_text(&explanation);
            context.print(&text)?;
            Ok(CommandEnd::default())
        }
        None => {
            let forecast = forecast(&config, (*crawl).as_ref(), &uri)?;
            context.print(&unknown_text(&uri, &forecast))?;
            Ok(CommandEnd { code: 1, summary: None })
        }
    }
}

/// What the crawl would do with a URI that it has not found.
fn unknown_text(uri: &Uri, forecast: &UriForecast) -> String {
    let mut text = format!("{}\n", single_line(uri.as_str()));
    let mut line = |label: &str, what: &str| {
        let _ = writeln!(text, "  {label:<9} {what}");
    };
    line("unknown", "not a seed, and not linked from any fetched document");
    line("forecast", &forecast.to_string());
    if let Some(reason) = forecast.reason {
        line("because", drop_reason_text(reason));
    }
    text
}

fn render(uri: &Uri, explanation: &UriExplanation) -> String {
    let record = &explanation.record;
    let mut text = format!("{}\n", single_line(uri.as_str()));
    let mut line = |label: &str, what: String| {
        let _ = writeln!(text, "  {label:<9} {}", single_line(&what));
    };
    let source = record.source.as_ref().map_or(String::new(), |source| format!(" in {source}"));
    line("found", format!("{}{source}", record.found_by));
    if matches!(record.found_by, FoundBy::Redirect(_)) {
        line("allowed", "a redirect inherits the permission of the URI that led to it".to_owned());
    }
    if let Some(step) = &record.step {
        line("step", step.to_string());
    }
    line("ranked", format!("priority {}, {} hops from a seed", record.priority, record.depth));
    write_judgement(explanation, &mut line);
    if record.previous_outcome.is_some() {
        line("waiting", "queued again; below is the previous outcome".to_owned());
    }
    match record.outcome.as_ref().or(record.previous_outcome.as_deref()) {
        None => line("waiting", "not fetched yet".to_owned()),
        Some(Outcome::Deleted { since_ms, last_seen_ms, fault }) => {
            let (since, last_seen) = (format_iso8601(*since_ms), format_iso8601(*last_seen_ms));
            line("deleted", format!("{fault}, since {since}; last seen {last_seen}"));
        }
        Some(Outcome::Dropped(reason)) => line("dropped", format!("{}: {}", reason.name(), drop_reason_text(*reason))),
        Some(Outcome::Redirected { status, target }) => {
            let target = target.as_ref().map_or("an invalid URL", Uri::as_str);
            line("fetched", format!("redirected ({status}) to {target}"));
        }
        Some(Outcome::Failed(fault)) => {
            line("failed", format!("{fault} (attempt {})", record.attempt + 1));
            if let Some(hint) = fault_hint(fault.kind) {
                line("hint", hint.to_owned());
            }
        }
        Some(Outcome::Document(document)) => write_document(document, &mut line),
    }
    for note in &explanation.seeds {
        line("seed", note.to_string());
    }
    text
}

/// The judgement of the strategy, and the features with the largest weights.
fn write_judgement(explanation: &UriExplanation, line: &mut impl FnMut(&str, String)) {
    if let Some(judgment) = &explanation.judgment {
        line("judged", judgment.text.clone());
        for FeatureWeight { number, name, weight } in &judgment.reasons {
            line("", feature_text(*weight, *number, name.as_deref()));
        }
    }
    if let Some(problem) = &explanation.problem {
        line("hint", format!("cannot use the model of the crawl: {problem}"));
    }
}

/// The ranks of the entities of this URL, and the reasons.
fn ranking_text(explanation: &UriExplanation) -> String {
    let mut text = String::new();
    let candidates = explanation.candidates;
    for row in &explanation.ranked {
        let _ = match row.score {
            Some(score) => {
                writeln!(text, "  {:<9} rank {} of {candidates}, score {score:.4}", "candidate", row.rank)
            }
            None => writeln!(text, "  {:<9} kept, not in the last ranking", "candidate"),
        };
        for reason in &row.reasons {
            let _ = writeln!(text, "  {:<9} because it {}", "", single_line(&reason.text));
        }
    }
    text
}

/// The history of requests, if there is more than one.
fn history_text(explanation: &UriExplanation) -> String {
    let history = explanation.record.history();
    let mut text = String::new();
    if history.fetches < 2 {
        return text;
    }
    let FetchHistory { fetches, changes, first_at_ms, .. } = history;
    let mut line = |label: &str, what: String| {
        let _ = writeln!(text, "  {label:<9} {}", single_line(&what));
    };
    let last = history.last_change_at_ms().map_or(String::new(), |at_ms| format!(", last {}", format_iso8601(at_ms)));
    let since = format_iso8601(first_at_ms);
    line("history", format!("requested {fetches} times since {since}, changed {changes} times{last}"));
    for event in &history.events {
        line("", format!("{} {}", format_iso8601(event.at_ms), event.change.name()));
    }
    if let Some(FailureStreak { since_ms, failures: fetches, fault, .. }) = &history.failing {
        let since = format_iso8601(*since_ms);
        line("stale", format!("failing since {since}, {fetches} times in a row: {fault}"));
    }
    if let Some(due_at_ms) = explanation.due_at_ms {
        line("next due", format_iso8601(due_at_ms));
    }
    text
}

fn write_document(document: &outcome::DocumentSummary, line: &mut impl FnMut(&str, String)) {
    let fetch = &document.fetch;
    let declared = fetch.declared_media_type.as_deref().unwrap_or("no media type");
    line("fetched", format!("{} bytes, declared {declared}, read as {}", fetch.bytes, fetch.format));
    let parts = report_text::counts_text(fetch.quads_by_format.iter().map(|(name, quads)| (name, quads)));
    line(
        "contains",
        format!("{} quads{parts}, {} links, relevance {}", document.quads, document.links, document.relevance.name()),
    );
    for fault in &fetch.faults {
        line("fault", fault.to_string());
    }
}
