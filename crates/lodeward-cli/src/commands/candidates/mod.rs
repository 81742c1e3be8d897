//! `lodeward candidates`: lists and marks the candidates of a ranking.

use std::process::ExitCode;
use std::sync::Arc;

use lodeward::store::segments::SegmentStore;
use lodeward_app::crawl_dir::CrawlOpenError;
use lodeward_app::data_dir::{CrawlRecord, DataDir};
use lodeward_app::review;
use lodeward_app::review::{CandidateError, CandidatePage as Found, CandidateQuery, MarkFilter};
use lodeward_app::review::{CandidateFilter, MarkKind, RankingFileError};

use super::find_crawl;
use super::read::{self, CommandEnd, ReadCommand, ReadContext, ReadOutput, ReadRequest};
use crate::args::{CandidatesArgs, CandidatesFormat, CandidatesListArgs, MarkedArg, VerbosityArgs};
use crate::errors::UsageError;
use crate::interrupt::Interrupt;
use crate::settings::SettingsInput;

mod filters;
mod history;
mod mark;
mod show;

pub(super) use filters::explain_filter;
pub(super) use history::print as print_history;
pub(super) use mark::{author, pluralize};
pub(super) use show::table;

pub(crate) fn run(arguments: CandidatesArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    match arguments.mark {
        Some(mark) => mark::run(mark, verbosity),
        None => list(arguments.list, verbosity),
    }
}

fn list(arguments: CandidatesListArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    filters::from_args(&arguments.filter)?;
    let data = arguments.selector.data.clone();
    let request = ReadRequest::new(SettingsInput::default(), verbosity, ReadCommand::Candidates(arguments));
    // Ctrl-C ends the command at once.
    read::run(&request, &data, None, &Interrupt::default())
}

pub(super) fn perform(arguments: &CandidatesListArgs, context: &mut ReadContext<'_>) -> anyhow::Result<CommandEnd> {
    let filter = filters::from_args(&arguments.filter)?;
    let (data_dir, record) = find_crawl::find_at(context.access.data(), &arguments.selector)?;
    let limit = if arguments.limit == 0 { u64::MAX } else { arguments.limit };
    let query = CandidateQuery { filter: &filter, marks: mark_filter(arguments.mark), offset: arguments.offset, limit };
    let harvest = open_harvest(&filter, &data_dir, &record, context)?;
    let found = review::candidates_with(data_dir.crawl(record.id).path(), &query, harvest);
    let found = found.map_err(|error| explain(error, &record))?;
    print(arguments, &found, &mut *context.output)?;
    let mut summary = String::new();
    if !context.quiet {
        summary = omitted_text(&found, arguments, &filter);
        let ran_at_ms = data_dir.crawl(record.id).status()?.map_or(0, |status| status.updated_at_ms);
        if ran_at_ms > found.header.created_at_ms {
            summary += "note: the crawl has run since it was ranked; `lodeward rank` ranks it again\n";
        }
    }
    Ok(CommandEnd { code: 0, summary: Some(summary) })
}

/// The harvest of a crawl, opened if a filter needs statements.
pub(super) fn open_harvest(
    filter: &CandidateFilter,
    data_dir: &DataDir,
    record: &CrawlRecord,
    context: &ReadContext<'_>,
) -> anyhow::Result<impl FnOnce() -> Result<Arc<SegmentStore>, CrawlOpenError> + use<>> {
    let crawl = if filter.needs_statements() {
        let config = context.settings.load_crawl(data_dir, record)?;
        Some(context.access.crawl(&config, &data_dir.crawl(record.id))?)
    } else {
        None
    };
    Ok(move || {
        let crawl = crawl.as_ref().expect("a filter that needs no statements opens no harvest");
        Ok(Arc::clone(&(**crawl).as_ref().segments))
    })
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

fn print(arguments: &CandidatesListArgs, found: &Found, mut out: &mut dyn ReadOutput) -> anyhow::Result<()> {
    match arguments.format {
        CandidatesFormat::Json => show::write_json(found, &mut out)?,
        CandidatesFormat::Csv => show::write_csv(found, &mut out)?,
        CandidatesFormat::Table if found.candidates.is_empty() => {}
        CandidatesFormat::Table => {
            let rows = found.candidates.iter().map(|candidate| (&candidate.row, candidate.mark.as_ref()));
            out.write_all(table(rows, arguments.reasons).as_bytes())?;
        }
    }
    Ok(())
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
