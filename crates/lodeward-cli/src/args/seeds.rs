//! Seeds that are not given as URIs; `lodeward seeds` and `lodeward templates`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::setting_flags::{SeedsFlags, SettingFlags};
use super::{ConfigSourceArgs, CrawlSelectorArgs, EXIT_CODES};

const HEADING: &str = "Seeds that are not URIs (see docs/seeds.md)";

/// Seeds by label, from templates, and from instance data.
#[derive(Args, Debug, Default)]
pub(crate) struct SeedSourceArgs {
    /// Start from the entity with this label in the archive: the exact label, or all of
    /// its words; repeatable
    #[arg(long, value_name = "TEXT", help_heading = HEADING, hide_short_help = true)]
    pub(crate) seed_label: Vec<String>,
    /// Start from the seeds of this template; `lodeward templates` lists them
    #[arg(long, value_name = "NAME|FILE", help_heading = HEADING, hide_short_help = true)]
    pub(crate) template: Option<String>,
    /// Set a placeholder of the template; repeatable, also for several values of one
    #[arg(long, value_name = "NAME=VALUE", requires = "template", value_parser = parse_assignment)]
    #[arg(help_heading = HEADING, hide_short_help = true)]
    pub(crate) value: Vec<(String, String)>,
    /// Search templates in this directory, in addition to `templates` in --data
    #[arg(long, value_name = "DIR", help_heading = HEADING, hide_short_help = true)]
    pub(crate) template_dir: Option<PathBuf>,
    /// Start from the entities in these RDF files: places, architects, styles;
    /// repeatable, - for standard input
    #[arg(long, value_name = "RDF|-", help_heading = HEADING, hide_short_help = true)]
    pub(crate) seeds_from: Vec<PathBuf>,
    /// Roles to use, separated by commas, as [seeds.roles] in lodeward.toml names them
    /// [default: places, architects, styles, and your own]
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "seeds_from")]
    #[arg(help_heading = HEADING, hide_short_help = true)]
    pub(crate) roles: Vec<String>,
    /// Look up literal values among labels
    #[arg(long, requires = "seeds_from", help_heading = HEADING, hide_short_help = true)]
    pub(crate) resolve_literals: bool,
    /// Start also from the entities that the files describe
    #[arg(long, requires = "seeds_from", help_heading = HEADING, hide_short_help = true)]
    pub(crate) include_subjects: bool,
}

fn parse_assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("not of the form NAME=VALUE, such as place=Cologne")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

const SEEDS_EXAMPLES: &str = "\
Examples:
  lodeward seeds --seed-label 'Cologne Cathedral'
  lodeward seeds --template geography --value building='Cologne Cathedral' --value place=Cologne
  lodeward seeds --seeds-from buildings.ttl --resolve-literals > seeds.txt";

/// Print the seeds of a crawl, without crawling
///
/// Prints one URI per line, with its origin in a comment before it, in the format that
/// `crawl @FILE` reads.
#[derive(Args, Debug)]
#[command(after_help = format!("{SEEDS_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct SeedsArgs {
    /// Seeds, as for `crawl`
    #[arg(value_name = "SEED|@FILE|-")]
    pub(crate) seeds: Vec<String>,
    #[command(flatten)]
    pub(crate) selector: CrawlSelectorArgs,
    #[command(flatten)]
    pub(crate) flags: SettingFlags<SeedsFlags>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) source: ConfigSourceArgs,
    #[command(flatten)]
    pub(crate) seed_sources: SeedSourceArgs,
}

const TEMPLATES_EXAMPLES: &str = "\
Examples:
  lodeward templates
  lodeward templates show geography > my-geography.toml    # to edit
  lodeward crawl --template ./my-geography.toml --value place=Bonn --contact me@example.org";

/// List the templates of seeds
#[derive(Args, Debug)]
#[command(after_help = format!("{TEMPLATES_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct TemplatesArgs {
    #[command(subcommand)]
    pub(crate) command: Option<TemplatesCommand>,
    /// Data directory; templates are searched in its directory `templates`
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data", global = true)]
    pub(crate) data: PathBuf,
    /// Search templates in this directory, too
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) template_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum TemplatesCommand {
    /// Print a template, to copy and edit
    Show {
        /// Name or file of the template
        #[arg(value_name = "NAME|FILE")]
        name: String,
    },
}
