//! `lodeward candidates`: lists and marks the candidates of a ranking.

use std::io::{BufWriter, Write as _};
use std::process::ExitCode;

use lodeward_app::data_dir::CrawlRecord;
use lodeward_app::review;
use lodeward_app::review::{CandidateError, CandidatePage as Found, CandidateQuery, MarkFilter};
use lodeward_app::review::{CandidateFilter, MarkKind, RankingFileError};

use super::export::is_broken_pipe;
use super::find_crawl;
use crate::args::{CandidatesArgs, CandidatesFormat, CandidatesListArgs, MarkedArg, VerbosityArgs};
use crate::errors::UsageError;
use crate::progress::print_stderr;

mod filters;
mod history;
mod mark;
mod show;

pub(super) use filters::explain_filter;
pub(super) use show::table;

pub(crate) fn run(arguments: CandidatesArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    match arguments.mark {
        Some(mark) => mark::run(mark, verbosity),
        None => list(&arguments.list, verbosity),
    }
}

fn list(arguments: &CandidatesListArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let filter = filters::from_args(&arguments.filter)?;
    let (data_dir, record) = find_crawl::find(&arguments.selector)?;
    let limit = if arguments.limit == 0 { u64::MAX } else { arguments.limit };
    let query = CandidateQuery { filter: &filter, marks: mark_filter(arguments.mark), offset: arguments.offset, limit };
    let found = review::candidates(data_dir.crawl(record.id).path(), &query);
    let found = found.map_err(|error| explain(error, &record))?;
    match print(arguments, &found) {
        Err(error) if is_broken_pipe(&error) => return Ok(ExitCode::SUCCESS),
        printed => printed?,
    }
    if !verbosity.quiet {
        print_stderr(&omitted_text(&found, arguments, &filter));
        let ran_at_ms = data_dir.crawl(record.id).status()?.map_or(0, |status| status.updated_at_ms);
        if ran_at_ms > found.header.created_at_ms {
            print_stderr("note: the crawl has run since it was ranked; `lodeward rank` ranks it again\n");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn mark_filter(marked: Option<MarkedArg>) -> MarkFilter {
    match marked {
        None | Some(MarkedArg::Undropped) => MarkFilter::Undropped,
        Some(MarkedArg::All) => MarkFilter::All,
        Some(MarkedArg::Keep) => MarkFilter::Only(Some(MarkKind::Keep)),
        Some(MarkedArg::Drop) => MarkFilter::Only(Some(MarkKind::Drop)),
        Some(MarkedArg::None) => MarkFilter::Only(None),
    }
}

fn print(arguments: &CandidatesListArgs, found: &Found) -> anyhow::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    match arguments.format {
        CandidatesFormat::Json => show::write_json(found, &mut out)?,
        CandidatesFormat::Csv => show::write_csv(found, &mut out)?,
        CandidatesFormat::Table if found.candidates.is_empty() => {}
        CandidatesFormat::Table => {
            let rows = found.candidates.iter().map(|candidate| (&candidate.row, candidate.mark.as_ref()));
            out.write_all(table(rows, arguments.reasons).as_bytes())?;
        }
    }
    Ok(out.flush()?)
}

/// How many candidates are not printed, and why.
fn omitted_text(found: &Found, arguments: &CandidatesListArgs, filter: &CandidateFilter) -> String {
    let Found { header, total, dropped, .. } = found;
    let mut parts = Vec::new();
    let shown = found.candidates.len() as u64;
    if *total == 0 {
        let listed = header.listed;
        parts.push(match (listed, filter.is_unconditional() && arguments.mark.is_none()) {
            (0, _) => "the ranking is empty: no entity is linked with the seeds, or no seed was fetched".to_owned(),
            (_, true) => format!("all {listed} candidates are dropped"),
            (_, false) => format!("none of {listed} candidates matches"),
        });
    } else if shown == 0 {
        parts.push(format!("no candidates at --offset {}: only {total} match", arguments.offset));
    } else if shown < *total {
        parts.push(format!("{shown} of {total} shown; use --limit and --offset for others"));
    }
    if *dropped > 0 && arguments.mark.is_none() {
        parts.push(format!("{dropped} dropped candidates not shown; use --mark all to show them"));
    }
    parts.push(String::new());
    parts.join("\n")
}

/// Adds a hint to an error of reading candidates.
pub(super) fn explain(error: CandidateError, record: &CrawlRecord) -> anyhow::Error {
    match error {
        CandidateError::Open(error) => find_crawl::explain_open(error),
        CandidateError::Ranking(RankingFileError::Missing) => anyhow::Error::new(UsageError {
            message: format!("crawl `{}` has no ranking yet", record.name),
            hint: Some(format!("run `lodeward rank --name {}`, with the same --data", record.name)),
        }),
        CandidateError::NotCandidate(error) => {
            let hint = error
                .did_you_mean()
                .unwrap_or_else(|| "`lodeward candidates --pattern REGEX` finds candidates by IRI or label".to_owned());
            anyhow::Error::new(UsageError { message: error.to_string(), hint: Some(hint) })
        }
        error => anyhow::Error::new(error),
    }
}
