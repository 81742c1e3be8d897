//! What people see: help, errors and exit codes of the real binary.

use std::path::Path;
use std::process::{Command, Output};

fn lodeward(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
    command.current_dir(folder).args(arguments).env_clear().env("COLUMNS", "100").envs(environment.iter().copied());
    command.output().unwrap()
}

/// Everything a command shows, and how it ends.
fn shown(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let output = lodeward(folder, arguments, environment);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    format!("{}{}exit code {}", text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

fn shown_anywhere(arguments: &[&str]) -> String {
    shown(tempfile::tempdir().unwrap().path(), arguments, &[])
}

#[test]
fn help_tells_what_there_is() {
    insta::assert_snapshot!("help", shown_anywhere(&["--help"]));
    insta::assert_snapshot!("help_crawl", shown_anywhere(&["crawl", "--help"]));
    insta::assert_snapshot!("help_seeds", shown_anywhere(&["seeds", "--help"]));
    insta::assert_snapshot!("help_templates", shown_anywhere(&["templates", "--help"]));
    insta::assert_snapshot!("help_extract", shown_anywhere(&["extract", "--help"]));
    insta::assert_snapshot!("help_explain", shown_anywhere(&["explain", "--help"]));
    insta::assert_snapshot!("help_status", shown_anywhere(&["status", "--help"]));
    insta::assert_snapshot!("help_rank", shown_anywhere(&["rank", "--help"]));
    insta::assert_snapshot!("help_candidates", shown_anywhere(&["candidates", "--help"]));
    insta::assert_snapshot!("help_candidates_keep", shown_anywhere(&["candidates", "keep", "--help"]));
    insta::assert_snapshot!("help_model_show", shown_anywhere(&["model", "show", "--help"]));
    insta::assert_snapshot!("help_model_merge", shown_anywhere(&["model", "merge", "--help"]));
    insta::assert_snapshot!("help_query", shown_anywhere(&["query", "--help"]));
    insta::assert_snapshot!("help_export", shown_anywhere(&["export", "--help"]));
    insta::assert_snapshot!("help_import", shown_anywhere(&["import", "--help"]));
    insta::assert_snapshot!("help_rebuild", shown_anywhere(&["rebuild", "--help"]));
    insta::assert_snapshot!("help_endpoint", shown_anywhere(&["endpoint", "--help"]));
    insta::assert_snapshot!("help_user", shown_anywhere(&["user", "--help"]));
    insta::assert_snapshot!("help_user_token", shown_anywhere(&["user", "token", "--help"]));
    insta::assert_snapshot!("help_serve", shown_anywhere(&["serve", "--help"]));
    insta::assert_snapshot!("help_health", shown_anywhere(&["health", "--help"]));
    insta::assert_snapshot!("help_backup", shown_anywhere(&["backup", "--help"]));
    insta::assert_snapshot!("help_restore", shown_anywhere(&["restore", "--help"]));
    insta::assert_snapshot!("help_drop", shown_anywhere(&["drop", "--help"]));
    insta::assert_snapshot!("help_eval_select", shown_anywhere(&["eval", "select", "--help"]));
}

#[test]
fn a_folder_that_is_no_recorded_web_is_told_what_it_needs() {
    insta::assert_snapshot!(shown_anywhere(&["eval", "select", "."]));
}

#[test]
fn wrong_strategies_are_told_before_anything_is_read() {
    let arguments = ["eval", "select", ".", "--strategy", "bsf", "--strategy", "bfs:nois=1", "--set", "select.l1=x"];

    insta::assert_snapshot!(shown_anywhere(&arguments));
}

#[test]
fn the_settings_are_printed_with_their_origins() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[politeness]\ndelay_ms = 500\n\n[fetch]\ncontact = \"me@a.example\"\n";
    std::fs::write(folder.path().join("lodeward.toml"), text).unwrap();
    let arguments = ["config", "--max-depth", "3", "--include", "a", "--include", "b", "--links", "rdf", "--stay"];

    let shown = shown(folder.path(), &arguments, &[("LODEWARD_FRONTIER_CACHE_MB", "64")]);

    insta::assert_snapshot!(shown);
}

#[test]
fn wrong_settings_are_told_all_at_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("other.toml"), "[crawl]\nmax_dept = 3\nlinks = 7\n").unwrap();

    let shown = shown(
        folder.path(),
        &["config", "--config", "other.toml", "--include", "(", "--concurrency", "0"],
        &[("LODEWARD_CRAWL_SEED", "x")],
    );

    insta::assert_snapshot!(shown);
}

#[test]
fn a_settings_file_that_is_named_must_exist() {
    insta::assert_snapshot!(shown_anywhere(&["config", "--config", "nowhere.toml"]));
}

#[test]
fn wrong_seeds_are_told_all_at_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("seeds.txt"), "http://a.example/\n\nftp://a.example/\nexample.org\n").unwrap();

    insta::assert_snapshot!(shown(folder.path(), &["crawl", "@seeds.txt", "urn:x", "seeds.txt"], &[]));
}

#[test]
fn a_crawl_of_the_web_needs_a_contact() {
    insta::assert_snapshot!(shown_anywhere(&["crawl", "http://a.example/"]));
}

#[test]
fn a_wrong_argument_is_wrong_usage() {
    insta::assert_snapshot!(shown_anywhere(&["crawl", "--max-depht", "3"]));
    insta::assert_snapshot!(shown_anywhere(&["extract", "--base", "nowhere"]));
    insta::assert_snapshot!(shown_anywhere(&["explain", "urn:x"]));
}

#[test]
fn whoever_closes_the_pipe_has_heard_enough() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["templates"][..], &["templates", "--json"], &["seeds", "http://a.example/"], &["config"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
        let ended = command.args(arguments).current_dir(folder.path()).stdout(writer).output().unwrap();

        assert_eq!(String::from_utf8_lossy(&ended.stderr), "", "{arguments:?}");
        assert!(ended.status.success(), "{arguments:?}");
    }
}
