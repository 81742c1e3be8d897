//! The crawls of `lodeward eval focus`.

use std::path::Path;
use std::sync::Arc;

use lodeward_eval::focus::{Crawls, Task, crawls};
use lodeward_eval::web::Reading;

use super::papers::{contenders, told};
use super::select::load;
use crate::arguments::{EvalFocus, Loudness};
use crate::failure::Usage;

/// Who crawls if nobody is named.
const STRATEGIES: &[&str] = &[
    "focus:ranker=hybrid,depth=4",
    "focus:ranker=hybrid",
    "focus:ranker=hybrid,strict_hops=true",
    "focus:ranker=ppr,depth=4",
    "focus:ranker=ejsim+,depth=4",
    "bfs",
];

/// Crawls the webs that are asked for, each for the tasks that are on it.
pub(super) fn run(arguments: &EvalFocus, tasks: &[Task], loudness: &Loudness) -> anyhow::Result<Vec<Crawls>> {
    /// Crawls between two lines of progress.
    const EVERY: usize = 10;
    if arguments.webs.is_empty() {
        return Ok(Vec::new());
    }
    let named: Vec<&str> = arguments.strategies.iter().map(String::as_str).collect();
    let strategies = contenders(if named.is_empty() { STRATEGIES } else { &named }.iter().copied())?;
    let requests_max = arguments.requests.iter().max().copied().unwrap_or_default();
    let mut all = Vec::new();
    for directory in &arguments.webs {
        told(loudness, &format!("reading {}\n", directory.display()));
        let reading = Reading { jobs: arguments.jobs, keeps_statements: true, ..Reading::default() };
        let web = Arc::new(load(directory, &reading)?);
        let tasks: Vec<Task> = tasks.iter().filter(|task| crawls::is_on(&web, task)).cloned().collect();
        if tasks.is_empty() {
            return Err(foreign(directory));
        }
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        let progress = |done: usize, crawls: usize| {
            if done.is_multiple_of(EVERY) || done == crawls {
                told(loudness, &format!("{name}: {done}/{crawls} crawls\n"));
            }
        };
        all.push(crawls::run(&name, &web, &tasks, &strategies, requests_max, arguments.jobs, progress)?);
    }
    Ok(all)
}

fn foreign(directory: &Path) -> anyhow::Error {
    let message = format!("no task has its seeds in {}", directory.display());
    let hint = "record the web of the tables that the tasks belong to: toyweb record DIR --entities … --links …";
    Usage { message, hint: Some(hint.to_owned()) }.into()
}
