//! Help, errors and exit codes of the real binary.

use std::path::Path;
use std::process::{Command, Output};

fn lodeward(directory: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
    command.current_dir(directory).args(arguments).env_clear().env("COLUMNS", "100").envs(environment.iter().copied());
    command.output().unwrap()
}

/// The output of a command and its exit code.
fn shown(directory: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let output = lodeward(directory, arguments, environment);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    format!("{}{}exit code {}", text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

fn shown_anywhere(arguments: &[&str]) -> String {
    shown(tempfile::tempdir().unwrap().path(), arguments, &[])
}

#[test]
fn help_lists_commands_and_flags() {
    insta::assert_snapshot!("help", shown_anywhere(&["--help"]));
    insta::assert_snapshot!("help_crawl", shown_anywhere(&["crawl", "--help"]));
    insta::assert_snapshot!("help_crawl_short", shown_anywhere(&["crawl", "-h"]));
    insta::assert_snapshot!("help_seeds", shown_anywhere(&["seeds", "--help"]));
    insta::assert_snapshot!("help_templates", shown_anywhere(&["templates", "--help"]));
    insta::assert_snapshot!("help_extract", shown_anywhere(&["extract", "--help"]));
    insta::assert_snapshot!("help_explain", shown_anywhere(&["explain", "--help"]));
    insta::assert_snapshot!("help_status", shown_anywhere(&["status", "--help"]));
    insta::assert_snapshot!("help_crawls", shown_anywhere(&["crawls", "--help"]));
    insta::assert_snapshot!("help_log", shown_anywhere(&["log", "--help"]));
    insta::assert_snapshot!("help_delete", shown_anywhere(&["delete", "--help"]));
    insta::assert_snapshot!("help_completions", shown_anywhere(&["completions", "--help"]));
    insta::assert_snapshot!("help_man", shown_anywhere(&["man", "--help"]));
    insta::assert_snapshot!("help_rank", shown_anywhere(&["rank", "--help"]));
    insta::assert_snapshot!("help_candidates", shown_anywhere(&["candidates", "--help"]));
    insta::assert_snapshot!("help_candidates_keep", shown_anywhere(&["candidates", "keep", "--help"]));
    insta::assert_snapshot!("help_model_show", shown_anywhere(&["model", "show", "--help"]));
    insta::assert_snapshot!("help_model_merge", shown_anywhere(&["model", "merge", "--help"]));
    insta::assert_snapshot!("help_query", shown_anywhere(&["query", "--help"]));
    insta::assert_snapshot!("help_export", shown_anywhere(&["export", "--help"]));
    insta::assert_snapshot!("help_import", shown_anywhere(&["import", "--help"]));
    insta::assert_snapshot!("help_archive_rebuild", shown_anywhere(&["archive", "rebuild", "--help"]));
    insta::assert_snapshot!("help_user", shown_anywhere(&["user", "--help"]));
    insta::assert_snapshot!("help_user_token", shown_anywhere(&["user", "token", "--help"]));
    insta::assert_snapshot!("help_serve", shown_anywhere(&["serve", "--help"]));
    insta::assert_snapshot!("help_health", shown_anywhere(&["health", "--help"]));
    insta::assert_snapshot!("help_backup", shown_anywhere(&["backup", "--help"]));
    insta::assert_snapshot!("help_restore", shown_anywhere(&["restore", "--help"]));
    insta::assert_snapshot!("help_archive_drop", shown_anywhere(&["archive", "drop", "--help"]));
    insta::assert_snapshot!("help_config", shown_anywhere(&["config", "--help"]));
}

#[test]
fn completions_and_manual_pages_list_every_command() {
    let directory = tempfile::tempdir().unwrap();
    let printed = |arguments: &[&str]| String::from_utf8(lodeward(directory.path(), arguments, &[]).stdout).unwrap();

    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(&["completions", shell]);
        assert!(script.contains("--max-documents") || script.contains("max-documents"), "{shell}: {script}");
    }
    lodeward(directory.path(), &["man", "pages"], &[]);
    let page = |name: &str| std::fs::read_to_string(directory.path().join("pages").join(name)).unwrap();
    assert!(page("lodeward.1").contains("lodeward\\-crawl(1)"), "{}", page("lodeward.1"));
    assert!(page("lodeward-crawl.1").contains("max\\-documents"), "{}", page("lodeward-crawl.1"));
    assert!(directory.path().join("pages/lodeward-archive-rebuild.1").exists());
}

#[test]
fn the_version_names_the_commit() {
    let version = shown_anywhere(&["--version"]);
    let start = concat!("lodeward ", env!("CARGO_PKG_VERSION"));

    let rest = version.strip_prefix(start).unwrap_or_else(|| panic!("{version}"));
    let commit = rest.lines().next().unwrap().trim().trim_matches(['(', ')']);
    // Without git, for example in a source package, there is no commit.
    assert!(commit.chars().all(|digit| digit.is_ascii_hexdigit()), "{version}");
}

#[test]
fn a_flag_takes_one_value_and_leaves_the_next_seed() {
    let directory = tempfile::tempdir().unwrap();

    let shown = shown(directory.path(), &["crawl", "--follow", "owl:sameAs", "not-a-seed"], &[]);

    assert!(shown.contains("`not-a-seed`: not an absolute URL"), "{shown}");
}

#[test]
fn settings_are_printed_with_their_sources() {
    let directory = tempfile::tempdir().unwrap();
    let text = "[politeness]\ndelay = \"500ms\"\n\n[fetch]\ncontact = \"me@a.example\"\n";
    std::fs::write(directory.path().join("lodeward.toml"), text).unwrap();
    let arguments = [
        "config",
        "--set",
        "crawl.max_depth=3",
        "--set",
        "crawl.include=['a', 'b']",
        "--set",
        "crawl.links=rdf",
        "--set",
        "crawl.hops.strict=true",
    ];

    let shown = shown(directory.path(), &arguments, &[("LODEWARD_STORE_ARCHIVE_CACHE", "64MB")]);

    insta::assert_snapshot!(shown);
}

#[test]
fn a_flag_without_a_unit_is_rejected_with_a_hint() {
    let arguments =
        ["crawl", "http://a.example/", "--delay", "500", "--set", "crawl.strict=true", "--set", "crawl.stay"];
    insta::assert_snapshot!(shown_anywhere(&arguments));
    insta::assert_snapshot!("delay_without_a_unit", shown_anywhere(&arguments[..6]));
}

#[test]
fn all_invalid_settings_are_reported_at_once() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("other.toml"), "[crawl]\nmax_dept = 3\nlinks = 7\n").unwrap();

    let shown = shown(
        directory.path(),
        &[
            "config",
            "--config",
            "other.toml",
            "--set",
            "crawl.include=(",
            "--set",
            "politeness.max_concurrent_requests=0",
        ],
        &[("LODEWARD_CRAWL_RNG_SEED", "x")],
    );

    insta::assert_snapshot!(shown);
}

#[test]
fn a_given_settings_file_must_exist() {
    insta::assert_snapshot!(shown_anywhere(&["config", "--config", "nowhere.toml"]));
}

#[test]
fn all_invalid_seeds_are_reported_at_once() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("seeds.txt"), "http://a.example/\n\nftp://a.example/\nexample.org\n").unwrap();

    insta::assert_snapshot!(shown(directory.path(), &["crawl", "@seeds.txt", "urn:x", "seeds.txt"], &[]));
}

#[test]
fn a_crawl_of_the_web_needs_a_contact() {
    insta::assert_snapshot!(shown_anywhere(&["crawl", "http://a.example/"]));
}

#[test]
fn an_invalid_argument_is_a_usage_error() {
    insta::assert_snapshot!(shown_anywhere(&["crawl", "--max-depht", "3"]));
    insta::assert_snapshot!(shown_anywhere(&["extract", "--base", "nowhere"]));
    insta::assert_snapshot!(shown_anywhere(&["explain", "urn:x"]));
}

#[test]
fn extract_needs_a_base_only_for_relative_iris() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write("absolute.ttl", "<http://a.example/s> <http://a.example/p> 1 .");
    write("relative.ttl", "<http://a.example/s> <http://a.example/p> <o> , 2 .");

    let absolute = shown(directory.path(), &["extract", "absolute.ttl"], &[]);
    let relative = shown(directory.path(), &["extract", "relative.ttl"], &[]);
    let based = shown(directory.path(), &["extract", "relative.ttl", "--base", "http://b.example/d"], &[]);

    let integer = "http://www.w3.org/2001/XMLSchema#integer";
    let statement = |value: u32| format!("<http://a.example/s> <http://a.example/p> \"{value}\"^^<{integer}> .\n");
    assert_eq!(absolute, statement(1) + "exit code 0");
    let error = "error: statements with relative IRIs were left out: <o> needs a base\n\
                 hint: pass the URL of the document with --base\nexit code 2";
    assert_eq!(relative, statement(2) + error);
    assert!(based.contains("<http://b.example/o> <http://b.example/d> .") && based.ends_with("exit code 0"), "{based}");
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let directory = tempfile::tempdir().unwrap();
    for arguments in [&["templates"][..], &["templates", "--json"], &["seeds", "http://a.example/"], &["config"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
        let ended = command.args(arguments).current_dir(directory.path()).stdout(writer).output().unwrap();

        assert_eq!(String::from_utf8_lossy(&ended.stderr), "", "{arguments:?}");
        assert!(ended.status.success(), "{arguments:?}");
    }
}
