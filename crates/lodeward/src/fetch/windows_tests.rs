//! Tests of decoder windows and their slots.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Compresses as a stream with a window of `window_log` bits.
pub(in crate::fetch) fn zstd(bytes: &[u8], window_log: u32) -> Vec<u8> {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(window_log).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Compresses and declares a dictionary of `bits`: 22 for 8 MiB, 28 for 64 MiB.
pub(in crate::fetch) fn xz(bytes: &[u8], bits: u8) -> Vec<u8> {
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).unwrap();
    encoder.write_all(bytes).unwrap();
    let mut packed = encoder.finish().unwrap();
    let end = 12 + (usize::from(packed[12]) + 1) * 4;
    let header = &mut packed[12..end];
    let at = header.windows(2).position(|pair| pair == [0x21, 1]).unwrap() + 2;
    header[at] = bits;
    let (checked, sum) = header.split_at_mut(header.len() - 4);
    let mut crc = flate2::Crc::new();
    crc.update(checked);
    sum.copy_from_slice(&crc.sum().to_le_bytes());
    packed
}

#[test]
fn window_size_is_read_from_the_first_bytes() {
    let check = |found: Option<u64>, expected: Option<u64>| assert_eq!(found, expected);

    check(zstd_window(&zstd(b"abc", 27)), Some(128 << 20));
    check(zstd_window(&zstd(b"abc", 23)), Some(8 << 20));
    // If the size is declared, the content is the window.
    for len in [0, 200, 300, 70_000] {
        check(zstd_window(&zstd::bulk::compress(&vec![b'a'; len], 3).unwrap()), Some(len as u64));
    }
    check(zstd_window(b"\x28\xb5\x2f\xfd\0"), None);
    check(zstd_window(b"\x28\xb5"), None);
    check(zstd_window(b"\x50\x2a\x4d\x18\x03\0\0\0abc"), Some(0));
    check(xz_window(&xz(b"abc", 28)), Some(64 << 20));
    check(xz_window(&xz(b"abc", 22)), Some(8 << 20));
    check(xz_window(&xz(b"abc", 23)), Some(12 << 20));
    check(xz_window(&xz(b"abc", 41)), None);
    check(xz_window(&xz(b"abc", 22)[..19]), None);
    check(xz_window(b"\0\0\0\0"), Some(0));
}

#[test]
fn large_windows_are_limited_to_the_number_of_slots() {
    let slots = WindowSlots::new(2);
    let (in_use, max_in_use) = (AtomicUsize::new(0), AtomicUsize::new(0));

    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let _turn = slots.acquire();
                    max_in_use.fetch_max(in_use.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    in_use.fetch_sub(1, Ordering::SeqCst);
                }
            });
        }
    });

    assert!(max_in_use.into_inner() <= 2);
    assert_eq!(slots.free.into_inner().unwrap(), 2, "all slots are released");
}
