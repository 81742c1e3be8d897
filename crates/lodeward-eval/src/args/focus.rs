//! The command line of `lodeward-eval focus`.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use lodeward_eval::focus::RankerEntry;

const HELP: &str = "\
A world is a graph of entities and tasks on it: seeds, and the entities that are
relevant to them. Without --entities, the worlds of --data are used: DBpedia with 50
tasks with human judgements, and nomisma with 14, with and without its hub
skos:inScheme.

With --web, the tasks are crawled, too: the report has the share of the targets that
is fetched within a number of requests, in the order of each ranker and breadth first.
`toyweb record` makes a web of tables:
  toyweb record web --entities entities.tsv.gz --links links.tsv.gz

Examples:
  lodeward-eval focus -o eval/results/focus
  lodeward-eval focus --ranker hybrid --ranker ejsim+:published --depth 2
  lodeward-eval focus --entities e.tsv --links l.tsv --tasks tasks.json --hide http://purl.org/dc/terms/isPartOf
  lodeward-eval focus --depth 2 --web dbpedia-web --web dbpedia-forward";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct FocusEvalArgs {
    /// Directory of the entity graphs and tasks [default: data/entities in the directory
    /// that `LODEWARD_SHARED` names, or in ../shared]
    #[arg(long, value_name = "DIR", conflicts_with = "entities")]
    pub(crate) data: Option<PathBuf>,
    /// Table of entities (uri, label or `label_en`, types, `definition_en`),
    /// tab-separated, also .gz; repeatable
    #[arg(long, value_name = "FILE", requires = "links", requires = "tasks")]
    pub(crate) entities: Vec<PathBuf>,
    /// Table of links (subject, predicate or `relation_id`, object); repeatable
    #[arg(long, value_name = "FILE", requires = "entities")]
    pub(crate) links: Vec<PathBuf>,
    /// Tasks: a JSON list of objects with id, seeds, relevant (a list, or grades by IRI),
    /// and optionally `judged_nonrelevant`
    #[arg(long, value_name = "FILE", requires = "entities")]
    pub(crate) tasks: Option<PathBuf>,
    /// Remove links with this predicate; repeatable
    #[arg(long, value_name = "PREDICATE", requires = "entities")]
    pub(crate) hide: Vec<String>,
    /// Ranker: hybrid, ejsim+, ejsim, njsim, pagerank, ppr, feedback, nb, auto; with the attrition
    /// after a colon (intent, published, off); repeatable. The first is compared with the
    /// others [default: all]
    #[arg(long = "ranker", value_name = "NAME[:ATTRITION]")]
    pub(crate) rankers: Vec<RankerEntry>,
    /// Rank entities up to this many links from a seed; repeatable
    #[arg(long = "depth", value_name = "N", default_values_t = [2, 3], value_parser = clap::value_parser!(u8).range(1..=8))]
    pub(crate) depths: Vec<u8>,
    /// Also measure how marks improve the ranking (`feedback`)
    #[arg(long)]
    pub(crate) feedback: bool,
    /// Also crawl this recorded web, for all tasks whose seeds it has; repeatable
    #[arg(long = "web", value_name = "DIR")]
    pub(crate) webs: Vec<PathBuf>,
    /// Strategy of the crawls; repeatable. The first is compared with the others
    /// [default: focus with hybrid (also hop by hop), ppr and ejsim+, and bfs]
    #[arg(long = "strategy", value_name = "NAME[:KEY=VALUE,…]", requires = "webs")]
    pub(crate) strategies: Vec<String>,
    /// Report the recall of crawls after these numbers of requests; the last ends a crawl
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [100, 500, 1000])]
    pub(crate) requests: Vec<u32>,
    /// Seed of the random number generator, for the intervals
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) rng_seed: u64,
    /// Also write PREFIX.md, PREFIX.csv and PREFIX.svg
    #[arg(long, short, value_name = "PREFIX")]
    pub(crate) output: Option<PathBuf>,
    /// Tasks that run at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZero<usize>>,
}
