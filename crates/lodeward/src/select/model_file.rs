//! What a strategy has learned, as bytes that can be kept.
//!
//! | bytes | what |
//! |---|---|
//! | 15 | `lodeward model` and a line feed |
//! | 4 | format version, little-endian |
//! | 1 + n | length and name of the kind: `ldcoc`, `learned` … |
//! | 8 | xxh3-64 of the payload, little-endian |
//! | rest | the payload, as its kind says, compressed with zstd |

use super::StrategyError;

const MAGIC: &[u8] = b"lodeward model\n";
/// Changes whenever an older program could not read what this one writes.
const VERSION: u32 = 1;
/// The largest payload that is read.
const PAYLOAD_BYTES_MAX: usize = 1 << 30;

/// Packs a payload.
#[must_use]
pub fn pack(kind: &str, payload: &[u8]) -> Vec<u8> {
    let packed = zstd::bulk::compress(payload, 1).expect("memory can be compressed into memory");
    let mut bytes = Vec::with_capacity(MAGIC.len() + kind.len() + packed.len() + 16);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.push(u8::try_from(kind.len()).expect("kinds have short names"));
    bytes.extend_from_slice(kind.as_bytes());
    bytes.extend_from_slice(&xxhash_rust::xxh3::xxh3_64(payload).to_le_bytes());
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
    let (checksum, packed) = rest.split_first_chunk().ok_or_else(damaged)?;
    let payload = zstd::bulk::decompress(packed, PAYLOAD_BYTES_MAX).map_err(|_| damaged())?;
    if xxhash_rust::xxh3::xxh3_64(&payload) != u64::from_le_bytes(*checksum) {
        return Err(damaged());
    }
    Ok((String::from_utf8(kind.to_vec()).map_err(|_| damaged())?, payload))
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
