//! `lodeward config`, and the flags of commands that read settings.

use std::path::PathBuf;

use clap::Args;

/// The sources of settings on the command line.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ConfigSourceArgs {
    /// Read settings from this file [default: ./lodeward.toml, if it exists]
    #[arg(long, value_name = "FILE", display_order = 990)]
    pub(crate) config: Option<PathBuf>,
    /// Override a setting, such as politeness.delay=2s; repeatable
    #[arg(long, value_name = "KEY=VALUE", display_order = 991)]
    pub(crate) set: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct ConfigArgs {
    /// Print every setting with its default and an explanation, as in lodeward.example.toml
    #[arg(long, conflicts_with_all = ["config", "set", "name"])]
    pub(crate) example: bool,
    /// Print the settings that this crawl would be resumed with
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Data directory of the crawl
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data", requires = "name")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) source: ConfigSourceArgs,
}
