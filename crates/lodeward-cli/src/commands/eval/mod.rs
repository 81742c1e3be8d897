//! `lodeward eval`: strategies, compared on recorded webs.

use std::process::ExitCode;

use crate::arguments::{Eval, EvalCommand, Loudness};

mod select;

pub(crate) fn run(arguments: Eval, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    match arguments.command {
        EvalCommand::Select(select) => select::run(&select, loudness),
    }
}
