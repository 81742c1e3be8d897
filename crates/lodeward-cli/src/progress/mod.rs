//! Progress on standard error, and printing.
//!
//! On a terminal, a crawl has a view that is updated in place ([`live_view`]), and other long work a
//! progress bar ([`task_bar`]); elsewhere both print plain lines. While a view is shown, everything
//! else that is printed to standard error appears above it.

mod duration_text;
mod limits;
mod live_view;
mod reporter;
mod snapshot;
mod task_bar;

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use clap::ValueEnum;
use indicatif::ProgressBar;
use lodeward_app::display_text::{escape_json, multi_line};

pub(crate) use limits::{LimitedCounts, ProgressLimits};
pub(crate) use live_view::ViewSources;
pub(crate) use reporter::ProgressReporter;
pub(crate) use snapshot::ProgressSnapshot;
pub(crate) use task_bar::{TaskBar, TaskUnit};

/// How progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    /// No progress
    #[default]
    None,
    /// A line every 5 seconds
    Lines,
    /// A view that is updated in place; lines if standard error is not a terminal
    Live,
}

impl ProgressMode {
    /// The requested mode, as far as standard error can show it.
    pub(crate) fn supported(requested: Option<Self>) -> Self {
        // A dumb terminal cannot move its cursor.
        let is_terminal = std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        match requested.unwrap_or(Self::Live) {
            Self::Live if !is_terminal => Self::Lines,
            mode => mode,
        }
    }
}

/// The view or bar that is shown.
static SHOWN_BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Makes everything that is printed appear above this bar.
fn show_bar(bar: Option<ProgressBar>) {
    *SHOWN_BAR.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

/// Writes bytes to standard error, above the view or bar that is shown.
pub(crate) fn write_stderr(bytes: &[u8]) -> std::io::Result<()> {
    let shown = SHOWN_BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let write = || std::io::stderr().write_all(bytes);
    match shown {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Prints text to standard error, without control characters of other sites. A closed pipe does not
/// stop a crawl.
pub(crate) fn print_stderr(text: &str) {
    let _ = write_stderr(multi_line(text).as_bytes());
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
