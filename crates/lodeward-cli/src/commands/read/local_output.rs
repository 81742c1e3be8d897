//! The output of a command on this side: standard output, or a file, and standard error.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use lodeward_app::live::{LiveError, LiveSink};

use super::{ReadOutput, explain_live};
use crate::output_target::OutputTarget;
use crate::progress::print_stderr;

/// Standard output or a file, for data; standard error for notes.
pub(super) struct LocalOutput {
    target: OutputTarget,
    is_file: bool,
}

impl LocalOutput {
    pub(super) fn create(file: Option<&Path>) -> anyhow::Result<Self> {
        let is_file = file.is_some_and(|file| file != Path::new("-"));
        Ok(Self { target: OutputTarget::create(file)?, is_file })
    }

    pub(super) fn is_file(&self) -> bool {
        self.is_file
    }

    /// Completes the output of a command, and returns its exit code. An incomplete file is deleted.
    pub(super) fn end(mut self, code: u8, is_complete: bool, summary: Option<&str>) -> anyhow::Result<ExitCode> {
        let name = self.target.name();
        let completed = if is_complete { self.target.finish() } else { self.target.flush() };
        match completed {
            // The reader of the pipe has closed it, as `| head` does.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            completed => completed.with_context(|| format!("cannot write {name}"))?,
        }
        summary.into_iter().for_each(print_stderr);
        Ok(ExitCode::from(code))
    }

    /// The error of a request; `Ok` if the reader of the pipe has closed it.
    pub(super) fn explain(self, error: LiveError) -> anyhow::Result<()> {
        match error {
            LiveError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            LiveError::Output(error) => Err(error).with_context(|| format!("cannot write {}", self.target.name())),
            error => Err(explain_live(error)),
        }
    }
}

impl Write for LocalOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.target.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target.flush()
    }
}

impl ReadOutput for LocalOutput {
    fn note(&mut self, text: &str) {
        let _ = self.target.flush();
        print_stderr(text);
    }
}

impl LiveSink for LocalOutput {
    fn output(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.target.write_all(bytes)
    }

    fn note(&mut self, text: &str) {
        ReadOutput::note(self, text);
    }
}
