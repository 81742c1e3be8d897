//! Arguments of `lodeward changes`.

use clap::Args;

use super::Place;

const EXAMPLES: &str = "\
Examples:
  lodeward changes                      # since the last refresh began
  lodeward changes --since 7d
  lodeward changes --since 2026-11-01 --json";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Changes {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Since when: a moment in UTC (2026-11-01, 2026-11-01T08:30), or how long
    /// ago (30m, 24h, 7d) [default: when the last refresh began]
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Print JSON, one object on each line
    #[arg(long)]
    pub(crate) json: bool,
}
