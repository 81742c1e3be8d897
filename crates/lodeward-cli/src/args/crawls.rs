//! `lodeward crawls` and `lodeward delete`.

use std::path::PathBuf;

use clap::Args;

use super::{DataDirArgs, EXIT_CODES};

#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct CrawlsArgs {
    /// Data directory
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data")]
    pub(crate) data: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct DeleteArgs {
    /// Name of the crawl. Its documents, its graphs in the archive and its marks are deleted
    #[arg(value_name = "NAME")]
    pub(crate) crawl: String,
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// Skip the confirmation
    #[arg(long)]
    pub(crate) yes: bool,
}
