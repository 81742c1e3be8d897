//! `lodeward serve` and `lodeward health`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::EXIT_CODES;
use super::data_dir::DataDirArgs;

const SERVE_EXAMPLES: &str = "\
Examples:
  lodeward serve --data ./lodeward-data
  lodeward serve --listen 127.0.0.1:0 --no-auth
  lodeward serve --data /var/lib/lodeward --config /etc/lodeward.toml --log-format json";

/// Run crawls as a service, with a REST API
///
/// /api/v1 creates, observes, reviews, exports and deletes crawls; /sparql queries the
/// archive. Crawls that were running when the service stopped are resumed. SIGHUP
/// reloads the settings. See docs/runbook.md.
#[derive(Args, Debug)]
#[command(after_help = format!("{SERVE_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// IP address and port to listen on; port 0 for any free one [default: 127.0.0.1:7474]
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// Disable authentication: every local client is an admin; only on loopback
    #[arg(long)]
    pub(crate) no_auth: bool,
    /// Format of the log on standard error
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// Readable text
    #[default]
    Text,
    /// A JSON object per line
    Json,
}

/// Check whether the service of a data directory responds
#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct HealthArgs {
    /// Data directory of the service
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data")]
    pub(crate) data: PathBuf,
}
