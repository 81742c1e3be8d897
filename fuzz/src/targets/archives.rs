//! Compressed and archived dumps.
//!
//! Inputs are those of [`Documents`], which reads them. Checksums detect most mutations of a
//! compressed file, so containers with little or no compression are used.

use std::io::Write as _;

use flate2::write::GzEncoder;

use super::Target;
use super::extract::{BROTLI, Documents, OCTETS, STREAMED};

macro_rules! archives {
    ($($name:literal),+) => {
        &[$(include_bytes!(concat!("../../../crates/lodeward/src/extract/testdata/archives/", $name))),+]
    };
}

const PACKED: &[&[u8]] = archives![
    "java.zip",
    "piped.zip",
    "piped-stored.zip",
    "stdin.zip",
    "python-stored.zip",
    "python-bzip2.zip",
    "python-lzma.zip",
    "encrypted.zip",
    "zip64.zip",
    "v7.tar.gz",
    "gnu.tar.gz",
    "posix.tar.gz",
    "sparse.tar.gz",
    "sparse-posix.tar.gz"
];

pub(super) struct Archives;

impl Target for Archives {
    fn name(&self) -> &'static str {
        "archives"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let text = b"<http://s.example/> <http://p.example/> \"a\" .\n".repeat(3);
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::none());
        encoder.write_all(&text).expect("writing to memory succeeds");
        let stored = encoder.finish().expect("writing to memory succeeds");
        let zstandard = zstd::encode_all(&text[..], 1).expect("writing to memory succeeds");
        let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(0)).expect("a preset");
        xz.write_all(&text).expect("writing to memory succeeds");
        let xz = xz.finish().expect("writing to memory succeeds");
        let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bzip2.write_all(&text).expect("writing to memory succeeds");
        let bzip2 = bzip2.finish().expect("writing to memory succeeds");
        let mut seeds: Vec<Vec<u8>> = Vec::new();
        for packed in PACKED.iter().copied().chain([&stored[..], &zstandard, &xz, &bzip2]) {
            seeds.push([&[OCTETS, STREAMED], packed].concat());
        }
        // The tar archives again, uncompressed, so that their bytes can be mutated.
        for packed in PACKED.iter().filter(|packed| packed.starts_with(b"\x1f\x8b")) {
            let mut plain = Vec::new();
            std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(*packed), &mut plain)
                .expect("the test archive is valid");
            // Without the empty blocks at the end, which are most of the file.
            plain.truncate(4_096);
            seeds.push([&[OCTETS, 0], &plain[..]].concat());
        }
        seeds.push([&[BROTLI, STREAMED], &b"\x0b\x02\x80\xff\xfe<a>\x03"[..]].concat());
        seeds
    }

    fn run(&self, input: &[u8]) {
        Documents.run(input);
    }
}
