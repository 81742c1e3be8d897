//! `lodeward links`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};

use super::data_dir::DataDirArgs;
use super::search::{EntitySelectionArgs, SearchMarkArg};
use super::{EXIT_CODES, RdfFormatArg, serde_text};

const LINKS_EXAMPLES: &str = "\
Examples:
  lodeward links --find
  lodeward links --find --related --type dbo:Building
  lodeward links --min-score 3 --why
  lodeward links keep 1 2 5
  lodeward links drop --min-score 0 --by anna
  lodeward links export -o links.ttl
  lodeward links export --to-archive";

/// Find, list and mark proposed links between entities
///
/// Proposes owl:sameAs between entities of different domains. Links are found by --find,
/// and stored in the data directory. Dropped links are not listed. See docs/search.md.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_help = format!("{LINKS_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct EntityLinksArgs {
    #[command(subcommand)]
    pub(crate) command: Option<LinksCommand>,
    #[command(flatten)]
    pub(crate) list: LinksListArgs,
}

#[derive(Args, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each field is a command-line flag")]
pub(crate) struct LinksListArgs {
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// Find links again before listing them
    #[arg(long)]
    pub(crate) find: bool,
    /// Find and list skos:related, between similar entities, instead of owl:sameAs
    #[arg(long)]
    pub(crate) related: bool,
    /// Minimum score; for owl:sameAs the logarithm of the odds [default for --find: 0; for
    /// --related: 0.5]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) min_score: Option<f64>,
    /// Compare only the selected entities (with --find)
    #[command(flatten)]
    pub(crate) selection: EntitySelectionArgs,
    /// List links with this mark [default: undropped]
    #[arg(long)]
    pub(crate) mark: Option<SearchMarkArg>,
    /// List links of this entity
    #[arg(long, value_name = "IRI")]
    pub(crate) entity: Option<String>,
    /// Print at most this many; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Skip this many
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: usize,
    /// Print the evidence
    #[arg(long)]
    pub(crate) why: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum LinksCommand {
    /// Mark links as right
    Keep(LinkMarkArgs),
    /// Mark links as wrong: they are no longer listed
    Drop(LinkMarkArgs),
    /// Remove marks
    Unmark(LinkMarkArgs),
    /// Undo your last change of marks; changes of other users stay
    Undo(LinkUndoArgs),
    /// List the changes of marks: who marked what, and when
    History(LinkHistoryArgs),
    /// Write the kept links as a graph, to a file or to the archive
    Export(LinkExportArgs),
}

#[derive(Args, Debug)]
pub(crate) struct LinkMarkArgs {
    /// Numbers of links, as `lodeward links` prints them
    #[arg(value_name = "NUMBER", required_unless_present = "min_score")]
    pub(crate) numbers: Vec<u64>,
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// All proposed links with at least this score
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) min_score: Option<f64>,
    /// Name to store with the mark [default: your login name]
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct LinkUndoArgs {
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// Undo the last change of this user [default: your login name]
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct LinkHistoryArgs {
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
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

#[derive(Args, Debug, Serialize, Deserialize)]
pub(crate) struct LinkExportArgs {
    #[command(flatten)]
    pub(crate) data: DataDirArgs,
    /// Output file; its extension sets the format
    #[arg(long, short, value_name = "FILE|-", default_value = "-", conflicts_with = "to_archive")]
    pub(crate) output: PathBuf,
    /// Format [default: by the extension of --output, else nquads]
    #[arg(long, conflicts_with = "to_archive")]
    #[serde(with = "serde_text::value_name")]
    pub(crate) format: Option<RdfFormatArg>,
    /// Replace the graph of kept links in the archive, `urn:lodeward:links`
    #[arg(long)]
    pub(crate) to_archive: bool,
}
