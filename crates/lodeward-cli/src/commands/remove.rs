//! `lodeward remove`: removes documents on request.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use lodeward::model::Uri;
use lodeward::time::format_iso8601;
use lodeward_app::crawl_dir;
use lodeward_app::crawl_lock::CrawlLock;
use lodeward_app::data_dir::DataDir;
use lodeward_app::display_text::counted;
use lodeward_app::removal::{CrawlRemoval, remove_from_crawl};
use lodeward_app::removal_list::{RemovalRecord, RemovalTarget, read_removals, record_removal};
use lodeward_app::settings::Config;
use lodeward_archive::Archive;

use super::{confirm, find_crawl};
use crate::args::{RemoveArgs, VerbosityArgs};
use crate::catch_up::ArchiveOpener;
use crate::errors::UsageError;
use crate::interrupt::Interrupt;
use crate::progress::{print_stderr, print_stdout};
use crate::service_guard::require_unserved_with_hint;
use crate::{clock, settings};

pub(crate) fn run(arguments: &RemoveArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let data = &arguments.data.data;
    if !data.is_dir() {
        let message = format!("data directory {} does not exist", data.display());
        return Err(UsageError { message, hint: Some("set the data directory with --data".to_owned()) }.into());
    }
    if arguments.list {
        return print_removals(data);
    }
    let targets = targets(arguments)?;
    require_unserved_with_hint(data, |service| format!("send POST {service}/api/v1/removals (docs/runbook.md)"))?;
    let _lock = CrawlLock::acquire(data, "removal").map_err(|error| find_crawl::explain_lock(&error))?;
    let question = format!("remove {} from {}?", counted(targets.len(), "target"), data.display());
    if !arguments.yes && !confirm::confirm(&question)? {
        print_stderr("nothing removed\n");
        return Ok(ExitCode::SUCCESS);
    }
    let config = settings::load_config(&arguments.data)?;
    let interrupt = Interrupt::default();
    let (quiet, progress) = (verbosity.quiet, verbosity.progress_mode());
    let opener = ArchiveOpener { config: &config, data, interrupt: &interrupt, quiet: true, progress };
    // Without an archive there is nothing to remove from it, and opening would create one.
    let opened = if data.join("archive").is_dir() { Some(opener.open()?) } else { None };
    for target in targets {
        let by = arguments.by.clone().unwrap_or_default();
        let removal = RemovalRecord { at_ms: clock::now_ms(), target, by, reason: arguments.reason.clone() };
        record_removal(data, &removal)?;
        let text = remove_from_crawls(&config, data, opened.as_ref().map(|(_, archive)| archive), &removal.target)?;
        if !quiet {
            print_stderr(&text);
        }
    }
    if let Some((targets, _)) = &opened {
        opener.catch_up(targets)?;
        targets.reclaim()?;
    }
    Ok(ExitCode::SUCCESS)
}

fn targets(arguments: &RemoveArgs) -> Result<Vec<RemovalTarget>, UsageError> {
    let uri = |text: &String| {
        let invalid = |error| UsageError { message: format!("`{text}`: {error}"), hint: None };
        Uri::parse(text).map(RemovalTarget::Uri).map_err(invalid)
    };
    let domain = |text: &String| RemovalTarget::domain(text).map_err(|message| UsageError { message, hint: None });
    arguments.uris.iter().map(uri).chain(arguments.domain.iter().map(domain)).collect()
}

/// Removes documents from all crawls. Returns what was done, in words.
fn remove_from_crawls(
    config: &Config,
    data: &Path,
    archive: Option<&Archive>,
    target: &RemovalTarget,
) -> anyhow::Result<String> {
    let data_dir = DataDir::open(data)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    let mut text = String::new();
    for record in data_dir.list()? {
        let crawl = crawl_dir::open_crawl(config, &data_dir.crawl(record.id), clock::now_ms);
        let crawl = crawl.map_err(find_crawl::explain_open)?;
        let removal = runtime.block_on(remove_from_crawl(config, &data_dir, &crawl, archive, target))?;
        let CrawlRemoval { documents, has_deleted_export } = removal;
        if documents > 0 {
            let documents = counted(documents, "document");
            let _ = writeln!(text, "removed {documents} of {target} from crawl `{}`", record.name);
        }
        if has_deleted_export {
            let hint = "export the crawl again with `lodeward export --to-archive`";
            let _ =
                writeln!(text, "note: deleted the export of crawl `{}`, which may repeat them; {hint}", record.name);
        }
    }
    if text.is_empty() {
        text = format!("no crawl has documents of {target}\n");
    }
    Ok(text + &format!("{target} will not be fetched again\n"))
}

fn print_removals(data: &Path) -> anyhow::Result<ExitCode> {
    let mut text = String::new();
    for RemovalRecord { at_ms, target, by, reason } in read_removals(data)? {
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        let _ = writeln!(text, "{}  {target}  by {by}{reason}", format_iso8601(at_ms));
    }
    print_stdout(if text.is_empty() { "no removals\n" } else { &text })?;
    Ok(ExitCode::SUCCESS)
}
