//! `lodeward eval train`: a classifier for the strategies that do not learn.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use lodeward::select::ldcoc::{FeatureSet, SIBLINGS_MAX};
use lodeward::select::offline::{Model, Sort};
use lodeward_eval::Trial;
use lodeward_eval::offline::BITS;
use lodeward_eval::table2::train_on;
use lodeward_eval::web::Reading;

use super::papers::{start, told};
use super::select::load;
use crate::arguments::{EvalClassifier, EvalTrain, Loudness};
use crate::failure::Usage;

pub(crate) fn run(arguments: &EvalTrain, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let set: FeatureSet = arguments.features.parse()?;
    let sort = match arguments.strategy {
        EvalClassifier::Nb => Sort::Nb,
        EvalClassifier::Svm => Sort::Svm,
        EvalClassifier::Knn => Sort::Knn,
    };
    told(loudness, &format!("reading {}\n", arguments.directory.display()));
    let mut reading = Reading { jobs: arguments.jobs, ..Reading::default() };
    reading.options.siblings_max = if set.siblings { SIBLINGS_MAX } else { 0 };
    let web = Arc::new(load(&arguments.directory, &reading)?);
    let within = arguments.fold.map(|fold| fold.hosts(&web, true));
    let hosts = within.or_else(|| arguments.without_fold.map(|fold| fold.hosts(&web, false)));
    let trial =
        Trial { start: start(arguments.start), hosts, obeys_robots: !arguments.ignore_robots, ..Trial::default() };
    let examples = train_on(&web, &trial, set, arguments.examples)?;
    let positive = examples.iter().filter(|example| example.label).count();
    if positive == 0 || positive == examples.len() {
        let message = format!("nothing can be learned from {} examples, {positive} of them with RDF", examples.len());
        return Err(Usage { message, hint: Some("ask for more --examples, or for other hosts".to_owned()) }.into());
    }
    let model = Model::train(sort, set, BITS, &examples).pack();
    let path = &arguments.output;
    std::fs::write(path, model).with_context(|| format!("cannot write {}", path.display()))?;
    let asked = if examples.len() < arguments.examples { "all there are" } else { "as asked" };
    told(
        loudness,
        &format!("{} examples ({asked}), {positive} of them with RDF; wrote {}\n", examples.len(), path.display()),
    );
    Ok(ExitCode::SUCCESS)
}
