//! Seeds that are not given as URIs.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{EXIT_CODES, Place};

/// Seeds by name, from templates, and from instance data.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Seeds that are not URIs (see docs/seeds.md)")]
pub(crate) struct NamedSeeds {
    /// Begin at the entity of this name: a label in the archive, exactly so or
    /// with all these words; repeatable
    #[arg(long, value_name = "TEXT")]
    pub(crate) seed_text: Vec<String>,
    /// Take this many entities for a text [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub(crate) seed_matches: Option<i64>,
    /// Look up labels at this SPARQL endpoint instead of in the archive
    #[arg(long, value_name = "URL")]
    pub(crate) labels_at: Option<String>,
    /// Begin at the seeds of this template; `lodeward templates` lists them
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) template: Option<String>,
    /// Put this in for a placeholder of the template; repeatable, also for one
    /// placeholder
    #[arg(long, value_name = "NAME=VALUE", requires = "template", value_parser = assignment)]
    pub(crate) set: Vec<(String, String)>,
    /// Look for templates in this folder, besides the folder `templates` in --data
    #[arg(long, value_name = "DIR")]
    pub(crate) templates: Option<PathBuf>,
    /// Begin at what these RDF files name: places, architects, styles;
    /// repeatable, - for standard input
    #[arg(long, value_name = "RDF|-")]
    pub(crate) seeds_from: Vec<PathBuf>,
    /// Which of them, separated by commas, as [seeds.roles] in lodeward.toml
    /// names them [default: places, architects, styles, and your own]
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "seeds_from")]
    pub(crate) roles: Vec<String>,
    /// Look up values that are texts among labels
    #[arg(long, requires = "seeds_from")]
    pub(crate) resolve_literals: bool,
    /// Begin at those, too, whom the files describe
    #[arg(long, requires = "seeds_from")]
    pub(crate) with_subjects: bool,
    /// Take the most frequent values of the files, this many [default: 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub(crate) seeds_max: Option<i64>,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("not of the form NAME=VALUE, as place=Cologne")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

const SEEDS_EXAMPLES: &str = "\
Examples:
  lodeward seeds --seed-text 'Cologne Cathedral'
  lodeward seeds --template geography --set building='Cologne Cathedral' --set place=Cologne
  lodeward seeds --seeds-from buildings.ttl --resolve-literals > seeds.txt";

/// Tell where a crawl would begin, without crawling
///
/// Prints one URI a line, and before it where it comes from, as `crawl @FILE`
/// reads it.
#[derive(Args, Debug)]
#[command(after_help = format!("{SEEDS_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct Seeds {
    /// As of `crawl`
    #[arg(value_name = "SEED|@FILE|-")]
    pub(crate) given: Vec<String>,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Read settings from this file instead of ./lodeward.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Let --labels-at reach private and loopback addresses
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) named: NamedSeeds,
}

const TEMPLATES_EXAMPLES: &str = "\
Examples:
  lodeward templates
  lodeward templates show geography > my-geography.toml    # to be edited
  lodeward crawl --template ./my-geography.toml --set place=Bonn --contact me@example.org";

/// List the seed lists with placeholders
#[derive(Args, Debug)]
#[command(after_help = format!("{TEMPLATES_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct Templates {
    #[command(subcommand)]
    pub(crate) command: Option<TemplatesCommand>,
    /// The folder that holds crawls; its folder `templates` may hold templates
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data", global = true)]
    pub(crate) data: PathBuf,
    /// Look for templates in this folder, too
    #[arg(long = "templates", value_name = "DIR", global = true)]
    pub(crate) folder: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum TemplatesCommand {
    /// Print a template as it is written, so that it can be copied and edited
    Show {
        /// Which
        #[arg(value_name = "NAME|FILE")]
        name: String,
    },
}
