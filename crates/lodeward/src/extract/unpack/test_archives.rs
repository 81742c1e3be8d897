//! Builds archives for tests.

use std::io::Write;

/// The content of most test archives, including those in `testdata`.
pub(super) const TRIPLES: &str =
    "<http://s.example/> <http://p.example/> \"a\" .\n_:b <http://p.example/> <http://o.example/> .\n";

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

/// Brotli with uncompressed blocks and an empty last one.
pub(super) fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    for (number, piece) in bytes.chunks(1 << 16).enumerate() {
        let len = u32::try_from(piece.len() - 1).unwrap();
        // The first block is preceded by one bit for the window.
        let first_bits = u32::from(number == 0);
        let header = (len << 3 | 1 << 19) << first_bits;
        packed.extend(&header.to_le_bytes()[..3]);
        packed.extend(piece);
    }
    packed.push(3);
    packed
}

pub(super) fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        builder.append_data(&mut header, name, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

/// How a file is added to a zip archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ZipVariant {
    Stored,
    Deflated,
    /// Deflated, with a data descriptor.
    Streamed,
}

pub(super) fn zip(variant: ZipVariant, files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, content) in files {
        archive.extend(zip_member(variant, name, content));
    }
    // The directory is empty, because it is not read.
    archive.extend(b"PK\x05\x06");
    archive.extend([0; 18]);
    archive
}

pub(super) fn zip_member(variant: ZipVariant, name: &str, content: &[u8]) -> Vec<u8> {
    let mut packed = content.to_vec();
    if variant != ZipVariant::Stored {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(content).unwrap();
        packed = encoder.finish().unwrap();
    }
    let mut sum = flate2::Crc::new();
    sum.update(content);
    let descriptor = [sum.sum(), u32::try_from(packed.len()).unwrap(), u32::try_from(content.len()).unwrap()];
    let descriptor: Vec<u8> = descriptor.iter().flat_map(|number| number.to_le_bytes()).collect();
    let is_streamed = variant == ZipVariant::Streamed;
    let mut member = b"PK\x03\x04\x14\0".to_vec();
    member.extend([u8::from(is_streamed) << 3, 0, if variant == ZipVariant::Stored { 0 } else { 8 }, 0, 0, 0, 0, 0]);
    member.extend(if is_streamed { vec![0; 12] } else { descriptor.clone() });
    member.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
    member.extend([0, 0]);
    member.extend(name.as_bytes());
    member.extend(packed);
    if is_streamed {
        member.extend(b"PK\x07\x08");
        member.extend(descriptor);
    }
    member
}
