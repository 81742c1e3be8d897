//! The command lines of the tables of the papers.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;

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
}
