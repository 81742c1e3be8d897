//! `lodeward model`: what crawls have learned.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand, Debug)]
pub(crate) enum Model {
    /// Tell what a model has learned: its heaviest features in words
    Show(Show),
    Merge(Merge),
}

#[derive(Args, Debug)]
pub(crate) struct Show {
    /// The model [default: what the crawl of --name has learned]
    #[arg(value_name = "FILE", conflicts_with_all = ["data", "name"])]
    pub(crate) file: Option<PathBuf>,
    /// The folder that holds crawls
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data")]
    pub(crate) data: PathBuf,
    /// Which of them
    #[arg(long, default_value = "default")]
    pub(crate) name: String,
    /// How many features to tell that speak for RDF, and how many against
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,
}

/// Add up what several crawls have learned
///
/// The sum is as if one crawl had met the examples of all. Models of one
/// strategy, with the same feature sets and the same number of coordinates, can be
/// added.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  lodeward model merge -o both.model monday/crawls/1/model tuesday/crawls/1/model
  lodeward crawl @seeds.txt --strategy ldcoc --model both.model --contact me@example.org")]
pub(crate) struct Merge {
    /// The models: crawls/1/model in the folder of crawls, or what this command
    /// wrote
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Where to write the sum
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The model that all of them began with, so that it counts once
    #[arg(long, value_name = "FILE")]
    pub(crate) base: Option<PathBuf>,
}
