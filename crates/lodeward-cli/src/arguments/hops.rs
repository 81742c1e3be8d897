//! Hops, and what each may have.

use clap::Args;

/// Each of these makes hops strict.
#[derive(Args, Debug, Default)]
pub(crate) struct HopLimits {
    /// Visit nothing of a hop before all of the hop before is done with; needs
    /// --strategy bfs, bfs-rdf, heuristic or focus
    #[arg(long)]
    pub(crate) strict_hops: bool,
    /// Visit at most this many documents of a hop; hops are strict then
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) max_per_hop: Option<i64>,
    /// Visit at most this many documents of a pay-level domain in one hop; hops
    /// are strict then
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) max_per_pld_hop: Option<i64>,
    /// Go on to the next hop with only this many pay-level domains, those where
    /// most URIs wait; hops are strict then
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) max_plds: Option<i64>,
    /// End a hop when fewer pay-level domains are left in it; hops are strict then
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) min_plds: Option<i64>,
}
