//! Tests that the commands in README and docs can be parsed.

use clap::CommandFactory as _;
use tidy::Repository;
use tidy::clap_check::check_documented;

use super::EvalCli;

#[test]
fn documented_commands_parse() {
    let (checked, failures) = check_documented(&Repository::read().unwrap(), "lodeward-eval", &EvalCli::command());
    assert!(checked > 20, "only {checked} commands found");
    assert!(failures.is_empty(), "documented commands that do not parse:\n{}", failures.join("\n"));
}
