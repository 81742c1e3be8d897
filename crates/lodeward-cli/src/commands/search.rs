//! `lodeward search`: finds entities by plain words.

use std::fmt::Write as _;
use std::process::ExitCode;

use lodeward_app::display_text::single_line;
use lodeward_app::search::{self, EntityResult, EntityResults, EntitySearch, EntitySearchError, FeatureShare};

use super::read::{self, CommandEnd, ReadCommand, ReadContext, ReadRequest};
use crate::args::{SearchArgs, VerbosityArgs};
use crate::errors::UsageError;
use crate::interrupt::Interrupt;
use crate::settings::SettingsInput;

pub(crate) fn run(arguments: SearchArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let settings = SettingsInput::read(&arguments.data.source)?;
    let data = arguments.data.data.clone();
    let request = ReadRequest::new(settings, verbosity, ReadCommand::Search(Box::new(arguments)));
    read::run(&request, &data, None, &Interrupt::listen()?)
}

pub(super) fn perform(arguments: &SearchArgs, context: &mut ReadContext<'_>) -> anyhow::Result<CommandEnd> {
    let (index, harvest) = context.search_index()?;
    let crawl = context.crawl_number(&arguments.data.data, arguments.crawl.as_ref())?;
    let found = search::search(&index, context.access.data(), &request(arguments, crawl)).map_err(explain)?;
    if arguments.json {
        context.print_json(&found.results)?;
    } else {
        context.print(&text(&found, arguments.why))?;
    }
    Ok(CommandEnd { code: harvest.code(), summary: None })
}

fn request(arguments: &SearchArgs, crawl: Option<u32>) -> EntitySearch {
    EntitySearch {
        words: arguments.words.join(" "),
        method: arguments.method.into(),
        query_type: arguments.query_type.clone(),
        limit: arguments.limit,
        types: arguments.types.clone(),
        graphs: arguments.graph.clone(),
        domains: arguments.domain.clone(),
        languages: arguments.language.clone(),
        crawl,
        mark: arguments.mark.map(Into::into).unwrap_or_default(),
        is_prefix: arguments.prefix,
        has_facets: arguments.facets,
    }
}

fn text(found: &EntityResults, with_reasons: bool) -> String {
    let mut text = String::new();
    for corrected in &found.corrections {
        let _ = writeln!(text, "`{}` not found, searched `{}`", corrected.word, corrected.replacement);
    }
    if found.results.is_empty() {
        text.push_str("no results\n");
    }
    for (rank, result) in (1..).zip(&found.results) {
        write_result(&mut text, rank, result, with_reasons);
    }
    for facet in found.facets.iter().filter(|facet| !facet.values.is_empty()) {
        let _ = writeln!(text, "{}:", facet.name);
        for value in &facet.values {
            let _ = writeln!(text, "  {:>6}  {}", value.count, single_line(&value.value));
        }
    }
    text
}

fn write_result(text: &mut String, rank: usize, result: &EntityResult, with_reasons: bool) {
    write_head(text, rank, &result.label, result.score, &result.iri);
    if let Some(snippet) = &result.snippet {
        let document = snippet.document.as_deref().map(|document| format!("  <{}>", single_line(document)));
        let _ = writeln!(text, "     {}: {}{}", snippet.field, snippet.text, document.unwrap_or_default());
    }
    if with_reasons {
        write_reasons(text, &result.why);
    }
}

/// Writes the first two lines of a result.
pub(super) fn write_head(text: &mut String, rank: usize, label: &str, score: f64, iri: &str) {
    let _ = writeln!(text, "{rank:>3}. {label}  {score:.3}\n     {}", single_line(iri));
}

/// Writes what a score consists of.
pub(super) fn write_reasons(text: &mut String, why: &[FeatureShare]) {
    for reason in why.iter().filter(|reason| reason.share > 0.0) {
        let _ = writeln!(text, "     {:<10} {:.3}  adds {:.3}", reason.feature, reason.value, reason.share);
    }
}

/// Adds hints to errors of searches.
pub(super) fn explain(error: EntitySearchError) -> anyhow::Error {
    let hint = match &error {
        EntitySearchError::Index(_) | EntitySearchError::Marks(_) | EntitySearchError::File(_) => {
            return anyhow::Error::new(error);
        }
        EntitySearchError::UnknownEntity(_) => Some("find its IRI with `lodeward search`"),
        EntitySearchError::NoClusters => Some("run `lodeward cluster` first"),
        EntitySearchError::UnknownCluster(_) => Some("`lodeward cluster --list` lists the clusters"),
        EntitySearchError::UnknownLink(_) => Some("`lodeward links` lists the links with their numbers"),
        EntitySearchError::TooMany => Some("select fewer with --crawl, --type or --domain"),
        _ => None,
    };
    anyhow::Error::new(UsageError { message: error.to_string(), hint: hint.map(str::to_owned) })
}
