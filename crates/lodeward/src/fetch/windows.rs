//! Windows: how far back packed data looks, which a decoder must hold.
//!
//! Most dumps look back a few megabytes at most, and each of them may be read at
//! any time. Few look back further, and a stranger may write that into the head of
//! any file: as many of those as there are visits would be gigabytes. So they take
//! turns, and whoever has none waits, on a thread that may block.

use std::sync::{Condvar, Mutex, PoisonError};

/// The window that everybody may have, in bytes: what RFC 9659 allows for zstd on
/// the web, and what `xz -6` has.
pub(super) const SMALL_BYTES: u64 = 8 << 20;

/// How many large windows there are at a time, in all of the process.
const LARGE_MAX: usize = 2;

static LARGE: Turns = Turns::new(LARGE_MAX);

/// Waits for a turn to have a large window. Whoever has one must not wait for
/// another.
pub(super) fn wait_for_turn() -> Turn<'static> {
    LARGE.wait()
}

/// Turns, so many at a time.
struct Turns {
    free: Mutex<usize>,
    freed: Condvar,
}

/// One's turn, until it is dropped.
pub(super) struct Turn<'a>(&'a Turns);

impl Turns {
    const fn new(count: usize) -> Self {
        Self { free: Mutex::new(count), freed: Condvar::new() }
    }

    fn wait(&self) -> Turn<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.freed.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Turn(self)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

/// The window of a zstd frame that begins like this (RFC 8878, 3.1.1.1); `None` if
/// that cannot be seen. What is no such frame has none.
pub(super) fn of_zstd(frame: &[u8]) -> Option<u64> {
    let [0x28, 0xb5, 0x2f, 0xfd, rest @ ..] = frame else {
        // The beginning may be all that is at hand.
        return (frame.len() >= 4).then_some(0);
    };
    let (descriptor, rest) = rest.split_first()?;
    let is_single_segment = descriptor & 0x20 != 0;
    if !is_single_segment {
        let window = rest.first()?;
        let base = 1_u64 << (10 + (window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    // All of the content, whose size is behind the number of a dictionary.
    let rest = rest.get([0, 1, 2, 4][usize::from(descriptor & 3)]..)?;
    let size_len = 1 << (descriptor >> 6);
    let size = rest.get(..size_len)?.iter().rev().fold(0, |size, byte| size << 8 | u64::from(*byte));
    Some(if size_len == 2 { size + 256 } else { size })
}

/// The dictionary of the first block in an xz stream that begins like this; `None`
/// if that cannot be seen. What is no such stream has none.
pub(super) fn of_xz(stream: &[u8]) -> Option<u64> {
    const HEADER_LEN: usize = 12;
    const LZMA2: u64 = 0x21;
    if stream.first() != Some(&0xfd) {
        return Some(0);
    }
    let (size, block) = stream.get(HEADER_LEN..)?.split_first()?;
    // What follows is the index of a stream without blocks.
    if *size == 0 {
        return Some(0);
    }
    let mut block = block.get(..usize::from(*size) * 4 - 1)?;
    let flags = take_byte(&mut block)?;
    for _ in 0..(flags >> 6 & 1) + (flags >> 7) {
        take_number(&mut block)?;
    }
    for _ in 0..=(flags & 3) {
        let (filter, len) = (take_number(&mut block)?, take_number(&mut block)?);
        let properties = block.get(..usize::try_from(len).ok()?)?;
        block = &block[properties.len()..];
        if filter == LZMA2 {
            let bits = *properties.first()?;
            return (bits < 40).then(|| u64::from(2 | bits & 1) << (bits / 2 + 11));
        }
    }
    None
}

fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

/// A number in as many bytes as it needs, seven bits in each.
fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let byte = take_byte(bytes)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
#[path = "windows_tests.rs"]
pub(super) mod tests;
