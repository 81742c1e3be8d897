//! `lodeward eval`: compares strategies and rankers on recorded webs.

use std::process::ExitCode;

use crate::args::{EvalCli, EvalCommand, VerbosityArgs};

mod focus;
mod focus_crawls;
mod links;
mod offline;
mod papers;
mod prior;
mod select;
mod table2;
mod train;

pub(crate) fn run(arguments: EvalCli, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    match arguments.command {
        EvalCommand::Select(select) => select::run(&select, verbosity),
        EvalCommand::Focus(focus) => focus::run(&focus, verbosity),
        EvalCommand::Links(links) => links::run(&links, verbosity),
        EvalCommand::Offline(offline) => offline::run(&offline, verbosity),
        EvalCommand::Prior(prior) => prior::run(&prior, verbosity),
        EvalCommand::Train(train) => train::run(&train, verbosity),
        EvalCommand::Table2(table) => table2::run(&table, verbosity),
    }
}
