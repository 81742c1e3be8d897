//! `lodeward config`: prints all settings and the source of each.

use std::process::ExitCode;

use super::find_crawl;
use crate::args::{ConfigArgs, CrawlSelectorArgs};
use crate::progress::print_stdout;
use crate::settings;

pub(crate) fn run(arguments: &ConfigArgs) -> anyhow::Result<ExitCode> {
    let crawl = arguments.name.clone().map(|name| {
        let (data_dir, record) = find_crawl::find(&CrawlSelectorArgs { data: arguments.data.clone(), name })?;
        settings::remembered(&data_dir, &record)
    });
    let text = if arguments.example {
        lodeward_app::settings::example_file()
    } else {
        settings::resolve(&arguments.source, &[], None, crawl.transpose()?)?.to_toml()
    };
    print_stdout(&text)?;
    Ok(ExitCode::SUCCESS)
}
