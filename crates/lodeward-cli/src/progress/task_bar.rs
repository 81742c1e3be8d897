//! The progress of a task other than a crawl: a bar with rate and time left, or plain lines.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lodeward_app::display_text::{counted, size_text};

use super::duration_text::duration_text;
use super::limits::to_f64;
use super::reporter::LINE_INTERVAL;
use super::{ProgressMode, print_stderr, show_bar};
use crate::clock;

/// What a task counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskUnit {
    Bytes,
    /// Things with this name in the singular.
    Items(&'static str),
}

/// Shows the progress of a task; removed when dropped.
pub(crate) struct TaskBar {
    output: TaskOutput,
    unit: TaskUnit,
}

enum TaskOutput {
    Bar(ProgressBar),
    Lines(Mutex<TaskLines>),
    Nothing,
}

/// When plain lines are printed.
struct TaskLines {
    started_ms: u64,
    printed_ms: u64,
}

impl TaskBar {
    pub(crate) fn new(mode: ProgressMode, unit: TaskUnit) -> Self {
        let output = match mode {
            ProgressMode::None => TaskOutput::Nothing,
            ProgressMode::Lines => {
                let now_ms = clock::now_ms();
                TaskOutput::Lines(Mutex::new(TaskLines { started_ms: now_ms, printed_ms: now_ms }))
            }
            ProgressMode::Live => {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                show_bar(Some(bar.clone()));
                TaskOutput::Bar(bar)
            }
        };
        Self { output, unit }
    }

    /// Shows how much is done, of a known total or of an unknown one.
    pub(crate) fn show(&self, done: u64, total: Option<u64>, message: &str) {
        match &self.output {
            TaskOutput::Bar(bar) => {
                if bar.length() != total || bar.position() == 0 {
                    bar.set_style(self.style(total.is_some()));
                    match total {
                        Some(total) => bar.set_length(total),
                        None => bar.unset_length(),
                    }
                }
                bar.set_message(message.to_owned());
                bar.set_position(done);
            }
            TaskOutput::Lines(lines) => {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                let now_ms = clock::now_ms();
                if Duration::from_millis(now_ms.saturating_sub(lines.printed_ms)) >= LINE_INTERVAL {
                    lines.printed_ms = now_ms;
                    let elapsed = Duration::from_millis(now_ms.saturating_sub(lines.started_ms));
                    print_stderr(&(task_line(self.unit, done, total, elapsed, message) + "\n"));
                }
            }
            TaskOutput::Nothing => {}
        }
    }

    /// Removes the bar.
    pub(crate) fn clear(&self) {
        if let TaskOutput::Bar(bar) = &self.output {
            bar.finish_and_clear();
            show_bar(None);
        }
    }

    fn style(&self, has_total: bool) -> ProgressStyle {
        let (done, total, rate) = match self.unit {
            TaskUnit::Bytes => ("{decimal_bytes}".to_owned(), "{decimal_total_bytes}", "{decimal_bytes_per_sec}"),
            TaskUnit::Items(noun) => (format!("{{pos}} {noun}s"), "{len}", "{per_sec}"),
        };
        let template = if has_total {
            format!("{{bar:24}} {{percent}}% of {total}, {rate}, {{eta}} left {{wide_msg}}")
        } else {
            format!("{{spinner}} {done}, {rate} {{wide_msg}}")
        };
        ProgressStyle::with_template(&template).expect("valid template")
    }
}

impl Drop for TaskBar {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The progress of a task in one line.
fn task_line(unit: TaskUnit, done: u64, total: Option<u64>, elapsed: Duration, message: &str) -> String {
    let amount = |count: u64| match unit {
        TaskUnit::Bytes => size_text(count),
        TaskUnit::Items(noun) => counted(count, noun),
    };
    let seconds = elapsed.as_secs_f64();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate is positive and small")]
    let per_second = if seconds > 0.0 { (to_f64(done) / seconds) as u64 } else { 0 };
    let message = if message.is_empty() { String::new() } else { format!("; {message}") };
    let left = total.and_then(|total| total.saturating_sub(done).checked_div(per_second));
    let left = left.map_or_else(String::new, |left| format!(", {} left", duration_text(Duration::from_secs(left))));
    let done = match total {
        Some(total) if total > 0 => format!("{}% of {}", done.saturating_mul(100) / total, amount(total)),
        _ => amount(done),
    };
    format!("{done}, {}/s{left}{message}", amount(per_second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_share_rate_and_time_left() {
        let check = |unit, done, total, expected: &str| {
            assert_eq!(task_line(unit, done, total, Duration::from_secs(10), ""), expected);
        };

        check(TaskUnit::Bytes, 20_000_000, Some(100_000_000), "20% of 100 MB, 2.0 MB/s, 40s left");
        check(TaskUnit::Items("statement"), 10, None, "10 statements, 1 statement/s");
        check(TaskUnit::Items("document"), 0, Some(7), "0% of 7 documents, 0 documents/s");
    }
}
