//! `lodeward endpoint`.

use std::net::SocketAddr;

use clap::Args;

use super::EXIT_CODES;
use super::archive::Data;
use super::query::DefaultGraph;

const ENDPOINT_EXAMPLES: &str = "\
Examples:
  lodeward endpoint
  lodeward endpoint --listen 127.0.0.1:0 --update
  curl http://127.0.0.1:7878/sparql --data-urlencode 'query=SELECT * { ?s ?p ?o } LIMIT 10'";

/// Answer SPARQL over HTTP
///
/// Queries at /sparql, updates at /update, graphs at /store, as the SPARQL 1.1
/// Protocol and the Graph Store HTTP Protocol say. It has no users and no
/// passwords: on loopback it answers whoever is on this machine; anything else
/// belongs behind a proxy.
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
#[command(after_help = format!("{ENDPOINT_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct Endpoint {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Where to listen; port 0 for any that is free
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7878")]
    pub(crate) listen: SocketAddr,
    /// Listen on an address that other machines can reach
    #[arg(long)]
    pub(crate) allow_remote: bool,
    /// Allow updates, and changes of graphs
    #[arg(long)]
    pub(crate) update: bool,
    /// Seconds for one query or update
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub(crate) timeout: u64,
    /// Rows of one answer, at most
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<u64>,
    /// About how many megabytes one query may take
    #[arg(long, value_name = "MB", default_value_t = 1_024)]
    pub(crate) memory: u64,
    /// What a query asks outside of GRAPH: all graphs together, or only
    /// statements that are in no named graph
    #[arg(long, value_name = "WHICH", default_value = "union")]
    pub(crate) default_graph: DefaultGraph,
    /// Let string functions take IRIs
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Let SERVICE and LOAD reach private and loopback addresses
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Scheme, host and port by which clients know it, behind a proxy
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Let pages of this origin read answers; * for any
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Option<String>,
    /// Serve the archive as it is
    #[arg(long)]
    pub(crate) no_catch_up: bool,
}
