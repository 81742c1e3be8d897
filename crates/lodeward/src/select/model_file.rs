//! The file format of models.
//!
//! | bytes | what |
//! |---|---|
//! | 15 | `lodeward model` and a line feed |
//! | 4 | format version, little-endian |
//! | 1 + n | length and name of the kind: `ldcoc`, `learned` … |
//! | 8 | xxh3-64 of the kind and of the rest, little-endian |
//! | rest | the payload in the format of its kind, compressed with zstd |

use std::io::Read;

use super::StrategyError;

const MAGIC: &[u8] = b"lodeward model\n";
/// Version of the format. It is incremented when older programs cannot read the new format.
const VERSION: u32 = 1;
/// Maximum size of a payload in bytes, which is more than the largest model needs.
const MAX_PAYLOAD_BYTES: u64 = 4 << 30;

/// Encodes a model file.
#[must_use]
pub(crate) fn pack(kind: &str, payload: &[u8]) -> Vec<u8> {
    let packed = zstd::bulk::compress(payload, 1).expect("compression in memory does not fail");
    let mut bytes = Vec::with_capacity(MAGIC.len() + kind.len() + packed.len() + 16);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.push(u8::try_from(kind.len()).expect("the name of a kind has at most 255 bytes"));
    bytes.extend_from_slice(kind.as_bytes());
    bytes.extend_from_slice(&checksum(kind.as_bytes(), &packed).to_le_bytes());
    bytes.extend_from_slice(&packed);
    bytes
}

/// Decodes a model file: its kind and its payload.
pub(crate) fn unpack(bytes: &[u8]) -> Result<(String, Vec<u8>), StrategyError> {
    let damaged = || StrategyError::Model("the model file is corrupted".to_owned());
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| StrategyError::Model("not a model file".to_owned()))?;
    let (version, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        let message = format!("the model file has format version {version}, expected {VERSION}");
        return Err(StrategyError::Model(message));
    }
    let (length, rest) = rest.split_first().ok_or_else(damaged)?;
    let (kind, rest) = rest.split_at_checked(usize::from(*length)).ok_or_else(damaged)?;
    let (expected, packed) = rest.split_first_chunk().ok_or_else(damaged)?;
    // Verified before decompression, so that no damaged data is decompressed.
    if checksum(kind, packed) != u64::from_le_bytes(*expected) {
        return Err(damaged());
    }
    let payload = decompress(packed).map_err(|_| damaged())?;
    Ok((String::from_utf8(kind.to_vec()).map_err(|_| damaged())?, payload))
}

fn checksum(kind: &[u8], packed: &[u8]) -> u64 {
    let mut hasher = xxhash_rust::xxh3::Xxh3Default::new();
    hasher.update(kind);
    hasher.update(packed);
    hasher.digest()
}

/// Decompresses as a stream, so that memory is limited by the actual size, not by the size that a
/// file states.
fn decompress(packed: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut payload = Vec::new();
    let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?.single_frame();
    decoder.by_ref().take(MAX_PAYLOAD_BYTES).read_to_end(&mut payload)?;
    // No data may follow the payload, neither in the zstd frame nor after it.
    let is_whole = decoder.read(&mut [0])? == 0 && decoder.finish().is_empty();
    if is_whole { Ok(payload) } else { Err(std::io::ErrorKind::InvalidData.into()) }
}

/// Decodes a model file that must be of this kind.
pub(crate) fn unpack_as(kind: &str, bytes: &[u8]) -> Result<Vec<u8>, StrategyError> {
    let (found, payload) = unpack(bytes)?;
    if found == kind {
        Ok(payload)
    } else {
        Err(StrategyError::Model(format!("this is a model of strategy `{found}`, expected `{kind}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload() -> Vec<u8> {
        (0..2_000_u32).flat_map(|number| (number % 97).to_le_bytes()).collect()
    }

    #[test]
    fn a_packed_model_is_unpacked() {
        let packed = pack("ldcoc", &payload());

        assert_eq!(unpack(&packed).unwrap(), ("ldcoc".to_owned(), payload()));
        assert_eq!(unpack_as("ldcoc", &packed).unwrap(), payload());
        assert_eq!(unpack_as("ldcoc", &pack("ldcoc", &[])).unwrap(), b"");
    }

    #[test]
    fn a_truncated_model_is_rejected() {
        let packed = pack("ldcoc", &payload());

        for length in 0..packed.len() {
            assert!(unpack_as("ldcoc", &packed[..length]).is_err(), "truncated to {length} bytes");
        }
    }

    #[test]
    fn a_model_with_a_changed_byte_is_rejected() {
        let packed = pack("ldcoc", &payload());

        for index in 0..packed.len() {
            let mut changed = packed.clone();
            changed[index] ^= 0x55;
            assert!(unpack_as("ldcoc", &changed).is_err(), "byte {index}");
        }
        let mut longer = packed;
        longer.push(0);
        assert!(unpack(&longer).is_err(), "trailing data");
    }

    #[test]
    fn errors_of_model_files_are_specific() {
        let check = |bytes: &[u8], message: &str| {
            assert_eq!(unpack_as("ldcoc", bytes).unwrap_err().to_string(), message);
        };
        let mut newer = pack("ldcoc", &payload());
        newer[MAGIC.len()] = 2;

        check(b"<html>", "not a model file");
        check(b"lodeward model\n", "the model file is corrupted");
        check(&newer, "the model file has format version 2, expected 1");
        check(&pack("nb", &[]), "this is a model of strategy `nb`, expected `ldcoc`");
    }
}
