//! Checks documented commands against the clap definition of a program.

use clap::Command;
use clap::error::ErrorKind;

use crate::Repository;
use crate::commands::{DocCommand, documented};

/// Parses one command. clap returns help and version as errors, which are accepted. A command in a
/// sentence may omit required arguments; a command in a code block may not.
pub fn check_command(definition: &Command, command: &DocCommand) -> Result<(), clap::Error> {
    match definition.clone().try_get_matches_from(&command.argv) {
        Err(error) if command.fails && error.kind() == ErrorKind::ValueValidation => Ok(()),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(()),
            ErrorKind::MissingRequiredArgument
            | ErrorKind::MissingSubcommand
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                if command.is_inline =>
            {
                Ok(())
            }
            _ => Err(error),
        },
        Ok(_) => Ok(()),
    }
}

/// Checks every command of `program` in README and docs. Returns the number of commands, and a line
/// for each that does not parse.
#[must_use]
pub fn check_documented(repository: &Repository, program: &str, definition: &Command) -> (usize, Vec<String>) {
    let (mut checked, mut failures) = (0, Vec::new());
    for (page, command) in documented(repository, program) {
        checked += 1;
        if let Err(error) = check_command(definition, &command) {
            let reason = error.to_string();
            let reason = reason.lines().next().unwrap_or_default();
            failures.push(format!("{}:{}: {}: {reason}", page.path, command.line, command.argv.join(" ")));
        }
    }
    (checked, failures)
}
