//! Help, errors and exit codes of the real binary.

use crate::sandbox::Sandbox;

#[test]
fn help_lists_commands_and_flags() {
    insta::assert_snapshot!("help", Sandbox::new().shown(&["--help"]));
    insta::assert_snapshot!("help_select", Sandbox::new().shown(&["select", "--help"]));
}

#[test]
fn a_directory_without_a_recorded_web_is_a_usage_error() {
    insta::assert_snapshot!(Sandbox::new().shown(&["select", "."]));
}

#[test]
fn invalid_strategies_are_reported_before_reading() {
    let arguments = ["select", ".", "--strategy", "bsf", "--strategy", "bfs:nois=1", "--set", "l1=x"];

    insta::assert_snapshot!(Sandbox::new().shown(&arguments));
}
