//! The command line, as `--help` shows it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

mod archive;
mod backup;
mod candidates;
mod changes;
mod endpoint;
mod eval;
mod eval_focus;
mod eval_papers;
mod focus;
mod hops;
mod journal;
mod model;
mod query;
mod seeds;
mod serve;
mod terms;
mod transfer;
mod user;

pub(crate) use archive::{Data, Drop, Rebuild};
pub(crate) use backup::{Backup, Restore};
pub(crate) use candidates::{
    Candidates, Format as CandidatesFormat, List, Mark as CandidatesMark, Marked as CandidatesMarked, Marking, Rank,
    Wanted,
};
pub(crate) use changes::Changes;
pub(crate) use endpoint::Endpoint;
pub(crate) use eval::{Eval, EvalCommand, EvalSelect, EvalStart};
pub(crate) use eval_focus::EvalFocus;
pub(crate) use eval_papers::{EvalClassifier, EvalLinks, EvalOffline, EvalPaper, EvalPrior, EvalTable2, EvalTrain};
pub(crate) use focus::FocusSettings;
pub(crate) use hops::HopLimits;
pub(crate) use journal::{AccessLogFormat, Journal};
pub(crate) use model::{Merge, Model, Show};
pub(crate) use query::{AnswerFormat, Plan, Query};
pub(crate) use seeds::{NamedSeeds, Seeds, Templates, TemplatesCommand};
pub(crate) use serve::{Health, LogFormat, Serve};
pub(crate) use transfer::{Export, Import, RdfFormat};
pub(crate) use user::{PasswordFrom, User, UserCommand};

const EXIT_CODES: &str = "\
Exit codes:
  0  done; also after one Ctrl-C during a crawl, when everything under way has
     been kept
  1  an error
  2  wrong usage: arguments, seeds, settings, a query that cannot be read, or
     data that is not there or is in use
  3  cut short: a crawl by a second Ctrl-C (the next run repeats what was under
     way); anything else by Ctrl-C, and a query by a limit of time, rows or
     memory";

/// Harvests RDF from the web: from a few seeds to stored quads
#[derive(Parser, Debug)]
#[command(name = "lodeward", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) loudness: Loudness,
}

/// In the help they stand behind what a command has of its own.
#[derive(Args, Debug)]
pub(crate) struct Loudness {
    /// Say nothing but errors
    #[arg(long, short, global = true, conflicts_with = "verbose", display_order = 998)]
    pub(crate) quiet: bool,
    /// Say more; twice for even more. `LODEWARD_LOG` takes a filter
    #[arg(long, short, global = true, action = clap::ArgAction::Count, display_order = 998)]
    pub(crate) verbose: u8,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Crawl from some seeds, or go on with a crawl
    Crawl(Box<Crawl>),
    Seeds(Box<Seeds>),
    Templates(Templates),
    /// Read one document and print its quads
    Extract(Extract),
    /// Tell what became of a URI, and why
    Explain(Explain),
    /// Tell how far a crawl is
    Status(Status),
    /// List the documents that have appeared, changed or vanished
    Changes(Changes),
    Rank(Rank),
    Candidates(Box<Candidates>),
    /// Look at what crawls have learned, and unite it
    #[command(subcommand)]
    Model(Model),
    Query(Box<Query>),
    /// Write the harvest, or part of it, to a file in any RDF format
    Export(Box<Export>),
    /// Load RDF files into the archive
    Import(Import),
    Endpoint(Endpoint),
    Serve(Serve),
    Health(Health),
    User(User),
    Backup(Backup),
    Restore(Restore),
    /// Make the archive anew from what the crawls have kept
    Rebuild(Rebuild),
    /// Take a crawl's graphs out of the archive
    Drop(Drop),
    Eval(Eval),
    /// Print the settings that hold and where each came from
    Config(Box<Config>),
}

/// Where crawls are kept.
#[derive(Args, Debug)]
pub(crate) struct Place {
    /// The folder that holds crawls; made if it does not exist
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data")]
    pub(crate) data: PathBuf,
    /// Which of them
    #[arg(long, default_value = "default")]
    pub(crate) name: String,
}

const CRAWL_EXAMPLES: &str = "\
Examples:
  lodeward crawl https://example.org/data/alice --contact me@example.org -o alice.nq
  lodeward crawl @seeds.txt --max-requests 5000 --stay --contact me@example.org
  lodeward crawl --name yesterday --contact me@example.org    # go on where it stopped
  lodeward crawl https://dbpedia.org/resource/Cologne_Cathedral --strategy focus --contact me@example.org
  lodeward crawl --refresh --changes today.rdfp --contact me@example.org";

#[derive(Args, Debug)]
#[command(after_help = format!("{CRAWL_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct Crawl {
    /// Where to begin: URIs, @FILE for a list (text, or RDF or .nx by its
    /// extension; may be .gz), - for a list on standard input
    #[arg(value_name = "SEED|@FILE|-")]
    pub(crate) seeds: Vec<String>,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Write the whole harvest as N-Quads when done; - for standard output
    /// (.gz and .zst by name)
    #[arg(long, short, value_name = "FILE|-")]
    pub(crate) output: Option<PathBuf>,
    /// Write a summary as JSON when done
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Visit known documents again before anything else: those that are due, or
    /// all of them [default if nothing is said: due]
    #[arg(long, value_name = "WHICH", num_args = 0..=1, default_missing_value = "due")]
    pub(crate) refresh: Option<Refresh>,
    /// Write every statement that this run adds or deletes to the end of this
    /// file, as an RDF Patch
    #[arg(long, value_name = "FILE")]
    pub(crate) changes: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) journal: Journal,
    #[command(flatten)]
    pub(crate) named: NamedSeeds,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum Refresh {
    /// Those whose time has come, by how often they have changed so far
    Due,
    /// All of them
    All,
}

/// Flags that are settings: each hides the key of the same meaning in
/// `lodeward.toml`, and has its default there.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Settings (see lodeward.example.toml for the rest)")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Settings {
    /// Read settings from this file instead of ./lodeward.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Where requests are spent [default: learned]
    #[arg(long)]
    pub(crate) strategy: Option<Strategy>,
    /// Begin with this model, which another crawl or `lodeward eval` made
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<String>,
    /// Stop after this many requests
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) max_requests: Option<i64>,
    /// Stop after this many documents; 0 for no limit [default: 100000 if no
    /// limit is set]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) max_documents: Option<i64>,
    /// Stop after this many documents that hold RDF
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) max_relevant: Option<i64>,
    /// Follow links at most this far from the seeds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..=65_535))]
    pub(crate) max_depth: Option<i64>,
    /// Visit at most this many documents of a pay-level domain
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) max_per_pld: Option<i64>,
    #[command(flatten)]
    pub(crate) hops: HopLimits,
    #[command(flatten)]
    pub(crate) focus: FocusSettings,
    /// Milliseconds between visits of one domain or address [default: 1000]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) delay: Option<i64>,
    /// Requests under way at a time [default: 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) concurrency: Option<i64>,
    /// Seconds to wait for a whole document [default: 120]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) timeout: Option<i64>,
    /// Visit only URIs in which this regular expression is found; repeatable
    #[arg(long, value_name = "REGEX")]
    pub(crate) include: Vec<String>,
    /// Visit no URI in which this regular expression is found; repeatable
    #[arg(long, value_name = "REGEX")]
    pub(crate) exclude: Vec<String>,
    /// Stay on the pay-level domains of the seeds, or on their hosts
    #[arg(long, value_name = "ON", num_args = 0..=1, require_equals = true, default_missing_value = "pld")]
    pub(crate) stay: Option<StayOn>,
    /// Follow only links by these predicates
    #[arg(long, value_name = "PREDICATE", num_args = 1..)]
    pub(crate) follow: Vec<String>,
    /// Which links to follow [default: all]
    #[arg(long)]
    pub(crate) links: Option<Links>,
    /// Do not follow terms of vocabularies: predicates and classes
    #[arg(long)]
    pub(crate) no_vocabularies: bool,
    /// Visit nothing with one of these extensions, separated by commas, instead of
    /// the built-in list; '' to visit everything
    #[arg(long, value_name = "LIST")]
    pub(crate) skip_extensions: Option<String>,
    /// Ask for these media types, as in the HTTP field Accept [default: all that
    /// are read, RDF first]
    #[arg(long, value_name = "TYPES")]
    pub(crate) accept: Option<String>,
    /// Where chance begins [default: 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) seed: Option<i64>,
    /// How server owners can reach you: an e-mail address or a page. Required
    /// outside of loopback
    #[arg(long, value_name = "WHO")]
    pub(crate) contact: Option<String>,
    /// Send all requests through this proxy
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// The address of a host, before DNS is asked; repeatable
    #[arg(long, value_name = "HOST:ADDR")]
    pub(crate) resolve: Vec<String>,
    /// Trust the certificates in this file (PEM) too; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_cert: Vec<String>,
    /// Visit private and loopback addresses
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Record every exchange into WARC files in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) warc: Option<String>,
    /// Answer from these WARC files instead of the web
    #[arg(long, value_name = "WARC", num_args = 1..)]
    pub(crate) replay: Vec<String>,
    /// Look for JSON-LD contexts in this folder, besides the bundled ones
    #[arg(long, value_name = "DIR")]
    pub(crate) contexts: Option<String>,
    /// What becomes of SPARQL endpoints [default: describe]
    #[arg(long, value_name = "WHAT")]
    pub(crate) endpoints: Option<Endpoints>,
    /// Do not ask the API of CKAN catalogues
    #[arg(long)]
    pub(crate) no_catalogues: bool,
    /// Read the sitemaps that a robots.txt names
    #[arg(long)]
    pub(crate) sitemaps: bool,
    /// Ask hosts on which RDF was found for /.well-known/void
    #[arg(long)]
    pub(crate) well_known: bool,
    /// Keep the statements of documents that are gone
    #[arg(long)]
    pub(crate) keep_vanished: bool,
    /// Do not feed the archive; the first `query` after the crawl does
    #[arg(long)]
    pub(crate) no_archive: bool,
    /// Where it is kept where documents come from [default: archive]
    #[arg(long, value_name = "WHERE")]
    pub(crate) provenance: Option<Provenance>,
    /// Send the harvest to the SPARQL store that takes updates there, too; its
    /// user and password belong into lodeward.toml or
    /// `LODEWARD_SPARQL_PASSWORD`
    #[arg(long, value_name = "URL")]
    pub(crate) sparql: Option<String>,
    /// The Graph Store of that SPARQL store, for documents too large for an
    /// update; alone, for all of them
    #[arg(long, value_name = "URL")]
    pub(crate) graph_store: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum Strategy {
    /// One online model of all evidence, best first across domains
    Learned,
    /// An online classifier, round robin over the domains (LDCOC)
    Ldcoc,
    /// The classes R, HR, H, N of links in HTML
    Links,
    /// Breadth first, round robin over the domains
    Bfs,
    /// The same, by links found in RDF alone
    BfsRdf,
    /// The rules of LDSpider and SWSE: extensions and media types
    Heuristic,
    /// Naive Bayes online, and a bandit over hosts (Anthelion)
    NbOnline,
    /// Naive Bayes, trained before: needs --model
    Nb,
    /// A support vector machine, trained before: needs --model
    Svm,
    /// Nearest neighbours among examples seen before: needs --model
    Knn,
    /// The entities that matter to the seeds, best first (DURAARK): see --ranker
    Focus,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum Provenance {
    /// In the archive, in a graph for each document
    Archive,
    /// In what --output writes, too
    All,
    /// Nowhere
    Off,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum Endpoints {
    /// They are documents like any other
    Off,
    /// Their service description is read, and what graphs they have
    Describe,
    /// Everything in them is taken, page by page
    Harvest,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum StayOn {
    /// Their pay-level domains: `example.org` for `data.example.org`
    Pld,
    /// Their hosts
    Host,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum Links {
    /// In RDF and in HTML
    All,
    /// In RDF only, and redirects
    Rdf,
}

#[derive(Args, Debug)]
pub(crate) struct Extract {
    /// The document; - for standard input
    #[arg(value_name = "FILE|-", default_value = "-")]
    pub(crate) file: PathBuf,
    /// The address it was found at: its graph, and the base of relative IRIs
    #[arg(long, value_name = "IRI")]
    pub(crate) base: String,
    /// Its media type, as a server would declare it [default: by its extension
    /// and by its first bytes]
    #[arg(long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,
    /// Look for JSON-LD contexts in this folder, besides the bundled ones
    #[arg(long, value_name = "DIR")]
    pub(crate) contexts: Option<PathBuf>,
    /// Say on standard error what it is: its syntax, quads by the syntax they
    /// are written in, links, and whether it counts as RDF
    #[arg(long)]
    pub(crate) summary: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// The URI
    #[arg(value_name = "URI")]
    pub(crate) uri: String,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct Status {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Config {
    #[command(flatten)]
    pub(crate) settings: Settings,
}
