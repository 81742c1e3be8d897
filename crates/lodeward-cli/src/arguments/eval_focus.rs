//! The command line of `lodeward eval focus`.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use lodeward_eval::focus::RankerEntry;

const HELP: &str = "\
A world is a graph of entities and tasks on it: seeds, and the entities that are
relevant to them. Without --entities the worlds of --data are taken: DBpedia with
50 tasks that people judged, and nomisma with 14, as it is and without
skos:inScheme, its hub.

With --web the tasks are crawled, too: which share of the targets is fetched after
so many requests, in the order of each ranker and breadth-first. `toyweb record`
makes a web of tables:
  toyweb record web --entities entities.tsv.gz --links links.tsv.gz

Examples:
  lodeward eval focus -o eval/results/focus
  lodeward eval focus --ranker hybrid --ranker ejsim+:published --depth 2
  lodeward eval focus --entities e.tsv --links l.tsv --tasks tasks.json --hide http://purl.org/dc/terms/isPartOf
  lodeward eval focus --depth 2 --web dbpedia-web --web dbpedia-forward";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct EvalFocus {
    /// A folder with the entity graphs and tasks of the shared data
    #[arg(long, value_name = "DIR", default_value = "../shared/data/entities", conflicts_with = "entities")]
    pub(crate) data: PathBuf,
    /// A table of entities (uri, label or `label_en`, types, `definition_en`),
    /// tab-separated, may be packed (.gz); repeatable
    #[arg(long, value_name = "FILE", requires = "links", requires = "tasks")]
    pub(crate) entities: Vec<PathBuf>,
    /// A table of links (subject, predicate or `relation_id`, object); repeatable
    #[arg(long, value_name = "FILE", requires = "entities")]
    pub(crate) links: Vec<PathBuf>,
    /// The tasks on them: a JSON list of objects with id, seeds, relevant (a list,
    /// or grades by IRI), and perhaps `judged_nonrelevant`
    #[arg(long, value_name = "FILE", requires = "entities")]
    pub(crate) tasks: Option<PathBuf>,
    /// Do not show links with this predicate to anybody; repeatable
    #[arg(long, value_name = "PREDICATE", requires = "entities")]
    pub(crate) hide: Vec<String>,
    /// Who ranks: hybrid, ejsim+, ejsim, njsim, pagerank, ppr, nb, auto; with the
    /// attrition after a colon (intent, published, off); repeatable. The first is
    /// compared with the others [default: all]
    #[arg(long = "ranker", value_name = "NAME[:ATTRITION]")]
    pub(crate) rankers: Vec<RankerEntry>,
    /// Entities up to this many links from a seed are ranked; repeatable
    #[arg(long = "depth", value_name = "N", default_values_t = [2, 3], value_parser = clap::value_parser!(u8).range(1..=8))]
    pub(crate) depths: Vec<u8>,
    /// Also crawl this recorded web, for all tasks whose seeds are in it;
    /// repeatable
    #[arg(long = "web", value_name = "DIR")]
    pub(crate) webs: Vec<PathBuf>,
    /// A strategy that crawls; repeatable. The first is compared with the others
    /// [default: focus with hybrid (also hop by hop), ppr and ejsim+, and bfs]
    #[arg(long = "strategy", value_name = "NAME[:KEY=VALUE,…]", requires = "webs")]
    pub(crate) strategies: Vec<String>,
    /// Tell the recall of crawls after so many requests; they end after the last
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [100, 500, 1000])]
    pub(crate) requests: Vec<u32>,
    /// Where the chance of intervals comes from
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Also write PREFIX.md, PREFIX.csv and PREFIX.svg
    #[arg(long, short, value_name = "PREFIX")]
    pub(crate) output: Option<PathBuf>,
    /// How many tasks at a time [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZero<usize>>,
}
