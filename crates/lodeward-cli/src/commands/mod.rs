//! One file for each command.

use std::process::ExitCode;

use crate::arguments::{Arguments, Command};

mod config;
mod crawl;
mod crawls;
mod explain;
mod extract;
mod status;

/// Does what was asked.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Command::Crawl(crawl) => crawl::run(*crawl, &arguments.loudness),
        Command::Extract(extract) => extract::run(&extract),
        Command::Explain(explain) => explain::run(&explain),
        Command::Status(status) => status::run(&status),
        Command::Config(config) => config::run(&config),
    }
}
