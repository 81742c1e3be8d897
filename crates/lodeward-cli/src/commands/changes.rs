//! `lodeward changes`: documents that were added, changed, deleted or restored.

use std::process::ExitCode;

use lodeward::frontier::{Frontier, UriRecord};
use lodeward::model::{ChangeKind, Outcome};
use lodeward::time::{format_iso8601, parse_iso8601};
use lodeward_app::display_text::{escape_json, single_line};

use super::find_crawl;
use super::read::{self, CommandEnd, ReadCommand, ReadContext, ReadRequest};
use crate::args::{ChangesArgs, VerbosityArgs};
use crate::clock;
use crate::errors::{InterruptedError, UsageError};
use crate::interrupt::Interrupt;
use crate::settings::SettingsInput;

/// Number of URI records read at a time.
const PAGE_SIZE: usize = 1_024;

pub(crate) fn run(arguments: ChangesArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let settings = SettingsInput::read(&arguments.source)?;
    let data = arguments.selector.data.clone();
    let request = ReadRequest::new(settings, verbosity, ReadCommand::Changes(arguments));
    read::run(&request, &data, None, &Interrupt::listen()?)
}

pub(super) fn perform(arguments: &ChangesArgs, context: &mut ReadContext<'_>) -> anyhow::Result<CommandEnd> {
    let (data_dir, record) = find_crawl::find_at(context.access.data(), &arguments.selector)?;
    let since_ms = match &arguments.since {
        Some(text) => parse_since(text, clock::now_ms())?,
        None => data_dir.crawl(record.id).status()?.map_or(0, |status| status.snapshot.tally.refresh.started_at_ms),
    };
    let config = context.settings.load_crawl(&data_dir, &record)?;
    let crawl = context.access.crawl(&config, &data_dir.crawl(record.id))?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(list(&*(*crawl).as_ref().frontier, since_ms, arguments.json, context))?;
    Ok(CommandEnd::default())
}

async fn list(
    journal: &dyn Frontier,
    since_ms: u64,
    as_json: bool,
    context: &mut ReadContext<'_>,
) -> anyhow::Result<()> {
    let mut next = 0;
    loop {
        if context.cancel.is_cancelled() {
            return Err(InterruptedError::ctrl_c().into());
        }
        let page = journal.settled_records(next, PAGE_SIZE).await?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        next = last + 1;
        for (_, record) in &page {
            if let Some(change) = last_change(record).filter(|change| change.at_ms >= since_ms) {
                writeln!(context.output, "{}", if as_json { change.to_json(record) } else { change.to_line(record) })?;
            }
        }
    }
}

/// The last change of a document.
struct ChangeRow {
    at_ms: u64,
    what: &'static str,
    quads: u64,
}

fn last_change(record: &UriRecord) -> Option<ChangeRow> {
    let quads = match record.outcome.as_ref()? {
        Outcome::Document(document) => document.quads,
        Outcome::Deleted { .. } | Outcome::Redirected { .. } => 0,
        Outcome::Failed(_) | Outcome::Dropped(_) => return None,
    };
    let history = record.history();
    let is_one = |what: ChangeKind| !matches!(what, ChangeKind::Unchanged | ChangeKind::Failed);
    let event = history.events.iter().rev().find(|event| is_one(event.change))?;
    let is_moved = matches!(record.outcome, Some(Outcome::Redirected { .. }));
    let what = match event.change {
        // A URI that was always a redirect is not a document.
        ChangeKind::Added if is_moved => return None,
        _ if is_moved => "moved",
        what => what.name(),
    };
    Some(ChangeRow { at_ms: event.at_ms, what, quads })
}

impl ChangeRow {
    fn to_line(&self, record: &UriRecord) -> String {
        let (at, uri) = (format_iso8601(self.at_ms), single_line(record.uri.as_str()));
        format!("{at}  {:<9}  {:>8} quads  {uri}", self.what, self.quads)
    }

    fn to_json(&self, record: &UriRecord) -> String {
        let history = record.history();
        let json = serde_json::json!({
            "uri": record.uri.as_str(), "change": self.what, "at": format_iso8601(self.at_ms), "quads": self.quads,
            "requests": history.fetches, "changes": history.changes,
        });
        escape_json(&json.to_string()).into_owned()
    }
}

/// A timestamp, or a duration before now.
fn parse_since(text: &str, now_ms: u64) -> Result<u64, UsageError> {
    let unit_ms = |unit: &str| match unit {
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        "d" => Some(24 * 3_600_000),
        _ => None,
    };
    let ago = || {
        let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        Some(now_ms.saturating_sub(number.parse::<u64>().ok()?.saturating_mul(unit_ms(unit)?)))
    };
    ago().or_else(|| parse_iso8601(text)).ok_or_else(|| UsageError {
        message: format!("invalid time `{text}`"),
        hint: Some("write it like 2026-11-01, 2026-11-01T08:30 or 7d (seven days ago)".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_a_date_or_a_duration() {
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(parse_since(text, 1_000_000_000).ok(), expected, "{text}");
        };

        check("1970-01-02", Some(86_400_000));
        check("1970-01-02T00:00:01Z", Some(86_401_000));
        check("30m", Some(998_200_000));
        check("24h", Some(913_600_000));
        check("7d", Some(395_200_000));
        check("999999999999d", Some(0));
        for wrong in ["", "d", "7", "7y", "yesterday", "\u{e4}"] {
            check(wrong, None);
        }
    }
}
