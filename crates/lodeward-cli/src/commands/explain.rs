//! `lodeward explain`: what became of a URI, and why.

use std::fmt::Write;
use std::process::ExitCode;

use lodeward::config::{self, Config};
use lodeward::model::history::Failing;
use lodeward::model::{DropReason, FaultKind, History, Outcome, Uri, outcome};
use lodeward::open::{self, Explanation};
use lodeward::provenance::moment;
use lodeward::registry::Record;
use lodeward::select::models::Weighed;

use super::crawls;
use super::model::reason;
use crate::arguments::{Explain, Settings};
use crate::failure::Usage;
use crate::progress::answer;
use crate::{clock, settings, summary};

pub(crate) fn run(arguments: &Explain) -> anyhow::Result<ExitCode> {
    let unusable = |error| Usage { message: format!("`{}`: {error}", arguments.uri), hint: None };
    let uri = Uri::recorded(&arguments.uri).map_err(unusable)?;
    let (registry, record) = crawls::find(&arguments.place)?;
    let config = config_of(&record)?;
    let shelf = open::shelf(&config, &registry.directory_of(record.id), clock::now_ms).map_err(crawls::explain_open)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    match runtime.block_on(open::explain(&config, &shelf, &uri))? {
        Some(explanation) => {
            answer(&format!("{}{}{}", told(&uri, &explanation), visits(&explanation), ranked(&explanation)))?;
            Ok(ExitCode::SUCCESS)
        }
        None => {
            answer(&format!("{uri}\n  unknown: no document that was read refers to it, and it is no seed\n"))?;
            Ok(ExitCode::FAILURE)
        }
    }
}

/// The settings of here and now, with the strategy that the crawl was begun with.
fn config_of(record: &Record) -> anyhow::Result<Config> {
    let mut config = settings::resolve(&Settings::default())?.config;
    if let Ok(strategy) = config::Strategy::try_from(record.strategy.clone()) {
        config.crawl.strategy = strategy;
    }
    Ok(config)
}

fn told(uri: &Uri, explanation: &Explanation) -> String {
    let life = &explanation.life;
    let mut text = format!("{uri}\n");
    let mut line = |label: &str, what: String| {
        let _ = writeln!(text, "  {label:<9} {what}");
    };
    let source = life.source.as_ref().map_or(String::new(), |source| format!(" in {source}"));
    line("found", format!("{}{source}", life.how));
    if let Some(step) = &life.step {
        line("step", step.to_string());
    }
    line("ranked", format!("priority {}, {} hops from a seed", life.priority, life.depth));
    told_judgment(explanation, &mut line);
    if life.last.is_some() {
        line("waiting", "it is to be visited again; this is what it was".to_owned());
    }
    match life.outcome.as_ref().or(life.last.as_deref()) {
        None => line("waiting", "it has not been its turn yet".to_owned()),
        Some(Outcome::Vanished { since_ms, last_had_ms, fault }) => {
            line("vanished", format!("{fault}, since {}; last had {}", moment(*since_ms), moment(*last_had_ms)));
        }
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
    for note in &explanation.seeds {
        line("seed", note.to_string());
    }
    text
}

/// What the strategy made of it, and the features that spoke most for and
/// against it.
fn told_judgment(explanation: &Explanation, line: &mut impl FnMut(&str, String)) {
    if let Some(judgment) = &explanation.judgment {
        line("judged", judgment.words.clone());
        for Weighed { number, words, weight } in &judgment.reasons {
            line("", reason(*weight, *number, words.as_deref()));
        }
    }
    if let Some(problem) = &explanation.problem {
        line("hint", format!("what the crawl has learned cannot be used: {problem}"));
    }
}

/// Where the entities of this address are in the ranking of the crawl, and why.
fn ranked(explanation: &Explanation) -> String {
    let mut text = String::new();
    let candidates = explanation.candidates;
    for row in &explanation.ranked {
        let _ = writeln!(text, "  {:<9} {} of {candidates}, with score {:.4}", "candidate", row.rank, row.score);
        for reason in &row.why {
            let _ = writeln!(text, "  {:<9} because it {}", "", reason.words);
        }
    }
    text
}

/// What is known of the visits to it, if there was more than one.
fn visits(explanation: &Explanation) -> String {
    let history = explanation.life.history();
    let mut text = String::new();
    if history.visits < 2 {
        return text;
    }
    let History { visits, changes, first_at_ms, .. } = history;
    let mut line = |label: &str, what: String| {
        let _ = writeln!(text, "  {label:<9} {what}");
    };
    let last = history.last_change_at_ms().map_or(String::new(), |at_ms| format!(", last {}", moment(at_ms)));
    line("history", format!("visited {visits} times since {}, changed {changes} times{last}", moment(first_at_ms)));
    for event in &history.events {
        line("", format!("{} {}", moment(event.at_ms), event.what.name()));
    }
    if let Some(Failing { since_ms, visits, fault, .. }) = &history.failing {
        line("stale", format!("not to be had since {}, {visits} times in a row: {fault}", moment(*since_ms)));
    }
    if let Some(due_at_ms) = explanation.due_at_ms {
        line("next due", moment(due_at_ms));
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
        DropReason::Stay => "it is outside the domains or hosts of the seeds, and --stay was said",
        DropReason::Pattern => "--include or --exclude says so",
        DropReason::Predicate => "no predicate of --follow leads to it",
        DropReason::Extension => "files with its extension hold no RDF, or the strategy takes them to hold none",
        DropReason::Redirects => "too many redirects in a row led to it",
        DropReason::Trap => "it looks like part of an endless series of pages",
        DropReason::Selector => "the strategy predicts that it holds nothing",
        DropReason::Unreachable => "its server did not answer, and was given up",
        DropReason::Quota => "its service has had as many requests or statements as [discover] allows",
        DropReason::LinkClass => "link analysis predicts that it is neither RDF nor a page",
        DropReason::Vocabulary => "it is a term of a vocabulary, and --no-vocabularies was said",
        DropReason::HopLimit => "its hop has had as many documents as --max-per-hop allows",
        DropReason::HopPldLimit => "its domain has had as many documents of its hop as --max-per-pld-hop allows",
        DropReason::HopPlds => "its domain is not among those that --max-plds lets go on to its hop",
        DropReason::HopEnded => "its hop was ended, for fewer domains were left in it than --min-plds asks for",
        DropReason::Policy => "the policy of the service does not let its domain be visited",
        _ => "for a reason this version does not know",
    }
}
