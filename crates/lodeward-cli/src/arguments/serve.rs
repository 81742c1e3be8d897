//! `lodeward serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::EXIT_CODES;
use super::archive::Data;

const SERVE_EXAMPLES: &str = "\
Examples:
  lodeward serve --data ./lodeward-data
  lodeward serve --listen 127.0.0.1:0 --no-auth
  lodeward serve --data /var/lib/lodeward --config /etc/lodeward.toml --log-format json";

/// Run crawls as a service, with a REST API
///
/// Crawls are begun, watched, reviewed, exported and deleted at /api/v1; the
/// archive answers SPARQL at /sparql. Crawls that ran when it was stopped go on.
/// SIGHUP makes it read its settings again; docs/runbook.md tells how to run it.
#[derive(Args, Debug)]
#[command(after_help = format!("{SERVE_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Where to listen, instead of where `[service]` says; port 0 for any that is free
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// Let everybody on this machine in as an admin; only on loopback
    #[arg(long)]
    pub(crate) no_auth: bool,
    /// How the log on standard error is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// A line for people
    #[default]
    Text,
    /// A JSON object on each line
    Json,
}

/// Tell whether the service of a data directory answers
#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Health {
    /// The data directory that it serves
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data")]
    pub(crate) data: PathBuf,
}
