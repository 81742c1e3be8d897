//! `lodeward archive drop`: removes the graphs of a crawl from the archive.

use std::process::ExitCode;

use lodeward::store::follow::AfterDrop;
use lodeward_app::data_dir::DataDir;
use lodeward_app::graph_export;

use super::{confirm, find_crawl};
use crate::args::{DropArgs, VerbosityArgs};
use crate::catch_up::ArchiveOpener;
use crate::interrupt::Interrupt;
use crate::progress::print_stderr;
use crate::settings;

pub(crate) fn run(arguments: &DropArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let data = &arguments.data.data;
    let config = settings::load_config(&arguments.data)?;
    let interrupt = Interrupt::default();
    let opener = ArchiveOpener {
        config: &config,
        data,
        interrupt: &interrupt,
        quiet: verbosity.quiet,
        progress: verbosity.progress_mode(),
    };
    let (targets, archive) = opener.open()?;
    let data_dir = DataDir::open(data)?;
    let record = find_crawl::find_by_name(&data_dir, data, &arguments.crawl)?;
    let question = format!("drop the graphs of crawl `{}` from {}?", record.name, data.display());
    if !arguments.yes && !confirm::confirm(&question)? {
        print_stderr("nothing dropped\n");
        return Ok(ExitCode::SUCCESS);
    }
    graph_export::remove_export(&config, &data_dir, &archive, record.id)?;
    let graphs = targets.drop_crawl(record.id, AfterDrop::KeepPosition)?;
    targets.reclaim()?;
    if !verbosity.quiet {
        print_stderr(&format!("dropped {graphs} graphs of crawl `{}`\n", record.name));
    }
    Ok(ExitCode::SUCCESS)
}
