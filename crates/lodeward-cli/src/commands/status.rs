//! `lodeward status`: how far a crawl is, also while it runs.

use std::fmt::Write as _;
use std::process::ExitCode;

use lodeward::engine::Report;
use lodeward::registry::{Record, Status as Found};

use super::crawls;
use crate::arguments::Status;
use crate::progress::{answer, answer_json};
use crate::{clock, seeds, summary};

pub(crate) fn run(arguments: &Status) -> anyhow::Result<ExitCode> {
    let (registry, record) = crawls::find(&arguments.place)?;
    let status = registry.status(record.id)?;
    let (seeds, notes) = (registry.seeds(record.id)?, registry.seed_notes(record.id)?);
    if arguments.json {
        let all = serde_json::json!({ "crawl": record, "status": status, "seeds": seeds.len(), "seed_notes": notes });
        answer_json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    // What a service was asked for it keeps beside the crawl.
    let is_ordered = registry.directory_of(record.id).join("order.json").exists();
    let mut text = format!("crawl `{}`, strategy {}, seed {}\n", record.name, record.strategy, record.seed);
    if !notes.is_empty() {
        let _ = writeln!(text, "seeds: {}", seeds::told(seeds.len(), &notes));
    }
    text +=
        &status.map_or_else(|| "has not run yet\n".to_owned(), |status| told(&record, &status, is_ordered, arguments));
    answer(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn told(record: &Record, status: &Found, is_ordered: bool, arguments: &Status) -> String {
    let age_s = clock::now_ms().saturating_sub(status.updated_at_ms) / 1_000;
    let ending = status.ending;
    let state = match ending {
        Some(_) => format!("ended {age_s} s ago\n"),
        None if is_alive(status.process) => format!("runs as process {}, as of {age_s} s ago\n", status.process),
        None if is_ordered => "its service was killed; it goes on when `lodeward serve` runs again\n".to_owned(),
        None => "its process was killed; run the same command again to go on\n".to_owned(),
    };
    let ended = ending.unwrap_or(lodeward::engine::Ending::Stopped);
    let report = Report::new(&record.name, &record.strategy, record.seed, ended, status.snapshot.clone());
    let text = summary::of(&report, &arguments.place);
    // A crawl that has not ended has no line about its ending.
    let text =
        if ending.is_some() { text } else { text.split_once('\n').map_or(String::new(), |(_, rest)| rest.to_owned()) };
    state + &text
}

/// Whether a process is there. Where that cannot be told, it is believed to be.
fn is_alive(process: u32) -> bool {
    let all = std::path::Path::new("/proc");
    !all.join("self").exists() || all.join(process.to_string()).exists()
}
