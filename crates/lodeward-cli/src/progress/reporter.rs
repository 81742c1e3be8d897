//! Shows the progress of a crawl in the selected mode.

use std::time::Duration;

use lodeward::engine::EndTask;

use super::live_view::{LiveView, ViewSources};
use super::snapshot::ProgressSnapshot;
use super::{ProgressMode, print_stderr};

/// Time between two plain lines.
pub(super) const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Shows snapshots on standard error. The caller decides when.
pub(crate) struct ProgressReporter(ProgressOutput);

enum ProgressOutput {
    Live(Box<LiveView>),
    Lines { last: Option<Duration>, task: Option<EndTask> },
    Nothing,
}

impl ProgressReporter {
    pub(crate) fn new(mode: ProgressMode, sources: ViewSources) -> Self {
        Self(match mode {
            ProgressMode::None => ProgressOutput::Nothing,
            ProgressMode::Lines => ProgressOutput::Lines { last: Some(Duration::ZERO), task: None },
            ProgressMode::Live => ProgressOutput::Live(Box::new(LiveView::new(sources))),
        })
    }

    /// Shows a snapshot.
    pub(crate) fn show(&mut self, snapshot: &ProgressSnapshot) {
        match &mut self.0 {
            ProgressOutput::Live(view) => view.show(snapshot),
            ProgressOutput::Lines { last, task } if is_due(*last, *task, snapshot) => {
                (*last, *task) = (Some(snapshot.elapsed), snapshot.ending.map(|ending| ending.task));
                print_stderr(&format!("{snapshot}\n"));
            }
            ProgressOutput::Lines { .. } | ProgressOutput::Nothing => {}
        }
    }

    /// Shows the last snapshot in a line that stays.
    pub(crate) fn finish(self, snapshot: &ProgressSnapshot) {
        if let ProgressOutput::Nothing = self.0 {
            return;
        }
        // A view is removed before the line is printed.
        drop(self.0);
        print_stderr(&format!("{snapshot}\n"));
    }
}

/// Whether a line is printed: after some time, and when the end of the crawl begins to wait for something else.
fn is_due(last: Option<Duration>, task: Option<EndTask>, snapshot: &ProgressSnapshot) -> bool {
    let is_new_task = snapshot.ending.is_some_and(|ending| ending.remaining > 0 && task != Some(ending.task));
    is_new_task || last.is_none_or(|last| snapshot.elapsed >= last + LINE_INTERVAL)
}

#[cfg(test)]
mod tests {
    use lodeward::engine::EndProgress;

    use super::*;

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
