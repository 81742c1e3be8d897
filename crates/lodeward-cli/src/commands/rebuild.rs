//! `lodeward rebuild`: the archive, made anew from what the crawls have kept.

use std::process::ExitCode;

use lodeward::registry::Registry;

use super::crawls;
use crate::archive;
use crate::arguments::{Loudness, Rebuild};
use crate::interrupt::Interrupt;

pub(crate) fn run(arguments: &Rebuild, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let data = &arguments.data.data;
    let interrupt = Interrupt::listen()?;
    let archive = archive::open(data)?;
    let registry = Registry::open(data)?;
    let records = match &arguments.name {
        Some(name) => vec![crawls::named(&registry, data, name)?],
        None => registry.list()?,
    };
    for record in records {
        archive::rebuild(&archive, &registry, &record, &interrupt, loudness.quiet)?;
    }
    Ok(ExitCode::SUCCESS)
}
