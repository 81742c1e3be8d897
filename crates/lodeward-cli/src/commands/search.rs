//! `lodeward search`: finds entities by plain words.

use std::fmt::Write as _;
use std::process::ExitCode;

use lodeward_app::data_dir::DataDir;
use lodeward_app::display_text::single_line;
use lodeward_app::search::{self, EntityResult, EntityResults, EntitySearch, EntitySearchError};

use super::find_crawl::find_by_name;
use crate::args::{SearchArgs, VerbosityArgs};
use crate::catch_up::ArchiveOpener;
use crate::errors::UsageError;
use crate::interrupt::Interrupt;
use crate::progress::{print_json, print_stderr, print_stdout};
use crate::settings;

pub(crate) fn run(arguments: &SearchArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let config = settings::load_config(&arguments.data)?;
    let data = &arguments.data.data;
    let interrupt = Interrupt::listen()?;
    let opener = ArchiveOpener { config: &config, data, interrupt: &interrupt, quiet: verbosity.quiet };
    let (targets, _) = opener.open()?;
    let Some(index) = targets.search() else {
        let hint = Some("set `search.index = true`, or pass `--set search.index=true`".to_owned());
        return Err(UsageError { message: "the search index is disabled".to_owned(), hint }.into());
    };
    let harvest = opener.catch_up(&targets)?;
    let updated = index.update_now()?;
    if updated.is_rebuilt && !verbosity.quiet {
        print_stderr(&format!("built the search index: {} entities\n", updated.entities));
    }
    let crawl = match &arguments.crawl {
        Some(name) => Some(find_by_name(&DataDir::open(data)?, data, name)?.id),
        None => None,
    };
    let found = search::search(&index, data, &request(arguments, crawl)).map_err(explain)?;
    if arguments.json {
        print_json(&found.results)?;
    } else {
        print_stdout(&text(&found, arguments.why))?;
    }
    Ok(harvest.exit_code())
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
        let _ = writeln!(text, "`{}` not found, searched the stem `{}`", corrected.word, corrected.replacement);
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
    let EntityResult { label, iri, score, .. } = result;
    let _ = writeln!(text, "{rank:>3}. {label}  {score:.3}\n     {}", single_line(iri));
    if let Some(snippet) = &result.snippet {
        let document = snippet.document.as_deref().map(|document| format!("  <{}>", single_line(document)));
        let _ = writeln!(text, "     {}: {}{}", snippet.field, snippet.text, document.unwrap_or_default());
    }
    if with_reasons {
        for reason in result.why.iter().filter(|reason| reason.share > 0.0) {
            let _ = writeln!(text, "     {:<10} {:.3}  adds {:.3}", reason.feature, reason.value, reason.share);
        }
    }
}

fn explain(error: EntitySearchError) -> anyhow::Error {
    match error {
        EntitySearchError::Index(_) | EntitySearchError::Marks(_) => anyhow::Error::new(error),
        error => anyhow::Error::new(UsageError { message: error.to_string(), hint: None }),
    }
}
