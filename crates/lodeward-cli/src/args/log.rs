//! `lodeward log`.

use clap::Args;
use serde::{Deserialize, Serialize};

use super::{ConfigSourceArgs, CrawlSelectorArgs};

const EXAMPLES: &str = "\
Examples:
  lodeward log                          # the last 100 URIs
  lodeward log --failed --domain dbpedia.org
  lodeward log --status 404 --limit 0
  lodeward log --queued                 # what is requested next
  lodeward log --dropped --json";

/// List the outcomes of URIs, the newest first
#[derive(Args, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each field is a command-line flag")]
#[command(after_help = EXAMPLES)]
pub(crate) struct LogArgs {
    #[command(flatten)]
    pub(crate) selector: CrawlSelectorArgs,
    /// List only URIs whose requests failed
    #[arg(long, group = "which")]
    pub(crate) failed: bool,
    /// List only URIs that were not requested, with the reason
    #[arg(long, group = "which")]
    pub(crate) dropped: bool,
    /// List the URIs that wait, the next one first
    #[arg(long, group = "which")]
    pub(crate) queued: bool,
    /// List only documents with statements
    #[arg(long, group = "which")]
    pub(crate) stored: bool,
    /// List only URIs whose last response had this status code
    #[arg(long, value_name = "CODE", conflicts_with = "queued", value_parser = clap::value_parser!(u16).range(100..600))]
    pub(crate) status: Option<u16>,
    /// List only URIs of this domain or host
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) domain: Option<String>,
    /// List at most this many URIs; 0 for all
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
    /// Print JSON, one object per line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    #[serde(skip)]
    pub(crate) source: ConfigSourceArgs,
}
