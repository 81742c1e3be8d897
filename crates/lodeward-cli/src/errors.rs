//! Errors of the command line: messages, hints and exit codes.

use std::fmt;
use std::io;
use std::process::ExitCode;

use lodeward::frontier::FrontierError;
use lodeward_app::crawl_dir::CrawlOpenError;
use lodeward_app::data_dir::DataDirError;
use lodeward_app::json_file::FileError;
use lodeward_app::{seeds, settings};

use crate::progress::print_stderr;

/// An error that the user can fix by changing the command or the settings.
#[derive(Debug)]
pub(crate) struct UsageError {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl fmt::Display for UsageError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for UsageError {}

/// Another process uses the data that a command needs.
#[derive(Debug)]
pub(crate) struct DataInUseError {
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl fmt::Display for DataInUseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for DataInUseError {}

/// A command was ended early, by the user or by a limit that the user set.
#[derive(Debug)]
pub(crate) struct InterruptedError {
    message: String,
    hint: Option<String>,
}

impl InterruptedError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// The user has pressed Ctrl-C.
    pub(crate) fn ctrl_c() -> Self {
        Self::new("stopped by Ctrl-C")
    }

    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for InterruptedError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for InterruptedError {}

/// A crawl ended without a document.
#[derive(Debug)]
pub(crate) struct EmptyCrawlError {
    pub(crate) message: String,
    /// One line per failed seed.
    pub(crate) seeds: Vec<String>,
    pub(crate) hint: Option<String>,
}

impl fmt::Display for EmptyCrawlError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        self.seeds.iter().try_for_each(|seed| write!(formatter, "\n  {seed}"))
    }
}

impl std::error::Error for EmptyCrawlError {}

/// An error with a hint.
#[derive(Debug)]
pub(crate) struct HintedError {
    pub(crate) error: anyhow::Error,
    pub(crate) hint: String,
}

impl fmt::Display for HintedError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:#}", self.error)
    }
}

impl std::error::Error for HintedError {}

/// The hint for an address that cannot be bound.
pub(crate) fn listen_hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            "another program listens on this port; set another one with --listen, or port 0 for any free port"
        }
        io::ErrorKind::AddrNotAvailable => "this machine has no such IP address; set another one with --listen",
        io::ErrorKind::PermissionDenied => "ports below 1024 may need more privileges; set another port with --listen",
        _ => "set another address with --listen",
    }
}

/// The exit code for wrong usage, the same as that of clap.
const EXIT_USAGE: u8 = 2;

/// The exit code of an interrupted command.
pub(crate) const EXIT_INTERRUPTED: u8 = 3;

/// The exit code of a crawl that ended without a document.
const EXIT_EMPTY: u8 = 4;

/// Adds a hint to the error of a crawl whose state is damaged.
pub(crate) fn explain_damage(error: CrawlOpenError) -> anyhow::Error {
    if !matches!(error, CrawlOpenError::Damaged { .. }) {
        return error.into();
    }
    let hint = "restore the crawl from a backup, or run `lodeward repair` to go back to the last change before the \
                damage; `lodeward query --no-catch-up` reads the archive meanwhile";
    HintedError { error: error.into(), hint: hint.to_owned() }.into()
}

/// The exit code of a command that has succeeded with a part of damaged data.
pub(crate) const EXIT_DAMAGED: u8 = 5;

/// The exit code of a command that has failed.
const EXIT_FAILED: u8 = 1;

/// Prints an error and its hints; returns the exit code.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    print_stderr(&error_text(error));
    ExitCode::from(exit_code(error))
}

/// An error and its hints, one line each.
pub(crate) fn error_text(error: &anyhow::Error) -> String {
    message_lines(error).join("\n") + "\n"
}

/// The exit code of a command that has ended with an error.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    let is_usage = error.is::<UsageError>()
        || error.is::<DataInUseError>()
        || error.is::<settings::SettingProblems>()
        || error.is::<seeds::SeedProblems>();
    if is_usage {
        EXIT_USAGE
    } else if error.is::<InterruptedError>() {
        EXIT_INTERRUPTED
    } else if error.is::<EmptyCrawlError>() {
        EXIT_EMPTY
    } else {
        EXIT_FAILED
    }
}

fn message_lines(error: &anyhow::Error) -> Vec<String> {
    if let Some(problems) = error.downcast_ref::<settings::SettingProblems>() {
        let problems = problems.0.iter();
        return problems
            .flat_map(|p| error_lines(&format!("{}: {}", p.location, p.message), p.hint.as_deref()))
            .collect();
    }
    if let Some(problems) = error.downcast_ref::<seeds::SeedProblems>() {
        let location = |problem: &seeds::SeedProblem| {
            problem.location.as_ref().map_or(String::new(), |place| format!("{place}: "))
        };
        let to_lines = |problem| error_lines(&(location(problem) + &problem.message), problem.hint.as_deref());
        let mut lines: Vec<String> = problems.first().iter().flat_map(to_lines).collect();
        lines.extend(
            (problems.hidden_count() > 0).then(|| format!("error: and {} more problems", problems.hidden_count())),
        );
        return lines;
    }
    let usage_hint = || error.downcast_ref::<UsageError>().and_then(|usage| usage.hint.as_deref());
    let interrupted_hint = || error.downcast_ref::<InterruptedError>().and_then(|error| error.hint.as_deref());
    let empty_hint = || error.downcast_ref::<EmptyCrawlError>().and_then(|error| error.hint.as_deref());
    let in_use_hint = || error.downcast_ref::<DataInUseError>().map(|error| error.hint.as_str());
    let attached_hint = || error.downcast_ref::<HintedError>().map(|hinted| hinted.hint.as_str());
    let format_hint = || error.chain().find_map(|cause| damage_hint(cause.downcast_ref::<DataDirError>()?));
    let hint = usage_hint()
        .or_else(in_use_hint)
        .or_else(interrupted_hint)
        .or_else(empty_hint)
        .or_else(attached_hint)
        .or_else(format_hint);
    let hint = hint.or_else(|| error.chain().find_map(version_hint));
    error_lines(&format!("{error:#}"), hint)
}

/// The hint for a damaged file of a crawl.
fn damage_hint(error: &DataDirError) -> Option<&'static str> {
    if let DataDirError::Format { .. } = error {
        return Some("use another directory with --data, or the version of lodeward that wrote this one");
    }
    if let DataDirError::MissingSeeds(_) = error {
        return Some("restore the file from a backup, or pass all seeds to `lodeward crawl` again");
    }
    if let DataDirError::Seeds(_) = error {
        return Some("restore the file from a backup, or delete it and pass all seeds to `lodeward crawl` again");
    }
    let (DataDirError::File(file) | DataDirError::MaybeDamaged { source: file, .. }) = error else { return None };
    let is_damaged = matches!(file, FileError::Format { .. });
    is_damaged.then_some("restore the file from a backup, or move the directory of that crawl away")
}

/// The hint for a frontier of another format version.
fn version_hint(cause: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    match cause.downcast_ref::<CrawlOpenError>() {
        Some(CrawlOpenError::Frontier(error)) => error.hint(),
        _ => cause.downcast_ref::<FrontierError>()?.hint(),
    }
}

fn error_lines(what: &str, hint: Option<&str>) -> Vec<String> {
    std::iter::once(format!("error: {what}")).chain(hint.map(|hint| format!("hint: {hint}"))).collect()
}
