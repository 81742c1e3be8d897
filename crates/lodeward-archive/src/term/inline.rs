//! Short literals that are encoded in their id.
//!
//! The highest byte is the type, the other seven hold the lexical form: strings of at most seven
//! bytes as UTF-8, numbers and dates as up to fourteen half bytes. The lexical form is preserved
//! exactly, so `"01"^^xsd:integer` does not become `"1"`.

use oxrdf::vocab::xsd;
use oxrdf::{Literal, LiteralRef, NamedNodeRef};

/// Datatypes whose lexical forms are encoded in half bytes. Part of the on-disk format: entries may
/// be appended, up to 64, but not changed.
const DIGIT_DATATYPES: [NamedNodeRef<'static>; 19] = [
    xsd::INTEGER,
    xsd::DECIMAL,
    xsd::DOUBLE,
    xsd::FLOAT,
    xsd::DATE,
    xsd::G_YEAR,
    xsd::G_YEAR_MONTH,
    xsd::TIME,
    xsd::INT,
    xsd::LONG,
    xsd::SHORT,
    xsd::BYTE,
    xsd::NON_NEGATIVE_INTEGER,
    xsd::POSITIVE_INTEGER,
    xsd::NON_POSITIVE_INTEGER,
    xsd::NEGATIVE_INTEGER,
    xsd::UNSIGNED_INT,
    xsd::UNSIGNED_LONG,
    xsd::DATE_TIME,
];

/// Languages whose short strings are encoded inline. Part of the on-disk format: entries may be
/// appended, up to 12, but not changed.
const LANGUAGES: [&str; 10] = ["en", "de", "fr", "es", "it", "nl", "pt", "ja", "ru", "zh"];

/// The characters that a half byte encodes as 0 to 14; 15 marks the end of the lexical form.
const SYMBOLS: &[u8; 15] = b"0123456789-+.E:";
const END: u8 = 15;

const STRING: u8 = 0x08;
const LANGUAGE: u8 = 0x10;
const DIGIT: u8 = 0x80;
const BOOLEAN: u8 = 0xC0;
const BOOLEANS: [&str; 4] = ["false", "true", "0", "1"];

/// The id of a literal; `None` if the literal cannot be encoded in seven bytes.
pub(super) fn encode(literal: LiteralRef<'_>) -> Option<u64> {
    let value = literal.value();
    if let Some(language) = literal.language() {
        let language = LANGUAGES.iter().position(|known| *known == language)?;
        return encode_text(LANGUAGE + u8::try_from(language).ok()? * 8, value);
    }
    let datatype = literal.datatype();
    if datatype == xsd::STRING {
        return encode_text(STRING, value);
    }
    if datatype == xsd::BOOLEAN {
        let form = BOOLEANS.iter().position(|form| *form == value)?;
        return Some(u64::from(BOOLEAN) << 56 | form as u64);
    }
    let datatype = DIGIT_DATATYPES.iter().position(|known| *known == datatype)?;
    encode_digits(DIGIT + u8::try_from(datatype).ok()?, value)
}

fn encode_text(tag: u8, value: &str) -> Option<u64> {
    let mut bytes = [0; 8];
    bytes.get_mut(1..=value.len())?.copy_from_slice(value.as_bytes());
    bytes[0] = tag + u8::try_from(value.len()).ok()?;
    Some(u64::from_be_bytes(bytes))
}

fn encode_digits(tag: u8, value: &str) -> Option<u64> {
    const MAX_LENGTH: usize = 14;
    if value.len() > MAX_LENGTH {
        return None;
    }
    let mut id = u64::from(tag);
    for index in 0..MAX_LENGTH {
        let half = match value.as_bytes().get(index) {
            Some(byte) => u8::try_from(SYMBOLS.iter().position(|symbol| symbol == byte)?).ok()?,
            None => END,
        };
        id = id << 4 | u64::from(half);
    }
    Some(id)
}

/// The literal of an inline id; `None` if `id` is not a valid inline id.
pub(super) fn decode(id: u64) -> Option<Literal> {
    let bytes = id.to_be_bytes();
    let tag = bytes[0];
    if tag >= BOOLEAN {
        let form = BOOLEANS.get(usize::from(bytes[7]))?;
        return (tag == BOOLEAN).then(|| Literal::new_typed_literal(*form, xsd::BOOLEAN));
    }
    if tag >= DIGIT {
        let datatype = DIGIT_DATATYPES.get(usize::from(tag - DIGIT))?;
        return Some(Literal::new_typed_literal(decode_digits(id), *datatype));
    }
    let value = std::str::from_utf8(bytes.get(1..=usize::from(tag % 8))?).ok()?;
    if tag >= LANGUAGE {
        let language = LANGUAGES.get(usize::from(tag - LANGUAGE) / 8)?;
        return Some(Literal::new_language_tagged_literal_unchecked(value, *language));
    }
    (tag >= STRING).then(|| Literal::new_simple_literal(value))
}

fn decode_digits(id: u64) -> String {
    let halves = (0..14).rev().map(|index| (id >> (4 * index) & 0xF) as usize);
    halves.map_while(|half| SYMBOLS.get(half)).map(|symbol| char::from(*symbol)).collect()
}

#[cfg(test)]
mod tests {
    use oxrdf::vocab::xsd;
    use oxrdf::{Literal, NamedNode};

    use super::{decode, encode};

    fn typed(value: &str, datatype: &str) -> Literal {
        let datatype = format!("http://www.w3.org/2001/XMLSchema#{datatype}");
        Literal::new_typed_literal(value, NamedNode::new(datatype).unwrap())
    }

    #[test]
    fn short_literals_are_encoded_in_their_id_exactly() {
        for literal in [
            Literal::new_simple_literal(""),
            Literal::new_simple_literal("sevené"),
            Literal::new_simple_literal("\0\0"),
            Literal::new_language_tagged_literal("Wien", "de").unwrap(),
            Literal::new_language_tagged_literal("", "zh").unwrap(),
            typed("01", "integer"),
            typed("-12345678901", "integer"),
            typed("", "integer"),
            typed("1.50", "decimal"),
            typed("1E-9", "double"),
            typed("2012-05-01", "date"),
            typed("2012", "gYear"),
            typed("12:30:00", "time"),
            typed("true", "boolean"),
            typed("0", "boolean"),
        ] {
            let id = encode(literal.as_ref()).unwrap_or_else(|| panic!("{literal} is short"));
            assert!(id >> 56 > 0, "{literal}");
            assert_eq!(decode(id), Some(literal));
        }
    }

    #[test]
    fn different_literals_have_different_ids() {
        let literals = [
            Literal::new_simple_literal(""),
            Literal::new_simple_literal("\0"),
            Literal::new_simple_literal("1"),
            Literal::new_language_tagged_literal("1", "en").unwrap(),
            typed("1", "integer"),
            typed("01", "integer"),
            typed("1", "boolean"),
            typed("1", "decimal"),
        ];
        let mut ids: Vec<_> = literals.iter().map(|literal| encode(literal.as_ref()).unwrap()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), literals.len());
    }

    #[test]
    fn other_literals_are_not_encoded_inline() {
        for literal in [
            Literal::new_simple_literal("eightly!"),
            Literal::new_language_tagged_literal("x", "en-gb").unwrap(),
            typed("2012-05-01T00:00:00Z", "dateTime"),
            typed("1e3", "double"),
            typed("TRUE", "boolean"),
            typed("123456789012345", "integer"),
            Literal::new_typed_literal("1", NamedNode::new("http://a.example/t").unwrap()),
            Literal::new_typed_literal("POINT(1 2)", xsd::ANY_URI),
        ] {
            assert_eq!(encode(literal.as_ref()), None, "{literal}");
        }
    }

    #[test]
    fn decoding_any_number_does_not_panic() {
        for tag in 0..=255_u64 {
            for rest in [0, 0x00FF_FFFF_FFFF_FFFF, 0x0031_FFFF_0000_8080] {
                if let Some(literal) = decode(tag << 56 | rest) {
                    let _ = encode(literal.as_ref());
                }
            }
        }
    }
}
