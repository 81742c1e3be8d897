//! `lodeward model`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand, Debug)]
pub(crate) enum ModelCommand {
    /// Print the features of a model with the largest weights
    Show(ModelShowArgs),
    Merge(ModelMergeArgs),
}

#[derive(Args, Debug)]
pub(crate) struct ModelShowArgs {
    /// Model file [default: the model of the crawl of --name]
    #[arg(value_name = "FILE", conflicts_with_all = ["data", "name"])]
    pub(crate) file: Option<PathBuf>,
    /// Data directory
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data")]
    pub(crate) data: PathBuf,
    /// Name of the crawl
    #[arg(long, default_value = "default")]
    pub(crate) name: String,
    /// Print this many features for RDF, and as many against
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,
}

/// Merge the models of several crawls
///
/// The result equals the model of one crawl with the examples of all. The models must
/// be of one strategy, with the same feature sets and the same number of coordinates.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  lodeward model merge -o both.model monday/crawls/1/model tuesday/crawls/1/model
  lodeward crawl @seeds.txt --strategy ldcoc --model both.model --contact me@example.org")]
pub(crate) struct ModelMergeArgs {
    /// Models: crawls/1/model in a data directory, or merged models
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write the merged model to this file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Initial model that all of them started with; its examples are then counted once
    #[arg(long, value_name = "FILE")]
    pub(crate) base: Option<PathBuf>,
}
