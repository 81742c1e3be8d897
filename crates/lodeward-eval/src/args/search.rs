//! The command line of `lodeward-eval search`.

use std::path::PathBuf;

use clap::Args;
use lodeward_eval::search::SearchPart;

const HELP: &str = "\
Examples:
  lodeward-eval search -o eval/results/search
  lodeward-eval search train
  lodeward-eval search cost --entities 100000,1000000
  lodeward-eval search clusters same-as --data ../shared/data/entities";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct SearchEvalArgs {
    /// What to evaluate [default: all except `cost`]
    #[arg(value_name = "PART")]
    pub(crate) parts: Vec<SearchPart>,
    /// Directory of the collections and judgments [default: data/entities in the directory
    /// that `LODEWARD_SHARED` names, or in ../shared]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Judgments and queries on `dbp` instead of those of the data, such as reserved ones
    #[arg(long, value_name = "FILE", num_args = 2, value_names = ["QRELS", "QUERIES"])]
    pub(crate) dbp_topics: Option<Vec<PathBuf>>,
    /// Judgments and queries on `fbw` instead of those of the data
    #[arg(long, value_name = "FILE", num_args = 2, value_names = ["QRELS", "QUERIES"])]
    pub(crate) fbw_topics: Option<Vec<PathBuf>>,
    /// N-Quads file of a harvest whose links the part `links` counts, too
    #[arg(long, value_name = "FILE")]
    pub(crate) nquads: Option<PathBuf>,
    /// Numbers of generated entities for the part `cost`
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "10000,100000,1000000")]
    pub(crate) entities: Vec<u64>,
    /// Seed of the random number generator, for the intervals
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) rng_seed: u64,
    /// Also write PREFIX.md and PREFIX.csv, pictures and tables
    #[arg(long, short, value_name = "PREFIX")]
    pub(crate) output: Option<PathBuf>,
}
