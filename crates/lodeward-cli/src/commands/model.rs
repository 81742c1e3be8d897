//! `lodeward model`: prints and merges the models of crawls.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use lodeward::select::StrategyError;
use lodeward::select::model_summary::{self, FeatureWeight, ModelSummary};
use lodeward_app::display_text::single_line;
use lodeward_app::model_store::FileModelStore;

use super::find_crawl;
use crate::args::{CrawlSelectorArgs, ModelCommand, ModelMergeArgs, ModelShowArgs};
use crate::errors::UsageError;
use crate::output_target::require_writable;
use crate::progress::print_stdout;

pub(crate) fn run(arguments: ModelCommand) -> anyhow::Result<ExitCode> {
    match arguments {
        ModelCommand::Show(arguments) => show(arguments),
        ModelCommand::Merge(arguments) => merge(&arguments),
    }
}

fn show(arguments: ModelShowArgs) -> anyhow::Result<ExitCode> {
    let top = arguments.top;
    let path = model_path(arguments)?;
    let summary = model_summary::describe(&read(&path)?, top).map_err(|error| unusable_model(&path, &error))?;
    print_stdout(&render(&summary))?;
    Ok(ExitCode::SUCCESS)
}

/// The given model file, or the model of the selected crawl.
fn model_path(arguments: ModelShowArgs) -> anyhow::Result<PathBuf> {
    let ModelShowArgs { file: None, data, name, .. } = arguments else {
        return Ok(arguments.file.unwrap_or_default());
    };
    let (data_dir, record) = find_crawl::find(&CrawlSelectorArgs { data, name })?;
    let path = FileModelStore::for_crawl(data_dir.crawl(record.id).path()).path().to_owned();
    if path.exists() {
        return Ok(path);
    }
    let message = format!("crawl `{}` (--strategy {}) has no model yet", record.name, record.strategy);
    let hint = Some("strategies that learn write their model every minute, and at the end".to_owned());
    Err(anyhow::Error::new(UsageError { message, hint }))
}

fn merge(arguments: &ModelMergeArgs) -> anyhow::Result<ExitCode> {
    require_writable(Some(&arguments.output))?;
    let files = arguments.files.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let base = arguments.base.as_deref().map(read).transpose()?;
    // Each file is checked first, so that the error names the invalid one.
    for (path, file) in arguments.files.iter().zip(&files).chain(arguments.base.iter().zip(&base)) {
        model_summary::describe(file, 0).map_err(|error| unusable_model(path, &error))?;
    }
    let to_usage = |error: StrategyError| UsageError { message: error.to_string(), hint: None };
    let sum = model_summary::merge(&files, base.as_deref()).map_err(to_usage)?;
    let path = &arguments.output;
    std::fs::write(path, sum).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let unreadable = |error| UsageError { message: format!("cannot read {}: {error}", path.display()), hint: None };
    Ok(std::fs::read(path).map_err(unreadable)?)
}

fn unusable_model(path: &Path, error: &StrategyError) -> UsageError {
    let hint = "the model of a crawl is crawls/1/model in its data directory".to_owned();
    UsageError { message: format!("{}: {error}", path.display()), hint: Some(hint) }
}

fn render(summary: &ModelSummary) -> String {
    let mut text = format!("model of strategy {}\n", summary.kind);
    for (what, value) in &summary.facts {
        let _ = writeln!(text, "  {what:<13} {value}");
    }
    write_features(&mut text, "evidence for RDF", &summary.for_rdf);
    write_features(&mut text, "evidence against RDF", &summary.against_rdf);
    text
}

fn write_features(text: &mut String, title: &str, features: &[FeatureWeight]) {
    if features.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title}");
    for FeatureWeight { number, name, weight } in features {
        let _ = writeln!(text, "  {}", feature_text(*weight, *number, name.as_deref()));
    }
}

/// The weight of a feature, which is added to the log-odds, and its name.
pub(super) fn feature_text(weight: f32, number: u32, words: Option<&str>) -> String {
    let words =
        words.map_or_else(|| format!("feature {number} (name not stored)"), |words| single_line(words).into_owned());
    format!("{weight:+.3}  {words}")
}
