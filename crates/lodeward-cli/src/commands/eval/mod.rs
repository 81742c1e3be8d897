//! `lodeward eval`: strategies, compared on recorded webs.

use std::process::ExitCode;

use crate::arguments::{Eval, EvalCommand, Loudness};

mod links;
mod papers;
mod select;

pub(crate) fn run(arguments: Eval, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    match arguments.command {
        EvalCommand::Select(select) => select::run(&select, loudness),
        EvalCommand::Links(links) => links::run(&links, loudness),
    }
}
