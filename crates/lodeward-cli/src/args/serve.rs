//! `lodeward serve` and `lodeward health`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lodeward_app::settings::units::parse_size;

use super::EXIT_CODES;
use super::data_dir::DataDirArgs;
use super::query::DefaultGraphArg;

const SERVE_EXAMPLES: &str = "\
Examples:
  lodeward serve --data ./lodeward-data
  lodeward serve --no-auth --open
  lodeward serve --listen 127.0.0.1:0 --no-auth
  lodeward serve --sparql-only --listen 127.0.0.1:7878
  lodeward serve --data /var/lib/lodeward --config /etc/lodeward.toml --log-format json";

/// Run crawls as a service, with a browser interface and a REST API
///
/// / is the browser interface (docs/workbench.md).
/// /api/v1 creates, observes, reviews, exports and deletes crawls; /sparql queries the
/// archive. Crawls that were running when the service stopped are resumed. SIGHUP
/// reloads the settings. See docs/runbook.md.
///
/// With --sparql-only, the archive is served by the SPARQL 1.1 Protocol and the Graph
/// Store HTTP Protocol: queries at /sparql, updates at /update, graphs at /store. There
/// is no authentication: on loopback every local user has access; put a proxy in front
/// of any other address.
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
    /// Open the browser interface in a browser
    #[arg(long, conflicts_with = "sparql_only")]
    pub(crate) open: bool,
    /// Format of the log on standard error
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
    #[command(flatten)]
    pub(crate) sparql: SparqlOnlyArgs,
}

/// Options of a server without crawls, users and API.
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each field is a command-line flag")]
#[command(next_help_heading = "SPARQL only")]
pub(crate) struct SparqlOnlyArgs {
    /// Serve only SPARQL: no crawls, no users, read-only
    #[arg(long, conflicts_with = "no_auth")]
    pub(crate) sparql_only: bool,
    /// Allow updates and writes to graphs
    #[arg(long, requires = "sparql_only")]
    pub(crate) update: bool,
    /// Allow an IP address that other machines can reach
    #[arg(long, requires = "sparql_only")]
    pub(crate) allow_remote: bool,
    /// Allow pages of this origin to read results (CORS); * for any
    #[arg(long, value_name = "ORIGIN", requires = "sparql_only")]
    pub(crate) allow_origin: Option<String>,
    /// Maximum rows of a result [default: no limit]
    #[arg(long, value_name = "N", requires = "sparql_only")]
    pub(crate) max_rows: Option<u64>,
    /// Approximate maximum memory of a query
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_size, requires = "sparql_only")]
    pub(crate) max_memory: u64,
    /// Graph of patterns outside of GRAPH: all graphs together, or the default graph
    #[arg(long, value_name = "WHICH", default_value = "union", requires = "sparql_only")]
    pub(crate) default_graph: DefaultGraphArg,
    /// Let string functions accept IRIs
    #[arg(long, requires = "sparql_only")]
    pub(crate) lenient: bool,
    /// Skip updating the archive from the crawls
    #[arg(long, requires = "sparql_only")]
    pub(crate) no_catch_up: bool,
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
