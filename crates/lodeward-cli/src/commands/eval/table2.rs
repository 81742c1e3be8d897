//! `lodeward eval table2`: online against offline.

use std::num::NonZero;
use std::process::ExitCode;

use lodeward_eval::Trial;
use lodeward_eval::table2::{Plan, csv, page, table};

use super::papers::{contenders, start, tell, title, told, typed, web};
use crate::arguments::{EvalTable2, Loudness};

/// Who takes part beside the classifiers if nobody is named.
const OTHERS: &[&str] = &["bfs", "ldcoc", "nb-online", "learned"];

pub(crate) fn run(arguments: &EvalTable2, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let paper = &arguments.paper;
    let named: Vec<&str> = arguments.strategies.iter().map(String::as_str).collect();
    let names = if named.is_empty() { OTHERS } else { &named };
    let contenders = contenders(names.iter().copied())?;
    let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let plan = Plan {
        trial: Trial {
            start: start(arguments.start),
            seed: arguments.seed,
            obeys_robots: !paper.ignore_robots,
            budget: arguments.requests.map(f64::from),
            ..Trial::default()
        },
        sizes: arguments.examples.clone(),
        parts: arguments.parts,
        contenders,
        jobs: paper.jobs.unwrap_or(cores),
    };
    let web = web(paper, 0, loudness)?;
    let rows = table(&web, &plan, &|text| told(loudness, text))?;
    let title = title(paper, "Online against offline");
    tell(paper, &page(&title, &typed(), &plan, &rows), &[("csv", csv(&rows))], loudness)
}
