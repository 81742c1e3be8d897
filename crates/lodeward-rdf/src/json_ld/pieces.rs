//! Splitting a JSON text that is too long to be held in memory.

use std::io::{self, Read};

use super::error::JsonLdError;
use super::json::JsonSyntaxError;

/// Why reading of a stream ended early.
pub(super) enum StreamStop {
    /// An error of the stream.
    Stream(io::Error),
    /// An error of the document.
    Document(JsonLdError),
    /// The sink is closed.
    Closed,
}

impl From<io::Error> for StreamStop {
    fn from(error: io::Error) -> Self {
        Self::Stream(error)
    }
}

impl From<JsonLdError> for StreamStop {
    fn from(error: JsonLdError) -> Self {
        Self::Document(error)
    }
}

/// Reads the pieces of a JSON text from a stream.
pub(super) struct JsonPieces<R> {
    source: R,
    buffer: Vec<u8>,
    at: usize,
    /// The number of bytes before the buffer.
    passed: usize,
    max_bytes: usize,
}

impl<R: Read> JsonPieces<R> {
    pub(super) fn new(source: R, max_bytes: usize) -> Self {
        Self { source, buffer: Vec::new(), at: 0, passed: 0, max_bytes }
    }

    pub(super) fn fail<T>(&self, message: &'static str) -> Result<T, StreamStop> {
        Err(JsonLdError::from_syntax_error(&JsonSyntaxError { at: self.offset(), message }).into())
    }

    /// The offset of the next byte in the text.
    pub(super) fn offset(&self) -> usize {
        self.passed + self.at
    }

    /// Skips a byte order mark.
    pub(super) fn skip_bom(&mut self) -> Result<(), StreamStop> {
        const BOM: &[u8] = "\u{feff}".as_bytes();
        self.peek()?;
        if self.buffer[self.at..].starts_with(BOM) {
            self.at += BOM.len();
        }
        Ok(())
    }

    /// Reads more bytes of the stream into the buffer. Returns whether the stream had any.
    fn fill(&mut self) -> io::Result<bool> {
        const READ_BYTES: usize = 64 << 10;
        self.passed += self.at;
        self.buffer.drain(..self.at);
        self.at = 0;
        let len = self.buffer.len();
        self.buffer.resize(len + READ_BYTES, 0);
        // Only one read at a time, so that bytes before an error are processed before it.
        let result = loop {
            match self.source.read(&mut self.buffer[len..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        self.buffer.truncate(len + result.as_ref().map_or(0, |more| *more));
        Ok(result? > 0)
    }

    /// The next byte that is not white space, without consuming it.
    pub(super) fn peek(&mut self) -> Result<Option<u8>, StreamStop> {
        loop {
            let rest = &self.buffer[self.at..];
            if let Some(len) = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
                self.at += len;
                return Ok(Some(self.buffer[self.at]));
            }
            self.at = self.buffer.len();
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Consumes a byte, if it is the next.
    pub(super) fn consume(&mut self, byte: u8) -> Result<bool, StreamStop> {
        let is_next = self.peek()? == Some(byte);
        self.at += usize::from(is_next);
        Ok(is_next)
    }

    /// Reads the text of a whole value. It is validated only when it is parsed.
    pub(super) fn read_value(&mut self) -> Result<String, StreamStop> {
        if self.peek()?.is_none() {
            return self.fail("unexpected end of text");
        }
        let mut scan = ValueScan::default();
        let mut len = 0;
        loop {
            let rest = &self.buffer[self.at + len..];
            match rest.iter().position(|byte| scan.feed(*byte)) {
                Some(more) => {
                    len += more + usize::from(scan.is_closed);
                    break;
                }
                None => len += rest.len(),
            }
            if len > self.max_bytes {
                return Err(JsonLdError::limit_exceeded(format!(
                    "a part of the document is longer than {} bytes",
                    self.max_bytes
                ))
                .into());
            }
            if !self.fill()? {
                break;
            }
        }
        let bytes = self.buffer[self.at..self.at + len].to_vec();
        let text = String::from_utf8(bytes).or_else(|_| self.fail("invalid UTF-8"))?;
        self.at += len;
        Ok(text)
    }
}

/// Finds the end of a value.
#[derive(Default)]
struct ValueScan {
    depth: usize,
    state: ScanState,
    /// The value ends with the last scanned byte, not before it.
    is_closed: bool,
}

#[derive(Default, PartialEq, Eq)]
enum ScanState {
    #[default]
    Start,
    Value,
    String,
    Escape,
}

impl ValueScan {
    fn feed(&mut self, byte: u8) -> bool {
        match (&self.state, byte) {
            (ScanState::String, b'\\') => self.state = ScanState::Escape,
            (ScanState::String, b'"') => {
                self.state = ScanState::Value;
                self.is_closed = self.depth == 0;
            }
            (ScanState::String, _) => {}
            (ScanState::Escape, _) | (_, b'"') => self.state = ScanState::String,
            (_, b'{' | b'[') => {
                self.state = ScanState::Value;
                self.depth += 1;
            }
            (_, b'}' | b']') if self.depth > 0 => {
                self.depth -= 1;
                self.is_closed = self.depth == 0;
            }
            (ScanState::Value, b',' | b'}' | b']' | b':' | b' ' | b'\t' | b'\n' | b'\r') => return self.depth == 0,
            _ => self.state = ScanState::Value,
        }
        self.is_closed
    }
}
