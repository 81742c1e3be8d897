//! `lodeward extract`: one document in, its quads out.

use std::process::ExitCode;

use anyhow::bail;
use lodeward::model::Uri;

use crate::arguments::Extract;
use crate::failure::Usage;

pub(crate) fn run(arguments: &Extract) -> anyhow::Result<ExitCode> {
    let unusable = |error| Usage { message: format!("--base {}: {error}", arguments.base), hint: None };
    let base = Uri::parse(&arguments.base).map_err(unusable)?;
    extract(arguments, &base)
}

fn extract(arguments: &Extract, base: &Uri) -> anyhow::Result<ExitCode> {
    let _ = (&arguments.file, &arguments.content_type, base);
    bail!("extract is not wired yet")
}
