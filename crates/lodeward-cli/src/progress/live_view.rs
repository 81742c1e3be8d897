//! The view of a running crawl on a terminal: some lines that are updated in place.
//!
//! `indicatif` draws them, and clears them before other output (decision 0080). A frame is text, and
//! depends only on the counters.

use std::fmt::Write as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lodeward_app::display_text::{counted, single_line, size_text};

use super::duration_text::duration_text;
use super::limits::{LimitedCounts, NextLimit, ProgressLimits, to_f64};
use super::show_bar;
use super::snapshot::ProgressSnapshot;
use crate::domain_activity::DomainActivity;
use crate::warning_counts::warnings;

/// Number of domains in a line.
const MAX_DOMAINS: usize = 4;

/// Number of characters of the bar.
const BAR_CHARS: usize = 24;

/// The width of a terminal that does not report it.
const DEFAULT_COLUMNS: usize = 80;

/// What a view shows besides the counters of the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct ViewSources {
    /// The name of the crawl.
    pub(crate) crawl: String,
    pub(crate) limits: ProgressLimits,
    /// The counts of earlier runs.
    pub(crate) before: LimitedCounts,
    pub(crate) activity: DomainActivity,
}

/// A view; removed from the terminal when dropped.
pub(super) struct LiveView {
    bar: ProgressBar,
    sources: ViewSources,
}

impl LiveView {
    pub(super) fn new(sources: ViewSources) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template("{msg}").expect("valid template"));
        show_bar(Some(bar.clone()));
        warnings().set_summarised(true);
        Self { bar, sources }
    }

    pub(super) fn show(&mut self, snapshot: &ProgressSnapshot) {
        let frame = ViewFrame {
            snapshot,
            sources: &self.sources,
            busiest: self.sources.activity.busiest(MAX_DOMAINS),
            slowest: self.sources.activity.slowest(MAX_DOMAINS),
            warnings: warnings().count(),
        };
        self.bar.set_message(frame.render(columns()));
        self.bar.tick();
    }
}

impl Drop for LiveView {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        show_bar(None);
        warnings().set_summarised(false);
    }
}

/// What is shown at one time.
struct ViewFrame<'a> {
    snapshot: &'a ProgressSnapshot,
    sources: &'a ViewSources,
    busiest: Vec<(String, u64)>,
    slowest: Vec<(String, Duration)>,
    warnings: u64,
}

impl ViewFrame<'_> {
    /// The lines, cut to the width of the terminal.
    fn render(&self, columns: usize) -> String {
        let snapshot = self.snapshot;
        let mut text = String::new();
        let mut line = |label: &str, value: &str| {
            let line = format!("{label:>10}  {}", single_line(value));
            // The last column is left free: a terminal may wrap there.
            let line: String = line.chars().take(columns.saturating_sub(1)).collect();
            let separator = if text.is_empty() { "" } else { "\n" };
            let _ = write!(text, "{separator}{line}");
        };
        let (requests, documents) = (counted(snapshot.requests, "request"), counted(snapshot.documents, "document"));
        let time = duration_text(snapshot.elapsed);
        line("crawl", &format!("{}, {time}: {requests}, {documents}", self.sources.crawl));
        line("rate", &format!("{:.1} documents/s, {}/s", snapshot.rate, size_text(snapshot.bytes_rate)));
        line("RDF", &rdf_text(snapshot));
        let waiting = format!("{} waiting, {} in flight", snapshot.waiting, snapshot.in_flight);
        line("queue", &format!("{waiting}, {}", counted(snapshot.domains, "domain")));
        line("problems", &self.problems_text());
        line("busiest", &domains_text(&self.busiest, |requests| counted(*requests, "request")));
        line("slowest", &domains_text(&self.slowest, |mean| format!("{:.1}s", mean.as_secs_f64())));
        let counts = self.sources.before.plus(snapshot);
        if let Some(next) = self.sources.limits.next(self.sources.before, counts, snapshot.elapsed) {
            line("limit", &limit_text(&next));
        }
        match snapshot.state_text() {
            state if state.is_empty() => {}
            state => line("state", &state),
        }
        text
    }

    fn problems_text(&self) -> String {
        let mut kinds: Vec<(&String, &u64)> = self.snapshot.faults_by_kind.iter().filter(|(_, n)| **n > 0).collect();
        kinds.sort_by(|one, other| other.1.cmp(one.1));
        let kinds: Vec<String> = kinds.iter().take(MAX_DOMAINS).map(|(kind, n)| format!("{kind} {n}")).collect();
        let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
        format!("{}{kinds}, {}", counted(self.snapshot.faults(), "fault"), counted(self.warnings, "warning"))
    }
}

impl LimitedCounts {
    fn plus(self, run: &ProgressSnapshot) -> Self {
        Self {
            requests: self.requests + run.requests,
            documents: self.documents + run.documents,
            rdf_documents: self.rdf_documents + run.rdf_documents,
            bytes: self.bytes + run.bytes,
        }
    }
}

fn rdf_text(snapshot: &ProgressSnapshot) -> String {
    let ProgressSnapshot { documents, rdf_documents, quads, .. } = snapshot;
    let percent = if *documents > 0 { 100.0 * to_f64(*rdf_documents) / to_f64(*documents) } else { 0.0 };
    format!("{percent:.0} % of documents ({rdf_documents} of {documents}), {}", counted(*quads, "quad"))
}

fn domains_text<T>(domains: &[(String, T)], value: impl Fn(&T) -> String) -> String {
    if domains.is_empty() {
        return "-".to_owned();
    }
    let domains: Vec<String> = domains.iter().map(|(domain, count)| format!("{domain} {}", value(count))).collect();
    domains.join(", ")
}

fn limit_text(next: &NextLimit) -> String {
    let NextLimit { share, limit, time_left } = next;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a share is between 0 and 1"
    )]
    let (full, percent) = ((share * BAR_CHARS as f64) as usize, (share * 100.0) as u64);
    let left = time_left.map_or_else(String::new, |left| format!(", {} left", duration_text(left)));
    format!("{}{} {percent} % of {limit}{left}", "█".repeat(full), "░".repeat(BAR_CHARS - full))
}

/// The width of the terminal.
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    size.map(|size| usize::from(size.ws_col)).ok().filter(|columns| *columns > 0).unwrap_or(DEFAULT_COLUMNS)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_frame_has_all_lines_and_fits_the_terminal() {
        let mut config = lodeward_app::settings::Config::default();
        config.crawl.max_requests = Some(480);
        let before = LimitedCounts { requests: 120, ..LimitedCounts::default() };
        let sources = ViewSources {
            crawl: "rivers".to_owned(),
            limits: ProgressLimits::new(&config),
            before,
            ..ViewSources::default()
        };
        let snapshot = ProgressSnapshot {
            requests: 120,
            documents: 100,
            rdf_documents: 80,
            quads: 9_000,
            waiting: 4_321,
            in_flight: 3,
            domains: 1,
            faults_by_kind: BTreeMap::from([("status".to_owned(), 2), ("timeout".to_owned(), 5)]),
            elapsed: Duration::from_mins(1),
            rate: 1.66,
            bytes_rate: 2_345_678,
            ..ProgressSnapshot::default()
        };
        let frame = ViewFrame {
            snapshot: &snapshot,
            sources: &sources,
            busiest: vec![("a.example".to_owned(), 70), ("b.example".to_owned(), 1)],
            slowest: vec![("c.example\u{1b}[2J".to_owned(), Duration::from_millis(3_210))],
            warnings: 1,
        };

        let bar = "█".repeat(12) + &"░".repeat(12);
        let expected = [
            "     crawl  rivers, 1m 0s: 120 requests, 100 documents".to_owned(),
            "      rate  1.7 documents/s, 2.3 MB/s".to_owned(),
            "       RDF  80 % of documents (80 of 100), 9000 quads".to_owned(),
            "     queue  4321 waiting, 3 in flight, 1 domain".to_owned(),
            "  problems  7 faults (timeout 5, status 2), 1 warning".to_owned(),
            "   busiest  a.example 70 requests, b.example 1 request".to_owned(),
            "   slowest  c.example\u{fffd}[2J 3.2s".to_owned(),
            format!("     limit  {bar} 50 % of 480 requests, 2m 0s left"),
        ];
        assert_eq!(frame.render(80), expected.join("\n"));
        assert!(frame.render(30).lines().all(|line| line.chars().count() < 30));
    }
}
