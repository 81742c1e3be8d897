//! Errors of the command line: messages, hints and exit codes.

use std::process::ExitCode;

use lodeward_app::settings::SettingProblems;

/// An error that the user can fix by changing the command.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct EvalUsageError {
    message: String,
    hint: String,
}

impl EvalUsageError {
    pub(crate) fn new(message: String, hint: impl Into<String>) -> Self {
        Self { message, hint: hint.into() }
    }
}

/// The exit code for wrong usage, the same as that of clap.
const EXIT_USAGE: u8 = 2;

/// Prints an error and its hints; returns the exit code.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if let Some(problems) = error.downcast_ref::<SettingProblems>() {
        for problem in &problems.0 {
            print(&format!("{}: {}", problem.location, problem.message), problem.hint.as_deref());
        }
        return ExitCode::from(EXIT_USAGE);
    }
    let usage = error.downcast_ref::<EvalUsageError>();
    print(&format!("{error:#}"), usage.map(|usage| usage.hint.as_str()));
    if usage.is_some() { ExitCode::from(EXIT_USAGE) } else { ExitCode::FAILURE }
}

fn print(message: &str, hint: Option<&str>) {
    eprintln!("error: {message}");
    if let Some(hint) = hint {
        eprintln!("hint: {hint}");
    }
}
