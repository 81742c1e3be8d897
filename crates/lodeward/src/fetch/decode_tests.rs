//! Tests of the content decoders.

use std::io::Write;

use super::*;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Decodes in pieces, as delivered by a network.
fn decode(coding: &str, coded: &[u8]) -> (Vec<u8>, Option<FaultKind>, bool) {
    let mut decoder = ContentDecoder::from_name(coding.as_bytes()).unwrap();
    let mut decoded = Vec::new();
    for chunk in coded.chunks(7) {
        let mut rest = chunk;
        loop {
            let mut output = [0; 5];
            let step = decoder.step(rest, &mut output);
            rest = &rest[step.consumed..];
            decoded.extend(&output[..step.produced]);
            if let Some(fault) = step.fault {
                return (decoded, Some(fault.kind), false);
            }
            if step.produced < output.len() && (rest.is_empty() || step.consumed == 0) {
                break;
            }
        }
    }
    (decoded, None, decoder.is_complete())
}

#[test]
fn every_coding_is_decoded() {
    let text = b"<a> <b> <c> . ".repeat(40);
    let check = |coding: &str, coded: &[u8]| assert_eq!(decode(coding, coded), (text.clone(), None, true), "{coding}");
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(&text).unwrap();
    let mut bare = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    bare.write_all(&text).unwrap();

    check("gzip", &gzip(&text));
    check("x-gzip", &[gzip(&text[..100]), gzip(&text[100..])].concat());
    check("gzip", &[&gzip(&text)[..], b"\0\0\0 padding"].concat());
    check("deflate", &zlib.finish().unwrap());
    check("deflate", &bare.finish().unwrap());
    check("zstd", &zstd::encode_all(&text[..], 3).unwrap());
    check("br", BROTLI);
    for coding in ["gzip", "deflate", "br", "zstd"] {
        assert_eq!(decode(coding, b""), (Vec::new(), None, true), "{coding}");
    }
}

/// `<a> <b> <c> . ` forty times, compressed by the reference implementation.
const BROTLI: &[u8] = include_bytes!("testdata/forty.br");

#[test]
fn bytes_decoded_before_a_fault_are_returned() {
    let text: Vec<u8> = (0..20_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let coded = gzip(&text);
    let (half, fault, complete) = decode("gzip", &coded[..coded.len() / 2]);

    assert!(half.len() > text.len() / 3 && text.starts_with(&half));
    assert_eq!((fault, complete), (None, false));

    let mut broken = gzip(&text);
    let end = broken.len() - 5;
    broken[end] ^= 1; // the checksum
    assert_eq!(decode("gzip", &broken), (text, Some(FaultKind::Encoding), false));
    assert_eq!(decode("gzip", b"plain text, really").1, Some(FaultKind::Encoding));
    assert_eq!(decode("br", b"\xff\xff\xff\xff\xff\xff").1, Some(FaultKind::Encoding));
    assert_eq!(decode("zstd", b"plain text, really").1, Some(FaultKind::Encoding));
}

#[test]
fn codings_are_selected_by_name() {
    let check = |value: &str, expected: Result<bool, &str>| {
        let headers = HeaderMap::from_iter([(CONTENT_ENCODING, value.parse().unwrap())]);
        let found =
            ContentDecoder::from_headers(&headers).map(|decoder| decoder.is_identity()).map_err(|fault| fault.detail);
        assert_eq!(found, expected.map_err(ToOwned::to_owned), "{value}");
    };

    check("GZip", Ok(false));
    check("identity, br", Ok(false));
    check("utf-8", Ok(true));
    check("gzip, br", Err("more than one content coding"));
    check("rot13", Err("unknown content coding `rot13`"));
}

#[test]
fn decoding_reader_decodes() {
    let text = b"<a> <b> <c> . ".repeat(4_000);
    let mut decoded = Vec::new();
    let coded = gzip(&text);
    DecodingReader::new(&coded[..], ContentDecoder::from_name(b"gzip").unwrap()).read_to_end(&mut decoded).unwrap();

    assert_eq!(decoded, text);
}

#[test]
fn only_large_windows_need_a_slot() {
    use crate::fetch::decoder_memory::tests::{xz, zstd};
    let check = |compression, allowance, packed: &[u8], expected: Result<bool, FaultKind>| {
        let mut reader = DecodingReader::new(packed, ContentDecoder::for_file(compression, allowance).unwrap());
        let mut text = String::new();
        let found = match reader.read_to_string(&mut text) {
            Ok(_) => Ok(reader.decoder.slot.is_some()),
            Err(_) => Err(reader.fault.unwrap().kind),
        };
        assert_eq!(found, expected, "{compression:?} {allowance:?}");
        assert!(found.is_err() || text == "ab");
    };
    let (small, large) = ([zstd(b"a", 23), zstd(b"b", 20)].concat(), [zstd(b"a", 20), zstd(b"b", 27)].concat());

    check(FileCompression::Zstd, MemoryAllowance::Large, &small, Ok(false));
    check(FileCompression::Zstd, MemoryAllowance::Large, &large, Ok(true));
    check(FileCompression::Zstd, MemoryAllowance::Local, &large, Ok(false));
    check(FileCompression::Zstd, MemoryAllowance::Small, &large, Err(FaultKind::Encoding));
    let (small, large) = ([xz(b"a", 22), xz(b"b", 20)].concat(), [xz(b"a", 20), xz(b"b", 28)].concat());
    check(FileCompression::Xz, MemoryAllowance::Large, &small, Ok(false));
    check(FileCompression::Xz, MemoryAllowance::Large, &large, Ok(true));
    check(FileCompression::Xz, MemoryAllowance::Local, &large, Ok(false));
    check(FileCompression::Xz, MemoryAllowance::Small, &large, Err(FaultKind::Encoding));
    check(FileCompression::Xz, MemoryAllowance::Large, &xz(b"ab", 30), Err(FaultKind::Encoding));
}
