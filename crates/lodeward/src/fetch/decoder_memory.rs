//! Limits the memory of decompression windows.
//!
//! A decoder holds the window that the compressed data declares. Most dumps declare a few megabytes, and any number of
//! them may be read at a time. A remote file may declare far more; one such window per concurrent request would add up
//! to gigabytes. Large windows are therefore limited to [`MAX_LARGE_WINDOWS`] per process, and decoders wait for one on
//! a blocking thread.

use std::sync::{Condvar, Mutex, PoisonError};

/// Maximum size of a window that needs no slot, in bytes: the limit of RFC 9659 for zstd on the web, and the dictionary
/// of `xz -6`.
pub(super) const SMALL_WINDOW_BYTES: u64 = 8 << 20;

/// Maximum number of large windows in the process.
const MAX_LARGE_WINDOWS: usize = 2;

static LARGE_WINDOWS: WindowSlots = WindowSlots::new(MAX_LARGE_WINDOWS);

/// Waits for a slot for a large window. A thread that holds a slot must not wait for another one.
pub(super) fn acquire_large_window() -> WindowSlot<'static> {
    LARGE_WINDOWS.acquire()
}

/// A counting semaphore.
struct WindowSlots {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A slot, released when dropped.
pub(super) struct WindowSlot<'a>(&'a WindowSlots);

impl WindowSlots {
    const fn new(count: usize) -> Self {
        Self { free: Mutex::new(count), freed: Condvar::new() }
    }

    fn acquire(&self) -> WindowSlot<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.freed.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        WindowSlot(self)
    }
}

impl Drop for WindowSlot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

/// The window size of the zstd frame that begins with these bytes (RFC 8878, 3.1.1.1); `None` if more bytes are needed.
/// The size is 0 if the data is not a zstd frame.
pub(super) fn zstd_window(frame: &[u8]) -> Option<u64> {
    let [0x28, 0xb5, 0x2f, 0xfd, rest @ ..] = frame else {
        // With fewer than 4 bytes, the magic number may be incomplete.
        return (frame.len() >= 4).then_some(0);
    };
    let (descriptor, rest) = rest.split_first()?;
    let is_single_segment = descriptor & 0x20 != 0;
    if !is_single_segment {
        let window = rest.first()?;
        let base = 1_u64 << (10 + (window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    // In a single-segment frame the window is the content itself; the content size is stored after the dictionary
    // number.
    let rest = rest.get([0, 1, 2, 4][usize::from(descriptor & 3)]..)?;
    let size_len = 1 << (descriptor >> 6);
    let size = rest.get(..size_len)?.iter().rev().fold(0, |size, byte| size << 8 | u64::from(*byte));
    Some(if size_len == 2 { size + 256 } else { size })
}

/// The dictionary size of the first block in the xz stream that begins with these bytes; `None` if more bytes are
/// needed. The size is 0 if the data is not an xz stream.
pub(super) fn xz_window(stream: &[u8]) -> Option<u64> {
    const HEADER_LEN: usize = 12;
    const LZMA2: u64 = 0x21;
    if stream.first() != Some(&0xfd) {
        return Some(0);
    }
    let (size, block) = stream.get(HEADER_LEN..)?.split_first()?;
    // The size byte 0 marks the index: the stream has no blocks.
    if *size == 0 {
        return Some(0);
    }
    let mut block = block.get(..usize::from(*size) * 4 - 1)?;
    let flags = take_byte(&mut block)?;
    for _ in 0..(flags >> 6 & 1) + (flags >> 7) {
        take_varint(&mut block)?;
    }
    for _ in 0..=(flags & 3) {
        let (filter, len) = (take_varint(&mut block)?, take_varint(&mut block)?);
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

/// A variable-length integer, seven bits per byte.
fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
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
