//! The command `toyweb`.

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match cli::run(cli::ToywebArguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("toyweb: {error:#}");
            ExitCode::FAILURE
        }
    }
}
