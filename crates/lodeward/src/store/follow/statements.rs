//! The statements of a document, held or streamed.

use std::fmt;
use std::io::{BufReader, Cursor, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use oxrdf::Quad;
use oxttl::NQuadsParser;
use oxttl::nquads::ReaderNQuadsParser;

use super::super::StoreError;
use super::super::segments::frame_stream;

/// N-Quads, one statement a line, canonical. Cheap to clone.
#[derive(Clone)]
pub struct Statements(Source);

#[derive(Clone)]
enum Source {
    /// Some of the bytes of a frame.
    Held { frame: Arc<[u8]>, lines: Range<usize> },
    /// Frames of a segment: a document that is too large to hold.
    Streamed { path: Arc<PathBuf>, bytes: Range<u64> },
}

impl Statements {
    /// No statements.
    #[must_use]
    pub fn none() -> Self {
        Self::held(Arc::from([]), 0..0)
    }

    /// These lines.
    #[must_use]
    pub fn from_lines(lines: &str) -> Self {
        Self::held(Arc::from(lines.as_bytes()), 0..lines.len())
    }

    pub(in crate::store) fn held(frame: Arc<[u8]>, lines: Range<usize>) -> Self {
        Self(Source::Held { frame, lines })
    }

    pub(in crate::store) fn streamed(path: Arc<PathBuf>, bytes: Range<u64>) -> Self {
        Self(Source::Streamed { path, bytes })
    }

    /// The lines, if they are in memory. A document of more than a few megabytes
    /// is not, and has to be [read](Self::read).
    #[must_use]
    pub fn lines(&self) -> Option<&[u8]> {
        match &self.0 {
            Source::Held { frame, lines } => Some(&frame[lines.clone()]),
            Source::Streamed { .. } => None,
        }
    }

    /// Reads the lines, from the beginning each time this is called. Holds one
    /// frame of a few megabytes at most.
    pub fn read(&self) -> Result<Box<dyn Read + Send>, StoreError> {
        match &self.0 {
            Source::Held { frame, lines } => {
                let (frame, lines) = (Arc::clone(frame), lines.clone());
                let mut cursor = Cursor::new(frame);
                cursor.set_position(lines.start as u64);
                Ok(Box::new(cursor.take(lines.len() as u64)))
            }
            Source::Streamed { path, bytes } => frame_stream(path, bytes.clone()),
        }
    }

    /// Reads the statements one after the other.
    pub fn quads(&self) -> Result<Quads, StoreError> {
        let path = match &self.0 {
            Source::Held { .. } => PathBuf::from("a document"),
            Source::Streamed { path, .. } => path.to_path_buf(),
        };
        let parser = NQuadsParser::new().for_reader(BufReader::with_capacity(64 << 10, self.read()?));
        Ok(Quads { parser, path })
    }
}

impl fmt::Debug for Statements {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Held { lines, .. } => write!(formatter, "{} bytes", lines.len()),
            Source::Streamed { path, bytes } => write!(formatter, "{} at {bytes:?}", path.display()),
        }
    }
}

/// Statements, one after the other.
pub struct Quads {
    parser: ReaderNQuadsParser<BufReader<Box<dyn Read + Send>>>,
    path: PathBuf,
}

impl Iterator for Quads {
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
        let statements = Statements::from_lines(&LINES.repeat(3));

        for _ in 0..2 {
            let quads: Vec<String> = statements.quads().unwrap().map(|quad| format!("{} .\n", quad.unwrap())).collect();
            assert_eq!(quads, [LINES; 3]);
        }
        assert_eq!(statements.lines().unwrap().len(), 3 * LINES.len());
    }

    #[test]
    fn what_is_no_statement_is_an_error() {
        let statements = Statements::from_lines("<http://a.example/s> \n");

        assert!(matches!(statements.quads().unwrap().next(), Some(Err(StoreError::Corrupted { .. }))));
    }
}
