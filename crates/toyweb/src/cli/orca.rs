//! `toyweb orca`: the commands for ORCA worlds.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};
use toyweb::orca::{OrcaParameters, OrcaScore, OrcaWeb};

use super::OutputArguments;
use super::print::{fetch_and_print, write_output};
use super::serving::{self, ServingArguments, write_file};
use super::web_args::load_parameters;

/// The commands for ORCA worlds.
#[derive(Debug, Subcommand)]
pub(super) enum OrcaCommand {
    /// Serve the world.
    Serve {
        #[command(flatten)]
        world: OrcaArguments,
        #[command(flatten)]
        serving: ServingArguments,
    },
    /// Print the seed URLs.
    Seeds {
        /// Print a URL of every node, not only the seeds that a complete crawl needs.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        world: OrcaArguments,
        #[command(flatten)]
        output: OutputArguments,
    },
    /// Print the expected statements as N-Quads.
    Truth {
        #[command(flatten)]
        world: OrcaArguments,
        #[command(flatten)]
        output: OutputArguments,
    },
    /// Print the parameters as TOML.
    Parameters {
        #[command(flatten)]
        world: OrcaArguments,
    },
    /// Score a crawl from its access log and its quads.
    Score {
        /// Access log of the server that was crawled.
        #[arg(long, value_name = "FILE")]
        log: Option<PathBuf>,
        /// N-Quads of the harvest; may be compressed (.gz, .zst).
        #[arg(long, value_name = "FILE")]
        quads: Option<PathBuf>,
        /// Write the score to this file as JSON as well.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        #[command(flatten)]
        world: OrcaArguments,
    },
    /// Print one response, without serving the world.
    Get {
        /// URL to request.
        url: String,
        /// Value of the `Accept` field.
        #[arg(long, default_value = "*/*")]
        accept: String,
        /// Send HEAD: print no body.
        #[arg(long)]
        head: bool,
        #[command(flatten)]
        world: OrcaArguments,
    },
}

/// The parameters of an ORCA world.
#[derive(Debug, Args)]
#[command(next_help_heading = "World")]
pub(super) struct OrcaArguments {
    /// Start from a preset: data-web, efficiency, robots, each also as a small variant such as data-web-small.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Read parameters from a TOML file.
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// Set one parameter, as in `--set sparql.max_rows=100`; repeatable.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl OrcaArguments {
    fn build(&self) -> anyhow::Result<OrcaWeb> {
        let table = load_parameters(self.preset.as_deref(), self.parameters.as_deref(), &self.set)?;
        let hint = || format!("cannot generate the world (hint: presets are {})", OrcaParameters::PRESETS.join(", "));
        let parameters = OrcaParameters::from_toml(&table.to_string()).with_context(hint)?;
        OrcaWeb::new(parameters).with_context(hint)
    }
}

/// Runs the requested command.
pub(super) fn run(command: OrcaCommand) -> anyhow::Result<()> {
    match command {
        OrcaCommand::Serve { world, serving } => {
            let web = world.build()?;
            let seeds = web.seeds();
            serving::serve(web, &seeds, &serving)
        }
        OrcaCommand::Seeds { all, world, output } => {
            let web = world.build()?;
            let seeds = if all { web.entry_uris() } else { web.seeds() };
            write_output(&output, |out| seeds.iter().try_for_each(|seed| writeln!(out, "{seed}")))
        }
        OrcaCommand::Truth { world, output } => {
            let web = world.build()?;
            write_output(&output, |mut out| web.write_truth(&mut out))
        }
        OrcaCommand::Parameters { world } => {
            let text = toml::to_string(world.build()?.parameters())?;
            write_output(&OutputArguments { output: None }, |out| out.write_all(text.as_bytes()))
        }
        OrcaCommand::Score { log, quads, json, world } => {
            let score = OrcaScore::from_files(&world.build()?, log.as_deref(), quads.as_deref())?;
            if let Some(path) = &json {
                write_file(path, |file| writeln!(file, "{}", score.to_json()))?;
            }
            write_output(&OutputArguments { output: None }, |out| write!(out, "{score}"))
        }
        OrcaCommand::Get { url, accept, head, world } => fetch_and_print(&world.build()?, &url, &accept, head),
    }
}
