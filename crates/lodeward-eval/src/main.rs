//! The `lodeward-eval` binary: compares strategies and rankers, and trains models.

use std::process::ExitCode;

use clap::Parser as _;
use tracing_subscriber::EnvFilter;

mod args;
mod commands;
mod errors;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = args::EvalCli::parse();
    start_logging(&arguments);
    match commands::run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => errors::report(&error),
    }
}

/// Logs to standard error. The level is `warn`, or as set by `LODEWARD_LOG`, or by `-v` and `--quiet`.
fn start_logging(arguments: &args::EvalCli) {
    let filter = match (arguments.quiet, arguments.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "lodeward=info,warn",
        (false, 2) => "lodeward=debug,info",
        (false, _) => "lodeward=trace,debug",
    };
    let from_env = std::env::var("LODEWARD_LOG").ok().and_then(|filter| EnvFilter::try_new(filter).ok());
    tracing_subscriber::fmt()
        .with_env_filter(from_env.unwrap_or_else(|| EnvFilter::new(filter)))
        .with_writer(std::io::stderr)
        // Colours need the feature `ansi` of the subscriber, which is not enabled.
        .with_ansi(false)
        .init();
}
