//! `lodeward config`: the settings that hold, and who set them.

use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;

use crate::arguments::Config;
use crate::settings;

pub(crate) fn run(arguments: &Config) -> anyhow::Result<ExitCode> {
    let effective = settings::resolve(&arguments.settings)?;
    match std::io::stdout().lock().write_all(effective.to_toml().as_bytes()) {
        // Whoever reads us has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        written => written.context("cannot write to standard output")?,
    }
    Ok(ExitCode::SUCCESS)
}
