//! Reads recorded webs and the names of strategies.

use std::path::Path;
use std::sync::Arc;

use lodeward_app::settings::SettingProblems;
use lodeward_eval::web::WebLoadOptions;
use lodeward_eval::{Contender, RecordedWeb, WebError};

use super::output::EvalOutput;
use crate::args::PaperArgs;
use crate::errors::EvalUsageError;

/// Loads a recorded web. A directory that is not one is a usage error.
pub(super) fn load_web(
    directory: &Path,
    options: &WebLoadOptions,
    output: EvalOutput,
) -> anyhow::Result<Arc<RecordedWeb>> {
    output.progress(&format!("reading {}\n", directory.display()));
    RecordedWeb::load_with(directory, options).map(Arc::new).map_err(|error| match error {
        WebError::NotAWeb { .. } => {
            let hint = "`toyweb record` records a generated web, or a web of entity tables";
            EvalUsageError::new(error.to_string(), hint).into()
        }
        other => other.into(),
    })
}

/// Loads the recorded web of a paper's table, with this many siblings of each link.
pub(super) fn load_paper_web(
    paper: &PaperArgs,
    max_siblings: usize,
    output: EvalOutput,
) -> anyhow::Result<Arc<RecordedWeb>> {
    let mut options =
        WebLoadOptions { jobs: paper.jobs, recorded_contexts: paper.recorded_contexts, ..WebLoadOptions::default() };
    options.options.max_siblings = max_siblings;
    load_web(&paper.directory, &options, output)
}

/// Strategies by name, or those in `defaults`, with common settings; reports all problems at once.
pub(super) fn parse_contenders(
    named: &[String],
    defaults: &[&str],
    settings: &[String],
) -> anyhow::Result<Vec<Contender>> {
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    let names = if named.is_empty() { defaults } else { &named };
    let (mut contenders, mut problems) = (Vec::new(), Vec::new());
    for name in names {
        match Contender::parse(name, settings) {
            Ok(contender) => contenders.push(contender),
            Err(SettingProblems(more)) => problems.extend(more),
        }
    }
    // A problem in a common setting is reported once, not for every strategy.
    problems.dedup();
    if problems.is_empty() { Ok(contenders) } else { Err(SettingProblems(problems).into()) }
}
