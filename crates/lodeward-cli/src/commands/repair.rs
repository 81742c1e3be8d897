//! `lodeward repair`: finds damage in the harvest of a crawl, and repairs it.

use std::process::ExitCode;

use lodeward::frontier::embedded::JournalCut;
use lodeward_app::crawl_dir::{self, CrawlOpenError, StateRepair, open_crawl};
use lodeward_app::data_dir::CrawlDir;
use lodeward_app::repair::{self, RepairSummary};

use super::find_crawl;
use crate::args::{RepairArgs, VerbosityArgs};
use crate::catch_up::{ArchiveOpener, HarvestState};
use crate::interrupt::Interrupt;
use crate::progress::{ProgressMode, print_stderr, print_stdout};
use crate::service_guard::require_unserved;
use crate::{clock, settings};

pub(crate) fn run(arguments: &RepairArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let data = &arguments.selector.data;
    require_unserved(data)?;
    let (data_dir, record) = find_crawl::find(&arguments.selector)?;
    let config = settings::load_source(&arguments.source)?;
    let dir = data_dir.crawl(record.id);
    let crawl = match open_crawl(&config, &dir, clock::now_ms) {
        Err(error) if !arguments.dry_run => {
            repair_state(&dir, error, verbosity)?;
            open_crawl(&config, &dir, clock::now_ms)
        }
        opened => opened,
    };
    let crawl = crawl.map_err(find_crawl::explain_open)?;
    if arguments.dry_run {
        let summary = repair::inspect(&crawl)?;
        report(&summary, verbosity, "would be queued again")?;
        let is_complete = summary.ranges.is_empty();
        return Ok(if is_complete { HarvestState::Complete } else { HarvestState::Damaged }.exit_code());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    let summary = runtime.block_on(repair::repair(&data_dir, &crawl))?;
    report(&summary, verbosity, "queued again")?;
    // The archive opens the crawl itself.
    drop(crawl);
    if !summary.ranges.is_empty() && data.join("archive").is_dir() {
        let interrupt = Interrupt::listen()?;
        let opener =
            ArchiveOpener { config: &config, data, interrupt: &interrupt, quiet: true, progress: ProgressMode::None };
        opener.catch_up(&opener.open()?.0)?;
    }
    if !summary.documents.is_empty() && !verbosity.quiet {
        print_stderr(&format!("fetch them with  lodeward crawl --name {}\n", record.name));
    }
    Ok(ExitCode::SUCCESS)
}

/// Repairs a damaged state, and reports what was done. Returns the error if it has another cause.
fn repair_state(dir: &CrawlDir, error: CrawlOpenError, verbosity: &VerbosityArgs) -> anyhow::Result<()> {
    let text = match crawl_dir::repair_state(dir, &error)? {
        None => return Err(find_crawl::explain_open(error)),
        Some(StateRepair::Accepted) => "accepted without the lost changes".to_owned(),
        Some(StateRepair::Cut(JournalCut { path, offset, set_aside })) => {
            format!("{} was cut at byte {offset}, a copy is {}", path.display(), set_aside.display())
        }
    };
    if !verbosity.quiet {
        print_stderr(&format!("damaged: {:#}\n", anyhow::Error::new(error)));
        print_stderr(&format!("state: {text}; the crawl fetches documents again that it has stored since then\n"));
    }
    Ok(())
}

/// Prints the damaged documents on standard output, and the rest on standard error.
fn report(summary: &RepairSummary, verbosity: &VerbosityArgs, action: &str) -> anyhow::Result<()> {
    let RepairSummary { ranges, documents, unknown, without_provenance } = summary;
    let list: String = documents.iter().flat_map(|document| [document.as_str(), "\n"]).collect();
    print_stdout(&list)?;
    if verbosity.quiet {
        return Ok(());
    }
    if ranges.is_empty() {
        print_stderr("no damage found\n");
        return Ok(());
    }
    for range in ranges {
        let (path, from, to) = (&range.path, range.from_bytes, range.to_bytes);
        print_stderr(&format!("damaged: {path}, bytes {from} to {to}: {}\n", range.defect));
    }
    print_stderr(&format!("{} documents {action}\n", documents.len()));
    if *unknown > 0 {
        print_stderr(&format!(
            "note: {unknown} documents are not in the frontier and are removed; if the archive has them, run \
             `lodeward archive rebuild`\n"
        ));
    }
    if *without_provenance > 0 {
        print_stderr(&format!("note: {without_provenance} documents are intact without their provenance\n"));
    }
    Ok(())
}
