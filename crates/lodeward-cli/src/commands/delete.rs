//! `lodeward delete`: deletes a crawl.

use std::process::ExitCode;

use lodeward_app::crawl_lock::CrawlLock;
use lodeward_app::deletion::delete_crawl;

use super::{confirm, find_crawl};
use crate::args::{CrawlSelectorArgs, DeleteArgs, VerbosityArgs};
use crate::catch_up::ArchiveOpener;
use crate::interrupt::Interrupt;
use crate::progress::print_stderr;
use crate::service_guard::require_unserved_with_hint;
use crate::settings;

pub(crate) fn run(arguments: &DeleteArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let data = &arguments.data.data;
    let selector = CrawlSelectorArgs { data: data.clone(), name: arguments.crawl.clone() };
    let (data_dir, record) = find_crawl::find(&selector)?;
    require_unserved_with_hint(data, |service| {
        format!("delete it over the API: curl -X DELETE {service}/api/v1/crawls/{}", record.id)
    })?;
    let _lock = CrawlLock::acquire(data, &record.name).map_err(|error| find_crawl::explain_lock(&error))?;
    let question = format!("delete crawl `{}` of {}, with its documents and marks?", record.name, data.display());
    if !arguments.yes && !confirm::confirm(&question)? {
        print_stderr("nothing deleted\n");
        return Ok(ExitCode::SUCCESS);
    }
    let config = settings::load_config(&arguments.data)?;
    let interrupt = Interrupt::default();
    let opener = ArchiveOpener {
        config: &config,
        data,
        interrupt: &interrupt,
        quiet: verbosity.quiet,
        progress: verbosity.progress_mode(),
    };
    // Without an archive there is nothing to remove from it, and opening would create one.
    let opened = if data.join("archive").is_dir() { Some(opener.open()?) } else { None };
    delete_crawl(&config, &data_dir, opened.as_ref().map(|(targets, archive)| (targets, archive)), record.id)?;
    if let Some((targets, _)) = &opened {
        targets.reclaim()?;
    }
    if !verbosity.quiet {
        print_stderr(&format!("deleted crawl `{}`\n", record.name));
    }
    Ok(ExitCode::SUCCESS)
}
