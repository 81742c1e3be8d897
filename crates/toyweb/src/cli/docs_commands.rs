//! Tests that the commands in README and docs parse.

use clap::CommandFactory as _;
use clap::error::ErrorKind;
use tidy::Repository;
use tidy::commands::{DocCommand, documented};

use super::ToywebArguments;

/// Checks one command. clap returns help and version as errors, which are accepted. A command in a sentence may omit
/// required arguments; a command in a code block may not.
fn check(command: &DocCommand) -> Result<(), clap::Error> {
    match ToywebArguments::command().try_get_matches_from(&command.argv) {
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

#[test]
fn documented_commands_parse() {
    let repository = Repository::read().unwrap();
    let (mut checked, mut failures) = (0, Vec::new());
    for (page, command) in documented(&repository, "toyweb") {
        checked += 1;
        if let Err(error) = check(&command) {
            let reason = error.to_string();
            let reason = reason.lines().next().unwrap_or_default();
            failures.push(format!("{}:{}: {}: {reason}", page.path, command.line, command.argv.join(" ")));
        }
    }
    assert!(checked > 10, "only {checked} commands found");
    assert!(failures.is_empty(), "documented commands that do not parse:\n{}", failures.join("\n"));
}

#[test]
fn a_wrong_flag_is_found() {
    let command = |text: &str| tidy::commands::commands_in(&format!("```sh\n{text}\n```")).remove(0);
    assert!(check(&command("toyweb world --no-such-flag")).is_err());
    assert!(check(&command("toyweb no-such-command")).is_err());
    assert!(check(&command("toyweb world --help")).is_ok());
}
