//! `lodeward config`: the settings that hold, and who set them.

use std::process::ExitCode;

use crate::arguments::Config;
use crate::progress::answer;
use crate::settings;

pub(crate) fn run(arguments: &Config) -> anyhow::Result<ExitCode> {
    let effective = settings::resolve(&arguments.settings)?;
    answer(&effective.to_toml())?;
    Ok(ExitCode::SUCCESS)
}
