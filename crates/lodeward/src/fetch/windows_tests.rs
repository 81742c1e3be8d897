use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Compressed as a stream, with a window of so many bits.
pub(in crate::fetch) fn zstd(bytes: &[u8], window_log: u32) -> Vec<u8> {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(window_log).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Compressed, and said to look back as far as `bits` say: 22 for 8 MiB, 28 for 64.
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
fn a_window_is_seen_in_the_first_bytes() {
    let check = |found: Option<u64>, expected: Option<u64>| assert_eq!(found, expected);

    check(of_zstd(&zstd(b"abc", 27)), Some(128 << 20));
    check(of_zstd(&zstd(b"abc", 23)), Some(8 << 20));
    // Those whose size was known beforehand are their own window.
    for len in [0, 200, 300, 70_000] {
        check(of_zstd(&zstd::bulk::compress(&vec![b'a'; len], 3).unwrap()), Some(len as u64));
    }
    check(of_zstd(b"\x28\xb5\x2f\xfd\0"), None);
    check(of_zstd(b"\x28\xb5"), None);
    check(of_zstd(b"\x50\x2a\x4d\x18\x03\0\0\0abc"), Some(0));
    check(of_xz(&xz(b"abc", 28)), Some(64 << 20));
    check(of_xz(&xz(b"abc", 22)), Some(8 << 20));
    check(of_xz(&xz(b"abc", 23)), Some(12 << 20));
    check(of_xz(&xz(b"abc", 41)), None);
    check(of_xz(&xz(b"abc", 22)[..19]), None);
    check(of_xz(b"\0\0\0\0"), Some(0));
}

#[test]
fn those_who_need_much_take_turns() {
    let turns = Turns::new(2);
    let (under_way, most) = (AtomicUsize::new(0), AtomicUsize::new(0));

    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let _turn = turns.wait();
                    most.fetch_max(under_way.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    under_way.fetch_sub(1, Ordering::SeqCst);
                }
            });
        }
    });

    assert!(most.into_inner() <= 2);
    assert_eq!(turns.free.into_inner().unwrap(), 2, "every turn was given back");
}
