//! The crawls of `lodeward-eval focus`.

use std::path::Path;

use lodeward_eval::focus::{FocusTask, FocusedCrawls, crawls};
use lodeward_eval::web::WebLoadOptions;

use super::input::{load_web, parse_contenders};
use super::output::EvalOutput;
use crate::args::FocusEvalArgs;
use crate::errors::EvalUsageError;

/// The strategies if none is given.
const DEFAULT_STRATEGIES: &[&str] = &[
    "focus:ranker=hybrid,max_hops=4",
    "focus:ranker=hybrid",
    "focus:ranker=hybrid,strict=true",
    "focus:ranker=ppr,max_hops=4",
    "focus:ranker=ejsim+,max_hops=4",
    "bfs",
];

/// Crawls the requested webs, each for the tasks whose seeds it contains.
pub(super) fn run(
    arguments: &FocusEvalArgs,
    tasks: &[FocusTask],
    output: EvalOutput,
) -> anyhow::Result<Vec<FocusedCrawls>> {
    /// Number of crawls between two lines of progress.
    const PROGRESS_INTERVAL: usize = 10;
    if arguments.webs.is_empty() {
        return Ok(Vec::new());
    }
    let strategies = parse_contenders(&arguments.strategies, DEFAULT_STRATEGIES, &[])?;
    let max_requests = arguments.requests.iter().max().copied().unwrap_or_default();
    let mut all = Vec::new();
    for directory in &arguments.webs {
        let options = WebLoadOptions { jobs: arguments.jobs, keeps_statements: true, ..WebLoadOptions::default() };
        let web = load_web(directory, &options, output)?;
        let tasks: Vec<FocusTask> = tasks.iter().filter(|task| crawls::contains_seeds(&web, task)).cloned().collect();
        if tasks.is_empty() {
            return Err(no_matching_task(directory));
        }
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        let progress = |done: usize, crawls: usize| {
            if done.is_multiple_of(PROGRESS_INTERVAL) || done == crawls {
                output.progress(&format!("{name}: {done}/{crawls} crawls\n"));
            }
        };
        all.push(crawls::run(&name, &web, &tasks, &strategies, max_requests, arguments.jobs, progress)?);
    }
    Ok(all)
}

fn no_matching_task(directory: &Path) -> anyhow::Error {
    let message = format!("{} contains the seeds of no task", directory.display());
    let hint = "record the web of the tables of the tasks: toyweb record DIR --entities … --links …";
    EvalUsageError::new(message, hint).into()
}
