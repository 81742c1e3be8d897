//! Tests with decompression bombs, wrong sizes and truncated archives.

use std::io::{Cursor, Read};

use proptest::prelude::*;

use super::test_archives::{TRIPLES, ZipVariant, brotli, bzip2, gzip, tar, xz, zip, zip_member, zstd};
use super::tests::unpack;
use super::*;
use crate::extract::document_reader::tests::{TestSink, representation};
use crate::extract::{ExtractOptions, Extractor as _};
use crate::fetch::ResponseBody;

/// Reads a stream. Returns the number of quads, the faults and the number of bytes read.
fn read_stream(
    options: ExtractOptions,
    name: &str,
    stream: impl Read + Send + 'static,
) -> (usize, Vec<FaultKind>, u64) {
    let mut sink = TestSink::default();
    let uri = format!("http://a.example/{name}");
    let body = ResponseBody::Stream(Box::new(stream));
    let extracted = DocumentReader::new(options).extract(representation(&uri, None, body), &mut sink);
    (sink.quads.len(), sink.faults.iter().map(|fault| fault.kind).collect(), extracted.bytes)
}

fn faults(name: &str, bytes: Vec<u8>) -> Vec<FaultKind> {
    read_stream(ExtractOptions::default(), name, Cursor::new(bytes)).1
}

#[test]
fn bomb_is_detected_in_every_compression() {
    let blanks = vec![b'\n'; 10 << 20];
    let check = |compression, bytes: &[u8]| {
        assert!(bytes.len() < 20_000, "{compression:?} is no bomb with {} bytes", bytes.len());
        let received = Rc::new(Cell::new(bytes.len() as u64));
        let budget = Rc::new(UnpackBudget::new(received, &ExtractOptions::default()));
        let decoder = ContentDecoder::for_file(compression, MemoryAllowance::Large).unwrap();
        let error = UnpackedReader::new(bytes, decoder, Rc::clone(&budget)).read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(
            (stream_fault(&error).kind, budget.is_exhausted()),
            (FaultKind::DecompressionBomb, true),
            "{compression:?}"
        );
    };

    check(FileCompression::Gzip, &gzip(&blanks));
    check(FileCompression::Bzip2, &bzip2(&blanks));
    check(FileCompression::Xz, &xz(&blanks));
    check(FileCompression::Zstd, &zstd(&blanks));
    let check = |name: &str, bytes: Vec<u8>| assert_eq!(faults(name, bytes), [FaultKind::DecompressionBomb], "{name}");
    check("dump.zip", zip(ZipVariant::Streamed, &[("a.txt", &blanks)]));
    check("dump.tar.gz", gzip(&tar(&[("a.txt", &blanks)])));
}

#[test]
fn bomb_among_good_files_is_detected_and_the_files_are_extracted() {
    let bomb = gzip(&vec![b'\n'; 10 << 20]);
    // Large enough that the ratio of the whole is within the limit.
    let line = |number: usize| format!("<http://s.example/{number}> <http://p.example/> \"\" .\n");
    let good = (0..20_000).map(line).collect::<Vec<_>>().concat();

    let archive = tar(&[("good.nt", good.as_bytes()), ("bomb.nt.gz", &bomb), ("late.nt", TRIPLES.as_bytes())]);
    let (quads, faults, _) = read_stream(ExtractOptions::default(), "dump.tar", Cursor::new(archive));

    assert_eq!((quads, faults), (20_000, vec![FaultKind::DecompressionBomb]));
}

/// Like 42.zip: sixteen copies at every level, and nothing at the bottom.
#[test]
fn nested_bomb_is_aborted_early() {
    let mut level = zip(ZipVariant::Deflated, &[("0.txt", &vec![b'0'; 4 << 20])]);
    for _ in 0..4 {
        let names: Vec<String> = (0..16).map(|number| format!("lib {number}.zip")).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &level[..])).collect();
        level = zip(ZipVariant::Deflated, &files);
    }
    assert!(level.len() < 100_000);

    let (_, faults, _) = read_stream(ExtractOptions::default(), "42.zip", Cursor::new(level));

    assert_eq!(faults, [FaultKind::DecompressionBomb]);
}

#[test]
fn deeply_nested_packing_is_not_read() {
    let mut packed = TRIPLES.as_bytes().to_vec();
    for _ in 0..5 {
        packed = gzip(&packed);
    }
    assert_eq!(unpack("dump.gz", None, &packed).1.quads.len(), 2);

    let (_, sink) = unpack("dump.gz", None, &gzip(&packed));

    assert_eq!((sink.quads.len(), sink.faults[0].kind, sink.faults.len()), (0, FaultKind::DecompressionBomb, 1));
}

/// Repeats the same bytes.
struct Endless(Vec<u8>, usize);

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let len = into.len().min(self.0.len() - self.1);
        into[..len].copy_from_slice(&self.0[self.1..self.1 + len]);
        self.1 = (self.1 + len) % self.0.len();
        Ok(len)
    }
}

/// A zip archive that contains itself, like a quine.
#[test]
fn self_containing_archive_is_rejected() {
    // Each stored file is the next archive, with a size that claims more.
    let mut head = zip_member(ZipVariant::Stored, "r/r.zip", b"");
    head[18..26].copy_from_slice(&[0xf0; 8]);

    let (quads, faults, bytes) = read_stream(ExtractOptions::default(), "r.zip", Endless(head, 0));

    assert_eq!(quads, 0);
    assert_eq!(faults, [FaultKind::DecompressionBomb, FaultKind::Limit]);
    assert!(bytes < 1 << 20, "ended after {bytes} bytes");
}

#[test]
fn endless_stream_is_truncated() {
    let options =
        || ExtractOptions { max_dump_bytes: 3_000_000, max_bytes_without_rdf: 1_000_000, ..ExtractOptions::default() };
    let check = |name: &str, piece: Vec<u8>, expected: FaultKind| {
        let (_, faults, _) = read_stream(options(), name, Endless(piece, 0));
        assert_eq!(faults, [expected], "{name}");
    };

    check("dump.nt.gz", gzip(TRIPLES.repeat(1_000).as_bytes()), FaultKind::TooLarge);
    check("dump.tar", tar(&[("README", b"Hello, world")])[..1024].to_vec(), FaultKind::Limit);
    check("dump.zip", zip_member(ZipVariant::Stored, "a.png", &[7; 1_000]), FaultKind::Limit);
}

#[test]
fn wrong_sizes_are_faults() {
    let check = |name: &str, bytes: Vec<u8>, expected: (usize, FaultKind)| {
        let (quads, faults, _) = read_stream(ExtractOptions::default(), name, Cursor::new(bytes));
        assert_eq!((quads, faults[0]), expected, "{name}");
    };
    let member = |variant, at: usize, size: u32| {
        let mut archive = zip(variant, &[("a.nt", TRIPLES.as_bytes())]);
        archive[at..at + 4].copy_from_slice(&size.to_le_bytes());
        archive
    };
    let (packed_at, unpacked_at) = (18, 22);

    // The directory is read as a part of the file.
    check("huge.zip", member(ZipVariant::Stored, packed_at, u32::MAX - 1), (2, FaultKind::Syntax));
    check("huge.zip", member(ZipVariant::Deflated, packed_at, u32::MAX - 1), (2, FaultKind::Truncated));
    check("small.zip", member(ZipVariant::Deflated, packed_at, 20), (0, FaultKind::Truncated));
    check("wrong.zip", member(ZipVariant::Deflated, unpacked_at, 5), (2, FaultKind::Encoding));
    let mut huge = tar(&[("a.nt", TRIPLES.as_bytes())]);
    let mut header = ::tar::Header::from_byte_slice(&huge[..512]).clone();
    header.set_size(1 << 40);
    header.set_cksum();
    huge[..512].copy_from_slice(header.as_bytes());
    check("huge.tar", huge.clone(), (2, FaultKind::Syntax));
    header.set_size(u64::MAX);
    header.set_cksum();
    huge[..512].copy_from_slice(header.as_bytes());
    check("absurd.tar", huge, (0, FaultKind::Encoding));
}

/// A name with a declared length of a terabyte costs no memory.
#[test]
fn long_names_are_limited() {
    let mut header = ::tar::Header::new_gnu();
    header.set_entry_type(::tar::EntryType::GNULongName);
    header.set_path("././@LongLink").unwrap();
    header.set_size(1 << 40);
    header.set_cksum();
    let stream = Cursor::new(header.as_bytes().to_vec()).chain(std::io::repeat(b'n').take(50_000_000));

    assert_eq!(read_stream(ExtractOptions::default(), "a.tar", stream).1, [FaultKind::Limit]);
}

fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let text = TRIPLES.repeat(20);
    let text = text.as_bytes();
    let files: &[(&str, &[u8])] = &[("README", b"Hello, world"), ("a.nt", text), ("b.nt.gz", &gzip(text))];
    vec![
        ("a.nt.gz", gzip(text)),
        ("a.nt.bz2", bzip2(text)),
        ("a.nt.xz", xz(text)),
        ("a.nt.zst", zstd(text)),
        ("a.nt.br", brotli(text)),
        ("a.tar", tar(files)),
        ("a.zip", zip(ZipVariant::Stored, files)),
        ("a.zip", zip(ZipVariant::Deflated, files)),
        ("a.zip", zip(ZipVariant::Streamed, files)),
        ("a.tar.gz", gzip(&tar(files))),
    ]
}

#[test]
fn truncated_dump_is_reported_and_read_up_to_the_end() {
    for (name, bytes) in samples() {
        let (all, none, _) = read_stream(ExtractOptions::default(), name, Cursor::new(bytes.clone()));
        assert_eq!(none, [], "{name}");
        // A tar archive ends with empty blocks, which may be missing.
        let end = if name == "a.tar" { bytes.len() - 1_600 } else { bytes.len() };
        let step = (end / 40).max(1);
        // A tar archive is detected by its first header.
        let start = if name == "a.tar" { 520 } else { 20 };
        for cut in (start..end).step_by(step) {
            let (quads, faults, _) = read_stream(ExtractOptions::default(), name, Cursor::new(bytes[..cut].to_vec()));
            assert!(quads <= all, "{name} truncated at {cut}");
            let is_reported = faults.iter().any(|kind| matches!(kind, FaultKind::Truncated | FaultKind::Encoding));
            let is_all_there = quads == all;
            assert!(is_reported || is_all_there, "{name} truncated at {cut}: {quads} of {all} quads, {faults:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_damage_breaks_the_reader(
        sample in 0..10_usize,
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let (name, mut bytes) = samples().swap_remove(sample);
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let (quads, faults, _) = read_stream(ExtractOptions::default(), name, Cursor::new(bytes));
        prop_assert!(quads <= 1_000);
        prop_assert!(faults.len() <= ExtractOptions::default().max_faults + 1);
    }
}
