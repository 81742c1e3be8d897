//! `toyweb sparql`: serves one SPARQL endpoint.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use clap::Args;
use toyweb::sparql::{EndpointBehaviour, EndpointWeb, SampleDataset};

use super::serving::{self, ServingArguments, write_file};
use super::units::parse_duration;

/// Size and behaviour of the endpoint.
#[derive(Debug, Args)]
pub(super) struct EndpointArguments {
    /// Number of triples.
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    triples: u32,
    /// Number of named graphs, each half as large as the previous one.
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    graphs: u32,
    /// Number of statements of the largest subject with one predicate (default: 2.5 times `--max-rows`).
    #[arg(long, value_name = "COUNT")]
    hub: Option<u32>,
    /// Truncate results to this many rows without notice, 0 for no limit.
    #[arg(long, value_name = "COUNT", default_value_t = 10_000)]
    max_rows: u32,
    /// Refuse to sort more than this many rows, as Virtuoso does, 0 for no limit.
    #[arg(long, value_name = "COUNT", default_value_t = 40_000)]
    max_sorted_rows: u32,
    /// Answer this share of queries with 500.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    error_share: f64,
    /// Abort queries after this time.
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = parse_duration)]
    timeout: Duration,
    /// Without a dataset in the request, query the empty default graph instead of the union of the named graphs.
    #[arg(long)]
    own_default_graph: bool,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the dataset to this file as N-Quads, without serving it.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    #[command(flatten)]
    serving: ServingArguments,
}

/// Serves the endpoint, or writes its dataset.
pub(super) fn run(arguments: &EndpointArguments) -> anyhow::Result<()> {
    ensure!(arguments.graphs > 0, "invalid value for --graphs: 0 (hint: --graphs 1)");
    let share = arguments.error_share;
    ensure!((0.0..=0.9).contains(&share), "invalid value for --error-share: {share} is not between 0 and 0.9");
    let hub = arguments.hub.unwrap_or((arguments.max_rows.max(1_000) / 2).saturating_mul(5));
    let sample = SampleDataset { triples: arguments.triples, graphs: arguments.graphs, hub, seed: arguments.seed };
    if let Some(path) = &arguments.truth {
        return write_file(path, |mut file| sample.write(&mut file));
    }
    let bound = |bound: u32| (bound > 0).then_some(bound as usize);
    let behaviour = EndpointBehaviour {
        max_rows: bound(arguments.max_rows),
        max_sorted_rows: bound(arguments.max_sorted_rows),
        error_share: arguments.error_share,
        union_default_graph: !arguments.own_default_graph,
        timeout: arguments.timeout,
        seed: arguments.seed,
    };
    serving::serve(EndpointWeb::new(&sample, behaviour), &[EndpointWeb::URL.to_owned()], &arguments.serving)
}
