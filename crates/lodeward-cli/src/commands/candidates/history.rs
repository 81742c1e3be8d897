//! `lodeward candidates history`: who marked what, and when.

use std::fmt::Write as _;
use std::process::ExitCode;

use lodeward::time::format_iso8601;
use lodeward_app::display_text::single_line;
use lodeward_app::review::MarkFile;
use lodeward_app::review::marks::{MarkChange, MarkKind};
use serde_json::{Value, json};

use crate::args::HistoryArgs;
use crate::commands::find_crawl;
use crate::progress::{print_json, print_stdout};

pub(super) fn run(arguments: &HistoryArgs) -> anyhow::Result<ExitCode> {
    let (data_dir, record) = find_crawl::find(&arguments.selector)?;
    let marks = MarkFile::open(data_dir.crawl(record.id).path())?;
    print(&marks, arguments.by.as_ref(), arguments.limit, arguments.json)
}

/// Prints the last changes of marks, of one user or of all.
pub(in crate::commands) fn print(
    marks: &MarkFile,
    by: Option<&String>,
    limit: usize,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let is_selected = |change: &MarkChange| by.is_none() || change.author.user.as_ref() == by;
    let limit = if limit == 0 { usize::MAX } else { limit };
    let changes: Vec<MarkChange> = marks.history().filter(is_selected).take(limit).collect();
    if as_json {
        print_json(&json!({ "changes": changes.iter().map(to_json).collect::<Vec<Value>>() }))?;
    } else {
        print_stdout(&changes.iter().map(to_line).collect::<String>())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(change: &MarkChange) -> Value {
    let MarkChange { entity, mark, previous, is_undo, author, .. } = change;
    let at = author.at_ms.map(format_iso8601);
    json!({ "entity": entity, "mark": mark, "previous": previous, "undo": is_undo, "by": author.user, "at": at })
}

fn to_line(change: &MarkChange) -> String {
    let MarkChange { entity, mark, previous, is_undo, author, .. } = change;
    let name = |mark: &Option<MarkKind>| mark.map_or("none", MarkKind::name);
    let at = author.at_ms.map_or_else(|| "-".to_owned(), format_iso8601);
    let by = single_line(author.user.as_deref().unwrap_or("-"));
    let mut line = format!("{at}  {by}  {} → {}  {}", name(previous), name(mark), single_line(entity));
    if *is_undo {
        line.push_str("  (undo)");
    }
    let _ = writeln!(line);
    line
}
