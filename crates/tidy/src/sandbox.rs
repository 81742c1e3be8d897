//! A temporary directory in which tests run a binary of the workspace.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A temporary directory and the binary that is run in it, without the environment of the test.
pub struct BinarySandbox {
    directory: TempDir,
    binary: &'static str,
}

/// The output of a command.
pub struct CommandOutput {
    /// What it wrote to standard output.
    pub output: String,
    /// What it wrote to standard error.
    pub errors: String,
    /// Its exit code; -1 if a signal has ended it.
    pub code: i32,
}

impl BinarySandbox {
    /// A sandbox for a binary: `env!("CARGO_BIN_EXE_name")`.
    #[must_use]
    pub fn new(binary: &'static str) -> Self {
        Self { directory: tempfile::tempdir().unwrap(), binary }
    }

    /// The path of a file in the sandbox.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    /// A command that is not started yet.
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.binary);
        command.current_dir(self.directory.path()).env_clear().env("COLUMNS", "100").args(arguments);
        command.stdin(Stdio::null());
        command
    }

    /// Runs a command.
    #[must_use]
    pub fn run(&self, arguments: &[&str]) -> CommandOutput {
        to_output(self.command(arguments).output().unwrap())
    }

    /// Runs a command with this standard input.
    #[must_use]
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> CommandOutput {
        self.write("input", input);
        let input = fs::File::open(self.path("input")).unwrap();
        to_output(self.command(arguments).stdin(input).output().unwrap())
    }

    /// Runs a command that must succeed, and returns its standard output.
    #[expect(clippy::must_use_candidate, reason = "some commands are run for their effect")]
    pub fn succeed(&self, arguments: &[&str]) -> String {
        let result = self.run(arguments);
        assert_eq!(result.code, 0, "{arguments:?}: {}", result.errors);
        result.output
    }

    /// The output of a command and its exit code, for snapshots.
    #[must_use]
    pub fn shown(&self, arguments: &[&str]) -> String {
        let CommandOutput { output, errors, code } = self.run(arguments);
        format!("{output}{errors}exit code {code}")
    }
}

fn to_output(output: Output) -> CommandOutput {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    CommandOutput { output: text(output.stdout), errors: text(output.stderr), code: output.status.code().unwrap_or(-1) }
}
