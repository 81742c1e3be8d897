//! Where the archive is, and what keeps it in order.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::EXIT_CODES;

/// Where the archive is.
#[derive(Args, Clone, Debug)]
pub(crate) struct Data {
    /// The folder that holds crawls and, in its folder `archive`, their
    /// harvest as a SPARQL store
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data")]
    pub(crate) data: PathBuf,
    /// Read settings from this file instead of ./lodeward.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES, group = ArgGroup::new("which").args(["name", "all"]).required(true))]
pub(crate) struct Rebuild {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Only this crawl
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Every crawl
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Drop {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Which crawl. What it has kept stays: `rebuild --name` brings it back
    #[arg(long, alias = "name", value_name = "NAME")]
    pub(crate) crawl: String,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}
