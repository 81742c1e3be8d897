//! `lodeward changes`.

use clap::Args;
use serde::{Deserialize, Serialize};

use super::{ConfigSourceArgs, CrawlSelectorArgs};

const EXAMPLES: &str = "\
Examples:
  lodeward changes                      # since the start of the last refresh
  lodeward changes --since 7d
  lodeward changes --since 2026-11-01 --json";

#[derive(Args, Debug, Serialize, Deserialize)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ChangesArgs {
    #[command(flatten)]
    pub(crate) selector: CrawlSelectorArgs,
    /// List changes since a time in UTC (2026-11-01, 2026-11-01T08:30) or for a duration
    /// (30m, 24h, 7d) [default: since the start of the last refresh]
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Print JSON, one object per line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    #[serde(skip)]
    pub(crate) source: ConfigSourceArgs,
}
