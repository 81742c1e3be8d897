//! `lodeward archive rebuild`: builds the archive again from the segments of the crawls.

use std::process::ExitCode;

use lodeward_app::data_dir::DataDir;

use super::find_crawl;
use crate::args::{RebuildArgs, VerbosityArgs};
use crate::catch_up::ArchiveOpener;
use crate::interrupt::Interrupt;
use crate::settings;

pub(crate) fn run(arguments: &RebuildArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let data = &arguments.data.data;
    let config = settings::load_config(&arguments.data)?;
    let interrupt = Interrupt::listen()?;
    let opener = ArchiveOpener {
        config: &config,
        data,
        interrupt: &interrupt,
        quiet: verbosity.quiet,
        progress: verbosity.progress_mode(),
    };
    let (targets, _) = opener.open()?;
    // An empty list means all crawls.
    let crawls = match &arguments.name {
        Some(name) => vec![find_crawl::find_by_name(&DataDir::open(data)?, data, name)?.id],
        None => Vec::new(),
    };
    Ok(opener.rebuild(&targets, &crawls)?.exit_code())
}
