//! The pieces of a JSON text that is too long to be held.

use std::io::{self, Read};

use super::error::Error;
use super::json::NotJson;

/// What ends the reading of a stream early.
pub(super) enum Stop {
    /// The stream itself.
    Stream(io::Error),
    /// What is in it.
    Document(Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Stream(error)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Document(error)
    }
}

/// Takes the pieces of a JSON text from a stream.
pub(super) struct Pieces<R> {
    source: R,
    buffer: Vec<u8>,
    at: usize,
    /// How many bytes were before those in the buffer.
    passed: usize,
    bytes_max: usize,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(source: R, bytes_max: usize) -> Self {
        Self { source, buffer: Vec::new(), at: 0, passed: 0, bytes_max }
    }

    pub(super) fn stop<T>(&self, what: &'static str) -> Result<T, Stop> {
        Err(Error::not_json(&NotJson { at: self.offset(), what }).into())
    }

    /// Where the next byte is in the text.
    pub(super) fn offset(&self) -> usize {
        self.passed + self.at
    }

    /// Passes over the mark that says in which order bytes come.
    pub(super) fn skip_mark(&mut self) -> Result<(), Stop> {
        const MARK: &[u8] = "\u{feff}".as_bytes();
        self.peek()?;
        if self.buffer[self.at..].starts_with(MARK) {
            self.at += MARK.len();
        }
        Ok(())
    }

    /// Gets more of the stream, behind what is still to be taken. Whether there was any.
    fn fill(&mut self) -> io::Result<bool> {
        const STEP: usize = 64 << 10;
        self.passed += self.at;
        self.buffer.drain(..self.at);
        self.at = 0;
        let len = self.buffer.len();
        self.buffer.resize(len + STEP, 0);
        // Once at a time, so that what comes before an error is read before it.
        let result = loop {
            match self.source.read(&mut self.buffer[len..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        self.buffer.truncate(len + result.as_ref().map_or(0, |more| *more));
        Ok(result? > 0)
    }

    /// The next byte that is not white space, which is not taken yet.
    pub(super) fn peek(&mut self) -> Result<Option<u8>, Stop> {
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

    /// Takes a byte, if it is the next.
    pub(super) fn take(&mut self, byte: u8) -> Result<bool, Stop> {
        let is_next = self.peek()? == Some(byte);
        self.at += usize::from(is_next);
        Ok(is_next)
    }

    /// Takes a whole value. Whether it is one shows when it is parsed.
    pub(super) fn value(&mut self) -> Result<String, Stop> {
        if self.peek()?.is_none() {
            return self.stop("the text ends early");
        }
        let mut scan = Scan::default();
        let mut len = 0;
        loop {
            let rest = &self.buffer[self.at + len..];
            match rest.iter().position(|byte| scan.is_over_at(*byte)) {
                Some(more) => {
                    len += more + usize::from(scan.is_closed);
                    break;
                }
                None => len += rest.len(),
            }
            if len > self.bytes_max {
                return Err(Error::excess(format!("a piece of it is longer than {} bytes", self.bytes_max)).into());
            }
            if !self.fill()? {
                break;
            }
        }
        let bytes = self.buffer[self.at..self.at + len].to_vec();
        let text = String::from_utf8(bytes).or_else(|_| self.stop("not UTF-8"))?;
        self.at += len;
        Ok(text)
    }
}

/// Looks for the end of a value.
#[derive(Default)]
struct Scan {
    depth: usize,
    within: Within,
    /// The byte at the end is its own.
    is_closed: bool,
}

#[derive(Default, PartialEq, Eq)]
enum Within {
    #[default]
    Start,
    Value,
    String,
    Escape,
}

impl Scan {
    fn is_over_at(&mut self, byte: u8) -> bool {
        match (&self.within, byte) {
            (Within::String, b'\\') => self.within = Within::Escape,
            (Within::String, b'"') => {
                self.within = Within::Value;
                self.is_closed = self.depth == 0;
            }
            (Within::String, _) => {}
            (Within::Escape, _) | (_, b'"') => self.within = Within::String,
            (_, b'{' | b'[') => {
                self.within = Within::Value;
                self.depth += 1;
            }
            (_, b'}' | b']') if self.depth > 0 => {
                self.depth -= 1;
                self.is_closed = self.depth == 0;
            }
            (Within::Value, b',' | b'}' | b']' | b':' | b' ' | b'\t' | b'\n' | b'\r') => return self.depth == 0,
            _ => self.within = Within::Value,
        }
        self.is_closed
    }
}
