//! `lodeward config`: prints all settings and the source of each.

use std::process::ExitCode;

use crate::args::ConfigArgs;
use crate::progress::print_stdout;
use crate::settings;

pub(crate) fn run(arguments: &ConfigArgs) -> anyhow::Result<ExitCode> {
    let effective = settings::resolve(&(&arguments.source).into())?;
    print_stdout(&effective.to_toml())?;
    Ok(ExitCode::SUCCESS)
}
