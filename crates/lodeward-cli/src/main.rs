//! The `lodeward` binary: parses the arguments, runs the command, and returns an exit code.

use std::process::ExitCode;

use clap::Parser as _;

mod catch_up;
mod args;
mod clock;
mod commands;
mod domain_activity;
mod errors;
mod interrupt;
mod logging;
mod sd_notify;
mod progress;
mod request_logger;
mod seed_input;
mod settings;
mod report_text;
mod output_target;
mod outcome_text;
mod service_guard;
mod terminal_writer;
mod warning_counts;
mod watch;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = args::Cli::parse();
    logging::init(&arguments);
    rustls::crypto::ring::default_provider().install_default().expect("no other TLS provider is installed");
    commands::run(arguments).unwrap_or_else(|error| errors::report(&error))
}
