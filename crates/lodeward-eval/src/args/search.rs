//! The command line of `lodeward-eval search`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lodeward_eval::search::SearchPart;

const HELP: &str = "\
Examples:
  lodeward-eval search -o eval/results/search
  lodeward-eval search train
  lodeward-eval search clusters same-as --data ../shared/data/entities";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct SearchEvalArgs {
    /// What to evaluate [default: all]
    #[arg(value_name = "PART")]
    pub(crate) parts: Vec<SearchPartArg>,
    /// Directory of the collections and judgments [default: data/entities in the directory
    /// that `LODEWARD_SHARED` names, or in ../shared]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Seed of the random number generator, for the intervals
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) rng_seed: u64,
    /// Also write PREFIX.md and PREFIX.csv
    #[arg(long, short, value_name = "PREFIX")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchPartArg {
    /// Retrieval with the shipped parameters
    Retrieval,
    /// Cross-validation of parameters and weights
    Train,
    /// Queries with a typing error
    Typos,
    /// Similar entities
    Similar,
    /// Clusters, compared with gold classes
    Clusters,
    /// Candidates for nearest neighbours
    Lsh,
    /// Proposed links
    SameAs,
}

impl From<SearchPartArg> for SearchPart {
    fn from(part: SearchPartArg) -> Self {
        match part {
            SearchPartArg::Retrieval => Self::Retrieval,
            SearchPartArg::Train => Self::Train,
            SearchPartArg::Typos => Self::Typos,
            SearchPartArg::Similar => Self::Similar,
            SearchPartArg::Clusters => Self::Clusters,
            SearchPartArg::Lsh => Self::Lsh,
            SearchPartArg::SameAs => Self::SameAs,
        }
    }
}
