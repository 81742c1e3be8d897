//! How far a crawl is, for whoever watches.

use std::fmt;
use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Says something on standard error. Nobody listening any more is no reason to
/// stop a crawl.
pub(crate) fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Says the answer on standard output. Who closes the pipe has heard enough.
pub(crate) fn answer(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// The same, as JSON.
pub(crate) fn answer_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    answer(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// A crawl at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Snapshot {
    /// Requests made.
    pub(crate) requests: u64,
    /// Documents had.
    pub(crate) documents: u64,
    /// Documents with RDF.
    pub(crate) relevant: u64,
    /// Quads stored.
    pub(crate) quads: u64,
    /// URIs that wait.
    pub(crate) waiting: u64,
    /// Visits that failed.
    pub(crate) faults: u64,
    /// Since the crawl began.
    pub(crate) elapsed: Duration,
    /// Documents a second, lately.
    pub(crate) rate: f64,
}

impl fmt::Display for Snapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requests, documents, relevant, quads, waiting, faults, elapsed, rate } = self;
        write!(
            formatter,
            "{}s: {requests} requests, {documents} documents ({relevant} with RDF), {quads} quads, {waiting} waiting, \
             {faults} faults, {rate:.1} documents/s",
            elapsed.as_secs()
        )
    }
}

/// Shows snapshots on standard error. Has no clock of its own.
pub(crate) struct Progress(Shown);

enum Shown {
    /// Somebody watches.
    Bar(ProgressBar, Measure),
    /// Somebody may look it up later.
    Lines { last: Option<Duration> },
    /// Nobody wants to know.
    Nothing,
}

/// What the bar measures: the limit that was set, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Requests, of so many.
    Requests(u64),
    /// Documents, of so many.
    Documents(u64),
    /// There is no end to measure against.
    Endless,
}

/// From one plain line to the next.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

impl Progress {
    /// A bar on a terminal, plain lines elsewhere.
    pub(crate) fn begin(measure: Measure, quiet: bool) -> Self {
        if quiet {
            return Self(Shown::Nothing);
        }
        if !std::io::stderr().is_terminal() {
            return Self(Shown::Lines { last: Some(Duration::ZERO) });
        }
        let (length, template) = match measure {
            Measure::Requests(length) | Measure::Documents(length) => (Some(length), "{bar:24} {percent}% {wide_msg}"),
            Measure::Endless => (None, "{spinner} {wide_msg}"),
        };
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template(template).expect("a template of ours"));
        Self(Shown::Bar(bar, measure))
    }

    /// Shows how far the crawl is.
    pub(crate) fn show(&mut self, snapshot: &Snapshot) {
        match &mut self.0 {
            Shown::Bar(bar, measure) => {
                bar.set_position(measure.position(snapshot));
                bar.set_message(snapshot.to_string());
                bar.tick();
            }
            Shown::Lines { last } if is_due(*last, snapshot.elapsed) => {
                *last = Some(snapshot.elapsed);
                say(&format!("{snapshot}\n"));
            }
            Shown::Lines { .. } | Shown::Nothing => {}
        }
    }

    /// Shows how the crawl ended, in a line that stays.
    pub(crate) fn finish(self, snapshot: &Snapshot) {
        match self.0 {
            Shown::Bar(bar, _) => {
                bar.finish_and_clear();
                say(&format!("{snapshot}\n"));
            }
            Shown::Lines { .. } => say(&format!("{snapshot}\n")),
            Shown::Nothing => {}
        }
    }
}

impl Measure {
    fn position(self, snapshot: &Snapshot) -> u64 {
        match self {
            Self::Requests(limit) => snapshot.requests.min(limit),
            Self::Documents(limit) => snapshot.documents.min(limit),
            Self::Endless => snapshot.documents,
        }
    }
}

fn is_due(last: Option<Duration>, now: Duration) -> bool {
    last.is_none_or(|last| now >= last + LINE_INTERVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_one_line() {
        let snapshot = Snapshot {
            requests: 120,
            documents: 100,
            relevant: 80,
            quads: 9_000,
            waiting: 4_321,
            faults: 7,
            elapsed: Duration::from_millis(61_500),
            rate: 1.66,
        };

        assert_eq!(
            snapshot.to_string(),
            "61s: 120 requests, 100 documents (80 with RDF), 9000 quads, 4321 waiting, 7 faults, 1.7 documents/s"
        );
    }

    #[test]
    fn lines_are_some_seconds_apart() {
        let seconds = Duration::from_secs;

        assert!(is_due(None, seconds(0)));
        assert!(!is_due(Some(seconds(3)), seconds(7)));
        assert!(is_due(Some(seconds(3)), seconds(8)));
    }
}
