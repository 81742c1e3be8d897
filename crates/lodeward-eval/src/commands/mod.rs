//! The commands, one module each; [`input`] and [`output`] are shared by them.

use crate::args::{EvalCli, EvalCommand};
use output::EvalOutput;

mod focus;
mod focus_crawls;
mod input;
mod links;
mod offline;
mod output;
mod prior;
mod search;
mod select;
mod table2;
mod train;

/// Runs the command.
pub(crate) fn run(arguments: &EvalCli) -> anyhow::Result<()> {
    let output = EvalOutput { quiet: arguments.quiet };
    match &arguments.command {
        EvalCommand::Select(select) => select::run(select, output),
        EvalCommand::Focus(focus) => focus::run(focus, output),
        EvalCommand::Search(search) => search::run(search, output),
        EvalCommand::Links(links) => links::run(links, output),
        EvalCommand::Offline(offline) => offline::run(offline, output),
        EvalCommand::Prior(prior) => prior::run(prior, output),
        EvalCommand::Train(train) => train::run(train, output),
        EvalCommand::Table2(table) => table2::run(table, output),
    }
}
