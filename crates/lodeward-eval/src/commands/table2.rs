//! `lodeward-eval table2`: compares online and offline learning.

use std::num::NonZero;

use lodeward_eval::Trial;
use lodeward_eval::table2::{Table2Plan, compute_table, csv, page};

use super::input::{load_paper_web, parse_contenders};
use super::output::{EvalOutput, ReportFiles, command_line, title};
use crate::args::Table2Args;

/// The strategies besides the classifiers, if none is given.
const DEFAULT_STRATEGIES: &[&str] = &["bfs", "ldcoc", "nb-online", "learned"];

pub(super) fn run(arguments: &Table2Args, output: EvalOutput) -> anyhow::Result<()> {
    let paper = &arguments.paper;
    let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let plan = Table2Plan {
        trial: Trial {
            start: arguments.start.into(),
            seed: arguments.rng_seed,
            obeys_robots: !paper.ignore_robots,
            budget: arguments.requests.map(f64::from),
            ..Trial::default()
        },
        sizes: arguments.examples.clone(),
        parts: arguments.parts,
        contenders: parse_contenders(&arguments.strategies, DEFAULT_STRATEGIES, &[])?,
        jobs: paper.jobs.unwrap_or(cores),
    };
    let web = load_paper_web(paper, 0, output)?;
    let rows = compute_table(&web, &plan, &|text| output.progress(text))?;
    let title = title(paper.title.as_deref(), "Online against offline", &paper.directory);
    let page = page(&title, &command_line(), &plan, &rows);
    output.report(paper.output.as_deref(), &ReportFiles { page, csv: csv(&rows), picture: None })
}
