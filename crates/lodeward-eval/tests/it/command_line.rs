//! Help, errors and exit codes of the real binary.

use crate::new_sandbox;

#[test]
fn help_lists_commands_and_flags() {
    insta::assert_snapshot!("help", new_sandbox().shown(&["--help"]));
    insta::assert_snapshot!("help_select", new_sandbox().shown(&["select", "--help"]));
}

#[test]
fn a_directory_without_a_recorded_web_is_a_usage_error() {
    insta::assert_snapshot!(new_sandbox().shown(&["select", "."]));
}

#[test]
fn invalid_strategies_are_reported_before_reading() {
    let arguments = ["select", ".", "--strategy", "bsf", "--strategy", "bfs:nois=1", "--set", "l1=x"];

    insta::assert_snapshot!(new_sandbox().shown(&arguments));
}
