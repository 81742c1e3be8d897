//! `lodeward crawl`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::request_logs::RequestLogArgs;
use super::seeds::SeedSourceArgs;
use super::setting_flags::{CrawlFlags, SettingFlags};
use super::{ConfigSourceArgs, CrawlSelectorArgs, EXIT_CODES};

const CRAWL_EXAMPLES: &str = "\
Examples:
  lodeward crawl https://example.org/data/alice --contact me@example.org -o alice.nq
  lodeward crawl @seeds.txt --max-requests 5000 --stay domain --contact me@example.org
  lodeward crawl --name yesterday    # resumes the crawl, with its settings
  lodeward crawl --name yesterday --max-depth 5    # changes a setting
  lodeward crawl https://dbpedia.org/resource/Cologne_Cathedral --strategy focus --contact me@example.org
  lodeward crawl --refresh --rdf-patch today.rdfp";

const SHORT_HELP_NOTE: &str = "Run `lodeward crawl --help` for all flags, with examples.";

#[derive(Args, Debug)]
#[command(after_help = SHORT_HELP_NOTE, after_long_help = format!("{CRAWL_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct CrawlArgs {
    /// Start from these URIs; @FILE for a list (text, RDF or .nx, also .gz), - for a
    /// list on standard input
    #[arg(value_name = "SEED|@FILE|-")]
    pub(crate) seeds: Vec<String>,
    /// Write the harvest at the end; the extension selects the format: .nq, .nt, .ttl, .trig,
    /// .jsonld or .rdf, also with .gz or .zst; - for N-Quads on standard output
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
    /// Forget the settings of the crawl that is resumed; only those of this run apply, and
    /// are remembered
    #[arg(long, help_heading = "Advanced", hide_short_help = true)]
    pub(crate) reset_settings: bool,
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

/// Flags that override settings.
#[derive(Args, Debug)]
pub(crate) struct SettingArgs {
    #[command(flatten)]
    pub(crate) flags: SettingFlags<CrawlFlags>,
    /// Read settings from this file [default: ./lodeward.toml, if it exists]
    #[arg(long, value_name = "FILE", help_heading = "Advanced", hide_short_help = true)]
    pub(crate) config: Option<PathBuf>,
    /// Override a setting, such as crawl.hops.strict=true; repeatable;
    /// lodeward.example.toml lists all
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Advanced", hide_short_help = true)]
    pub(crate) set: Vec<String>,
}

impl SettingArgs {
    /// The sources of settings, as other commands have them.
    pub(crate) fn source(&self) -> ConfigSourceArgs {
        ConfigSourceArgs { config: self.config.clone(), set: self.set.clone() }
    }
}

/// The heading of flags for files that a crawl writes.
pub(super) const OUTPUT_HEADING: &str = "Output and logs";
