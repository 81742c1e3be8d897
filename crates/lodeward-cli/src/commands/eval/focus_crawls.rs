//! The crawls of `lodeward eval focus`.

use std::path::Path;
use std::sync::Arc;

use lodeward_eval::focus::{FocusTask, FocusedCrawls, crawls};
use lodeward_eval::web::WebLoadOptions;

use super::papers::{parse_contenders, report_progress};
use super::select::load_web;
use crate::args::{FocusEvalArgs, VerbosityArgs};
use crate::errors::UsageError;

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
    verbosity: &VerbosityArgs,
) -> anyhow::Result<Vec<FocusedCrawls>> {
    /// Number of crawls between two lines of progress.
    const PROGRESS_INTERVAL: usize = 10;
    if arguments.webs.is_empty() {
        return Ok(Vec::new());
    }
    let named: Vec<&str> = arguments.strategies.iter().map(String::as_str).collect();
    let strategies = parse_contenders(if named.is_empty() { DEFAULT_STRATEGIES } else { &named }.iter().copied())?;
    let requests_max = arguments.requests.iter().max().copied().unwrap_or_default();
    let mut all = Vec::new();
    for directory in &arguments.webs {
        report_progress(verbosity, &format!("reading {}\n", directory.display()));
        let options = WebLoadOptions { jobs: arguments.jobs, keeps_statements: true, ..WebLoadOptions::default() };
        let web = Arc::new(load_web(directory, &options)?);
        let tasks: Vec<FocusTask> = tasks.iter().filter(|task| crawls::contains_seeds(&web, task)).cloned().collect();
        if tasks.is_empty() {
            return Err(no_matching_task(directory));
        }
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        let progress = |done: usize, crawls: usize| {
            if done.is_multiple_of(PROGRESS_INTERVAL) || done == crawls {
                report_progress(verbosity, &format!("{name}: {done}/{crawls} crawls\n"));
            }
        };
        all.push(crawls::run(&name, &web, &tasks, &strategies, requests_max, arguments.jobs, progress)?);
    }
    Ok(all)
}

fn no_matching_task(directory: &Path) -> anyhow::Error {
    let message = format!("{} contains the seeds of no task", directory.display());
    let hint = "record the web of the tables of the tasks: toyweb record DIR --entities … --links …";
    UsageError { message, hint: Some(hint.to_owned()) }.into()
}
