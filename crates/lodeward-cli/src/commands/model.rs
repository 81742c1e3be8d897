//! `lodeward model`: what crawls have learned, in words and added up.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use lodeward::open::FileNotebook;
use lodeward::select::StrategyError;
use lodeward::select::models::{self, Portrait, Weighed};

use super::crawls;
use crate::arguments::{Merge, Model, Place, Show};
use crate::failure::Usage;
use crate::progress::answer;
use crate::target::require_writable;

pub(crate) fn run(arguments: Model) -> anyhow::Result<ExitCode> {
    match arguments {
        Model::Show(arguments) => show(arguments),
        Model::Merge(arguments) => merge(&arguments),
    }
}

fn show(arguments: Show) -> anyhow::Result<ExitCode> {
    let top = arguments.top;
    let path = path(arguments)?;
    let portrait = models::describe(&read(&path)?, top).map_err(|error| unusable(&path, &error))?;
    answer(&told(&portrait))?;
    Ok(ExitCode::SUCCESS)
}

/// The model that was named, or that of the crawl that was named.
fn path(arguments: Show) -> anyhow::Result<PathBuf> {
    let Show { file: None, data, name, .. } = arguments else {
        return Ok(arguments.file.unwrap_or_default());
    };
    let (registry, record) = crawls::find(&Place { data, name })?;
    let path = FileNotebook::of_crawl(&registry.directory_of(record.id)).path().to_owned();
    if path.exists() {
        return Ok(path);
    }
    let message = format!("the crawl `{}` with --strategy {} has learned nothing yet", record.name, record.strategy);
    let hint = Some("strategies that learn write it down every minute, and at the end".to_owned());
    Err(anyhow::Error::new(Usage { message, hint }))
}

fn merge(arguments: &Merge) -> anyhow::Result<ExitCode> {
    require_writable(Some(&arguments.output))?;
    let files = arguments.files.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let base = arguments.base.as_deref().map(read).transpose()?;
    // One by one before all together: who is no model is told by name.
    for (path, file) in arguments.files.iter().zip(&files).chain(arguments.base.iter().zip(&base)) {
        models::describe(file, 0).map_err(|error| unusable(path, &error))?;
    }
    let refused = |error: StrategyError| Usage { message: error.to_string(), hint: None };
    let sum = models::merge(&files, base.as_deref()).map_err(refused)?;
    let path = &arguments.output;
    std::fs::write(path, sum).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let refused = |error| Usage { message: format!("cannot read {}: {error}", path.display()), hint: None };
    Ok(std::fs::read(path).map_err(refused)?)
}

fn unusable(path: &Path, error: &StrategyError) -> Usage {
    let hint = "a crawl keeps its model in crawls/1/model of its data folder".to_owned();
    Usage { message: format!("{}: {error}", path.display()), hint: Some(hint) }
}

fn told(portrait: &Portrait) -> String {
    let mut text = format!("a model of strategy {}\n", portrait.kind);
    for (what, value) in &portrait.facts {
        let _ = writeln!(text, "  {what:<13} {value}");
    }
    told_features(&mut text, "speaks for RDF", &portrait.for_rdf);
    told_features(&mut text, "speaks against RDF", &portrait.against_rdf);
    text
}

fn told_features(text: &mut String, title: &str, features: &[Weighed]) {
    if features.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title}");
    for Weighed { number, words, weight } in features {
        let _ = writeln!(text, "  {}", reason(*weight, *number, words.as_deref()));
    }
}

/// A feature and what it adds to the log-odds, in words.
pub(super) fn reason(weight: f32, number: u32, words: Option<&str>) -> String {
    let words = words.map_or_else(|| format!("feature {number}, whose name is not remembered"), str::to_owned);
    format!("{weight:+.3}  {words}")
}
