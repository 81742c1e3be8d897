//! `lodeward candidates`: what a ranking lists, and what users think of it.

use std::io::{BufWriter, Write as _};
use std::process::ExitCode;

use lodeward::open::{self, Candidates as Found, CandidatesError, Shown, Wish};
use lodeward::rank::{Filter, ListingError, Opinion};
use lodeward::registry::Record;

use super::crawls;
use super::export::is_broken_pipe;
use crate::arguments::{Candidates, CandidatesFormat, CandidatesMarked, List, Loudness, Settings};
use crate::failure::Usage;
use crate::progress::say;
use crate::settings;

mod filters;
mod mark;
mod show;

pub(super) use filters::explain_filter;
pub(super) use show::table;

pub(crate) fn run(arguments: Candidates, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    match arguments.mark {
        Some(mark) => mark::run(mark, loudness),
        None => list(&arguments.list, loudness),
    }
}

fn list(arguments: &List, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let filter = filters::of(&arguments.wanted)?;
    let (registry, record) = crawls::find(&arguments.place)?;
    let config = settings::resolve(&Settings::default())?.config;
    let limit = if arguments.limit == 0 { u64::MAX } else { arguments.limit };
    let wish = Wish { filter: &filter, shown: shown(arguments.marked), offset: arguments.offset, limit };
    let found = open::candidates(&config, &registry.directory_of(record.id), &wish);
    let found = found.map_err(|error| explain(error, &record))?;
    match print(arguments, &found) {
        Err(error) if is_broken_pipe(&error) => return Ok(ExitCode::SUCCESS),
        printed => printed?,
    }
    if !loudness.quiet {
        say(&rest(&found, arguments, &filter));
        let ran_at_ms = registry.status(record.id)?.map_or(0, |status| status.updated_at_ms);
        if ran_at_ms > found.heading.made_at_ms {
            say("the crawl has run since it was ranked; `lodeward rank` ranks it again\n");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(marked: Option<CandidatesMarked>) -> Shown {
    match marked {
        None => Shown::Undropped,
        Some(CandidatesMarked::All) => Shown::All,
        Some(CandidatesMarked::Keep) => Shown::Only(Some(Opinion::Keep)),
        Some(CandidatesMarked::Drop) => Shown::Only(Some(Opinion::Drop)),
        Some(CandidatesMarked::None) => Shown::Only(None),
    }
}

fn print(arguments: &List, found: &Found) -> anyhow::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    match arguments.format {
        CandidatesFormat::Json => show::json(found, &mut out)?,
        CandidatesFormat::Csv => show::csv(found, &mut out)?,
        CandidatesFormat::Table if found.found.is_empty() => {}
        CandidatesFormat::Table => {
            let rows = found.found.iter().map(|candidate| (&candidate.row, candidate.mark.as_ref()));
            out.write_all(table(rows, arguments.why).as_bytes())?;
        }
    }
    Ok(out.flush()?)
}

/// What is not shown, and why.
fn rest(found: &Found, arguments: &List, filter: &Filter) -> String {
    let Found { heading, wanted, dropped, .. } = found;
    let mut parts = Vec::new();
    let shown = found.found.len() as u64;
    if *wanted == 0 {
        let listed = heading.listed;
        parts.push(match (listed, filter.wants_all() && arguments.marked.is_none()) {
            (0, _) => "the ranking is empty: nothing is linked with the seeds, or no seed was read".to_owned(),
            (_, true) => format!("all {listed} candidates were dropped"),
            (_, false) => format!("none of the {listed} candidates is wanted by these conditions"),
        });
    } else if shown == 0 {
        parts.push(format!("there are only {wanted}; --offset {} passes over all of them", arguments.offset));
    } else if shown < *wanted {
        parts.push(format!("{shown} of {wanted} are shown; --limit and --offset show others"));
    }
    if *dropped > 0 && arguments.marked.is_none() {
        parts.push(format!("{dropped} that were dropped are left out; --marked all shows them"));
    }
    parts.push(String::new());
    parts.join("\n")
}

/// Tells what to do about candidates that cannot be had.
pub(super) fn explain(error: CandidatesError, record: &Record) -> anyhow::Error {
    match error {
        CandidatesError::Open(error) => crawls::explain_open(error),
        CandidatesError::Listing(ListingError::Missing) => anyhow::Error::new(Usage {
            message: format!("the crawl `{}` has not been ranked yet", record.name),
            hint: Some(format!("run `lodeward rank --name {}`, with the same --data", record.name)),
        }),
        error => anyhow::Error::new(error),
    }
}
