//! `lodeward similar`: entities that are similar to one.

use std::process::ExitCode;

use lodeward_app::search;

use super::read::{self, CommandEnd, ReadCommand, ReadContext, ReadRequest};
use super::search::{explain, write_head, write_reasons};
use crate::args::{SimilarArgs, VerbosityArgs};
use crate::interrupt::Interrupt;
use crate::settings::SettingsInput;

pub(crate) fn run(arguments: SimilarArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let settings = SettingsInput::read(&arguments.data.source)?;
    let data = arguments.data.data.clone();
    let request = ReadRequest::new(settings, verbosity, ReadCommand::Similar(Box::new(arguments)));
    read::run(&request, &data, None, &Interrupt::listen()?)
}

pub(super) fn perform(arguments: &SimilarArgs, context: &mut ReadContext<'_>) -> anyhow::Result<CommandEnd> {
    let (index, harvest) = context.search_index()?;
    let found = search::similar(&index, &arguments.entity, arguments.limit).map_err(explain)?;
    if arguments.json {
        context.print_json(&found)?;
    } else {
        let mut text = String::new();
        if found.is_empty() {
            text.push_str("no similar entities\n");
        }
        for (rank, result) in (1..).zip(&found) {
            write_head(&mut text, rank, &result.label, result.score, &result.iri);
            if arguments.why {
                write_reasons(&mut text, &result.why);
            }
        }
        context.print(&text)?;
    }
    Ok(CommandEnd { code: harvest.code(), summary: None })
}
