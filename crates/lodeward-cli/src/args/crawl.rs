//! `lodeward crawl`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::focus::FocusArgs;
use super::request_logs::RequestLogArgs;
use super::seeds::SeedSourceArgs;
use super::{CrawlSelectorArgs, EXIT_CODES};

const CRAWL_EXAMPLES: &str = "\
Examples:
  lodeward crawl https://example.org/data/alice --contact me@example.org -o alice.nq
  lodeward crawl @seeds.txt --max-requests 5000 --stay domain --contact me@example.org
  lodeward crawl --name yesterday --contact me@example.org    # resumes the crawl
  lodeward crawl https://dbpedia.org/resource/Cologne_Cathedral --strategy focus --contact me@example.org
  lodeward crawl --refresh --rdf-patch today.rdfp --contact me@example.org";

const SHORT_HELP_NOTE: &str = "Run `lodeward crawl --help` for all flags, with examples.";

#[derive(Args, Debug)]
#[command(after_help = SHORT_HELP_NOTE, after_long_help = format!("{CRAWL_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct CrawlArgs {
    /// Start from these URIs; @FILE for a list (text, RDF or .nx, also .gz), - for a
    /// list on standard input
    #[arg(value_name = "SEED|@FILE|-")]
    pub(crate) seeds: Vec<String>,
    /// Write the harvest as N-Quads at the end; - for standard output, .gz and .zst
    /// are compressed
    #[arg(long, short, value_name = "FILE|-", display_order = 2)]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) selector: CrawlPlaceArgs,
    /// Revalidate known documents first: those that are due, or all [default if no
    /// value is given: due]
    #[arg(long, value_name = "WHICH", num_args = 0..=1, default_missing_value = "due", display_order = 11)]
    pub(crate) refresh: Option<RefreshArg>,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    /// Write a report as JSON at the end
    #[arg(long, value_name = "FILE", help_heading = OUTPUT_HEADING, hide_short_help = true)]
    pub(crate) report: Option<PathBuf>,
    /// Append every statement that this run adds or deletes, as an RDF Patch
    #[arg(long, value_name = "FILE", help_heading = OUTPUT_HEADING, hide_short_help = true)]
    pub(crate) rdf_patch: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) request_logs: RequestLogArgs,
    #[command(flatten)]
    pub(crate) seed_sources: SeedSourceArgs,
}

/// The crawl to start or to resume.
#[derive(Args, Clone, Debug)]
pub(crate) struct CrawlPlaceArgs {
    /// Data directory; created if it does not exist
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data", display_order = 12, hide_short_help = true)]
    pub(crate) data: PathBuf,
    /// Name of the crawl
    #[arg(long, default_value = "default", display_order = 3)]
    pub(crate) name: String,
}

impl From<CrawlPlaceArgs> for CrawlSelectorArgs {
    fn from(CrawlPlaceArgs { data, name }: CrawlPlaceArgs) -> Self {
        Self { data, name }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum RefreshArg {
    /// Documents whose interval has passed; it depends on how often they changed
    Due,
    /// All documents
    All,
}

/// Flags that override settings. Each overrides one key, and has the default of that key.
#[derive(Args, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each field is a command-line flag")]
pub(crate) struct SettingArgs {
    /// Name an e-mail address or page for server owners; required outside of loopback
    #[arg(long, value_name = "CONTACT", display_order = 1)]
    pub(crate) contact: Option<String>,
    /// Order in which URIs are fetched [default: learned]
    #[arg(long, display_order = 4)]
    pub(crate) strategy: Option<StrategyArg>,
    /// Stop after this many requests
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..), display_order = 5)]
    pub(crate) max_requests: Option<i64>,
    /// Stop after this many documents; 0 for no limit [default: 100000 if no other
    /// limit is set]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..), display_order = 6)]
    pub(crate) max_documents: Option<i64>,
    /// Follow links at most this many steps from the seeds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..=65_535), display_order = 7)]
    pub(crate) max_depth: Option<i64>,
    /// Restrict the crawl to the domains or hosts of the seeds [default: off]
    #[arg(long, value_name = "SCOPE", display_order = 8)]
    pub(crate) stay: Option<StayArg>,
    /// Fetch only URIs that match this regular expression; repeatable
    #[arg(long, value_name = "REGEX", display_order = 9)]
    pub(crate) include: Vec<String>,
    /// Fetch no URI that matches this regular expression; repeatable
    #[arg(long, value_name = "REGEX", display_order = 10)]
    pub(crate) exclude: Vec<String>,
    /// Stop after this many documents that contain RDF
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    #[arg(help_heading = "Limits", hide_short_help = true)]
    pub(crate) max_rdf_documents: Option<i64>,
    /// Fetch at most this many documents of a domain
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    #[arg(help_heading = "Limits", hide_short_help = true)]
    pub(crate) max_documents_per_domain: Option<i64>,
    /// Follow only links with these predicates
    #[arg(long, value_name = "PREDICATE", num_args = 1.., help_heading = "Scope", hide_short_help = true)]
    pub(crate) follow: Vec<String>,
    /// Read SPARQL endpoints: not at all, their description, or everything [default:
    /// describe]
    #[arg(long, value_name = "WHAT", help_heading = "Scope", hide_short_help = true)]
    pub(crate) endpoints: Option<EndpointsArg>,
    /// Read the sitemaps that a robots.txt names
    #[arg(long, help_heading = "Scope", hide_short_help = true)]
    pub(crate) sitemaps: bool,
    /// Time between requests to one domain or IP address, such as 500ms or 2s; 0 for none [default: 1s]
    #[arg(long, value_name = "TIME", help_heading = "Politeness", hide_short_help = true)]
    pub(crate) delay: Option<String>,
    /// Requests in flight, over all servers [default: 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    #[arg(help_heading = "Politeness", hide_short_help = true)]
    pub(crate) concurrency: Option<i64>,
    /// Timeout of a whole document [default: 120s]
    #[arg(long, value_name = "TIME", help_heading = "Fetching", hide_short_help = true)]
    pub(crate) timeout: Option<String>,
    /// Send all requests through this proxy
    #[arg(long, value_name = "URL", help_heading = "Fetching", hide_short_help = true)]
    pub(crate) proxy: Option<String>,
    /// Use this IP address for a host, in place of DNS; repeatable
    #[arg(long, value_name = "HOST:ADDR", help_heading = "Fetching", hide_short_help = true)]
    pub(crate) resolve: Vec<String>,
    /// Trust the certificates in this file (PEM); repeatable
    #[arg(long, value_name = "FILE", help_heading = "Fetching", hide_short_help = true)]
    pub(crate) ca_cert: Vec<String>,
    /// Send requests to private and loopback IP addresses
    #[arg(long, help_heading = "Fetching", hide_short_help = true)]
    pub(crate) allow_private: bool,
    /// Replay these WARC files instead of the web
    #[arg(long, value_name = "WARC", num_args = 1.., help_heading = "Fetching", hide_short_help = true)]
    pub(crate) replay: Vec<String>,
    #[command(flatten)]
    pub(crate) focus: FocusArgs,
    /// Record every request and response as WARC files in this directory
    #[arg(long, value_name = "DIR", help_heading = OUTPUT_HEADING, hide_short_help = true)]
    pub(crate) warc_dir: Option<String>,
    /// Keep the statements of deleted documents
    #[arg(long, help_heading = OUTPUT_HEADING, hide_short_help = true)]
    pub(crate) keep_deleted: bool,
    /// Do not write to the archive; the first `query` after the crawl does
    #[arg(long, help_heading = OUTPUT_HEADING, hide_short_help = true)]
    pub(crate) no_archive: bool,
    /// Where to store provenance [default: archive]
    #[arg(long, value_name = "WHERE", help_heading = OUTPUT_HEADING, hide_short_help = true)]
    pub(crate) provenance: Option<ProvenanceArg>,
    /// Send the harvest to the SPARQL update URL of a store, too; its user and password
    /// are settings of `remote_store`
    #[arg(long, value_name = "URL", help_heading = OUTPUT_HEADING, hide_short_help = true)]
    pub(crate) remote_store: Option<String>,
    /// Start with this model, from another crawl or from `lodeward-eval`
    #[arg(long, value_name = "FILE", help_heading = "Advanced", hide_short_help = true)]
    pub(crate) model: Option<String>,
    /// Seed of the random number generator [default: 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    #[arg(help_heading = "Advanced", hide_short_help = true)]
    pub(crate) rng_seed: Option<i64>,
    /// Use the JSON-LD contexts in this directory, in addition to the bundled ones
    #[arg(long, value_name = "DIR", help_heading = "Advanced", hide_short_help = true)]
    pub(crate) contexts: Option<String>,
    /// Read settings from this file [default: ./lodeward.toml, if it exists]
    #[arg(long, value_name = "FILE", help_heading = "Advanced", hide_short_help = true)]
    pub(crate) config: Option<PathBuf>,
    /// Override a setting, such as crawl.hops.strict=true; repeatable;
    /// lodeward.example.toml lists all
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Advanced", hide_short_help = true)]
    pub(crate) set: Vec<String>,
}

/// The heading of flags for files that a crawl writes.
pub(super) const OUTPUT_HEADING: &str = "Output and logs";

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum StrategyArg {
    /// One online model of all evidence, best first across domains
    Learned,
    /// An online classifier, round robin over the domains (LDCOC)
    Ldcoc,
    /// Prediction of the classes R, HR, H, N from links in HTML
    LinkAnalysis,
    /// Breadth first, round robin over the domains
    Bfs,
    /// Breadth first, over links found in RDF only
    BfsRdf,
    /// The rules of LDSpider and SWSE: extensions and media types
    Heuristic,
    /// Online naive Bayes, and a bandit over domains (Anthelion)
    NbOnline,
    /// Naive Bayes, trained before the crawl: needs --model
    Nb,
    /// A support vector machine, trained before the crawl: needs --model
    Svm,
    /// Nearest neighbours among examples of a training set: needs --model
    Knn,
    /// The entities that are relevant to the seeds, best first (DURAARK): see --ranker
    Focus,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum ProvenanceArg {
    /// In the archive, in a graph for each document
    Archive,
    /// In the archive and in the file of --output
    All,
    /// Nowhere
    Off,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum EndpointsArg {
    /// Treat them as any other document
    Off,
    /// Read their service description and the list of their graphs
    Describe,
    /// Read all of their statements, page by page
    Harvest,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum StayArg {
    /// No restriction
    Off,
    /// Their domains: `example.org` for `data.example.org`
    Domain,
    /// Their hosts
    Host,
}
