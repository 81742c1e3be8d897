//! `lodeward status`: prints the progress of a crawl, also while it runs.

use std::fmt::Write as _;
use std::process::ExitCode;

use lodeward_app::crawl_dir;
use lodeward_app::data_dir::{CrawlRecord, CrawlStatus};
use lodeward_app::pause::pause_text;
use lodeward_app::report::CrawlReport;

use super::domains::DomainsRequest;
use super::find_crawl;
use super::read::{self, ReadCommand, ReadRequest};
use crate::args::{StatusArgs, VerbosityArgs};
use crate::interrupt::Interrupt;
use crate::progress::{print_json, print_stdout};
use crate::settings::SettingsInput;
use crate::{clock, report_text, seed_input};

pub(crate) fn run(arguments: StatusArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    if arguments.domains {
        return print_domains(arguments, verbosity);
    }
    let (data_dir, record) = find_crawl::find(&arguments.selector)?;
    let status = crawl_dir::read_or_rebuild_status(&data_dir.crawl(record.id), clock::now_ms)?;
    let (seeds, notes) = (data_dir.crawl(record.id).seeds()?, data_dir.crawl(record.id).seed_notes()?);
    if arguments.json {
        let all = serde_json::json!({ "crawl": record, "status": status, "seeds": seeds.len(), "seed_notes": notes });
        print_json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    // The service writes `order.json` for every crawl that it creates.
    let is_of_service = data_dir.crawl(record.id).path().join("order.json").exists();
    let mut text = format!("crawl `{}`, strategy {}, rng seed {}\n", record.name, record.strategy, record.rng_seed);
    if !notes.is_empty() {
        let _ = writeln!(text, "seeds: {}", seed_input::origins_summary(seeds.len(), &notes));
    }
    let to_text = |status| render(&record, &status, is_of_service, &arguments);
    text += &status.map_or_else(|| "not run yet\n".to_owned(), to_text);
    print_stdout(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the domains of a crawl. Unlike the status, they are in the frontier, which one process opens.
fn print_domains(arguments: StatusArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let StatusArgs { selector, json, source, .. } = arguments;
    let (settings, data) = (SettingsInput::read(&source)?, selector.data.clone());
    let command = ReadCommand::Domains(DomainsRequest { selector, json });
    // Ctrl-C ends the command at once.
    read::run(&ReadRequest::new(settings, verbosity, command), &data, None, &Interrupt::default())
}

fn render(record: &CrawlRecord, status: &CrawlStatus, is_of_service: bool, arguments: &StatusArgs) -> String {
    let age_s = clock::now_ms().saturating_sub(status.updated_at_ms) / 1_000;
    let stop_reason = status.stop_reason;
    // A crawl that was killed during its ranking has ended.
    let ending = status.snapshot.ending.filter(|_| is_alive(status.process));
    let state = match stop_reason {
        Some(_) if ending.is_none() => format!("ended {age_s} s ago\n"),
        _ if is_alive(status.process) => format!("running as process {}, as of {age_s} s ago\n", status.process),
        _ if is_of_service => "its service was killed; `lodeward serve` resumes it\n".to_owned(),
        _ => "its process was killed; run the same command again to resume it\n".to_owned(),
    };
    let paused = pause_text(&status.snapshot).filter(|_| stop_reason.is_none());
    let paused = paused.map_or(String::new(), |paused| paused + "\n");
    let ending = ending.map_or(String::new(), |ending| format!("{ending}\n"));
    let reported = stop_reason.unwrap_or(lodeward::engine::StopReason::Stopped);
    let report = CrawlReport::new(&record.name, &record.strategy, record.rng_seed, reported, status.snapshot.clone());
    let text = report_text::render(&report, &report.tally, &arguments.selector);
    // The first line of the report is the stop reason, which a running crawl does not have.
    let text = if stop_reason.is_some() {
        text
    } else {
        text.split_once('\n').map_or(String::new(), |(_, rest)| rest.to_owned())
    };
    state + &paused + &ending + &text
}

/// Whether a process exists; `true` if `/proc` is not available.
pub(super) fn is_alive(process: u32) -> bool {
    let all = std::path::Path::new("/proc");
    !all.join("self").exists() || all.join(process.to_string()).exists()
}
