use std::io::{Cursor, Read};

use proptest::prelude::*;

use super::packers::{TRIPLES, Zipped, brotli, bzip2, gzip, tar, xz, zip, zip_member, zstd};
use super::tests::unpack;
use super::*;
use crate::extract::reader::tests::{Basket, representation};
use crate::extract::{Extractor as _, Options};
use crate::fetch::Body;

/// Reads a stream, and tells how many quads and which faults there were, and
/// how many bytes were taken.
fn read_stream(options: Options, address: &str, stream: impl Read + Send + 'static) -> (usize, Vec<FaultKind>, u64) {
    let mut basket = Basket::default();
    let address = format!("http://a.example/{address}");
    let body = Body::Stream(Box::new(stream));
    let extracted = Reader::new(options).extract(representation(&address, None, body), &mut basket);
    (basket.quads.len(), basket.faults.iter().map(|fault| fault.kind).collect(), extracted.bytes)
}

fn faults(address: &str, bytes: Vec<u8>) -> Vec<FaultKind> {
    read_stream(Options::default(), address, Cursor::new(bytes)).1
}

#[test]
fn a_bomb_is_known_in_every_way_of_packing() {
    let blanks = vec![b'\n'; 10 << 20];
    let check = |compression, bytes: &[u8]| {
        assert!(bytes.len() < 20_000, "{compression:?} makes no bomb, with {} bytes", bytes.len());
        let received = Rc::new(Cell::new(bytes.len() as u64));
        let budget = Rc::new(Budget::new(received, &Options::default()));
        let decoder = Decoder::of_file(compression, Allowance::Full).unwrap();
        let error = Unpacked::new(bytes, decoder, Rc::clone(&budget)).read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!((fault_of_stream(&error).kind, budget.is_spent()), (FaultKind::Bomb, true), "{compression:?}");
    };

    check(Compression::Gzip, &gzip(&blanks));
    check(Compression::Bzip2, &bzip2(&blanks));
    check(Compression::Xz, &xz(&blanks));
    check(Compression::Zstd, &zstd(&blanks));
    let check = |address: &str, bytes: Vec<u8>| assert_eq!(faults(address, bytes), [FaultKind::Bomb], "{address}");
    check("dump.zip", zip(Zipped::Streamed, &[("a.txt", &blanks)]));
    check("dump.tar.gz", gzip(&tar(&[("a.txt", &blanks)])));
}

#[test]
fn a_bomb_beside_good_files_is_known_and_they_are_kept() {
    let bomb = gzip(&vec![b'\n'; 10 << 20]);
    // So many bytes that all together are well within the ratio.
    let good: String =
        (0..20_000).map(|number| format!("<http://s.example/{number}> <http://p.example/> \"\" .\n")).collect();

    let archive = tar(&[("good.nt", good.as_bytes()), ("bomb.nt.gz", &bomb), ("late.nt", TRIPLES.as_bytes())]);
    let (quads, faults, _) = read_stream(Options::default(), "dump.tar", Cursor::new(archive));

    assert_eq!((quads, faults), (20_000, vec![FaultKind::Bomb]));
}

/// As 42.zip: sixteen copies at every level, and nothing at the bottom.
#[test]
fn a_nested_bomb_ends_early() {
    let mut level = zip(Zipped::Deflated, &[("0.txt", &vec![b'0'; 4 << 20])]);
    for _ in 0..4 {
        let names: Vec<String> = (0..16).map(|number| format!("lib {number}.zip")).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &level[..])).collect();
        level = zip(Zipped::Deflated, &files);
    }
    assert!(level.len() < 100_000);

    let (_, faults, _) = read_stream(Options::default(), "42.zip", Cursor::new(level));

    assert_eq!(faults, [FaultKind::Bomb]);
}

#[test]
fn what_is_packed_too_often_is_not_read() {
    let mut packed = TRIPLES.as_bytes().to_vec();
    for _ in 0..5 {
        packed = gzip(&packed);
    }
    assert_eq!(unpack("dump.gz", None, &packed).1.quads.len(), 2);

    let (_, basket) = unpack("dump.gz", None, &gzip(&packed));

    assert_eq!((basket.quads.len(), basket.faults[0].kind, basket.faults.len()), (0, FaultKind::Bomb, 1));
}

/// The same bytes again and again.
struct Endless(Vec<u8>, usize);

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let len = into.len().min(self.0.len() - self.1);
        into[..len].copy_from_slice(&self.0[self.1..self.1 + len]);
        self.1 = (self.1 + len) % self.0.len();
        Ok(len)
    }
}

/// A zip archive that holds itself, again and again, as a quine does.
#[test]
fn an_archive_without_bottom_ends() {
    // Each stored file is the next archive, and is said to go on.
    let mut head = zip_member(Zipped::Stored, "r/r.zip", b"");
    head[18..26].copy_from_slice(&[0xf0; 8]);

    let (quads, faults, bytes) = read_stream(Options::default(), "r.zip", Endless(head, 0));

    assert_eq!(quads, 0);
    assert_eq!(faults, [FaultKind::Bomb, FaultKind::Excess]);
    assert!(bytes < 1 << 20, "it ended after {bytes} bytes");
}

#[test]
fn a_stream_without_end_ends() {
    let options = || Options { dump_bytes_max: 3_000_000, barren_bytes_max: 1_000_000, ..Options::default() };
    let check = |address: &str, piece: Vec<u8>, expected: FaultKind| {
        let (_, faults, _) = read_stream(options(), address, Endless(piece, 0));
        assert_eq!(faults, [expected], "{address}");
    };

    check("dump.nt.gz", gzip(TRIPLES.repeat(1_000).as_bytes()), FaultKind::TooLarge);
    check("dump.tar", tar(&[("README", b"Hello, world")])[..1024].to_vec(), FaultKind::Excess);
    check("dump.zip", zip_member(Zipped::Stored, "a.png", &[7; 1_000]), FaultKind::Excess);
}

#[test]
fn sizes_that_lie_are_faults() {
    let check = |address: &str, bytes: Vec<u8>, expected: (usize, FaultKind)| {
        let (quads, faults, _) = read_stream(Options::default(), address, Cursor::new(bytes));
        assert_eq!((quads, faults[0]), expected, "{address}");
    };
    let member = |how, at: usize, size: u32| {
        let mut archive = zip(how, &[("a.nt", TRIPLES.as_bytes())]);
        archive[at..at + 4].copy_from_slice(&size.to_le_bytes());
        archive
    };
    let (packed_at, unpacked_at) = (18, 22);

    // Here the directory is taken for a part of the file.
    check("huge.zip", member(Zipped::Stored, packed_at, u32::MAX - 1), (2, FaultKind::Syntax));
    check("huge.zip", member(Zipped::Deflated, packed_at, u32::MAX - 1), (2, FaultKind::Truncated));
    check("small.zip", member(Zipped::Deflated, packed_at, 20), (0, FaultKind::Truncated));
    check("wrong.zip", member(Zipped::Deflated, unpacked_at, 5), (2, FaultKind::Encoding));
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

/// A name that is said to have a terabyte costs no memory.
#[test]
fn long_names_are_bounded() {
    let mut header = ::tar::Header::new_gnu();
    header.set_entry_type(::tar::EntryType::GNULongName);
    header.set_path("././@LongLink").unwrap();
    header.set_size(1 << 40);
    header.set_cksum();
    let stream = Cursor::new(header.as_bytes().to_vec()).chain(std::io::repeat(b'n').take(50_000_000));

    assert_eq!(read_stream(Options::default(), "a.tar", stream).1, [FaultKind::Excess]);
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
        ("a.zip", zip(Zipped::Stored, files)),
        ("a.zip", zip(Zipped::Deflated, files)),
        ("a.zip", zip(Zipped::Streamed, files)),
        ("a.tar.gz", gzip(&tar(files))),
    ]
}

#[test]
fn a_dump_that_was_cut_is_told_and_read_so_far() {
    for (name, bytes) in samples() {
        let (all, none, _) = read_stream(Options::default(), name, Cursor::new(bytes.clone()));
        assert_eq!(none, [], "{name}");
        // The last bytes of a tar archive are empty blocks, which may be missing.
        let end = if name == "a.tar" { bytes.len() - 1_600 } else { bytes.len() };
        let step = (end / 40).max(1);
        // A tar archive is known by its first header.
        let start = if name == "a.tar" { 520 } else { 20 };
        for cut in (start..end).step_by(step) {
            let (quads, faults, _) = read_stream(Options::default(), name, Cursor::new(bytes[..cut].to_vec()));
            assert!(quads <= all, "{name} cut at {cut}");
            let is_told = faults.iter().any(|kind| matches!(kind, FaultKind::Truncated | FaultKind::Encoding));
            let is_all_there = quads == all;
            assert!(is_told || is_all_there, "{name} cut at {cut}: {quads} of {all} quads, {faults:?}");
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
        let (quads, faults, _) = read_stream(Options::default(), name, Cursor::new(bytes));
        prop_assert!(quads <= 1_000);
        prop_assert!(faults.len() <= Options::default().faults_max + 1);
    }
}
