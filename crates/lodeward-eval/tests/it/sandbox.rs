//! A temporary directory in which the binary is run.

use std::path::PathBuf;
use std::process::{Command, Stdio};

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

    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward-eval"));
        command.current_dir(self.0.path()).env_clear().env("COLUMNS", "100").args(arguments).stdin(Stdio::null());
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let code = output.status.code().unwrap_or(-1);
        CommandOutput { output: text(output.stdout), errors: text(output.stderr), code }
    }

    /// Runs a command that must succeed, and returns its standard output.
    pub(crate) fn succeed(&self, arguments: &[&str]) -> String {
        let result = self.run(arguments);
        assert_eq!(result.code, 0, "{arguments:?}: {}", result.errors);
        result.output
    }

    /// The output of a command and its exit code, for snapshots.
    pub(crate) fn shown(&self, arguments: &[&str]) -> String {
        let CommandOutput { output, errors, code } = self.run(arguments);
        format!("{output}{errors}exit code {code}")
    }
}
