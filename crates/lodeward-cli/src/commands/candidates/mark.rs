//! `lodeward candidates keep`, `drop`, `unmark` and `undo`.

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;

use lodeward_app::data_dir::CrawlRecord;
use lodeward_app::review;
use lodeward_app::review::marks::MarkAuthor;
use lodeward_app::review::{CandidateFilter, MarkFile, MarkKind, RankingFile, RankingFileError};
use lodeward_app::review::{CandidateQuery, MarkFilter};

use super::{explain, filters};
use crate::args::{ConfigSourceArgs, MarkArgs, MarkCommand, VerbosityArgs};
use crate::commands::find_crawl;
use crate::errors::UsageError;
use crate::progress::print_stderr;
use crate::service_guard::require_unserved;
use crate::{clock, settings};

pub(super) fn run(mark: MarkCommand, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let message = match mark {
        MarkCommand::Keep(marking) => set_marks(&marking, Some(MarkKind::Keep))?,
        MarkCommand::Drop(marking) => set_marks(&marking, Some(MarkKind::Drop))?,
        MarkCommand::Unmark(marking) => set_marks(&marking, None)?,
        MarkCommand::Undo(undo) => {
            require_unserved(&undo.selector.data)?;
            let (data_dir, record) = find_crawl::find(&undo.selector)?;
            let mut marks = MarkFile::open(data_dir.crawl(record.id).path())?;
            match marks.undo(&MarkAuthor { user: None, at_ms: Some(clock::now_ms()) })? {
                0 => "no mark to undo".to_owned(),
                changed => format!("{} undone; {}", pluralize(changed, "change", "changes"), totals(&marks)),
            }
        }
    };
    if !verbosity.quiet {
        print_stderr(&format!("{message}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

fn set_marks(marking: &MarkArgs, mark: Option<MarkKind>) -> anyhow::Result<String> {
    let MarkArgs { entities, filter: wanted, all, .. } = marking;
    let is_filtered = !filters::is_empty(wanted) || *all;
    if entities.is_empty() && !is_filtered {
        let message = "no candidate selected".to_owned();
        let hint = Some("name IRIs or ranks, or select with flags such as --filter; --all selects all".to_owned());
        return Err(anyhow::Error::new(UsageError { message, hint }));
    }
    let filter = filters::from_args(wanted)?;
    require_unserved(&marking.selector.data)?;
    let (data_dir, record) = find_crawl::find(&marking.selector)?;
    let directory = data_dir.crawl(record.id).into_path();
    let mut names = resolve_entities(entities, &directory, &record)?;
    if is_filtered {
        names.extend(matching_entities(&filter, &directory, &record, &marking.source)?);
    }
    let mut marks = MarkFile::open(&directory)?;
    let author = MarkAuthor { user: marking.by.clone(), at_ms: Some(clock::now_ms()) };
    let changed = marks.set(names.iter().map(String::as_str), mark, &author)?;
    let verb = match mark {
        Some(MarkKind::Keep) => "kept",
        Some(MarkKind::Drop) => "dropped",
        None => "unmarked",
    };
    let changed = pluralize(changed, "candidate", "candidates");
    Ok(format!("{changed} {verb}; {}", totals(&marks)))
}

/// The entities that match a filter, whatever their marks.
fn matching_entities(
    filter: &CandidateFilter,
    directory: &Path,
    record: &CrawlRecord,
    source: &ConfigSourceArgs,
) -> anyhow::Result<Vec<String>> {
    let config = settings::load_source(source)?;
    let query = CandidateQuery { filter, marks: MarkFilter::All, offset: 0, limit: u64::MAX };
    let found = review::candidates(&config, directory, &query).map_err(|error| explain(error, record))?;
    Ok(found.candidates.into_iter().map(|candidate| candidate.row.entity).collect())
}

/// The entities named by IRI or rank. Marks are independent of the ranking, so the
/// ranking is needed only if ranks are given.
fn resolve_entities(entities: &[String], directory: &Path, record: &CrawlRecord) -> anyhow::Result<Vec<String>> {
    let rank = |text: &str| text.parse::<u64>().ok();
    if entities.is_empty() {
        return Ok(Vec::new());
    }
    let listing = match RankingFile::open(directory) {
        Err(RankingFileError::Missing) if !entities.iter().any(|text| rank(text).is_some()) => {
            return parse_iris(entities);
        }
        listing => listing.map_err(|error| explain(error.into(), record))?,
    };
    let listed = listing.header.listed;
    let mut by_rank: HashMap<u64, Option<String>> =
        entities.iter().filter_map(|text| rank(text)).map(|rank| (rank, None)).collect();
    for row in listing {
        let row = row?;
        if let Some(entity) = by_rank.get_mut(&row.rank) {
            *entity = Some(row.entity);
        }
    }
    let name = |text: &String| match rank(text) {
        None => Ok(text.clone()),
        Some(rank) => by_rank[&rank].clone().ok_or_else(|| UsageError {
            message: format!("no candidate has rank {rank}"),
            hint: Some(format!("the ranking has ranks 1 to {listed}")),
        }),
    };
    parse_iris(&entities.iter().map(name).collect::<Result<Vec<_>, _>>()?)
}

/// IRIs, without angle brackets.
fn parse_iris(entities: &[String]) -> anyhow::Result<Vec<String>> {
    let bare = |text: &String| text.trim_start_matches('<').trim_end_matches('>').to_owned();
    let is_iri = |text: &String| oxrdf::NamedNode::new(text).is_ok();
    let names: Vec<String> = entities.iter().map(bare).collect();
    match names.iter().find(|name| !is_iri(name)) {
        None => Ok(names),
        Some(wrong) => Err(anyhow::Error::new(UsageError {
            message: format!("`{wrong}` is neither an IRI nor a rank"),
            hint: Some("`lodeward candidates --pattern REGEX` finds candidates by IRI or label".to_owned()),
        })),
    }
}

fn pluralize(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn totals(marks: &MarkFile) -> String {
    let of = |kind: MarkKind| marks.iter().filter(|(_, marked)| marked.mark == kind).count();
    format!("total: {} kept, {} dropped", of(MarkKind::Keep), of(MarkKind::Drop))
}
