//! The command lines of the tables of the papers.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lodeward_eval::Fold;

use super::EvalStart;

/// What all of them take.
#[derive(Args, Debug)]
pub(crate) struct EvalPaper {
    /// The recorded web, as for `lodeward eval select`
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Also write PREFIX.md and other files of that name
    #[arg(long, short, value_name = "PREFIX")]
    pub(crate) output: Option<PathBuf>,
    /// A title for what is written [default: after the folder]
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Do not obey the recorded robots.txt files
    #[arg(long)]
    pub(crate) ignore_robots: bool,
    /// Look for JSON-LD contexts in the recording
    #[arg(long)]
    pub(crate) recorded_contexts: bool,
    /// How many cores to use [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZero<usize>>,
}

const LINKS_HELP: &str = "\
Every site is crawled three times from its entry page: with all links alike, by
link analysis as the paper has it, and by link analysis that also learns from
pages with RDF inside. DIR needs entry-pages.tsv.

Example:
  lodeward eval links web -o eval/results/links";

#[derive(Args, Debug)]
#[command(after_help = LINKS_HELP)]
pub(crate) struct EvalLinks {
    #[command(flatten)]
    pub(crate) paper: EvalPaper,
    /// Documents that are fetched of a site at most
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) max_documents: usize,
    /// Leave out sites with fewer documents
    #[arg(long, value_name = "N", default_value_t = 150)]
    pub(crate) min_documents: usize,
    /// Leave out sites with fewer documents that hold RDF
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) min_rdf: usize,
    /// Begin also wherever other sites of the web lead into a site, and with
    /// its seeds
    #[arg(long)]
    pub(crate) gates: bool,
}

const OFFLINE_HELP: &str = "\
Examples:
  lodeward eval offline web -o eval/results/offline
  lodeward eval offline web --features +t+r+p --strategy learned";

#[derive(Args, Debug)]
#[command(after_help = OFFLINE_HELP)]
pub(crate) struct EvalOffline {
    #[command(flatten)]
    pub(crate) paper: EvalPaper,
    /// A combination of feature sets; repeatable [default: those of the paper]
    #[arg(long, value_name = "SETS")]
    pub(crate) features: Vec<String>,
    /// Ask a strategy that learns as it crawls, too; repeatable
    #[arg(long = "strategy", value_name = "NAME[:KEY=VALUE,…]")]
    pub(crate) strategies: Vec<String>,
    /// Where to begin
    #[arg(long, default_value = "entries")]
    pub(crate) start: EvalStart,
}

const TRAIN_HELP: &str = "\
The examples are the first hard URIs of a breadth-first crawl, with what was known
of each where it was found.

Examples:
  lodeward eval train web --strategy svm --examples 4000 -o svm.model
  lodeward crawl --strategy svm --model svm.model http://www.example.org/";

#[derive(Args, Debug)]
#[command(after_help = TRAIN_HELP)]
pub(crate) struct EvalTrain {
    /// The recorded web, as for `lodeward eval select`
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Which strategy the model is for
    #[arg(long)]
    pub(crate) strategy: EvalClassifier,
    /// How many examples to learn from
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(crate) examples: usize,
    /// The feature sets
    #[arg(long, value_name = "SETS", default_value = "+t+r+p")]
    pub(crate) features: String,
    /// Learn only from hosts in this part, as in 1/5
    #[arg(long, value_name = "PART/PARTS", conflicts_with = "without_fold")]
    pub(crate) fold: Option<Fold>,
    /// Learn only from hosts that are not in this part
    #[arg(long, value_name = "PART/PARTS")]
    pub(crate) without_fold: Option<Fold>,
    /// Where to begin
    #[arg(long, default_value = "entries")]
    pub(crate) start: EvalStart,
    /// Do not obey the recorded robots.txt files
    #[arg(long)]
    pub(crate) ignore_robots: bool,
    /// The file to write the model to
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// How many cores to use [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZero<usize>>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EvalClassifier {
    /// Naive Bayes
    Nb,
    /// A linear support vector machine
    Svm,
    /// The nearest neighbours
    Knn,
}

const TABLE2_HELP: &str = "\
Examples:
  lodeward eval table2 web --parts 5 --examples 2000,4000
  lodeward eval table2 world --requests 300000 --examples 20000,40000 --start seeds";

#[derive(Args, Debug)]
#[command(after_help = TABLE2_HELP)]
pub(crate) struct EvalTable2 {
    #[command(flatten)]
    pub(crate) paper: EvalPaper,
    /// How many examples the classifiers are trained with; each size is tried
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "2000,4000")]
    pub(crate) examples: Vec<usize>,
    /// Part the hosts into so many parts, and crawl each with what is learned
    /// from the others [default: crawl what was learned from]
    #[arg(long, value_name = "N")]
    pub(crate) parts: Option<NonZero<u32>>,
    /// Stop after so many requests [default: when nothing is left]
    #[arg(long, value_name = "N")]
    pub(crate) requests: Option<u32>,
    /// A strategy beside the classifiers; repeatable [default: bfs, ldcoc,
    /// nb-online and learned]
    #[arg(long = "strategy", value_name = "NAME[:KEY=VALUE,…]")]
    pub(crate) strategies: Vec<String>,
    /// Where to begin
    #[arg(long, default_value = "entries")]
    pub(crate) start: EvalStart,
    /// Where chance comes from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

const PRIOR_HELP: &str = "\
A prior holds what is the same on every host: words, extensions, relations. It is
learned from a crawl that visits everything, and a crawl soon knows better.

Examples:
  lodeward eval prior web --model prior.model
  lodeward eval prior web -o eval/results/prior";

#[derive(Args, Debug)]
#[command(after_help = PRIOR_HELP)]
pub(crate) struct EvalPrior {
    #[command(flatten)]
    pub(crate) paper: EvalPaper,
    /// Write a prior learned from all hosts into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// Where to begin
    #[arg(long, default_value = "entries")]
    pub(crate) start: EvalStart,
    /// Into how many parts hosts are divided for the test
    #[arg(long, value_name = "N", default_value = "5")]
    pub(crate) parts: NonZero<u32>,
    /// How many times to crawl each, with a seed of its own
    #[arg(long, value_name = "N", default_value = "5")]
    pub(crate) seeds: NonZero<u64>,
}
