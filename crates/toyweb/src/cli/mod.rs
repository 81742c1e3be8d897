//! The commands, and what they do.

mod choose;
mod endpoint;
mod orca;
mod serving;
mod telling;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use toyweb::truth::Mode;

use choose::{EntityArguments, OptionalEntities, ReplayArguments, WorldArguments};
use serving::ServingArguments;

/// A web in a box: generated worlds, replayed recordings and graphs of
/// entities, served on loopback to whichever crawler is to be tested.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve a generated world.
    World {
        #[command(flatten)]
        world: WorldArguments,
        #[command(flatten)]
        serving: ServingArguments,
    },
    /// Serve what WARC files have recorded.
    Replay {
        #[command(flatten)]
        replay: ReplayArguments,
        #[command(flatten)]
        serving: ServingArguments,
    },
    /// Serve a graph of entities as linked data, links listed both ways.
    Entities {
        #[command(flatten)]
        entities: EntityArguments,
        #[command(flatten)]
        serving: ServingArguments,
    },
    /// The data web as the ORCA benchmark has it: dumps, endpoints, catalogues, RDFa, resources.
    #[command(subcommand)]
    Orca(orca::Command),
    /// Serve one SPARQL endpoint with a large, uneven dataset, at `/sparql` of endpoint.example.
    Sparql(endpoint::Arguments),
    /// Print the URLs from which a crawl of a world is to start.
    Seeds {
        #[command(flatten)]
        world: WorldArguments,
        #[command(flatten)]
        output: OutputArguments,
    },
    /// Print what there is to be found in a world.
    Truth(TruthArguments),
    /// Write a world or a graph of entities down as a recorded web: WARC files, a manifest with labels, seeds, entry
    /// pages.
    Record(RecordArguments),
    /// Score a crawl of a world by its access log and the quads it brought home.
    Score(ScoreArguments),
    /// Print one answer of a web, without serving it.
    Get(GetArguments),
}

/// Where to print.
#[derive(Debug, Args)]
struct OutputArguments {
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Which truth to print.
#[derive(Debug, Args)]
struct TruthArguments {
    /// Documents, one JSON object per line, or the statements of those that
    /// are relevant, reachable and obtainable.
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

/// Who is to find it.
#[derive(Debug, Args)]
struct ModeArgument {
    /// What is reachable is what can be reached over these links: those of RDF,
    /// of RDF and HTML (all), or of HTML.
    #[arg(long, value_name = "LINKS", default_value = "all", value_parser = parse_mode)]
    mode: Mode,
}

fn parse_mode(name: &str) -> Result<Mode, String> {
    match name {
        "rdf" => Ok(Mode::Rdf),
        "all" => Ok(Mode::All),
        "html" => Ok(Mode::Html),
        _ => Err("one of rdf, all, html".to_owned()),
    }
}

/// What to record, and where.
#[derive(Debug, Args)]
struct RecordArguments {
    /// The directory to write into; made if need be.
    directory: PathBuf,
    #[command(flatten)]
    entities: OptionalEntities,
    #[command(flatten)]
    world: WorldArguments,
}

/// Which crawl to score.
#[derive(Debug, Args)]
struct ScoreArguments {
    /// The access log of the server that was crawled.
    #[arg(long, value_name = "FILE")]
    log: PathBuf,
    /// The N-Quads brought home, each in the graph named by its document's URL;
    /// may be packed (.gz, .zst).
    #[arg(long, value_name = "FILE")]
    quads: Option<PathBuf>,
    /// The gap the crawler promised to keep between two requests to one
    /// pay-level domain; a longer `Crawl-delay` takes its place.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 0)]
    delay_ms: u32,
    /// The address of each host (a line each: host, tab, address), to score
    /// gaps per address, too.
    #[arg(long, value_name = "FILE")]
    addresses: Option<PathBuf>,
    /// Write the score to this file as JSON, too.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    mode: ModeArgument,
    #[command(flatten)]
    world: WorldArguments,
}

/// Which answer to print.
#[derive(Debug, Args)]
struct GetArguments {
    /// What to ask for.
    url: String,
    /// What to prefer, as in the `Accept` field.
    #[arg(long, default_value = "*/*")]
    accept: String,
    /// Print no body.
    #[arg(long)]
    head: bool,
    /// Ask these WARC files instead of a generated world.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "entities")]
    warc: Vec<PathBuf>,
    #[command(flatten)]
    entities: OptionalEntities,
    #[command(flatten)]
    world: WorldArguments,
}

/// Does what is asked for.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    match arguments.command {
        Command::World { world, serving } => {
            let world = world.build()?;
            let seeds = world.seeds();
            serving::serve(world, &seeds, &serving)
        }
        Command::Replay { replay, serving } => {
            let web = replay.build()?;
            let mut urls: Vec<String> = web.urls().map(str::to_owned).collect();
            urls.sort_unstable();
            serving::serve(web, &urls, &serving)
        }
        Command::Entities { entities, serving } => {
            let web = entities.build()?;
            let urls: Vec<String> = web.urls().map(str::to_owned).collect();
            serving::serve(web, &urls, &serving)
        }
        Command::Orca(command) => orca::run(command),
        Command::Sparql(arguments) => endpoint::run(&arguments),
        Command::Seeds { world, output } => telling::seeds(&world.build()?, &output),
        Command::Truth(arguments) => telling::truth(&arguments),
        Command::Record(arguments) => telling::record(&arguments),
        Command::Score(arguments) => telling::score(&arguments),
        Command::Get(get) => telling::get(&get),
    }
}
