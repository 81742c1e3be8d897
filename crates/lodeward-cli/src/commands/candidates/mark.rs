//! `lodeward candidates keep`, `drop`, `unmark`, `undo` and `history`.

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;

use lodeward_app::data_dir::CrawlRecord;
use lodeward_app::display_text::single_line;
use lodeward_app::review;
use lodeward_app::review::marks::{MarkAuthor, UndoSummary};
use lodeward_app::review::{CandidateError, CandidateFilter, MarkFile, MarkKind};
use lodeward_app::review::{CandidateQuery, MarkFilter};

use super::{explain, filters, history};
use crate::args::{MarkArgs, MarkCommand, UndoArgs, VerbosityArgs};
use crate::clock;
use crate::commands::find_crawl;
use crate::errors::UsageError;
use crate::progress::print_stderr;
use crate::service_guard::require_unserved;

pub(super) fn run(mark: MarkCommand, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let message = match mark {
        MarkCommand::Keep(marking) => set_marks(&marking, Some(MarkKind::Keep))?,
        MarkCommand::Drop(marking) => set_marks(&marking, Some(MarkKind::Drop))?,
        MarkCommand::Unmark(marking) => set_marks(&marking, None)?,
        MarkCommand::Undo(arguments) => undo(&arguments)?,
        MarkCommand::History(arguments) => return history::run(&arguments),
    };
    if !verbosity.quiet {
        print_stderr(&format!("{message}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

fn undo(arguments: &UndoArgs) -> anyhow::Result<String> {
    require_unserved(&arguments.selector.data)?;
    let (data_dir, record) = find_crawl::find(&arguments.selector)?;
    let mut marks = MarkFile::open(data_dir.crawl(record.id).path())?;
    let author = author(arguments.by.as_ref());
    let UndoSummary { changed, superseded } = marks.undo(&author)?;
    if changed == 0 {
        let user = author.user.map_or_else(String::new, |user| format!(" of `{}`", single_line(&user)));
        return Ok(format!(
            "no change{user} to undo; `lodeward candidates history` lists all changes, --by selects another user"
        ));
    }
    let stay = match superseded {
        0 => String::new(),
        count => format!(" ({} stay, changed by another user since)", pluralize(count, "mark", "marks")),
    };
    Ok(format!("{} undone{stay}; {}", pluralize(changed, "change", "changes"), totals(&marks)))
}

/// The author of a change: `--by`, or the login name.
pub(in crate::commands) fn author(by: Option<&String>) -> MarkAuthor {
    let variable = |name: &str| std::env::var(name).ok().filter(|user| !user.trim().is_empty());
    let user = by.cloned().or_else(|| variable("USER")).or_else(|| variable("LOGNAME"));
    MarkAuthor { user, at_ms: Some(clock::now_ms()) }
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
    review::require_candidates(&directory, &names).map_err(|error| explain(error, &record))?;
    if is_filtered {
        names.extend(matching_entities(&filter, &directory, &record)?);
    }
    let mut marks = MarkFile::open(&directory)?;
    let author = author(marking.by.as_ref());
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
fn matching_entities(filter: &CandidateFilter, directory: &Path, record: &CrawlRecord) -> anyhow::Result<Vec<String>> {
    let query = CandidateQuery { filter, marks: MarkFilter::All, offset: 0, limit: u64::MAX };
    let found = review::candidates(directory, &query).map_err(|error| explain(error, record))?;
    Ok(found.candidates.into_iter().map(|candidate| candidate.row.entity).collect())
}

/// The entities named by IRI or rank.
fn resolve_entities(entities: &[String], directory: &Path, record: &CrawlRecord) -> anyhow::Result<Vec<String>> {
    let rank = |text: &str| text.parse::<u64>().ok();
    let mut by_rank: HashMap<u64, Option<String>> =
        entities.iter().filter_map(|text| rank(text)).map(|rank| (rank, None)).collect();
    let mut last_rank = 0;
    if !by_rank.is_empty() {
        let all = CandidateFilter::default();
        let no_harvest = || unreachable!("an empty filter needs no statements");
        review::for_each_candidate::<CandidateError>(directory, &all, no_harvest, &mut |candidate| {
            last_rank = candidate.row.rank.max(last_rank);
            if let Some(entity) = by_rank.get_mut(&candidate.row.rank) {
                *entity = Some(candidate.row.entity);
            }
            Ok(())
        })
        .map_err(|error| explain(error, record))?;
    }
    let name = |text: &String| match rank(text) {
        None => Ok(text.trim_start_matches('<').trim_end_matches('>').to_owned()),
        Some(rank) => by_rank[&rank].clone().ok_or_else(|| UsageError {
            message: format!("no candidate has rank {rank}"),
            hint: Some(format!("the last candidate of the list has rank {last_rank}")),
        }),
    };
    Ok(entities.iter().map(name).collect::<Result<Vec<_>, _>>()?)
}

pub(in crate::commands) fn pluralize(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn totals(marks: &MarkFile) -> String {
    let of = |kind: MarkKind| marks.iter().filter(|(_, marked)| marked.mark == kind).count();
    format!("total: {} kept, {} dropped", of(MarkKind::Keep), of(MarkKind::Drop))
}
