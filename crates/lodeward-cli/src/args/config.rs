//! `lodeward config`, and the flags of commands that read settings.

use std::path::PathBuf;

use clap::Args;

use super::SettingArgs;

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

impl From<&ConfigSourceArgs> for SettingArgs {
    fn from(source: &ConfigSourceArgs) -> Self {
        Self { config: source.config.clone(), set: source.set.clone(), ..Self::default() }
    }
}

#[derive(Args, Debug)]
pub(crate) struct ConfigArgs {
    #[command(flatten)]
    pub(crate) source: ConfigSourceArgs,
}
