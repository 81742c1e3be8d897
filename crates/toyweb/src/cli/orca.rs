//! ORCA worlds from the command line.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};
use toyweb::orca::{OrcaWeb, Parameters, Score};

use super::OutputArguments;
use super::choose::table;
use super::serving::{self, ServingArguments, write_file};
use super::telling::{show, write_output};

/// What to do with an ORCA world.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Serve it.
    Serve {
        #[command(flatten)]
        world: OrcaArguments,
        #[command(flatten)]
        serving: ServingArguments,
    },
    /// Print the URLs from which a crawl is to start.
    Seeds {
        /// Print a URL of every node, not only those that are needed.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        world: OrcaArguments,
        #[command(flatten)]
        output: OutputArguments,
    },
    /// Print what there is to be found, as N-Quads.
    Truth {
        #[command(flatten)]
        world: OrcaArguments,
        #[command(flatten)]
        output: OutputArguments,
    },
    /// Print the parameters, as TOML.
    Parameters {
        #[command(flatten)]
        world: OrcaArguments,
    },
    /// Score a crawl by its access log and the quads it brought home.
    Score {
        /// The access log of the server that was crawled.
        #[arg(long, value_name = "FILE")]
        log: Option<PathBuf>,
        /// The N-Quads brought home; may be packed (.gz, .zst).
        #[arg(long, value_name = "FILE")]
        quads: Option<PathBuf>,
        /// Write the score to this file as JSON, too.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        #[command(flatten)]
        world: OrcaArguments,
    },
    /// Print one answer, without serving it.
    Get {
        /// What to ask for.
        url: String,
        /// What to prefer, as in the `Accept` field.
        #[arg(long, default_value = "*/*")]
        accept: String,
        /// Print no body.
        #[arg(long)]
        head: bool,
        #[command(flatten)]
        world: OrcaArguments,
    },
}

/// What an ORCA world is like.
#[derive(Debug, Args)]
#[command(next_help_heading = "World")]
pub(super) struct OrcaArguments {
    /// Start from a world with a name: data-web, efficiency, robots, each with
    /// a small form as in data-web-small.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Read the parameters from a TOML file.
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// Set one parameter, as in `--set sparql.row_cap=100`; repeat for several.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl OrcaArguments {
    fn build(&self) -> anyhow::Result<OrcaWeb> {
        let table = table(self.preset.as_deref(), self.parameters.as_deref(), &self.set)?;
        let hint = || format!("cannot make this world (hint: the presets are {})", Parameters::PRESETS.join(", "));
        let parameters = Parameters::from_toml(&table.to_string()).with_context(hint)?;
        OrcaWeb::new(parameters).with_context(hint)
    }
}

/// Does what is asked for.
pub(super) fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve { world, serving } => {
            let web = world.build()?;
            let seeds = web.seeds();
            serving::serve(web, &seeds, &serving)
        }
        Command::Seeds { all, world, output } => {
            let web = world.build()?;
            let seeds = if all { web.entrances() } else { web.seeds() };
            write_output(&output, |out| seeds.iter().try_for_each(|seed| writeln!(out, "{seed}")))
        }
        Command::Truth { world, output } => {
            let web = world.build()?;
            write_output(&output, |mut out| web.write_truth(&mut out))
        }
        Command::Parameters { world } => {
            let text = toml::to_string(world.build()?.parameters())?;
            write_output(&OutputArguments { output: None }, |out| out.write_all(text.as_bytes()))
        }
        Command::Score { log, quads, json, world } => {
            let score = Score::of_files(&world.build()?, log.as_deref(), quads.as_deref())?;
            if let Some(path) = &json {
                write_file(path, |file| writeln!(file, "{}", score.to_json()))?;
            }
            write_output(&OutputArguments { output: None }, |out| write!(out, "{score}"))
        }
        Command::Get { url, accept, head, world } => show(&world.build()?, &url, &accept, head),
    }
}
