//! A temporary directory in which the binary is run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(crate) struct Sandbox(tempfile::TempDir);

/// The output of a command.
pub(crate) struct CommandOutput {
    pub(crate) output: String,
    pub(crate) errors: String,
    pub(crate) code: i32,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
        command.current_dir(self.0.path()).env_clear().env("COLUMNS", "100").args(arguments);
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        to_output(self.command(arguments).output().unwrap())
    }

    /// Runs a command with the given standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> CommandOutput {
        self.write("input", input);
        let input = std::fs::File::open(self.path("input")).unwrap();
        to_output(self.command(arguments).stdin(input).output().unwrap())
    }

    /// Runs a command that must succeed, and returns its standard output.
    pub(crate) fn succeed(&self, arguments: &[&str]) -> String {
        let result = self.run(arguments);
        assert_eq!(result.code, 0, "{arguments:?}: {}", result.errors);
        result.output
    }

    /// The result of a query of `data`: its rows, sorted, without the header.
    pub(crate) fn rows(&self, arguments: &[&str]) -> Vec<String> {
        let mut all = vec!["query", "--data", "data", "--format", "tsv"];
        all.extend(arguments);
        sorted(self.succeed(&all).lines().skip(1))
    }

    /// The output of a command and its exit code, for snapshots.
    pub(crate) fn shown(&self, arguments: &[&str]) -> String {
        let CommandOutput { output, errors, code } = self.run(arguments);
        format!("{output}{errors}exit code {code}")
    }
}

fn to_output(output: Output) -> CommandOutput {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    CommandOutput { output: text(output.stdout), errors: text(output.stderr), code: output.status.code().unwrap_or(-1) }
}

pub(crate) fn sorted<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// A file of this repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
