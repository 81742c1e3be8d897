//! The statements of a document, in memory or streamed from a segment.

use std::fmt;
use std::io::{BufReader, Cursor, ErrorKind, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use lodeward_rdf::read::canonical::{self, CanonicalLineError};
use oxrdf::{Quad, QuadRef};
use oxttl::NQuadsParser;
use oxttl::nquads::ReaderNQuadsParser;

use super::super::StoreError;
use super::super::segments::frame_stream;

/// Canonical N-Quads, one statement per line. Cheap to clone.
#[derive(Clone)]
pub struct DocumentStatements(StatementsSource);

#[derive(Clone)]
enum StatementsSource {
    /// A range of the bytes of a frame.
    InMemory { frame: Arc<[u8]>, lines: Range<usize> },
    /// Frames of a segment: a document too large for memory.
    Streamed { path: Arc<PathBuf>, bytes: Range<u64> },
}

impl DocumentStatements {
    /// No statements.
    #[must_use]
    pub(crate) fn empty() -> Self {
        Self::in_memory(Arc::from([]), 0..0)
    }

    /// Statements given as lines.
    #[must_use]
    pub fn from_lines(lines: &str) -> Self {
        Self::in_memory(Arc::from(lines.as_bytes()), 0..lines.len())
    }

    pub(in crate::store) fn in_memory(frame: Arc<[u8]>, lines: Range<usize>) -> Self {
        Self(StatementsSource::InMemory { frame, lines })
    }

    pub(in crate::store) fn streamed(path: Arc<PathBuf>, bytes: Range<u64>) -> Self {
        Self(StatementsSource::Streamed { path, bytes })
    }

    /// The lines, if they are in memory. A document of more than a few megabytes is not, and is
    /// read with [`read`](Self::read).
    #[must_use]
    pub fn lines(&self) -> Option<&[u8]> {
        match &self.0 {
            StatementsSource::InMemory { frame, lines } => Some(&frame[lines.clone()]),
            StatementsSource::Streamed { .. } => None,
        }
    }

    /// Reads the lines from the beginning. Holds at most one frame (a few megabytes) in memory.
    pub fn read(&self) -> Result<Box<dyn Read + Send>, StoreError> {
        match &self.0 {
            StatementsSource::InMemory { frame, lines } => {
                let (frame, lines) = (Arc::clone(frame), lines.clone());
                let mut cursor = Cursor::new(frame);
                cursor.set_position(lines.start as u64);
                Ok(Box::new(cursor.take(lines.len() as u64)))
            }
            StatementsSource::Streamed { path, bytes } => frame_stream(path, bytes.clone()),
        }
    }

    /// Passes all lines to `take`, in blocks of complete lines.
    pub fn for_each_block<E: From<StoreError>>(&self, take: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if let Some(lines) = self.lines() {
            return take(lines);
        }
        let mut reader = self.read()?;
        let mut buffer = vec![0; 256 << 10];
        // Bytes of an incomplete line, carried over to the next read.
        let mut held = 0;
        loop {
            if held == buffer.len() {
                buffer.resize(2 * held, 0);
            }
            let count = match reader.read(&mut buffer[held..]) {
                Ok(0) => return Ok(()),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(source) => return Err(StoreError::Read { path: self.path(), source }.into()),
            };
            let filled = held + count;
            let whole = memchr::memrchr(b'\n', &buffer[..filled]).map_or(0, |end| end + 1);
            take(&buffer[..whole])?;
            buffer.copy_within(whole..filled, 0);
            held = filled - whole;
        }
    }

    /// Passes all statements to `take`, without copies. Faster than [`quads`](Self::quads).
    pub fn for_each_quad<E: From<StoreError>>(
        &self,
        take: &mut impl FnMut(QuadRef<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let wrong =
            |error: CanonicalLineError| E::from(StoreError::Corrupted { path: self.path(), what: error.to_string() });
        self.for_each_block(&mut |lines| canonical::for_each_quad(lines, wrong, take))
    }

    /// The file with the statements, for errors.
    fn path(&self) -> PathBuf {
        match &self.0 {
            StatementsSource::InMemory { .. } => PathBuf::from("a document"),
            StatementsSource::Streamed { path, .. } => path.to_path_buf(),
        }
    }

    /// Parses the statements one by one.
    pub fn quads(&self) -> Result<StatementQuads, StoreError> {
        let path = self.path();
        let parser = NQuadsParser::new().for_reader(BufReader::with_capacity(64 << 10, self.read()?));
        Ok(StatementQuads { parser, path })
    }
}

impl fmt::Debug for DocumentStatements {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            StatementsSource::InMemory { lines, .. } => write!(formatter, "{} bytes", lines.len()),
            StatementsSource::Streamed { path, bytes } => write!(formatter, "{} at {bytes:?}", path.display()),
        }
    }
}

/// Iterator over statements.
pub struct StatementQuads {
    parser: ReaderNQuadsParser<BufReader<Box<dyn Read + Send>>>,
    path: PathBuf,
}

impl Iterator for StatementQuads {
    type Item = Result<Quad, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let failed =
            |error: oxttl::TurtleParseError| StoreError::Corrupted { path: self.path.clone(), what: error.to_string() };
        Some(self.parser.next()?.map_err(failed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "<http://a.example/s> <http://a.example/p> _:x <http://a.example/g> .\n";

    #[test]
    fn statements_can_be_read_again_and_again() {
        let statements = DocumentStatements::from_lines(&LINES.repeat(3));

        for _ in 0..2 {
            let quads: Vec<String> = statements.quads().unwrap().map(|quad| format!("{} .\n", quad.unwrap())).collect();
            assert_eq!(quads, [LINES; 3]);
        }
        assert_eq!(statements.lines().unwrap().len(), 3 * LINES.len());
    }

    #[test]
    fn a_malformed_line_is_an_error() {
        let statements = DocumentStatements::from_lines("<http://a.example/s> \n");

        assert!(matches!(statements.quads().unwrap().next(), Some(Err(StoreError::Corrupted { .. }))));
        let read = statements.for_each_quad(&mut |_| Ok::<_, StoreError>(()));
        assert!(matches!(read, Err(StoreError::Corrupted { .. })));
    }
}
