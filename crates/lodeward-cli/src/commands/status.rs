//! `lodeward status`: how far a crawl is.

use std::process::ExitCode;

use anyhow::bail;

use crate::arguments::Status;

pub(crate) fn run(arguments: &Status) -> anyhow::Result<ExitCode> {
    let _ = (&arguments.place.data, &arguments.place.name, arguments.json);
    bail!("status is not wired yet")
}
