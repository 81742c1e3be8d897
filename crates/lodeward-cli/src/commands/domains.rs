//! `lodeward status --domains`: queues, outcomes and delays of each domain.

use std::cmp::Reverse;
use std::fmt::Write as _;

use lodeward::time::format_iso8601;
use lodeward_app::display_text::single_line;
use lodeward_app::domains::{CrawlBottleneck, DelaySource, DomainState, read_domains};
use serde::{Deserialize, Serialize};

use super::find_crawl;
use super::read::{CommandEnd, ReadContext};
use crate::args::CrawlSelectorArgs;
use crate::clock;

/// The domains of a crawl, as requested of the process that holds the data.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct DomainsRequest {
    pub(super) selector: CrawlSelectorArgs,
    pub(super) json: bool,
}

pub(super) fn perform(request: &DomainsRequest, context: &mut ReadContext<'_>) -> anyhow::Result<CommandEnd> {
    let (data_dir, record) = find_crawl::find_at(context.access.data(), &request.selector)?;
    let config = context.settings.load_crawl(&data_dir, &record)?;
    let crawl = context.access.crawl(&config, &data_dir.crawl(record.id))?;
    let now_ms = clock::now_ms();
    let mut domains = read_domains(&config, (*crawl).as_ref(), now_ms)?;
    domains.sort_by_key(|domain| Reverse(domain.queued));
    let bottleneck = CrawlBottleneck::find(&domains, now_ms);
    if request.json {
        context.print_json(&serde_json::json!({ "domains": domains, "bottleneck": bottleneck }))?;
    } else {
        context.print(&render(&domains, bottleneck.as_ref()))?;
    }
    Ok(CommandEnd::default())
}

const HEADER: [&str; 11] =
    ["domain", "queued", "documents", "RDF", "2xx", "3xx", "4xx", "5xx", "faults", "delay", "state"];

fn render(domains: &[DomainState], bottleneck: Option<&CrawlBottleneck>) -> String {
    let rows: Vec<[String; 11]> = domains.iter().map(row).collect();
    let header = HEADER.map(str::to_owned);
    let mut widths = [0; 11];
    for row in rows.iter().chain([&header]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = bottleneck.map_or(String::new(), |bottleneck| format!("{}\n\n", bottleneck.text));
    for row in [&header].into_iter().chain(&rows) {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            // Names and texts are aligned left, numbers right.
            let _ = match column {
                0 | 9 | 10 => write!(line, "{cell:<width$}  "),
                _ => write!(line, "{cell:>width$}  "),
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn row(domain: &DomainState) -> [String; 11] {
    let counts = &domain.counts;
    let classes = counts.statuses_by_class();
    let class = |name: &str| classes.get(name).copied().unwrap_or_default().to_string();
    let source = match domain.delay_source {
        DelaySource::Setting => "setting",
        DelaySource::RobotsTxt => "robots.txt",
    };
    [
        single_line(&domain.domain).into_owned(),
        domain.queued.to_string(),
        counts.documents.to_string(),
        counts.rdf_share().map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share * 100.0)),
        class("2xx"),
        class("3xx"),
        class("4xx"),
        class("5xx"),
        counts.faults().to_string(),
        format!("{} s ({source})", domain.delay_seconds),
        state_text(domain),
    ]
}

/// Why a domain waits or is closed, and whether it may be a trap.
fn state_text(domain: &DomainState) -> String {
    let mut parts = Vec::new();
    if let Some(reason) = domain.closed {
        parts.push(format!("closed: {reason}"));
    }
    if let (Some(until_ms), Some(reason)) = (domain.limited_until_ms, domain.limited_by) {
        parts.push(format!("rate-limited until {}: {reason}", format_iso8601(until_ms)));
    }
    if domain.is_possible_trap {
        parts.push("possible trap".to_owned());
    }
    parts.join(", ")
}
