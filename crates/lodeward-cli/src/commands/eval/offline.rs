//! `lodeward eval offline`: cross-validates predictions without crawling.

use std::process::ExitCode;

use anyhow::anyhow;
use lodeward::select::ldcoc::{FeatureSet, MAX_SIBLINGS};
use lodeward_eval::Trial;
use lodeward_eval::offline::{FEATURE_COMBINATIONS, compute_table, csv, online_strategies, page};

use super::papers::{command_line, parse_contenders, read_web, report_progress, title, to_start, write_report};
use crate::args::{OfflineArgs, VerbosityArgs};

pub(crate) fn run(arguments: &OfflineArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let paper = &arguments.paper;
    let named: Vec<&str> = arguments.features.iter().map(String::as_str).collect();
    let names = if named.is_empty() { &FEATURE_COMBINATIONS[..] } else { &named };
    let sets = names.iter().map(|name| name.parse()).collect::<Result<Vec<FeatureSet>, _>>()?;
    let strategies = parse_contenders(arguments.strategies.iter().map(String::as_str))?;
    let siblings_max = if sets.iter().any(|set| set.siblings) { MAX_SIBLINGS } else { 0 };
    let web = read_web(paper, siblings_max, verbosity)?;
    let trial = Trial { start: to_start(arguments.start), obeys_robots: !paper.ignore_robots, ..Trial::default() };
    let (counts, cells) = compute_table(&web, &trial, &sets, |text| report_progress(verbosity, text))?;
    let mut scores = vec![(
        "all evidence of learned, offline".to_owned(),
        online_strategies::cross_validate_logistic::<anyhow::Error>(&web, &trial)?,
    )];
    for contender in strategies {
        let make = || -> anyhow::Result<_> {
            contender.strategy(0)?.ok_or_else(|| anyhow!("strategy {} makes no predictions", contender.name))
        };
        scores.push((contender.name.clone(), online_strategies::cross_validate(&web, &trial, make)?));
        report_progress(verbosity, &format!("{} done\n", contender.name));
    }
    let title = title(paper, "Predictions without crawling");
    let attachments = [("csv", csv(&cells, &scores))];
    write_report(paper, &page(&title, &command_line(), counts, &cells, &scores), &attachments, verbosity)
}
