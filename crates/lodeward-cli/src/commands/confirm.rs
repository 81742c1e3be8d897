//! Confirmation of commands that delete.

use std::io::{self, BufRead as _, IsTerminal as _};

use crate::errors::UsageError;
use crate::progress::print_stderr;

/// Asks the user on the terminal. Without a terminal, --yes is required.
pub(super) fn confirm(question: &str) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        let message = format!("confirmation required: {question}");
        return Err(UsageError { message, hint: Some("pass --yes".to_owned()) }.into());
    }
    print_stderr(&format!("{question} [y/N] "));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
