//! The command lines for the tables of the papers.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lodeward_eval::Fold;

use super::StartArg;

/// Flags shared by these commands.
#[derive(Args, Debug)]
pub(crate) struct PaperArgs {
    /// Recorded web, as for `lodeward-eval select`
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Also write PREFIX.md and other files with that prefix
    #[arg(long, short, value_name = "PREFIX")]
    pub(crate) output: Option<PathBuf>,
    /// Title of the report [default: the name of the directory]
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Ignore the recorded robots.txt files
    #[arg(long)]
    pub(crate) ignore_robots: bool,
    /// Read JSON-LD contexts from the recording
    #[arg(long)]
    pub(crate) recorded_contexts: bool,
    /// Number of cores to use [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZero<usize>>,
}

const LINKS_HELP: &str = "\
Every site is crawled three times from its entry page: with all links treated
alike, by link analysis as in the paper, and by link analysis that also learns from
pages with embedded RDF. DIR needs entry-pages.tsv.

Example:
  lodeward-eval links web -o eval/results/links";

#[derive(Args, Debug)]
#[command(after_help = LINKS_HELP)]
pub(crate) struct LinksArgs {
    #[command(flatten)]
    pub(crate) paper: PaperArgs,
    /// Maximum number of documents fetched per site
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) max_documents: usize,
    /// Skip sites with fewer documents
    #[arg(long, value_name = "N", default_value_t = 150)]
    pub(crate) min_documents: usize,
    /// Skip sites with fewer documents that contain RDF
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) min_rdf: usize,
    /// Start also from the pages of a site that other sites link to, and from its seeds
    #[arg(long)]
    pub(crate) gates: bool,
}

const OFFLINE_HELP: &str = "\
Examples:
  lodeward-eval offline web -o eval/results/offline
  lodeward-eval offline web --features +t+r+p --strategy learned";

#[derive(Args, Debug)]
#[command(after_help = OFFLINE_HELP)]
pub(crate) struct OfflineArgs {
    #[command(flatten)]
    pub(crate) paper: PaperArgs,
    /// Combination of feature sets; repeatable [default: those of the paper]
    #[arg(long, value_name = "SETS")]
    pub(crate) features: Vec<String>,
    /// Also test a strategy that learns online; repeatable
    #[arg(long = "strategy", value_name = "NAME[:KEY=VALUE,…]")]
    pub(crate) strategies: Vec<String>,
    /// Seeds of the crawls
    #[arg(long, default_value = "entries")]
    pub(crate) start: StartArg,
}

const TRAIN_HELP: &str = "\
The examples are the first hard URIs of a breadth-first crawl, with the features
that were known when each was found.

Examples:
  lodeward-eval train web --strategy svm --examples 4000 -o svm.model
  lodeward crawl --strategy svm --model svm.model http://www.example.org/";

#[derive(Args, Debug)]
#[command(after_help = TRAIN_HELP)]
pub(crate) struct TrainArgs {
    /// Recorded web, as for `lodeward-eval select`
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Strategy of the model
    #[arg(long)]
    pub(crate) strategy: ClassifierArg,
    /// Number of training examples
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(crate) examples: usize,
    /// Feature sets
    #[arg(long, value_name = "SETS", default_value = "+t+r+p")]
    pub(crate) features: String,
    /// Train only on hosts in this part, such as 1/5
    #[arg(long, value_name = "PART/PARTS", conflicts_with = "without_fold")]
    pub(crate) fold: Option<Fold>,
    /// Train only on hosts outside of this part
    #[arg(long, value_name = "PART/PARTS")]
    pub(crate) without_fold: Option<Fold>,
    /// Seeds of the crawls
    #[arg(long, default_value = "entries")]
    pub(crate) start: StartArg,
    /// Ignore the recorded robots.txt files
    #[arg(long)]
    pub(crate) ignore_robots: bool,
    /// Write the model to this file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Number of cores to use [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZero<usize>>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClassifierArg {
    /// Naive Bayes
    Nb,
    /// A linear support vector machine
    Svm,
    /// Nearest neighbours
    Knn,
}

const TABLE2_HELP: &str = "\
Examples:
  lodeward-eval table2 web --parts 5 --examples 2000,4000
  lodeward-eval table2 world --requests 300000 --examples 20000,40000 --start seeds";

#[derive(Args, Debug)]
#[command(after_help = TABLE2_HELP)]
pub(crate) struct Table2Args {
    #[command(flatten)]
    pub(crate) paper: PaperArgs,
    /// Numbers of training examples, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "2000,4000")]
    pub(crate) examples: Vec<usize>,
    /// Split the hosts into this many parts, and crawl each with the model of the others
    /// [default: crawl the training hosts]
    #[arg(long, value_name = "N")]
    pub(crate) parts: Option<NonZero<u32>>,
    /// Stop after this many requests [default: when the frontier is empty]
    #[arg(long, value_name = "N")]
    pub(crate) requests: Option<u32>,
    /// Strategy to compare with the classifiers; repeatable [default: bfs, ldcoc,
    /// nb-online and learned]
    #[arg(long = "strategy", value_name = "NAME[:KEY=VALUE,…]")]
    pub(crate) strategies: Vec<String>,
    /// Seeds of the crawls
    #[arg(long, default_value = "entries")]
    pub(crate) start: StartArg,
    /// Seed of the random number generator
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) rng_seed: u64,
}

const PRIOR_HELP: &str = "\
A prior contains weights of features that all hosts share: words, extensions,
relations. It is trained by a crawl of the whole recorded web.

Examples:
  lodeward-eval prior web --model prior.model
  lodeward-eval prior web -o eval/results/prior";

#[derive(Args, Debug)]
#[command(after_help = PRIOR_HELP)]
pub(crate) struct PriorArgs {
    #[command(flatten)]
    pub(crate) paper: PaperArgs,
    /// Train a prior on all hosts, and write it to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// Seeds of the crawls
    #[arg(long, default_value = "entries")]
    pub(crate) start: StartArg,
    /// Number of parts that the hosts are split into for the test
    #[arg(long, value_name = "N", default_value = "5")]
    pub(crate) parts: NonZero<u32>,
    /// Number of crawls of each part, each with its own seed of the random number generator
    #[arg(long, value_name = "N", default_value = "5")]
    pub(crate) runs: NonZero<u64>,
}
