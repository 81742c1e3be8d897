//! The command line, as `--help` shows it.

use clap::{Parser, Subcommand, ValueEnum};
use lodeward_eval::TrialStart;

#[cfg(test)]
mod docs_commands;
mod focus;
mod papers;
mod search;
mod select;

pub(crate) use focus::FocusEvalArgs;
pub(crate) use papers::{ClassifierArg, LinksArgs, OfflineArgs, PaperArgs, PriorArgs, Table2Args, TrainArgs};
pub(crate) use search::SearchEvalArgs;
pub(crate) use select::SelectArgs;

const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  error
  2  usage error: arguments, settings of strategies, or data that does not exist";

/// Compare crawl strategies and rankers on recorded webs
#[derive(Parser, Debug)]
#[command(name = "lodeward-eval", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct EvalCli {
    #[command(subcommand)]
    pub(crate) command: EvalCommand,
    /// Print only results and errors
    #[arg(long, short, global = true, conflicts_with = "verbose", display_order = 998)]
    pub(crate) quiet: bool,
    /// Log more; repeat for even more. `LODEWARD_LOG` takes a filter
    #[arg(long, short, global = true, action = clap::ArgAction::Count, display_order = 998)]
    pub(crate) verbose: u8,
}

#[derive(Subcommand, Debug)]
pub(crate) enum EvalCommand {
    /// Crawl a recorded web with several strategies, and report how each uses its
    /// requests
    Select(Box<SelectArgs>),
    /// Rank the entities around seed lists with several rankers, and crawl by them, for
    /// the tables of the DURAARK paper
    Focus(Box<FocusEvalArgs>),
    /// Measure entity search on judged collections: retrieval, similar entities, clusters,
    /// proposed links
    Search(SearchEvalArgs),
    /// Crawl one site of a recorded web at a time, by the protocol of the
    /// link-analysis paper
    Links(LinksArgs),
    /// Test classifiers on the hard URIs of a recorded web, without crawling:
    /// LDCOC's Table 1
    Offline(OfflineArgs),
    /// Train a classifier for the strategies nb, svm and knn on a recorded web
    Train(TrainArgs),
    /// Train the initial model of `learned`, or test such models on unseen hosts
    Prior(PriorArgs),
    /// Compare trained classifiers with strategies that learn online: LDCOC's Table 2
    Table2(Table2Args),
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartArg {
    /// The seeds
    Seeds,
    /// The seeds and the entry pages of all sites
    Entries,
}

impl From<StartArg> for TrialStart {
    fn from(start: StartArg) -> Self {
        match start {
            StartArg::Seeds => Self::Seeds,
            StartArg::Entries => Self::SeedsAndEntries,
        }
    }
}
