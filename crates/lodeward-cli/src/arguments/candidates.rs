//! `lodeward rank` and `lodeward candidates`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::focus::Ranker;
use super::{EXIT_CODES, Place};

const RANK_EXAMPLES: &str = "\
Examples:
  lodeward rank --name cologne
  lodeward rank --name cologne --ranker ejsim+ --depth 1";

/// Rank the entities that a crawl has found, without crawling again
///
/// Any crawl can be ranked: its seeds are what the ranking is about. What users
/// have kept and dropped (`lodeward candidates`) stays.
#[derive(Args, Debug)]
#[command(after_help = format!("{RANK_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct Rank {
    #[command(flatten)]
    pub(crate) place: Place,
    /// How entities are ranked [default: auto]
    #[arg(long)]
    pub(crate) ranker: Option<Ranker>,
    /// Entities up to this many links from a seed are candidates [default: chosen
    /// by the seeds, mostly 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=10))]
    pub(crate) depth: Option<i64>,
    /// List the best candidates, this many of them [default: 10000]
    #[arg(long, value_name = "N")]
    pub(crate) list: Option<usize>,
    /// Measure the seeds in this graph: `crawl`, `graph:IRI`, `file:PATH` or
    /// `endpoint:URL` [default: crawl]
    #[arg(long, value_name = "WHERE")]
    pub(crate) reference: Option<String>,
    /// Read settings from this file instead of ./lodeward.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print what was chosen, and why, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const CANDIDATES_EXAMPLES: &str = "\
Examples:
  lodeward candidates --name cologne --limit 20 --why
  lodeward candidates --type dbo:Building --min-score 0.3 --format csv
  lodeward candidates --filter 'type = Building and not (hop > 1 or pld = wikidata.org)'
  lodeward candidates drop --filter 'label ~ \"^List of\"'
  lodeward candidates keep http://dbpedia.org/resource/Cologne_Cathedral 3 7

Filters: conditions joined by and (or ;), or, not, and parentheses.
  type = NAME          a class: <IRI>, prefix:name, or the end of its name
  pld = DOMAIN         its domain, or one within
  score >= N           also = != < <= >, and the same for hop and rank
  entity ~ REGEX       also !~ = !=, and the same for label and pld
  marked = keep        or drop, none, any
  described            a document about it was read
  has NAME             there is a statement with this property
  property NAME = X    and with this value; also != < <= > >= ~ !~
Values with spaces or semicolons belong into quotes.";

/// List the candidates of a crawl, and mark them
///
/// The best come first, without those that were dropped.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_help = CANDIDATES_EXAMPLES)]
pub(crate) struct Candidates {
    #[command(subcommand)]
    pub(crate) mark: Option<Mark>,
    #[command(flatten)]
    pub(crate) list: List,
}

#[derive(Args, Debug)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) place: Place,
    #[command(flatten)]
    pub(crate) wanted: Wanted,
    /// How candidates are marked [default: all but drop]
    #[arg(long, value_name = "HOW")]
    pub(crate) marked: Option<Marked>,
    /// How to print them
    #[arg(long, default_value = "table")]
    pub(crate) format: Format,
    /// How many to print; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: u64,
    /// How many to pass over before
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: u64,
    /// Say why each is where it is (JSON and CSV always do)
    #[arg(long)]
    pub(crate) why: bool,
}

/// Which candidates: all that is said must be true.
#[derive(Args, Debug, Default)]
pub(crate) struct Wanted {
    /// Those of this class: an IRI, prefix:name, or the end of its name;
    /// repeatable, for any of several
    #[arg(long = "type", value_name = "CLASS")]
    pub(crate) types: Vec<String>,
    /// Those of this domain, or of one within; repeatable, for any of several
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) pld: Vec<String>,
    /// Those with at least this score
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) min_score: Option<f64>,
    /// Those in whose IRI or label this regular expression is found
    #[arg(long, value_name = "REGEX")]
    pub(crate) pattern: Option<String>,
    /// Those with this property, or with such a value of it: `dbo:architect`,
    /// `'dbo:height > 100'`; repeatable, for all of them
    #[arg(long, value_name = "PROPERTY")]
    pub(crate) has: Vec<String>,
    /// Those this many links from the nearest seed
    #[arg(long, value_name = "N")]
    pub(crate) hop: Option<u8>,
    /// Those of whom this is true: see the end of `lodeward candidates --help`
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) filter: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marked {
    /// However they are marked
    All,
    /// Those that were kept
    Keep,
    /// Those that were dropped
    Drop,
    /// Those that nobody has marked
    None,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Table,
    Json,
    Csv,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Mark {
    /// Mark candidates as relevant
    Keep(Marking),
    /// Mark candidates as irrelevant: they are no longer listed
    Drop(Marking),
    /// Take marks back
    Unmark(Marking),
    /// Take the last change of marks back
    Undo(Undo),
}

#[derive(Args, Debug)]
pub(crate) struct Marking {
    /// Which: IRIs, or places in the ranking
    #[arg(value_name = "ENTITY|RANK")]
    pub(crate) entities: Vec<String>,
    #[command(flatten)]
    pub(crate) place: Place,
    #[command(flatten)]
    pub(crate) wanted: Wanted,
    /// Everything in the ranking
    #[arg(long)]
    pub(crate) all: bool,
    /// Who says so
    #[arg(long, value_name = "NAME")]
    pub(crate) who: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Undo {
    #[command(flatten)]
    pub(crate) place: Place,
}
