//! `lodeward crawls`: lists the crawls of a data directory, with their states.

use std::process::ExitCode;

use lodeward::error_chain;
use lodeward::time::format_iso8601;
use lodeward_app::crawl_dir;
use lodeward_app::data_dir::{CrawlRecord, CrawlStatus, DamagedCrawl, DataDir};
use serde::Serialize;

use super::status::is_alive;
use crate::args::CrawlsArgs;
use crate::clock;
use crate::errors::UsageError;
use crate::progress::{print_json, print_stderr, print_stdout};
use crate::report_text::stop_reason_name;

/// A crawl, as `--json` prints it.
#[derive(Serialize)]
struct CrawlLine {
    id: u32,
    name: String,
    strategy: String,
    /// `running`, `killed`, `not run`, or why it stopped.
    state: &'static str,
    documents: u64,
    rdf_documents: u64,
    quads: u64,
    waiting: u64,
    created_at: String,
}

pub(crate) fn run(arguments: &CrawlsArgs) -> anyhow::Result<ExitCode> {
    let data = &arguments.data;
    if !data.is_dir() {
        let message = format!("data directory {} does not exist", data.display());
        return Err(UsageError { message, hint: Some("set the data directory with --data".to_owned()) }.into());
    }
    let data_dir = DataDir::open(data)?;
    let listing = data_dir.scan()?;
    for DamagedCrawl { id, error } in &listing.damaged {
        print_stderr(&format!("note: cannot read crawls/{id}: {}\n", error_chain::with_causes(error)));
    }
    let lines = listing.records.into_iter().map(|record| {
        let status = crawl_dir::read_or_rebuild_status(&data_dir.crawl(record.id), clock::now_ms)?;
        Ok(describe(record, status))
    });
    let lines = lines.collect::<anyhow::Result<Vec<CrawlLine>>>()?;
    if arguments.json {
        print_json(&lines)?;
    } else if lines.is_empty() {
        print_stdout(&format!("no crawls in {}\n", data.display()))?;
    } else {
        print_stdout(&table(&lines))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(record: CrawlRecord, status: Option<CrawlStatus>) -> CrawlLine {
    let state = match &status {
        None => "not run",
        Some(status) => match status.stop_reason {
            Some(reason) => stop_reason_name(reason),
            None if is_alive(status.process) => "running",
            None => "killed",
        },
    };
    let snapshot = status.map(|status| status.snapshot).unwrap_or_default();
    CrawlLine {
        id: record.id,
        name: record.name,
        strategy: record.strategy,
        state,
        documents: snapshot.tally.documents,
        rdf_documents: snapshot.tally.rdf_documents,
        quads: snapshot.tally.quads,
        waiting: snapshot.census.uris_waiting,
        created_at: format_iso8601(record.created_at_ms),
    }
}

/// The crawls as lines with aligned columns; numbers are aligned to the right.
fn table(lines: &[CrawlLine]) -> String {
    let heading = ["name", "state", "strategy", "documents", "with RDF", "quads", "waiting", "created"];
    let rows: Vec<[String; 8]> = lines.iter().map(columns).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([heading[column].len()]).max().unwrap_or(0)
    };
    let widths: [usize; 8] = std::array::from_fn(width);
    let line = |cells: [&str; 8]| {
        let padded = cells.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
            3..=6 => format!("{cell:>width$}"),
            _ => format!("{cell:width$}"),
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let body = rows.iter().map(|row| line(row.each_ref().map(String::as_str)));
    std::iter::once(line(heading)).chain(body).collect()
}

fn columns(line: &CrawlLine) -> [String; 8] {
    let created = line.created_at.get(..16).unwrap_or(&line.created_at).replace('T', " ");
    [
        line.name.clone(),
        line.state.to_owned(),
        line.strategy.clone(),
        line.documents.to_string(),
        line.rdf_documents.to_string(),
        line.quads.to_string(),
        line.waiting.to_string(),
        created,
    ]
}
