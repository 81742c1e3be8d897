//! `lodeward eval offline`: what can be predicted without crawling.

use std::process::ExitCode;

use anyhow::anyhow;
use lodeward::select::ldcoc::{FeatureSet, SIBLINGS_MAX};
use lodeward_eval::Trial;
use lodeward_eval::offline::{COMBINATIONS, csv, page, table, taught};

use super::papers::{contenders, start, tell, title, told, typed, web};
use crate::arguments::{EvalOffline, Loudness};

pub(crate) fn run(arguments: &EvalOffline, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let paper = &arguments.paper;
    let named: Vec<&str> = arguments.features.iter().map(String::as_str).collect();
    let names = if named.is_empty() { &COMBINATIONS[..] } else { &named };
    let sets = names.iter().map(|name| name.parse()).collect::<Result<Vec<FeatureSet>, _>>()?;
    let strategies = contenders(arguments.strategies.iter().map(String::as_str))?;
    let siblings_max = if sets.iter().any(|set| set.siblings) { SIBLINGS_MAX } else { 0 };
    let web = web(paper, siblings_max, loudness)?;
    let trial = Trial { start: start(arguments.start), obeys_robots: !paper.ignore_robots, ..Trial::default() };
    let (counts, cells) = table(&web, &trial, &sets, |text| told(loudness, text))?;
    let mut asked =
        vec![("all evidence of learned, offline".to_owned(), taught::union::<anyhow::Error>(&web, &trial)?)];
    for contender in strategies {
        let make = || -> anyhow::Result<_> {
            contender.strategy(0)?.ok_or_else(|| anyhow!("{} predicts nothing", contender.name))
        };
        asked.push((contender.name.clone(), taught::ask(&web, &trial, make)?));
        told(loudness, &format!("{} is done\n", contender.name));
    }
    let title = title(paper, "Predictions without crawling");
    let beside = [("csv", csv(&cells, &asked))];
    tell(paper, &page(&title, &typed(), counts, &cells, &asked), &beside, loudness)
}
