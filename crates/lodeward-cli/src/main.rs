//! The `lodeward` binary: what is asked, what is answered, and how it ends.

use std::process::ExitCode;

use clap::Parser as _;

mod archive;
mod arguments;
mod clock;
mod commands;
mod failure;
mod interrupt;
mod journal;
mod load;
mod logging;
mod notify;
mod progress;
mod seeds;
mod settings;
mod split;
mod summary;
mod target;
mod unserved;
mod watch;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    logging::begin(&arguments);
    rustls::crypto::ring::default_provider().install_default().expect("nobody was here before");
    commands::run(arguments).unwrap_or_else(|error| failure::report(&error))
}
