//! `lodeward eval`: strategies, compared on recorded webs.

use std::process::ExitCode;

use crate::arguments::{Eval, EvalCommand, Loudness};

mod focus;
mod focus_crawls;
mod links;
mod offline;
mod papers;
mod prior;
mod select;
mod table2;
mod train;

pub(crate) fn run(arguments: Eval, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    match arguments.command {
        EvalCommand::Select(select) => select::run(&select, loudness),
        EvalCommand::Focus(focus) => focus::run(&focus, loudness),
        EvalCommand::Links(links) => links::run(&links, loudness),
        EvalCommand::Offline(offline) => offline::run(&offline, loudness),
        EvalCommand::Prior(prior) => prior::run(&prior, loudness),
        EvalCommand::Train(train) => train::run(&train, loudness),
        EvalCommand::Table2(table) => table2::run(&table, loudness),
    }
}
