//! The command line, as `--help` shows it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use serde::{Deserialize, Serialize};

use crate::progress::ProgressMode;

mod backup;
mod candidates;
mod changes;
mod config;
mod crawl;
mod crawls;
mod data_dir;
#[cfg(test)]
mod docs_commands;
mod generated;
mod import_export;
mod links;
mod log;
mod model;
mod query;
mod remove;
mod repair;
mod request_logs;
mod search;
mod seeds;
mod serde_text;
mod serve;
mod setting_flags;
mod terms;
mod user;

pub(crate) use backup::{BackupArgs, RestoreArgs};
pub(crate) use candidates::{
    CandidateFilterArgs, CandidatesArgs, CandidatesFormat, CandidatesListArgs, HistoryArgs, MarkArgs, MarkCommand,
    MarkedArg, RankArgs, UndoArgs,
};
pub(crate) use changes::ChangesArgs;
pub(crate) use config::{ConfigArgs, ConfigSourceArgs};
pub(crate) use crawl::{CrawlArgs, RefreshArg};
pub(crate) use crawls::{CrawlsArgs, DeleteArgs};
pub(crate) use data_dir::{ArchiveCommand, DataDirArgs, DropArgs, RebuildArgs};
pub(crate) use generated::{CompletionsArgs, ManArgs};
pub(crate) use import_export::{ExportArgs, ImportArgs, RdfFormatArg};
pub(crate) use links::{EntityLinksArgs, LinkExportArgs, LinkMarkArgs, LinkUndoArgs, LinksCommand, LinksListArgs};
pub(crate) use log::LogArgs;
pub(crate) use model::{ModelCommand, ModelMergeArgs, ModelShowArgs};
pub(crate) use query::{ExplainMode, QueryArgs, ResultFormatArg};
pub(crate) use remove::RemoveArgs;
pub(crate) use repair::RepairArgs;
pub(crate) use request_logs::RequestLogArgs;
pub(crate) use search::{ClusterArgs, EntitySelectionArgs, SearchArgs, SimilarArgs};
pub(crate) use seeds::{SeedSourceArgs, SeedsArgs, TemplatesArgs, TemplatesCommand};
pub(crate) use serve::{HealthArgs, LogFormat, ServeArgs, SparqlOnlyArgs};
pub(crate) use user::{PasswordArgs, UserArgs, UserCommand};

const EXIT_CODES: &str = "\
Exit codes:
  0  success; also a crawl that was stopped by one Ctrl-C, after the requests in
     flight were stored
  1  error
  2  usage error: arguments, seeds, settings, an invalid query, or data that does
     not exist or is in use
  3  interrupted: a crawl by a second Ctrl-C (the next run repeats the requests that
     were in flight), another command by Ctrl-C, or a query by a limit of time, rows
     or memory
  4  empty: a crawl ended and never fetched a document, or its proxy is unreachable
  5  a part of the harvest is damaged: the rest was read; run `lodeward repair`";

/// Harvest RDF from the web: from seeds to stored quads
#[derive(Parser, Debug)]
#[command(name = "lodeward", version = env!("VERSION_WITH_COMMIT"), after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

/// Flags of every command, listed after its own.
#[derive(Args, Debug)]
pub(crate) struct VerbosityArgs {
    /// Print only errors
    #[arg(long, short, global = true, conflicts_with = "verbose", display_order = 998)]
    pub(crate) quiet: bool,
    /// Log requests, and more if repeated. `LODEWARD_LOG` takes a filter
    #[arg(long, short, global = true, action = clap::ArgAction::Count, display_order = 998)]
    pub(crate) verbose: u8,
    /// Show progress: none, lines (one every 5 seconds) or live (a view that is updated in
    /// place) [default: live on a terminal, lines elsewhere]
    #[arg(
        long,
        value_name = "MODE",
        value_enum,
        global = true,
        hide_possible_values = true,
        hide_short_help = true,
        display_order = 997
    )]
    progress: Option<ProgressMode>,
}

impl VerbosityArgs {
    /// How progress is shown.
    pub(crate) fn progress_mode(&self) -> ProgressMode {
        if self.quiet { ProgressMode::None } else { ProgressMode::supported(self.progress) }
    }
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Start or resume a crawl
    Crawl(Box<CrawlArgs>),
    Seeds(Box<SeedsArgs>),
    Templates(TemplatesArgs),
    /// Read one document and print its quads
    Extract(ExtractArgs),
    /// Print the state and history of a URI
    Explain(ExplainArgs),
    /// Print the progress of a crawl
    Status(StatusArgs),
    Log(LogArgs),
    /// List the crawls of a data directory
    Crawls(CrawlsArgs),
    /// Delete a crawl: its files, and its graphs in the archive
    Delete(DeleteArgs),
    Remove(RemoveArgs),
    /// List the documents that were added, changed or deleted
    Changes(ChangesArgs),
    Rank(RankArgs),
    Candidates(Box<CandidatesArgs>),
    /// Print and merge the models of crawls
    #[command(subcommand)]
    Model(ModelCommand),
    Query(Box<QueryArgs>),
    Search(Box<SearchArgs>),
    Similar(Box<SimilarArgs>),
    Cluster(Box<ClusterArgs>),
    Links(Box<EntityLinksArgs>),
    /// Write the harvest, or a part of it, to a file in any RDF format
    Export(Box<ExportArgs>),
    /// Load RDF files into the archive
    Import(ImportArgs),
    /// Rebuild the archive, or remove a crawl from it
    #[command(subcommand)]
    Archive(ArchiveCommand),
    Serve(ServeArgs),
    Health(HealthArgs),
    User(UserArgs),
    Backup(BackupArgs),
    Restore(RestoreArgs),
    Repair(RepairArgs),
    /// Print the settings in effect and where each comes from
    Config(ConfigArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Write the manual pages
    Man(ManArgs),
}

/// The crawl that a command reads.
#[derive(Args, Debug, Serialize, Deserialize)]
pub(crate) struct CrawlSelectorArgs {
    /// Data directory
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data")]
    pub(crate) data: PathBuf,
    /// Name of the crawl
    #[arg(long, default_value = "default")]
    pub(crate) name: String,
}

#[derive(Args, Debug)]
pub(crate) struct ExtractArgs {
    /// The document; - for standard input
    #[arg(value_name = "FILE|-", default_value = "-")]
    pub(crate) file: PathBuf,
    /// URL of the document: its graph, and the base of relative IRIs; required only if
    /// the document has relative IRIs
    #[arg(long, value_name = "IRI")]
    pub(crate) base: Option<String>,
    /// Media type, as in the Content-Type field [default: by extension and first bytes]
    #[arg(long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,
    /// Use the JSON-LD contexts in this directory, in addition to the bundled ones
    #[arg(long, value_name = "DIR")]
    pub(crate) contexts: Option<PathBuf>,
    /// Read microformats as RDF, too
    #[arg(long)]
    pub(crate) microformats: bool,
    /// Print a summary on standard error: format, quads by format, links, and whether
    /// the document counts as RDF
    #[arg(long)]
    pub(crate) summary: bool,
}

#[derive(Args, Debug, Serialize, Deserialize)]
pub(crate) struct ExplainArgs {
    /// The URI
    #[arg(value_name = "URI")]
    pub(crate) uri: String,
    #[command(flatten)]
    pub(crate) selector: CrawlSelectorArgs,
    #[command(flatten)]
    #[serde(skip)]
    pub(crate) source: ConfigSourceArgs,
}

#[derive(Args, Debug)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) selector: CrawlSelectorArgs,
    /// Print each domain: waiting URIs, documents, share of RDF, status codes, faults, delay and its
    /// source, and until when and why it is rate-limited
    #[arg(long)]
    pub(crate) domains: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: ConfigSourceArgs,
}
