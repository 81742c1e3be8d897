//! `lodeward rank` and `lodeward candidates`.

use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

use super::setting_flags::{RankFlags, SettingFlags};
use super::{ConfigSourceArgs, CrawlSelectorArgs, EXIT_CODES};

const RANK_EXAMPLES: &str = "\
Examples:
  lodeward rank --name cologne
  lodeward rank --name cologne --ranker ejsim+ --max-hops 1";

/// Rank the entities of a crawl, without crawling again
///
/// Any crawl can be ranked: entities are ranked by their relevance to its seeds. The
/// marks of `lodeward candidates` stay, and kept entities stay listed.
#[derive(Args, Debug)]
#[command(after_help = format!("{RANK_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct RankArgs {
    #[command(flatten)]
    pub(crate) selector: CrawlSelectorArgs,
    #[command(flatten)]
    pub(crate) flags: SettingFlags<RankFlags>,
    /// Print the summary of the ranking as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: ConfigSourceArgs,
}

const CANDIDATES_EXAMPLES: &str = "\
Examples:
  lodeward candidates --name cologne --limit 20 --reasons
  lodeward candidates --type dbo:Building --min-score 0.3 --format csv
  lodeward candidates --filter 'type = Building and not (hop > 1 or domain = wikidata.org)'
  lodeward candidates drop --filter 'label ~ \"^List of\"'
  lodeward candidates keep http://dbpedia.org/resource/Cologne_Cathedral 3 7

Filters: conditions joined by and (or ;), or, not, and parentheses.
  type = NAME          class: <IRI>, prefix:name, or the last part of its name
  domain = DOMAIN      domain, or a subdomain of it
  score >= N           also = != < <= >; the same for hop and rank
  entity ~ REGEX       also !~ = !=; the same for label and domain
  marked = keep        or drop, none, any
  described            a document about it was read
  has NAME             it has a statement with this property
  property NAME = X    it has this value; also != < <= > >= ~ !~
Quote values that contain spaces or semicolons.";

/// List and mark the candidates of a crawl
///
/// The best candidates are listed first. Dropped candidates are not listed.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_help = CANDIDATES_EXAMPLES)]
pub(crate) struct CandidatesArgs {
    #[command(subcommand)]
    pub(crate) mark: Option<MarkCommand>,
    #[command(flatten)]
    pub(crate) list: CandidatesListArgs,
}

#[derive(Args, Debug, Serialize, Deserialize)]
pub(crate) struct CandidatesListArgs {
    #[command(flatten)]
    pub(crate) selector: CrawlSelectorArgs,
    #[command(flatten)]
    pub(crate) filter: CandidateFilterArgs,
    /// List candidates with this mark [default: undropped]
    #[arg(long, value_name = "MARK")]
    pub(crate) mark: Option<MarkedArg>,
    /// Output format
    #[arg(long, default_value = "table")]
    pub(crate) format: CandidatesFormat,
    /// Print at most this many; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: u64,
    /// Skip this many
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: u64,
    /// Print the reasons for each rank (JSON and CSV always have them)
    #[arg(long)]
    pub(crate) reasons: bool,
}

/// Selects candidates. All conditions must match.
#[derive(Args, Debug, Default, Serialize, Deserialize)]
pub(crate) struct CandidateFilterArgs {
    /// Select this class: an IRI, prefix:name, or the last part of its name; repeatable,
    /// for any of several
    #[arg(long = "type", value_name = "CLASS")]
    pub(crate) types: Vec<String>,
    /// Select this domain and its subdomains; repeatable, for any of several
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) domain: Vec<String>,
    /// Select scores of at least this value
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) min_score: Option<f64>,
    /// Select IRIs and labels that match this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(crate) pattern: Option<String>,
    /// Select by property, or by its value: `dbo:architect`, `'dbo:height > 100'`;
    /// repeatable, for all of several
    #[arg(long, value_name = "PROPERTY")]
    pub(crate) has: Vec<String>,
    /// Select entities this many links from the nearest seed
    #[arg(long, value_name = "N")]
    pub(crate) hop: Option<u8>,
    /// Select by an expression: see the end of `lodeward candidates --help`
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) filter: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum MarkedArg {
    /// Not dropped
    Undropped,
    /// Any mark, or none
    All,
    /// Kept
    Keep,
    /// Dropped
    Drop,
    /// Not marked
    None,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CandidatesFormat {
    Table,
    Json,
    Csv,
}

#[derive(Subcommand, Debug)]
pub(crate) enum MarkCommand {
    /// Mark candidates as relevant
    Keep(MarkArgs),
    /// Mark candidates as irrelevant: they are no longer listed
    Drop(MarkArgs),
    /// Remove marks
    Unmark(MarkArgs),
    /// Undo your last change of marks; changes of other users stay
    Undo(UndoArgs),
    /// List the changes of marks: who marked what, and when
    History(HistoryArgs),
}

#[derive(Args, Debug)]
pub(crate) struct MarkArgs {
    /// Entities, by IRI or rank
    #[arg(value_name = "ENTITY|RANK")]
    pub(crate) entities: Vec<String>,
    #[command(flatten)]
    pub(crate) selector: CrawlSelectorArgs,
    #[command(flatten)]
    pub(crate) filter: CandidateFilterArgs,
    /// Select the whole ranking
    #[arg(long)]
    pub(crate) all: bool,
    /// Name to store with the mark [default: your login name]
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct UndoArgs {
    #[command(flatten)]
    pub(crate) selector: CrawlSelectorArgs,
    /// Undo the last change of this user [default: your login name]
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct HistoryArgs {
    #[command(flatten)]
    pub(crate) selector: CrawlSelectorArgs,
    /// List changes of this user only
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Print at most this many, the last ones; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
