//! `lodeward-eval search`: measures entity search on judged collections.

use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use lodeward_eval::search::{SearchData, SearchPart, TopicFiles, cost, page};

use super::focus::default_data;
use super::output::{EvalOutput, ReportFiles, command_line, write_file};
use crate::args::SearchEvalArgs;
use crate::errors::EvalUsageError;

pub(super) fn run(arguments: &SearchEvalArgs, output: EvalOutput) -> anyhow::Result<()> {
    let directory = arguments.data.clone().unwrap_or_else(default_data);
    let mut parts = arguments.parts.clone();
    if parts.is_empty() {
        parts = SearchPart::value_variants().iter().copied().filter(|part| part.needs_data()).collect();
    }
    let mut data = None;
    let mut sections = Vec::new();
    for part in parts {
        if part.needs_data() && data.is_none() {
            data = Some(load(arguments, &directory, output)?);
        }
        output.progress(&format!("measuring {part:?}\n"));
        sections.push(match &data {
            Some(data) if part.needs_data() => data.evaluate(part, arguments.nquads.as_deref(), arguments.rng_seed)?,
            _ => cost(&arguments.entities)?,
        });
    }
    if let Some(prefix) = &arguments.output {
        for (name, content) in sections.iter().flat_map(|section| &section.files) {
            let mut path = prefix.clone().into_os_string();
            path.push(format!("-{name}"));
            write_file(Path::new(&path), content)?;
        }
    }
    let files = ReportFiles { page: page::page(&command_line(), &sections), csv: page::rows(&sections), picture: None };
    output.report(arguments.output.as_deref(), &files)
}

fn load(arguments: &SearchEvalArgs, directory: &Path, output: EvalOutput) -> anyhow::Result<SearchData> {
    if !directory.join("tasks").is_dir() {
        let message = format!("{} has no collections of entities", directory.display());
        return Err(EvalUsageError::new(message, "set the directory with --data").into());
    }
    output.progress(&format!("reading {}\n", directory.display()));
    let pair = |files: &Option<Vec<PathBuf>>| files.clone().and_then(|files| files.try_into().ok());
    let topics = TopicFiles { dbp: pair(&arguments.dbp_topics), fbw: pair(&arguments.fbw_topics) };
    Ok(SearchData::load(directory, &topics)?)
}
