//! The commands of `toyweb`: their arguments and their dispatch.

#[cfg(test)]
mod docs_commands;
mod web_args;
mod endpoint;
mod orca;
mod serving;
mod print;
mod units;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use toyweb::truth::TruthMode;

use serving::ServingArguments;
use units::parse_duration;
use web_args::{EntityArguments, OptionalEntities, ReplayArguments, WorldArguments};

/// Serve generated worlds, recorded webs and entity graphs on loopback, and score crawls of them.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
pub(crate) struct ToywebArguments {
    #[command(subcommand)]
    command: ToywebCommand,
}

#[derive(Debug, Subcommand)]
enum ToywebCommand {
    /// Serve a generated world.
    World {
        #[command(flatten)]
        world: WorldArguments,
        #[command(flatten)]
        serving: ServingArguments,
    },
    /// Serve recorded responses from WARC files.
    Replay {
        #[command(flatten)]
        replay: ReplayArguments,
        #[command(flatten)]
        serving: ServingArguments,
    },
    /// Serve an entity graph as linked data.
    Entities {
        #[command(flatten)]
        entities: EntityArguments,
        #[command(flatten)]
        serving: ServingArguments,
    },
    /// Serve and score the data web of the ORCA benchmark: dumps, endpoints, catalogues, RDFa, resources.
    #[command(subcommand)]
    Orca(orca::OrcaCommand),
    /// Serve one SPARQL endpoint with a large, skewed dataset at `http://endpoint.example/sparql`.
    Sparql(endpoint::EndpointArguments),
    /// Print the seed URLs of a world.
    Seeds {
        #[command(flatten)]
        world: WorldArguments,
        #[command(flatten)]
        output: OutputArguments,
    },
    /// Print the ground truth of a world.
    Truth(TruthArguments),
    /// Record a world or an entity graph: WARC files, a manifest with labels, seeds, entry pages.
    Record(RecordArguments),
    /// Score a crawl of a world from its access log and its quads.
    Score(ScoreArguments),
    /// Print one response of a web, without serving the web.
    Get(GetArguments),
}

/// The destination of printed output.
#[derive(Debug, Args)]
struct OutputArguments {
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Arguments of `toyweb truth`.
#[derive(Debug, Args)]
struct TruthArguments {
    /// Print documents, one JSON object per line, or the statements of all relevant, reachable and obtainable
    /// documents.
    #[arg(long, value_enum, default_value = "ndjson")]
    format: TruthFormat,
    #[command(flatten)]
    mode: ModeArgument,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    world: WorldArguments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TruthFormat {
    Ndjson,
    Nquads,
}

/// The links that a crawler follows.
#[derive(Debug, Args)]
struct ModeArgument {
    /// Count documents as reachable over these links: those of RDF (rdf), of HTML (html), or of both (all).
    #[arg(long, value_name = "LINKS", default_value = "all", value_parser = parse_mode)]
    mode: TruthMode,
}

fn parse_mode(name: &str) -> Result<TruthMode, String> {
    match name {
        "rdf" => Ok(TruthMode::Rdf),
        "all" => Ok(TruthMode::All),
        "html" => Ok(TruthMode::Html),
        _ => Err("expected rdf, all or html".to_owned()),
    }
}

/// Arguments of `toyweb record`.
#[derive(Debug, Args)]
struct RecordArguments {
    /// Directory to write to; created if it does not exist.
    directory: PathBuf,
    #[command(flatten)]
    entities: OptionalEntities,
    #[command(flatten)]
    world: WorldArguments,
}

/// Arguments of `toyweb score`.
#[derive(Debug, Args)]
struct ScoreArguments {
    /// Access log of the server that was crawled.
    #[arg(long, value_name = "FILE")]
    log: PathBuf,
    /// N-Quads of the harvest, each in the graph named by its document's URL; may be compressed (.gz, .zst).
    #[arg(long, value_name = "FILE")]
    quads: Option<PathBuf>,
    /// Minimum delay that the crawler promises between two requests to one pay-level domain; a longer `Crawl-delay`
    /// overrides it.
    #[arg(long, value_name = "DURATION", default_value = "0", value_parser = parse_duration)]
    delay: Duration,
    /// Score the delay per IP address as well: a file with one line per host, `host<TAB>IP address`.
    #[arg(long, value_name = "FILE")]
    addresses: Option<PathBuf>,
    /// Write the score to this file as JSON as well.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    mode: ModeArgument,
    #[command(flatten)]
    world: WorldArguments,
}

/// Arguments of `toyweb get`.
#[derive(Debug, Args)]
struct GetArguments {
    /// URL to request.
    url: String,
    /// Value of the `Accept` field.
    #[arg(long, default_value = "*/*")]
    accept: String,
    /// Send HEAD: print no body.
    #[arg(long)]
    head: bool,
    /// Read the response from these WARC files instead of a generated world.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "entities")]
    warc: Vec<PathBuf>,
    #[command(flatten)]
    entities: OptionalEntities,
    #[command(flatten)]
    world: WorldArguments,
}

/// Runs the requested command.
pub(crate) fn run(arguments: ToywebArguments) -> anyhow::Result<()> {
    match arguments.command {
        ToywebCommand::World { world, serving } => {
            let world = world.build()?;
            let seeds = world.seeds();
            serving::serve(world, &seeds, &serving)
        }
        ToywebCommand::Replay { replay, serving } => {
            let web = replay.build()?;
            let mut urls: Vec<String> = web.urls().map(str::to_owned).collect();
            urls.sort_unstable();
            serving::serve(web, &urls, &serving)
        }
        ToywebCommand::Entities { entities, serving } => {
            let web = entities.build()?;
            let urls: Vec<String> = web.urls().map(str::to_owned).collect();
            serving::serve(web, &urls, &serving)
        }
        ToywebCommand::Orca(command) => orca::run(command),
        ToywebCommand::Sparql(arguments) => endpoint::run(&arguments),
        ToywebCommand::Seeds { world, output } => print::seeds(&world.build()?, &output),
        ToywebCommand::Truth(arguments) => print::truth(&arguments),
        ToywebCommand::Record(arguments) => print::record(&arguments),
        ToywebCommand::Score(arguments) => print::score(&arguments),
        ToywebCommand::Get(get) => print::get(&get),
    }
}
