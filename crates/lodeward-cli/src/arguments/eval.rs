//! The command line of `lodeward eval`.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use lodeward_eval::{Budget, Fold};

use super::eval_focus::EvalFocus;
use super::eval_papers::{EvalLinks, EvalOffline, EvalPrior, EvalTable2, EvalTrain};

/// Compare strategies on a recorded web
#[derive(Args, Debug)]
pub(crate) struct Eval {
    #[command(subcommand)]
    pub(crate) command: EvalCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum EvalCommand {
    /// Crawl a recorded web with several strategies, and tell where each spent
    /// its requests
    Select(Box<EvalSelect>),
    /// Rank the entities around seed lists with several rankers, and crawl after
    /// them, by the tables of the DURAARK paper
    Focus(Box<EvalFocus>),
    /// Crawl one site of a recorded web at a time, by the protocol of the
    /// link-analysis paper
    Links(EvalLinks),
    /// Test classifiers on the hard URIs of a recorded web, without crawling:
    /// LDCOC's Table 1
    Offline(EvalOffline),
    /// Train a classifier for the strategies nb, svm and knn on a recorded web
    Train(EvalTrain),
    /// Make the model that `learned` begins with, or test such models on hosts
    /// they have never seen
    Prior(EvalPrior),
    /// Compare crawls with classifiers trained before and strategies that learn
    /// on the way: LDCOC's Table 2
    Table2(EvalTable2),
}

const SELECT_HELP: &str = "\
DIR is a recorded web: manifest.tsv.gz (a row for each address, with the columns
url, status, label, hard and class), seeds.txt, *.warc.gz and, for --start
entries, entry-pages.tsv. `toyweb record` makes one of a generated world.

Examples:
  lodeward eval select web
  lodeward eval select web --strategy oracle --strategy learned --strategy bfs
  lodeward eval select web --strategy ldcoc --strategy ldcoc:links=rdf,features=+t
  lodeward eval select web --max-per-pld 150 -o eval/results/select-capped";

#[derive(Args, Debug)]
#[command(after_help = SELECT_HELP)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct EvalSelect {
    /// The recorded web
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// A strategy, or `oracle`; with settings, if any, as in
    /// ldcoc:links=rdf,features=+t. Repeatable [default: all that need no
    /// model]
    #[arg(long = "strategy", value_name = "NAME[:KEY=VALUE,…]")]
    pub(crate) strategies: Vec<String>,
    /// A setting for all strategies, as in select.noise=0; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Where to begin
    #[arg(long, default_value = "entries")]
    pub(crate) start: EvalStart,
    /// How many times to crawl, each with a seed of its own
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) seeds: u64,
    /// Where to take figures: percents of the reachable documents, in requests;
    /// or a number of requests, as in 200r
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "5,10,25,50,75", value_parser = budget)]
    pub(crate) budget: Vec<Budget>,
    /// Stop there, instead of when nothing is left
    #[arg(long, value_name = "BUDGET", value_parser = budget)]
    pub(crate) stop: Option<Budget>,
    /// Visit at most this many documents of a pay-level domain
    #[arg(long, value_name = "N")]
    pub(crate) max_per_pld: Option<u32>,
    /// Keep a delay of one second for each pay-level domain, in virtual time
    #[arg(long)]
    pub(crate) polite: bool,
    /// Follow links that lead out of the recording, too: each costs a request
    #[arg(long)]
    pub(crate) misses: bool,
    /// Do not obey the recorded robots.txt files, as the simulation of the
    /// selection study did not
    #[arg(long)]
    pub(crate) ignore_robots: bool,
    /// Look for JSON-LD contexts in the recording, as that simulation did
    #[arg(long)]
    pub(crate) recorded_contexts: bool,
    /// Only hosts in this part, as in 1/5
    #[arg(long, value_name = "PART/PARTS", conflicts_with = "without_fold")]
    pub(crate) fold: Option<Fold>,
    /// Only hosts that are not in this part
    #[arg(long, value_name = "PART/PARTS")]
    pub(crate) without_fold: Option<Fold>,
    /// Keep the frontier on disk, as a crawl does, instead of in memory
    #[arg(long)]
    pub(crate) embedded_frontier: bool,
    /// Also write PREFIX.md, PREFIX.csv and PREFIX.svg
    #[arg(long, short, value_name = "PREFIX")]
    pub(crate) output: Option<PathBuf>,
    /// A title for what is written [default: after the folder]
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// How many crawls at a time [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZero<usize>>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EvalStart {
    /// With the seeds
    Seeds,
    /// With the seeds and the entry pages of all sites
    Entries,
}

fn budget(text: &str) -> Result<Budget, String> {
    if let Some(requests) = text.strip_suffix('r') {
        return requests.parse().map(Budget::Requests).map_err(|_| format!("`{requests}` is not a number of requests"));
    }
    match text.trim_end_matches('%').parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent.is_finite() => Ok(Budget::Share(percent / 100.0)),
        _ => Err(format!("`{text}` is neither a percentage, such as 25, nor a number of requests, such as 200r")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_a_percentage_or_a_number_of_requests() {
        assert_eq!(budget("25"), Ok(Budget::Share(0.25)));
        assert_eq!(budget("2.5%"), Ok(Budget::Share(0.025)));
        assert_eq!(budget("200r"), Ok(Budget::Requests(200)));
        for wrong in ["", "much", "-1", "0", "r", "inf"] {
            assert!(budget(wrong).is_err(), "{wrong}");
        }
    }
}
