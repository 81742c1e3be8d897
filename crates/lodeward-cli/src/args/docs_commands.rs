//! Tests that the commands in README and docs can be parsed.

use clap::CommandFactory as _;
use tidy::Repository;
use tidy::clap_check::{check_command, check_documented};
use tidy::commands::commands_in;

use super::Cli;

#[test]
fn documented_commands_parse() {
    let (checked, failures) = check_documented(&Repository::read().unwrap(), "lodeward", &Cli::command());
    assert!(checked > 50, "only {checked} commands found");
    assert!(failures.is_empty(), "documented commands that do not parse:\n{}", failures.join("\n"));
}

#[test]
fn a_wrong_flag_is_found() {
    let check = |text: &str| check_command(&Cli::command(), &commands_in(&format!("```sh\n{text}\n```")).remove(0));
    assert!(check("lodeward crawl https://example.org/ --no-such-flag").is_err());
    assert!(check("lodeward no-such-command").is_err());
    assert!(check("lodeward crawl --help").is_ok());
}
