//! `lodeward rebuild`: the archive, made anew from what the crawls have kept.

use std::process::ExitCode;

use lodeward::registry::Registry;

use super::crawls;
use crate::archive::Keeper;
use crate::arguments::{Loudness, Rebuild};
use crate::interrupt::Interrupt;
use crate::settings;

pub(crate) fn run(arguments: &Rebuild, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let data = &arguments.data.data;
    let config = settings::of(&arguments.data)?;
    let interrupt = Interrupt::listen()?;
    let keeper = Keeper { config: &config, data, interrupt: &interrupt, quiet: loudness.quiet };
    let archive = keeper.open()?;
    // No names mean all of them.
    let crawls = match &arguments.name {
        Some(name) => vec![crawls::named(&Registry::open(data)?, data, name)?.id],
        None => Vec::new(),
    };
    keeper.rebuild(&archive, &crawls)?;
    Ok(ExitCode::SUCCESS)
}
