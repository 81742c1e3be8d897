//! `lodeward eval train`: trains a classifier for the strategies that do not learn online.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use lodeward::select::baselines::offline::{ClassifierKind, TrainedModel};
use lodeward::select::ldcoc::{FeatureSet, MAX_SIBLINGS};
use lodeward_eval::Trial;
use lodeward_eval::offline::FEATURE_BITS;
use lodeward_eval::table2::training_examples;
use lodeward_eval::web::WebLoadOptions;

use super::papers::{report_progress, to_start};
use super::select::load_web;
use crate::args::{ClassifierArg, TrainArgs, VerbosityArgs};
use crate::errors::UsageError;

pub(crate) fn run(arguments: &TrainArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let set: FeatureSet = arguments.features.parse()?;
    let kind = match arguments.strategy {
        ClassifierArg::Nb => ClassifierKind::Nb,
        ClassifierArg::Svm => ClassifierKind::Svm,
        ClassifierArg::Knn => ClassifierKind::Knn,
    };
    report_progress(verbosity, &format!("reading {}\n", arguments.directory.display()));
    let mut options = WebLoadOptions { jobs: arguments.jobs, ..WebLoadOptions::default() };
    options.options.max_siblings = if set.siblings { MAX_SIBLINGS } else { 0 };
    let web = Arc::new(load_web(&arguments.directory, &options)?);
    let within = arguments.fold.map(|fold| fold.hosts(&web, true));
    let hosts = within.or_else(|| arguments.without_fold.map(|fold| fold.hosts(&web, false)));
    let trial =
        Trial { start: to_start(arguments.start), hosts, obeys_robots: !arguments.ignore_robots, ..Trial::default() };
    let examples = training_examples(&web, &trial, set, arguments.examples)?;
    let positive = examples.iter().filter(|example| example.label).count();
    if positive == 0 || positive == examples.len() {
        let message = format!("cannot train with {} examples, {positive} of them with RDF", examples.len());
        let hint = Some("set more --examples, or select other hosts".to_owned());
        return Err(UsageError { message, hint }.into());
    }
    let model = TrainedModel::train(kind, set, FEATURE_BITS, &examples).pack();
    let path = &arguments.output;
    std::fs::write(path, model).with_context(|| format!("cannot write {}", path.display()))?;
    let share = if examples.len() < arguments.examples { "all available" } else { "as requested" };
    report_progress(
        verbosity,
        &format!("{} examples ({share}), {positive} of them with RDF; wrote {}\n", examples.len(), path.display()),
    );
    Ok(ExitCode::SUCCESS)
}
