//! What a strategy has learned, as bytes that can be kept.
//!
//! | bytes | what |
//! |---|---|
//! | 15 | `lodeward model` and a line feed |
//! | 4 | format version, little-endian |
//! | 1 + n | length and name of the kind: `ldcoc`, `learned` … |
//! | 8 | xxh3-64 of the kind and of the rest, little-endian |
//! | rest | the payload, as its kind says, compressed with zstd |

use std::io::Read;

use super::StrategyError;

const MAGIC: &[u8] = b"lodeward model\n";
/// Changes whenever an older program could not read what this one writes.
const VERSION: u32 = 1;
/// The largest payload that is read: more than the largest model has.
const PAYLOAD_BYTES_MAX: u64 = 4 << 30;

/// Packs a payload.
#[must_use]
pub fn pack(kind: &str, payload: &[u8]) -> Vec<u8> {
    let packed = zstd::bulk::compress(payload, 1).expect("memory can be compressed into memory");
    let mut bytes = Vec::with_capacity(MAGIC.len() + kind.len() + packed.len() + 16);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.push(u8::try_from(kind.len()).expect("kinds have short names"));
    bytes.extend_from_slice(kind.as_bytes());
    bytes.extend_from_slice(&checksum(kind.as_bytes(), &packed).to_le_bytes());
    bytes.extend_from_slice(&packed);
    bytes
}

/// Unpacks a model: its kind and its payload.
pub fn unpack(bytes: &[u8]) -> Result<(String, Vec<u8>), StrategyError> {
    let damaged = || StrategyError::Model("the model is damaged".to_owned());
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| StrategyError::Model("this is no model".to_owned()))?;
    let (version, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        let message = format!("the model has format version {version}, and this program reads version {VERSION}");
        return Err(StrategyError::Model(message));
    }
    let (length, rest) = rest.split_first().ok_or_else(damaged)?;
    let (kind, rest) = rest.split_at_checked(usize::from(*length)).ok_or_else(damaged)?;
    let (expected, packed) = rest.split_first_chunk().ok_or_else(damaged)?;
    // Of what is packed, so that nothing damaged is ever unpacked.
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

/// Decompresses as it goes, so that a small file that claims to be a large one
/// takes no more memory than it fills.
fn decompress(packed: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut payload = Vec::new();
    let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?.single_frame();
    decoder.by_ref().take(PAYLOAD_BYTES_MAX).read_to_end(&mut payload)?;
    // Nothing may follow, neither in the frame nor after it.
    let is_whole = decoder.read(&mut [0])? == 0 && decoder.finish().is_empty();
    if is_whole { Ok(payload) } else { Err(std::io::ErrorKind::InvalidData.into()) }
}

/// Unpacks a model that must be of this kind.
pub fn unpack_as(kind: &str, bytes: &[u8]) -> Result<Vec<u8>, StrategyError> {
    let (found, payload) = unpack(bytes)?;
    if found == kind {
        Ok(payload)
    } else {
        Err(StrategyError::Model(format!("this is a model of strategy {found}, and strategy {kind} cannot use it")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload() -> Vec<u8> {
        (0..2_000_u32).flat_map(|number| (number % 97).to_le_bytes()).collect()
    }

    #[test]
    fn what_was_packed_is_unpacked() {
        let packed = pack("ldcoc", &payload());

        assert_eq!(unpack(&packed).unwrap(), ("ldcoc".to_owned(), payload()));
        assert_eq!(unpack_as("ldcoc", &packed).unwrap(), payload());
        assert_eq!(unpack_as("ldcoc", &pack("ldcoc", &[])).unwrap(), b"");
    }

    #[test]
    fn a_model_that_was_cut_is_no_model() {
        let packed = pack("ldcoc", &payload());

        for length in 0..packed.len() {
            assert!(unpack_as("ldcoc", &packed[..length]).is_err(), "cut to {length} bytes");
        }
    }

    #[test]
    fn a_model_with_a_changed_byte_is_no_model() {
        let packed = pack("ldcoc", &payload());

        for index in 0..packed.len() {
            let mut changed = packed.clone();
            changed[index] ^= 0x55;
            assert!(unpack_as("ldcoc", &changed).is_err(), "byte {index}");
        }
        let mut longer = packed;
        longer.push(0);
        assert!(unpack(&longer).is_err(), "something follows");
    }

    #[test]
    fn what_is_wrong_with_a_model_is_told() {
        let check = |bytes: &[u8], told: &str| {
            assert_eq!(unpack_as("ldcoc", bytes).unwrap_err().to_string(), told);
        };
        let mut of_tomorrow = pack("ldcoc", &payload());
        of_tomorrow[MAGIC.len()] = 2;

        check(b"<html>", "this is no model");
        check(b"lodeward model\n", "the model is damaged");
        check(&of_tomorrow, "the model has format version 2, and this program reads version 1");
        check(&pack("nb", &[]), "this is a model of strategy nb, and strategy ldcoc cannot use it");
    }
}
