//! Encoding of integers: order-preserving in keys, compact in values.

/// Appends a number to a key: its length in bytes, then the bytes. Keys of several such numbers
/// sort like the tuples of numbers, and no encoded number is a prefix of another one.
pub(crate) fn push_key(key: &mut Vec<u8>, number: u64) {
    let zeros = number.leading_zeros() as usize / 8;
    let bytes = number.to_be_bytes();
    #[expect(clippy::cast_possible_truncation, reason = "the length is at most eight bytes")]
    key.push((bytes.len() - zeros) as u8);
    key.extend_from_slice(&bytes[zeros..]);
}

/// Decodes a number and removes it from the front of a key.
pub(crate) fn take_key(key: &mut &[u8]) -> Option<u64> {
    let (&length, rest) = key.split_first()?;
    let (number, rest) = rest.split_at_checked(usize::from(length))?;
    let mut bytes = [0; 8];
    bytes.get_mut(8_usize.checked_sub(number.len())?..)?.copy_from_slice(number);
    *key = rest;
    Some(u64::from_be_bytes(bytes))
}

/// Appends a number as LEB128: seven bits per byte, the lowest first.
pub(crate) fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        #[expect(clippy::cast_possible_truncation, reason = "each byte encodes only the lowest seven bits")]
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the rest of the number is less than 128")]
    bytes.push(number as u8);
}

/// Encodes one number.
pub(crate) fn encode(number: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(5);
    push(&mut bytes, number);
    bytes
}

/// Decodes a LEB128 number and removes it from the front of `bytes`.
#[inline]
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0_u64, 0_u32);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::{push, push_key, take, take_key};

    const NUMBERS: [u64; 10] = [0, 1, 127, 128, 255, 256, 65_535, 1 << 56, u64::MAX - 1, u64::MAX];

    #[test]
    fn encoded_numbers_decode_to_the_same_numbers() {
        let (mut key, mut value) = (Vec::new(), Vec::new());
        for number in NUMBERS {
            push_key(&mut key, number);
            push(&mut value, number);
        }
        let (mut key, mut value) = (&key[..], &value[..]);
        for number in NUMBERS {
            assert_eq!(take_key(&mut key), Some(number));
            assert_eq!(take(&mut value), Some(number));
        }
        assert_eq!((take_key(&mut key), take(&mut value)), (None, None));
    }

    #[test]
    fn keys_sort_like_numbers() {
        let keys = NUMBERS.map(|number| {
            let mut key = Vec::new();
            push_key(&mut key, number);
            key
        });
        assert!(keys.is_sorted());
    }

    #[test]
    fn truncated_numbers_are_rejected() {
        assert_eq!(take_key(&mut &[2, 1][..]), None);
        assert_eq!(take_key(&mut &[9, 1, 1, 1, 1, 1, 1, 1, 1, 1][..]), None);
        assert_eq!(take(&mut &[0x80][..]), None);
        assert_eq!(take(&mut &[0xFF; 11][..]), None);
    }
}
