//! `lodeward explain`: what became of a URI, and why.

use std::process::ExitCode;

use anyhow::bail;
use lodeward::model::Uri;

use crate::arguments::{Explain, Place};
use crate::failure::Usage;

pub(crate) fn run(arguments: &Explain) -> anyhow::Result<ExitCode> {
    let unusable = |error| Usage { message: format!("`{}`: {error}", arguments.uri), hint: None };
    let uri = Uri::parse(&arguments.uri).map_err(unusable)?;
    explain(&uri, &arguments.place)
}

fn explain(uri: &Uri, place: &Place) -> anyhow::Result<ExitCode> {
    let _ = (uri, &place.data, &place.name);
    bail!("explain is not wired yet")
}
