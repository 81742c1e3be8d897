//! `lodeward-eval search`: measures entity search on judged collections.

use lodeward_eval::search::{SearchData, SearchPart, page};

use super::focus::default_data;
use super::output::{EvalOutput, ReportFiles, command_line};
use crate::args::SearchEvalArgs;
use crate::errors::EvalUsageError;

pub(super) fn run(arguments: &SearchEvalArgs, output: EvalOutput) -> anyhow::Result<()> {
    let directory = arguments.data.clone().unwrap_or_else(default_data);
    if !directory.join("tasks").is_dir() {
        let message = format!("{} has no collections of entities", directory.display());
        return Err(EvalUsageError::new(message, "set the directory with --data").into());
    }
    let mut parts: Vec<SearchPart> = arguments.parts.iter().map(|part| (*part).into()).collect();
    if parts.is_empty() {
        parts = SearchPart::ALL.to_vec();
    }
    output.progress(&format!("reading {}\n", directory.display()));
    let data = SearchData::load(&directory)?;
    let mut sections = Vec::new();
    for part in parts {
        output.progress(&format!("measuring {part:?}\n"));
        sections.push(data.evaluate(part, &directory, arguments.rng_seed)?);
    }
    let files = ReportFiles { page: page::page(&command_line(), &sections), csv: page::rows(&sections), picture: None };
    output.report(arguments.output.as_deref(), &files)
}
