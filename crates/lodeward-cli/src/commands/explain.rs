//! `lodeward explain`: what became of a URI, and why.

use std::fmt::Write;
use std::process::ExitCode;

use lodeward::config::Config;
use lodeward::frontier::Life;
use lodeward::model::{DropReason, FaultKind, Outcome, Uri, outcome};
use lodeward::open;

use super::crawls;
use crate::arguments::{Explain, Place};
use crate::clock;
use crate::failure::Usage;
use crate::summary;

#[expect(clippy::print_stdout, reason = "this is the answer")]
pub(crate) fn run(arguments: &Explain) -> anyhow::Result<ExitCode> {
    let unusable = |error| Usage { message: format!("`{}`: {error}", arguments.uri), hint: None };
    let uri = Uri::parse(&arguments.uri).map_err(unusable)?;
    match recall(&uri, &arguments.place)? {
        Some(life) => {
            print!("{}", told(&uri, &life));
            Ok(ExitCode::SUCCESS)
        }
        None => {
            println!("{uri}\n  unknown: no document that was read refers to it, and it is no seed");
            Ok(ExitCode::FAILURE)
        }
    }
}

fn recall(uri: &Uri, place: &Place) -> anyhow::Result<Option<Life>> {
    let (registry, record) = crawls::find(place)?;
    let directory = registry.directory_of(record.id);
    let shelf = open::shelf(&Config::default(), &directory, clock::now_ms).map_err(crawls::explain_in_use)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    Ok(runtime.block_on(shelf.frontier.recall(uri))?)
}

fn told(uri: &Uri, life: &Life) -> String {
    let mut text = format!("{uri}\n");
    let mut line = |label: &str, what: String| {
        let _ = writeln!(text, "  {label:<9} {what}");
    };
    let source = life.source.as_ref().map_or(String::new(), |source| format!(" in {source}"));
    line("found", format!("{}{source}", life.how));
    line("ranked", format!("priority {}, {} hops from a seed", life.priority, life.depth));
    match &life.outcome {
        None => line("waiting", "it has not been its turn yet".to_owned()),
        Some(Outcome::Dropped(reason)) => line("dropped", format!("{}: {}", reason.name(), why(*reason))),
        Some(Outcome::Redirected { status, target }) => {
            let target = target.as_ref().map_or("nowhere", Uri::as_str);
            line("visited", format!("redirected ({status}) to {target}"));
        }
        Some(Outcome::Failed(fault)) => {
            line("failed", format!("{fault} (attempt {})", life.attempt + 1));
            match fault.kind {
                FaultKind::Forbidden => line("hint", "--allow-private lets a crawl visit private addresses".to_owned()),
                FaultKind::Tls => line("hint", "--ca-cert FILE trusts further certificates".to_owned()),
                _ => {}
            }
        }
        Some(Outcome::Document(document)) => told_document(document, &mut line),
    }
    text
}

fn told_document(document: &outcome::Document, line: &mut impl FnMut(&str, String)) {
    let declared = document.declared.as_deref().unwrap_or("no media type");
    line("fetched", format!("{} bytes, declared {declared}, read as {}", document.bytes, document.syntax));
    let parts = summary::parts(document.quads_by_syntax.iter().map(|(name, quads)| (name, quads)));
    line(
        "held",
        format!("{} quads{parts}, {} links, relevance {}", document.quads, document.links, document.relevance.name()),
    );
    for fault in &document.faults {
        line("fault", fault.to_string());
    }
}

/// A reason, in words.
fn why(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Robots => "the host's robots.txt forbids it",
        DropReason::RobotsUnreachable => "the host's robots.txt could not be had, so the host counts as closed",
        DropReason::Depth => "it is further from the seeds than --max-depth allows",
        DropReason::PldLimit => "its domain has had as many documents as --max-per-pld allows",
        DropReason::Stay => "it is outside the domains of the seeds, and --stay was said",
        DropReason::Pattern => "--include or --exclude says so",
        DropReason::Predicate => "no predicate of --follow leads to it",
        DropReason::Extension => "files with its extension hold no RDF",
        DropReason::Redirects => "too many redirects in a row led to it",
        DropReason::Trap => "it looks like part of an endless series of pages",
        DropReason::Selector => "the strategy predicts that it holds nothing",
        DropReason::Unreachable => "its server did not answer, and was given up",
        DropReason::LinkClass => "link analysis predicts that it is neither RDF nor a page",
        _ => "for a reason this version does not know",
    }
}
