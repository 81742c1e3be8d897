//! `lodeward endpoint`.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use lodeward_app::settings::units::{parse_duration, parse_size};

use super::EXIT_CODES;
use super::data_dir::DataDirArgs;
use super::query::DefaultGraphArg;

const ENDPOINT_EXAMPLES: &str = "\
Examples:
  lodeward endpoint
  lodeward endpoint --listen 127.0.0.1:0 --update
  curl http://127.0.0.1:7878/sparql --data-urlencode 'query=SELECT * { ?s ?p ?o } LIMIT 10'";

/// Serve SPARQL over HTTP
///
/// Queries at /sparql, updates at /update, graphs at /store, by the SPARQL 1.1 Protocol
/// and the Graph Store HTTP Protocol. There is no authentication: on loopback every
/// local user has access; put a proxy in front of any other address.
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each field is a command-line flag")]
#[command(after_help = format!("{ENDPOINT_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct EndpointArgs {
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// IP address and port to listen on; port 0 for any free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7878")]
    pub(crate) listen: SocketAddr,
    /// Allow an IP address that other machines can reach
    #[arg(long)]
    pub(crate) allow_remote: bool,
    /// Allow updates and writes to graphs
    #[arg(long)]
    pub(crate) update: bool,
    /// Timeout of a query or update
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub(crate) timeout: Duration,
    /// Maximum rows of a result [default: no limit]
    #[arg(long, value_name = "N")]
    pub(crate) max_rows: Option<u64>,
    /// Approximate maximum memory of a query
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_size)]
    pub(crate) max_memory: u64,
    /// Graph of patterns outside of GRAPH: all graphs together, or the default graph
    #[arg(long, value_name = "WHICH", default_value = "union")]
    pub(crate) default_graph: DefaultGraphArg,
    /// Let string functions accept IRIs
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Let SERVICE and LOAD reach private and loopback IP addresses
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Scheme, host and port that clients use, behind a proxy
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Allow pages of this origin to read results (CORS); * for any
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Option<String>,
    /// Skip updating the archive from the crawls
    #[arg(long)]
    pub(crate) no_catch_up: bool,
}
