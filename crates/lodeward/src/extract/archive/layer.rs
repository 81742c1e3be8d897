//! Bytes that can be looked at before they are read.

use std::io::{self, Read};

use crate::fetch::CutShort;
use crate::model::{Fault, FaultKind};

/// What is read from below at once.
const CHUNK_BYTES: usize = 32 << 10;

/// What one step of unpacking reads from: a body, a file in an archive, or what
/// came out of a decoder.
///
/// Where it breaks, whoever reads is told once, after the last good byte; from
/// then on it is at its end. So the same break is not told by every layer.
pub(in crate::extract) struct Layer<'a> {
    inner: Box<dyn Read + 'a>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    state: State,
}

enum State {
    Open,
    Ended,
    /// Broken, and nobody has been told.
    Failing(io::Error),
    /// Broken, and somebody has been told.
    Broken,
}

impl<'a> Layer<'a> {
    pub(in crate::extract) fn new(inner: Box<dyn Read + 'a>) -> Self {
        Self { inner, buffer: Vec::new(), start: 0, end: 0, state: State::Open }
    }

    /// The next bytes: so many, or all there are.
    pub(in crate::extract) fn peek(&mut self, len: usize) -> &[u8] {
        while self.end - self.start < len && matches!(self.state, State::Open) {
            self.fill(len);
        }
        &self.buffer[self.start..self.end.min(self.start + len)]
    }

    /// The next bytes, so many exactly; or why there are not.
    pub(super) fn exact(&mut self, len: usize) -> io::Result<&[u8]> {
        if self.peek(len).len() < len {
            return Err(self.failure().unwrap_or_else(truncated));
        }
        Ok(&self.buffer[self.start..self.start + len])
    }

    /// The next bytes: some, unless it is at its end.
    pub(super) fn some(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            self.peek(1);
        }
        match self.failure_if_empty() {
            Some(error) => Err(error),
            None => Ok(&self.buffer[self.start..self.end]),
        }
    }

    /// Goes past bytes that were looked at.
    pub(super) fn consume(&mut self, len: usize) {
        self.start = (self.start + len).min(self.end);
    }

    /// Goes past so many bytes.
    pub(super) fn skip(&mut self, mut len: u64) -> io::Result<()> {
        while len > 0 {
            let step = self.some()?.len().min(usize::try_from(len).unwrap_or(usize::MAX));
            if step == 0 {
                return Err(truncated());
            }
            self.consume(step);
            len -= step as u64;
        }
        Ok(())
    }

    /// Why it broke, if nobody has been told. Whoever takes it tells it.
    pub(in crate::extract) fn failure(&mut self) -> Option<io::Error> {
        match std::mem::replace(&mut self.state, State::Broken) {
            State::Failing(error) => Some(error),
            state => {
                self.state = state;
                None
            }
        }
    }

    /// Whether it broke, and somebody has been told.
    pub(super) fn is_broken(&self) -> bool {
        matches!(self.state, State::Broken)
    }

    fn failure_if_empty(&mut self) -> Option<io::Error> {
        if self.start == self.end { self.failure() } else { None }
    }

    /// Reads once, with room for at least `len` bytes.
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
            Ok(0) => self.state = State::Ended,
            Ok(len) => self.end += len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.state = State::Failing(error),
        }
    }
}

impl Read for Layer<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        // Large pieces need not be copied twice.
        if self.start == self.end && into.len() >= CHUNK_BYTES && matches!(self.state, State::Open) {
            let read = self.inner.read(into);
            match &read {
                Ok(0) => self.state = State::Ended,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.state = State::Broken,
            }
            return read;
        }
        let bytes = self.some()?;
        let len = bytes.len().min(into.len());
        into[..len].copy_from_slice(&bytes[..len]);
        self.consume(len);
        Ok(len)
    }
}

/// The error of something that should go on.
pub(super) fn truncated() -> io::Error {
    broken(Fault::new(FaultKind::Truncated, "the archive ends early"))
}

/// The error of something that is not as it should be.
pub(super) fn invalid(detail: impl std::fmt::Display) -> io::Error {
    broken(Fault::new(FaultKind::Encoding, detail))
}

pub(super) fn broken(fault: Fault) -> io::Error {
    io::Error::other(CutShort(fault))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a byte at a time, and breaks after the last.
    struct Brittle<'a>(&'a [u8]);

    impl Read for Brittle<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Err(truncated()) };
            into[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    #[test]
    fn what_was_looked_at_is_read_all_the_same() {
        let mut layer = Layer::new(Box::new(&b"abcdef"[..]));

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
    fn a_break_is_told_once_and_after_the_last_good_byte() {
        let mut layer = Layer::new(Box::new(Brittle(b"abc")));

        assert_eq!(layer.peek(9), b"abc");
        assert!(!layer.is_broken());
        let mut read = Vec::new();
        assert!(layer.read_to_end(&mut read).is_err());
        assert_eq!(read, b"abc");
        assert!(layer.is_broken());
        assert_eq!(layer.read_to_end(&mut read).unwrap(), 0);
        assert!(layer.failure().is_none());
    }
}
