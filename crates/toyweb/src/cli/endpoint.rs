//! One SPARQL endpoint from the command line.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use clap::Args;
use toyweb::sparql::{Alone, Manners, Sample};

use super::serving::{self, ServingArguments, write_file};

/// What the endpoint is like.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// How many triples it has.
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    triples: u32,
    /// In how many named graphs they are, each half as large as the one before.
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    graphs: u32,
    /// How many statements with one predicate the largest subject has; by
    /// default two and a half times the cap.
    #[arg(long, value_name = "COUNT")]
    hub: Option<u32>,
    /// Leave rows beyond these off, without a word; 0 for no cap.
    #[arg(long, value_name = "COUNT", default_value_t = 10_000)]
    row_cap: u32,
    /// Refuse to sort beyond this row, as Virtuoso does; 0 for no such bound.
    #[arg(long, value_name = "COUNT", default_value_t = 40_000)]
    sorted_rows_max: u32,
    /// Let this share of queries fail with 500.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    error_share: f64,
    /// Give queries up after so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout_s: u64,
    /// Without a dataset, ask the default graph, which is empty, in place of
    /// all named graphs together.
    #[arg(long)]
    own_default_graph: bool,
    /// The seed of all chance.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write what it has to this file as N-Quads, and serve nothing.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    #[command(flatten)]
    serving: ServingArguments,
}

/// Serves the endpoint, or writes down what it has.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    ensure!(arguments.graphs > 0, "an endpoint needs a graph (hint: --graphs 1)");
    ensure!((0.0..=0.9).contains(&arguments.error_share), "--error-share is from 0 to 0.9");
    let hub = arguments.hub.unwrap_or((arguments.row_cap.max(1_000) / 2).saturating_mul(5));
    let sample = Sample { triples: arguments.triples, graphs: arguments.graphs, hub, seed: arguments.seed };
    if let Some(path) = &arguments.truth {
        return write_file(path, |mut file| sample.write(&mut file));
    }
    let bound = |bound: u32| (bound > 0).then_some(bound as usize);
    let manners = Manners {
        row_cap: bound(arguments.row_cap),
        sorted_rows_max: bound(arguments.sorted_rows_max),
        error_share: arguments.error_share,
        union_default_graph: !arguments.own_default_graph,
        timeout: Duration::from_secs(arguments.timeout_s),
        seed: arguments.seed,
    };
    serving::serve(Alone::new(&sample, manners), &[Alone::URL.to_owned()], &arguments.serving)
}
