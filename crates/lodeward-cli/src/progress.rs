//! Progress of a crawl on standard error, and printing.

use std::fmt;
use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lodeward::engine::{DiskShortage, EndProgress, EndTask};
use lodeward_app::disk_space::describe_shortage;
use lodeward_app::display_text::{escape_json, multi_line};

/// Prints text to standard error, without control characters of other sites. A closed pipe does not
/// stop a crawl.
pub(crate) fn print_stderr(text: &str) {
    let _ = std::io::stderr().write_all(multi_line(text).as_bytes());
}

/// Prints text to standard output, without control characters of other sites. A closed pipe is not an
/// error.
pub(crate) fn print_stdout(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(multi_line(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// Prints JSON to standard output.
pub(crate) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    print_stdout(&(escape_json(&serde_json::to_string_pretty(value)?).into_owned() + "\n"))
}

/// The counters of a crawl at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ProgressSnapshot {
    /// Number of requests sent.
    pub(crate) requests: u64,
    /// Number of documents fetched.
    pub(crate) documents: u64,
    /// Number of documents with RDF.
    pub(crate) rdf_documents: u64,
    /// Number of quads stored.
    pub(crate) quads: u64,
    /// Number of URIs in the queue.
    pub(crate) waiting: u64,
    /// Number of faults of all kinds.
    pub(crate) faults: u64,
    /// Time since the start of the run.
    pub(crate) elapsed: Duration,
    /// Recent documents per second.
    pub(crate) rate: f64,
    /// Why the crawl is paused, if there is not enough space on the disk.
    pub(crate) disk_shortage: Option<DiskShortage>,
    /// What the end of the crawl waits for.
    pub(crate) ending: Option<EndProgress>,
}

impl fmt::Display for ProgressSnapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requests, documents, rdf_documents, quads, waiting, faults, elapsed, rate, disk_shortage, ending } =
            self;
        write!(
            formatter,
            "{}s: {requests} requests, {documents} documents ({rdf_documents} with RDF), {quads} quads, {waiting} waiting, \
             {faults} faults, {rate:.1} documents/s",
            elapsed.as_secs()
        )?;
        if let Some(shortage) = disk_shortage {
            write!(formatter, "; {}", describe_shortage(*shortage))?;
        }
        ending.map_or(Ok(()), |ending| write!(formatter, "; {ending}"))
    }
}

/// Shows snapshots on standard error. The caller decides when.
pub(crate) struct ProgressReporter(ProgressOutput);

enum ProgressOutput {
    /// A progress bar, on a terminal.
    Bar(ProgressBar, ProgressMeasure),
    /// Plain lines, in a log or pipe.
    Lines { last: Option<Duration>, task: Option<EndTask> },
    /// No output, with `--quiet`.
    Nothing,
}

/// The count that the progress bar shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgressMeasure {
    /// Requests, up to this limit.
    Requests(u64),
    /// Documents, up to this limit.
    Documents(u64),
    /// No count, because no limit is set.
    Endless,
}

/// Time between two plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

impl ProgressReporter {
    /// A bar on a terminal, plain lines elsewhere.
    pub(crate) fn new(measure: ProgressMeasure, quiet: bool) -> Self {
        if quiet {
            return Self(ProgressOutput::Nothing);
        }
        if !std::io::stderr().is_terminal() {
            return Self(ProgressOutput::Lines { last: Some(Duration::ZERO), task: None });
        }
        let (length, template) = match measure {
            ProgressMeasure::Requests(length) | ProgressMeasure::Documents(length) => {
                (Some(length), "{bar:24} {percent}% {wide_msg}")
            }
            ProgressMeasure::Endless => (None, "{spinner} {wide_msg}"),
        };
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template(template).expect("valid template"));
        Self(ProgressOutput::Bar(bar, measure))
    }

    /// Shows a snapshot.
    pub(crate) fn show(&mut self, snapshot: &ProgressSnapshot) {
        match &mut self.0 {
            ProgressOutput::Bar(bar, measure) => {
                bar.set_position(measure.position(snapshot));
                bar.set_message(snapshot.to_string());
                bar.tick();
            }
            ProgressOutput::Lines { last, task } if is_due(*last, *task, snapshot) => {
                (*last, *task) = (Some(snapshot.elapsed), snapshot.ending.map(|ending| ending.task));
                print_stderr(&format!("{snapshot}\n"));
            }
            ProgressOutput::Lines { .. } | ProgressOutput::Nothing => {}
        }
    }

    /// Shows the last snapshot in a line that stays.
    pub(crate) fn finish(self, snapshot: &ProgressSnapshot) {
        match self.0 {
            ProgressOutput::Bar(bar, _) => {
                bar.finish_and_clear();
                print_stderr(&format!("{snapshot}\n"));
            }
            ProgressOutput::Lines { .. } => print_stderr(&format!("{snapshot}\n")),
            ProgressOutput::Nothing => {}
        }
    }
}

impl ProgressMeasure {
    fn position(self, snapshot: &ProgressSnapshot) -> u64 {
        match self {
            Self::Requests(limit) => snapshot.requests.min(limit),
            Self::Documents(limit) => snapshot.documents.min(limit),
            Self::Endless => snapshot.documents,
        }
    }
}

/// Whether a line is printed: after some time, and when the end of the crawl begins to wait for something else.
fn is_due(last: Option<Duration>, task: Option<EndTask>, snapshot: &ProgressSnapshot) -> bool {
    let is_new_task = snapshot.ending.is_some_and(|ending| ending.remaining > 0 && task != Some(ending.task));
    is_new_task || last.is_none_or(|last| snapshot.elapsed >= last + LINE_INTERVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_one_line() {
        let snapshot = ProgressSnapshot {
            requests: 120,
            documents: 100,
            rdf_documents: 80,
            quads: 9_000,
            waiting: 4_321,
            faults: 7,
            elapsed: Duration::from_millis(61_500),
            rate: 1.66,
            disk_shortage: None,
            ending: None,
        };

        assert_eq!(
            snapshot.to_string(),
            "61s: 120 requests, 100 documents (80 with RDF), 9000 quads, 4321 waiting, 7 faults, 1.7 documents/s"
        );

        let disk_shortage = Some(DiskShortage { free_bytes: 20_000_000, min_free_bytes: 500_000_000 });
        let ending = Some(EndProgress { task: EndTask::Followers, remaining: 12 });
        let ends = ProgressSnapshot { ending, ..snapshot };
        assert!(ends.to_string().ends_with("documents/s; ending: 12 documents to deliver"), "{ends}");
        let paused = ProgressSnapshot { disk_shortage, ..snapshot };
        assert!(
            paused.to_string().ends_with(
                "documents/s; paused: 20MB of disk space are free, less than 500MB (`store.min_free_space`)"
            ),
            "{paused}"
        );
    }

    #[test]
    fn plain_lines_are_five_seconds_apart() {
        let at = |seconds| ProgressSnapshot { elapsed: Duration::from_secs(seconds), ..ProgressSnapshot::default() };

        assert!(is_due(None, None, &at(0)));
        assert!(!is_due(Some(Duration::from_secs(3)), None, &at(7)));
        assert!(is_due(Some(Duration::from_secs(3)), None, &at(8)));
    }

    #[test]
    fn each_task_at_the_end_gets_a_line_at_once() {
        let last = Some(Duration::from_secs(3));
        let at_end = |task, remaining| ProgressSnapshot {
            elapsed: Duration::from_secs(4),
            ending: Some(EndProgress { task, remaining }),
            ..ProgressSnapshot::default()
        };

        assert!(is_due(last, None, &at_end(EndTask::Requests, 3)));
        assert!(!is_due(last, Some(EndTask::Requests), &at_end(EndTask::Requests, 2)));
        assert!(is_due(last, Some(EndTask::Requests), &at_end(EndTask::Followers, 7)));
        assert!(!is_due(last, Some(EndTask::Requests), &at_end(EndTask::Flush, 0)), "there is nothing to wait for");
    }
}
