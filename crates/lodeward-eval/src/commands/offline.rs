//! `lodeward-eval offline`: cross-validates predictions without crawling.

use anyhow::anyhow;
use lodeward::select::ldcoc::{FeatureSet, MAX_SIBLINGS};
use lodeward_eval::Trial;
use lodeward_eval::offline::{FEATURE_COMBINATIONS, compute_table, csv, online_strategies, page};

use super::input::{load_paper_web, parse_contenders};
use super::output::{EvalOutput, ReportFiles, command_line, title};
use crate::args::OfflineArgs;

pub(super) fn run(arguments: &OfflineArgs, output: EvalOutput) -> anyhow::Result<()> {
    let paper = &arguments.paper;
    let named: Vec<&str> = arguments.features.iter().map(String::as_str).collect();
    let names = if named.is_empty() { &FEATURE_COMBINATIONS[..] } else { &named };
    let sets = names.iter().map(|name| name.parse()).collect::<Result<Vec<FeatureSet>, _>>()?;
    let strategies = parse_contenders(&arguments.strategies, &[], &[])?;
    let max_siblings = if sets.iter().any(|set| set.siblings) { MAX_SIBLINGS } else { 0 };
    let web = load_paper_web(paper, max_siblings, output)?;
    let trial = Trial { start: arguments.start.into(), obeys_robots: !paper.ignore_robots, ..Trial::default() };
    let (counts, cells) = compute_table(&web, &trial, &sets, |text| output.progress(text))?;
    let mut scores = vec![(
        "all evidence of learned, offline".to_owned(),
        online_strategies::cross_validate_logistic::<anyhow::Error>(&web, &trial)?,
    )];
    for contender in strategies {
        let make = || -> anyhow::Result<_> {
            contender.strategy(0)?.ok_or_else(|| anyhow!("strategy {} makes no predictions", contender.name))
        };
        scores.push((contender.name.clone(), online_strategies::cross_validate(&web, &trial, make)?));
        output.progress(&format!("{} done\n", contender.name));
    }
    let title = title(paper.title.as_deref(), "Predictions without crawling", &paper.directory);
    let page = page(&title, &command_line(), counts, &cells, &scores);
    output.report(paper.output.as_deref(), &ReportFiles { page, csv: csv(&cells, &scores), picture: None })
}
