//! `lodeward eval table2`: compares online and offline learning.

use std::num::NonZero;
use std::process::ExitCode;

use lodeward_eval::Trial;
use lodeward_eval::table2::{Table2Plan, compute_table, csv, page};

use super::papers::{command_line, parse_contenders, read_web, report_progress, title, to_start, write_report};
use crate::args::{Table2Args, VerbosityArgs};

/// The strategies besides the classifiers, if none is given.
const DEFAULT_STRATEGIES: &[&str] = &["bfs", "ldcoc", "nb-online", "learned"];

pub(crate) fn run(arguments: &Table2Args, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let paper = &arguments.paper;
    let named: Vec<&str> = arguments.strategies.iter().map(String::as_str).collect();
    let names = if named.is_empty() { DEFAULT_STRATEGIES } else { &named };
    let contenders = parse_contenders(names.iter().copied())?;
    let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let plan = Table2Plan {
        trial: Trial {
            start: to_start(arguments.start),
            seed: arguments.rng_seed,
            obeys_robots: !paper.ignore_robots,
            budget: arguments.requests.map(f64::from),
            ..Trial::default()
        },
        sizes: arguments.examples.clone(),
        parts: arguments.parts,
        contenders,
        jobs: paper.jobs.unwrap_or(cores),
    };
    let web = read_web(paper, 0, verbosity)?;
    let rows = compute_table(&web, &plan, &|text| report_progress(verbosity, text))?;
    let title = title(paper, "Online against offline");
    write_report(paper, &page(&title, &command_line(), &plan, &rows), &[("csv", csv(&rows))], verbosity)
}
