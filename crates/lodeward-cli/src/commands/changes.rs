//! `lodeward changes`: which documents have appeared, changed or vanished.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use lodeward::frontier::{Frontier, Life};
use lodeward::model::{Outcome, What};
use lodeward::open;
use lodeward::provenance::{moment, parse_moment};

use super::crawls;
use crate::arguments::{Changes, Settings};
use crate::failure::Usage;
use crate::{clock, settings};

/// How many of the settled are looked at at a time.
const PAGE: usize = 1_024;

pub(crate) fn run(arguments: &Changes) -> anyhow::Result<ExitCode> {
    let (registry, record) = crawls::find(&arguments.place)?;
    let since_ms = match &arguments.since {
        Some(text) => since(text, clock::now_ms())?,
        None => registry.status(record.id)?.map_or(0, |status| status.snapshot.tally.refresh.began_at_ms),
    };
    let config = settings::resolve(&Settings::default())?.config;
    let shelf = open::shelf(&config, &registry.directory_of(record.id), clock::now_ms).map_err(crawls::explain_open)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let listed = runtime.block_on(list(&*shelf.frontier, since_ms, arguments.json));
    match listed {
        // Whoever reads has seen enough.
        Err(error) if error.downcast_ref::<std::io::Error>().is_some_and(is_closed) => Ok(ExitCode::SUCCESS),
        listed => listed.map(|()| ExitCode::SUCCESS),
    }
}

fn is_closed(error: &std::io::Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe
}

async fn list(frontier: &dyn Frontier, since_ms: u64, as_json: bool) -> anyhow::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut next = 0;
    loop {
        let lives = frontier.settled(next, PAGE).await?;
        let Some((last, _)) = lives.last() else { break };
        next = last + 1;
        for (_, life) in &lives {
            if let Some(change) = change(life).filter(|change| change.at_ms >= since_ms) {
                writeln!(out, "{}", if as_json { change.json(life) } else { change.line(life) })?;
            }
        }
    }
    Ok(out.flush()?)
}

/// The last change of a document.
struct Change {
    at_ms: u64,
    what: &'static str,
    quads: u64,
}

fn change(life: &Life) -> Option<Change> {
    let quads = match life.outcome.as_ref()? {
        Outcome::Document(document) => document.quads,
        Outcome::Vanished { .. } | Outcome::Redirected { .. } => 0,
        Outcome::Failed(_) | Outcome::Dropped(_) => return None,
    };
    let history = life.history();
    let is_one = |what: What| !matches!(what, What::Unchanged | What::Failed);
    let event = history.events.iter().rev().find(|event| is_one(event.what))?;
    let is_moved = matches!(life.outcome, Some(Outcome::Redirected { .. }));
    let what = match event.what {
        // Who always pointed elsewhere is no document.
        What::Appeared if is_moved => return None,
        _ if is_moved => "moved",
        what => what.name(),
    };
    Some(Change { at_ms: event.at_ms, what, quads })
}

impl Change {
    fn line(&self, life: &Life) -> String {
        format!("{}  {:<9}  {:>8} quads  {}", moment(self.at_ms), self.what, self.quads, life.uri)
    }

    fn json(&self, life: &Life) -> String {
        let history = life.history();
        serde_json::json!({
            "uri": life.uri.as_str(), "what": self.what, "at": moment(self.at_ms), "quads": self.quads,
            "visits": history.visits, "changes": history.changes,
        })
        .to_string()
    }
}

/// A moment, or how long ago.
fn since(text: &str, now_ms: u64) -> Result<u64, Usage> {
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
    ago().or_else(|| parse_moment(text)).ok_or_else(|| Usage {
        message: format!("`{text}` is no moment"),
        hint: Some("say it like 2026-11-01, 2026-11-01T08:30 or 7d".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_date_or_some_time_ago() {
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(since(text, 1_000_000_000).ok(), expected, "{text}");
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
