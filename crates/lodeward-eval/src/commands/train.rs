//! `lodeward-eval train`: trains a classifier for the strategies that do not learn online.

use anyhow::Context as _;
use lodeward::select::baselines::offline::{ClassifierKind, TrainedModel};
use lodeward::select::ldcoc::{FeatureSet, MAX_SIBLINGS};
use lodeward_eval::Trial;
use lodeward_eval::offline::FEATURE_BITS;
use lodeward_eval::table2::training_examples;
use lodeward_eval::web::WebLoadOptions;

use super::input::load_web;
use super::output::EvalOutput;
use crate::args::{ClassifierArg, TrainArgs};
use crate::errors::EvalUsageError;

pub(super) fn run(arguments: &TrainArgs, output: EvalOutput) -> anyhow::Result<()> {
    let set: FeatureSet = arguments.features.parse()?;
    let kind = match arguments.strategy {
        ClassifierArg::Nb => ClassifierKind::Nb,
        ClassifierArg::Svm => ClassifierKind::Svm,
        ClassifierArg::Knn => ClassifierKind::Knn,
    };
    let mut options = WebLoadOptions { jobs: arguments.jobs, ..WebLoadOptions::default() };
    options.options.max_siblings = if set.siblings { MAX_SIBLINGS } else { 0 };
    let web = load_web(&arguments.directory, &options, output)?;
    let within = arguments.fold.map(|fold| fold.hosts(&web, true));
    let hosts = within.or_else(|| arguments.without_fold.map(|fold| fold.hosts(&web, false)));
    let trial =
        Trial { start: arguments.start.into(), hosts, obeys_robots: !arguments.ignore_robots, ..Trial::default() };
    let examples = training_examples(&web, &trial, set, arguments.examples)?;
    let positive = examples.iter().filter(|example| example.label).count();
    if positive == 0 || positive == examples.len() {
        let message = format!("cannot train with {} examples, {positive} of them with RDF", examples.len());
        return Err(EvalUsageError::new(message, "set more --examples, or select other hosts").into());
    }
    let model = TrainedModel::train(kind, set, FEATURE_BITS, &examples).pack();
    let path = &arguments.output;
    std::fs::write(path, model).with_context(|| format!("cannot write {}", path.display()))?;
    let share = if examples.len() < arguments.examples { "all available" } else { "as requested" };
    let count = examples.len();
    output.progress(&format!("{count} examples ({share}), {positive} of them with RDF; wrote {}\n", path.display()));
    Ok(())
}
