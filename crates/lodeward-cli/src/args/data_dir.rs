//! The data directory, and `lodeward archive`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};
use serde::{Deserialize, Serialize};

use super::{ConfigSourceArgs, EXIT_CODES};

/// The data directory, for commands that use its archive.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DataDirArgs {
    /// Data directory, with the crawls and the archive
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    #[serde(skip)]
    pub(crate) source: ConfigSourceArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum ArchiveCommand {
    /// Build the archive again from the segments of the crawls
    Rebuild(RebuildArgs),
    /// Remove the graphs of a crawl from the archive
    Drop(DropArgs),
}

#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES, group = ArgGroup::new("which").args(["name", "all"]).required(true))]
pub(crate) struct RebuildArgs {
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// Rebuild only this crawl
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Rebuild every crawl
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct DropArgs {
    /// Name of the crawl. Its segments stay: `archive rebuild --name` restores the graphs
    #[arg(value_name = "NAME")]
    pub(crate) crawl: String,
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// Skip the confirmation
    #[arg(long)]
    pub(crate) yes: bool,
}
