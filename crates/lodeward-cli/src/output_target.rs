//! Outputs: standard output, or a file that gets its name when it is complete.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use lodeward_app::atomic_file::parent_dir;
use lodeward_app::output_file::OutputFile;

use crate::errors::UsageError;
use crate::terminal_writer::TerminalWriter;

/// Checks at the start that a file can be written at the end.
pub(crate) fn require_writable(file: Option<&Path>) -> Result<(), UsageError> {
    let Some(file) = file.filter(|file| !is_standard_output(file)) else { return Ok(()) };
    let directory = parent_dir(file);
    let error = |why: String| UsageError { message: format!("cannot write {}: {why}", file.display()), hint: None };
    if file.is_dir() {
        return Err(error("is a directory".to_owned()));
    }
    let metadata = directory.metadata().map_err(|why| error(format!("{}: {why}", directory.display())))?;
    if metadata.is_dir() { Ok(()) } else { Err(error(format!("{} is not a directory", directory.display()))) }
}

/// Whether a path means standard output.
pub(crate) fn is_standard_output(file: &Path) -> bool {
    file == Path::new("-")
}

/// Standard output, for data. On a terminal, control characters are escaped.
pub(crate) fn standard_output() -> Box<dyn Write> {
    if io::stdout().is_terminal() { Box::new(TerminalWriter::new(io::stdout())) } else { Box::new(io::stdout()) }
}

/// Whether output goes to a terminal, if it is written to this file.
pub(crate) fn is_terminal(file: Option<&Path>) -> bool {
    file.is_none_or(is_standard_output) && io::stdout().is_terminal()
}

const BUFFER_BYTES: usize = 128 << 10;

/// A writer that compresses by extension. [`OutputTarget::finish`] gives the file its name.
pub(crate) struct OutputTarget {
    path: PathBuf,
    stream: OutputStream,
}

enum OutputStream {
    Output(BufWriter<Box<dyn Write>>),
    File(Box<OutputFile>),
}

impl OutputTarget {
    /// Opens a file, or standard output if it is `-` or `None`.
    pub(crate) fn create(file: Option<&Path>) -> anyhow::Result<Self> {
        let Some(file) = file.filter(|file| !is_standard_output(file)) else {
            let stream = OutputStream::Output(BufWriter::with_capacity(BUFFER_BYTES, standard_output()));
            return Ok(Self { path: PathBuf::from("standard output"), stream });
        };
        require_writable(Some(file))?;
        let output = OutputFile::create(file).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(Self { path: file.to_owned(), stream: OutputStream::File(Box::new(output)) })
    }

    /// Completes the output. Without this, the file is deleted.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.stream {
            OutputStream::Output(mut output) => output.flush(),
            OutputStream::File(file) => file.finish(),
        }
    }

    /// Name in messages.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }
}

impl Write for OutputTarget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.stream {
            OutputStream::Output(output) => output.write(bytes),
            OutputStream::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.stream {
            OutputStream::Output(output) => output.flush(),
            OutputStream::File(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn written(directory: &Path, name: &str) -> Vec<u8> {
        let path = directory.join(name);
        let mut target = OutputTarget::create(Some(&path)).unwrap();
        target.write_all(b"some text").unwrap();
        assert!(!path.exists(), "the file exists before it is complete");
        target.finish().unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn the_extension_selects_the_compression() {
        let directory = tempfile::tempdir().unwrap();

        let mut gunzipped = Vec::new();
        flate2::read::GzDecoder::new(&*written(directory.path(), "a.nq.gz")).read_to_end(&mut gunzipped).unwrap();

        assert_eq!(gunzipped, b"some text");
        assert_eq!(written(directory.path(), "a.nq"), b"some text");
        assert_eq!(zstd::decode_all(&*written(directory.path(), "a.nq.zst")).unwrap(), b"some text");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 3);
    }

    #[test]
    fn an_unfinished_file_is_deleted() {
        let directory = tempfile::tempdir().unwrap();

        drop(OutputTarget::create(Some(&directory.path().join("a.nq"))).unwrap());

        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
