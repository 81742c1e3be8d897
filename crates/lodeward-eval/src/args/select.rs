//! The command line of `lodeward-eval select`.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use lodeward_eval::{EvalBudget, Fold};

use super::StartArg;

const HELP: &str = "\
DIR is a recorded web: manifest.tsv.gz (a row for each URL, with the columns url,
status, label, hard and class), seeds.txt, *.warc.gz and, for --start entries,
entry-pages.tsv. `toyweb record` records a generated world.

Examples:
  lodeward-eval select web
  lodeward-eval select web --strategy oracle --strategy learned --strategy bfs
  lodeward-eval select web --strategy ldcoc --strategy ldcoc:links=rdf,features=+t
  lodeward-eval select web --max-documents-per-domain 150 -o eval/results/select-capped";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
#[expect(clippy::struct_excessive_bools, reason = "each field is a command-line flag")]
pub(crate) struct SelectArgs {
    /// The recorded web
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Strategy, or `oracle`, with settings such as ldcoc:links=rdf,features=+t;
    /// repeatable [default: all that need no model]
    #[arg(long = "strategy", value_name = "NAME[:KEY=VALUE,…]")]
    pub(crate) strategies: Vec<String>,
    /// Override a setting of all strategies, such as noise=0; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Seeds of the crawls
    #[arg(long, default_value = "entries")]
    pub(crate) start: StartArg,
    /// Number of crawls, each with its own seed of the random number generator
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) runs: u64,
    /// Budgets to report: percentages of the reachable documents, or numbers of requests
    /// such as 200r
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "5,10,25,50,75", value_parser = parse_budget)]
    pub(crate) budget: Vec<EvalBudget>,
    /// Stop at this budget [default: when the frontier is empty]
    #[arg(long, value_name = "BUDGET", value_parser = parse_budget)]
    pub(crate) stop: Option<EvalBudget>,
    /// Fetch at most this many documents of a domain
    #[arg(long, value_name = "N")]
    pub(crate) max_documents_per_domain: Option<u32>,
    /// Delay requests to one domain by one second, in virtual time
    #[arg(long)]
    pub(crate) polite: bool,
    /// Follow links out of the recording, too; each costs a request
    #[arg(long)]
    pub(crate) misses: bool,
    /// Ignore the recorded robots.txt files, as the simulation of the selection study does
    #[arg(long)]
    pub(crate) ignore_robots: bool,
    /// Read JSON-LD contexts from the recording, as that simulation does
    #[arg(long)]
    pub(crate) recorded_contexts: bool,
    /// Crawl only hosts in this part, such as 1/5
    #[arg(long, value_name = "PART/PARTS", conflicts_with = "without_fold")]
    pub(crate) fold: Option<Fold>,
    /// Crawl only hosts outside of this part
    #[arg(long, value_name = "PART/PARTS")]
    pub(crate) without_fold: Option<Fold>,
    /// Store the frontier on disk, as a crawl does, instead of in memory
    #[arg(long)]
    pub(crate) embedded_frontier: bool,
    /// Also write PREFIX.md, PREFIX.csv and PREFIX.svg
    #[arg(long, short, value_name = "PREFIX")]
    pub(crate) output: Option<PathBuf>,
    /// Title of the report [default: the name of the directory]
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Crawls that run at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZero<usize>>,
}

fn parse_budget(text: &str) -> Result<EvalBudget, String> {
    if let Some(requests) = text.strip_suffix('r') {
        return requests
            .parse()
            .map(EvalBudget::Requests)
            .map_err(|_| format!("`{requests}` is not a number of requests"));
    }
    match text.trim_end_matches('%').parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent.is_finite() => Ok(EvalBudget::Share(percent / 100.0)),
        _ => Err(format!("`{text}` is neither a percentage, such as 25, nor a number of requests, such as 200r")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_a_percentage_or_a_number_of_requests() {
        assert_eq!(parse_budget("25"), Ok(EvalBudget::Share(0.25)));
        assert_eq!(parse_budget("2.5%"), Ok(EvalBudget::Share(0.025)));
        assert_eq!(parse_budget("200r"), Ok(EvalBudget::Requests(200)));
        for wrong in ["", "much", "-1", "0", "r", "inf"] {
            assert!(parse_budget(wrong).is_err(), "{wrong}");
        }
    }
}
