//! A reader with lookahead.

use std::io::{self, Read};

use crate::model::{Fault, FaultKind, StreamFault};

/// Number of bytes read from the inner reader at once.
const CHUNK_BYTES: usize = 32 << 10;

/// The input of one unpacking step: a body, a file in an archive, or the output of a decoder.
///
/// A failure is returned once, after the last good byte; from then on the reader is at its end. So the same failure is
/// not reported by every layer.
pub(in crate::extract) struct PeekReader<'a> {
    inner: Box<dyn Read + 'a>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    state: PeekState,
}

enum PeekState {
    Open,
    Ended,
    /// The inner reader failed, and the error has not been returned yet.
    Failing(io::Error),
    /// The inner reader failed, and the error has been returned.
    Broken,
}

impl<'a> PeekReader<'a> {
    pub(in crate::extract) fn new(inner: Box<dyn Read + 'a>) -> Self {
        Self { inner, buffer: Vec::new(), start: 0, end: 0, state: PeekState::Open }
    }

    /// The next `len` bytes, or fewer at the end.
    pub(in crate::extract) fn peek(&mut self, len: usize) -> &[u8] {
        while self.end - self.start < len && matches!(self.state, PeekState::Open) {
            self.fill(len);
        }
        &self.buffer[self.start..self.end.min(self.start + len)]
    }

    /// Exactly the next `len` bytes, or the error that prevents it.
    pub(super) fn peek_exact(&mut self, len: usize) -> io::Result<&[u8]> {
        if self.peek(len).len() < len {
            return Err(self.take_error().unwrap_or_else(truncated_error));
        }
        Ok(&self.buffer[self.start..self.start + len])
    }

    /// The next bytes; empty only at the end.
    pub(super) fn peek_some(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            self.peek(1);
        }
        match self.take_error_if_empty() {
            Some(error) => Err(error),
            None => Ok(&self.buffer[self.start..self.end]),
        }
    }

    /// Skips bytes that were returned by a peek.
    pub(super) fn consume(&mut self, len: usize) {
        self.start = (self.start + len).min(self.end);
    }

    /// Skips bytes.
    pub(super) fn skip(&mut self, mut len: u64) -> io::Result<()> {
        while len > 0 {
            let step = self.peek_some()?.len().min(usize::try_from(len).unwrap_or(usize::MAX));
            if step == 0 {
                return Err(truncated_error());
            }
            self.consume(step);
            len -= step as u64;
        }
        Ok(())
    }

    /// The error, if it has not been returned. The caller must report it.
    pub(in crate::extract) fn take_error(&mut self) -> Option<io::Error> {
        match std::mem::replace(&mut self.state, PeekState::Broken) {
            PeekState::Failing(error) => Some(error),
            state => {
                self.state = state;
                None
            }
        }
    }

    /// Whether the inner reader failed and the error has been returned.
    pub(super) fn is_broken(&self) -> bool {
        matches!(self.state, PeekState::Broken)
    }

    fn take_error_if_empty(&mut self) -> Option<io::Error> {
        if self.start == self.end { self.take_error() } else { None }
    }

    /// Reads once, with space for at least `len` bytes.
    fn fill(&mut self, len: usize) {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let room = len.max(CHUNK_BYTES);
        if self.buffer.len() < room {
            self.buffer.resize(room, 0);
        }
        match self.inner.read(&mut self.buffer[self.end..]) {
            Ok(0) => self.state = PeekState::Ended,
            Ok(len) => self.end += len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.state = PeekState::Failing(error),
        }
    }
}

impl Read for PeekReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        // Large reads bypass the buffer.
        if self.start == self.end && into.len() >= CHUNK_BYTES && matches!(self.state, PeekState::Open) {
            let read = self.inner.read(into);
            match &read {
                Ok(0) => self.state = PeekState::Ended,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.state = PeekState::Broken,
            }
            return read;
        }
        let bytes = self.peek_some()?;
        let len = bytes.len().min(into.len());
        into[..len].copy_from_slice(&bytes[..len]);
        self.consume(len);
        Ok(len)
    }
}

/// The error of an archive that ends early.
pub(super) fn truncated_error() -> io::Error {
    fault_error(Fault::new(FaultKind::Truncated, "archive is truncated"))
}

/// The error of invalid data.
pub(super) fn invalid_error(detail: impl std::fmt::Display) -> io::Error {
    fault_error(Fault::new(FaultKind::Encoding, detail))
}

pub(super) fn fault_error(fault: Fault) -> io::Error {
    io::Error::other(StreamFault(fault))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one byte at a time and fails after the last.
    struct Brittle<'a>(&'a [u8]);

    impl Read for Brittle<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Err(truncated_error()) };
            into[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    #[test]
    fn peeked_bytes_are_read_afterwards() {
        let mut layer = PeekReader::new(Box::new(&b"abcdef"[..]));

        assert_eq!(layer.peek(3), b"abc");
        assert_eq!(layer.peek(1), b"a");
        layer.consume(2);
        assert_eq!(layer.peek(100), b"cdef");
        layer.skip(1).unwrap();
        let mut rest = String::new();
        layer.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "def");
        assert!(layer.skip(1).is_err());
    }

    #[test]
    fn failure_is_returned_once_after_the_last_good_byte() {
        let mut layer = PeekReader::new(Box::new(Brittle(b"abc")));

        assert_eq!(layer.peek(9), b"abc");
        assert!(!layer.is_broken());
        let mut read = Vec::new();
        assert!(layer.read_to_end(&mut read).is_err());
        assert_eq!(read, b"abc");
        assert!(layer.is_broken());
        assert_eq!(layer.read_to_end(&mut read).unwrap(), 0);
        assert!(layer.take_error().is_none());
    }
}
