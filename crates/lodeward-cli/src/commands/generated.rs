//! `lodeward completions` and `lodeward man`: files for the system that follow from the arguments.

use std::io;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsArgs, ManArgs, VerbosityArgs};
use crate::progress::{print_stderr, print_stdout};

/// Prints the completion script of a shell.
pub(crate) fn print_completions(arguments: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "lodeward", &mut script);
    print_stdout(&String::from_utf8(script).expect("the script consists of help texts, which are UTF-8"))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the manual pages: `lodeward.1`, `lodeward-crawl.1` and so on.
pub(crate) fn write_manual(arguments: &ManArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let directory = &arguments.directory;
    let write = || -> io::Result<()> {
        std::fs::create_dir_all(directory)?;
        clap_mangen::generate_to(Cli::command(), directory)
    };
    write().with_context(|| format!("cannot write manual pages to {}", directory.display()))?;
    if !verbosity.quiet {
        print_stderr(&format!("wrote manual pages to {0}; read one with `man {0}/lodeward.1`\n", directory.display()));
    }
    Ok(ExitCode::SUCCESS)
}
