//! Encoding of terms in the dictionary.

use oxrdf::vocab::xsd;
use oxrdf::{BlankNodeRef, LiteralRef, NamedNodeRef, Term, TermRef};

use crate::varint;

// Part of the on-disk format.
const IRI: u8 = 0;
const BLANK: u8 = 1;
const STRING: u8 = 2;
const LANGUAGE: u8 = 3;
const TYPED: u8 = 4;

/// Encodes a term, replacing the content of `into`. Equal terms have equal bytes.
pub(crate) fn encode(term: TermRef<'_>, into: &mut Vec<u8>) {
    into.clear();
    match term {
        TermRef::NamedNode(node) => encode_text(into, IRI, node.as_str()),
        TermRef::BlankNode(node) => encode_text(into, BLANK, node.as_str()),
        TermRef::Literal(literal) => match literal.language() {
            Some(language) => encode_pair(into, LANGUAGE, language, literal.value()),
            None if literal.datatype() == xsd::STRING => encode_text(into, STRING, literal.value()),
            None => encode_pair(into, TYPED, literal.datatype().as_str(), literal.value()),
        },
    }
}

fn encode_text(into: &mut Vec<u8>, kind: u8, text: &str) {
    into.push(kind);
    into.extend_from_slice(text.as_bytes());
}

fn encode_pair(into: &mut Vec<u8>, kind: u8, first: &str, second: &str) {
    into.push(kind);
    varint::push(into, first.len() as u64);
    into.extend_from_slice(first.as_bytes());
    into.extend_from_slice(second.as_bytes());
}

/// Whether an encoded term is an IRI or a blank node; `None` if the bytes are invalid.
pub(crate) fn is_node(bytes: &[u8]) -> Option<bool> {
    bytes.first().map(|kind| matches!(*kind, IRI | BLANK))
}

/// Decodes a term; `None` if the bytes are invalid.
pub(crate) fn decode(bytes: &[u8]) -> Option<Term> {
    decode_ref(bytes).map(TermRef::into_owned)
}

/// A term that borrows its text from its encoded bytes; `None` if these are invalid.
pub(crate) fn decode_ref(bytes: &[u8]) -> Option<TermRef<'_>> {
    let (&kind, mut rest) = bytes.split_first()?;
    Some(match kind {
        IRI => NamedNodeRef::new_unchecked(decode_text(rest)?).into(),
        BLANK => BlankNodeRef::new_unchecked(decode_text(rest)?).into(),
        STRING => LiteralRef::new_simple_literal(decode_text(rest)?).into(),
        LANGUAGE | TYPED => {
            let length = usize::try_from(varint::take(&mut rest)?).ok()?;
            let (first, value) = rest.split_at_checked(length)?;
            let (first, value) = (decode_text(first)?, decode_text(value)?);
            if kind == LANGUAGE {
                LiteralRef::new_language_tagged_literal_unchecked(value, first).into()
            } else {
                LiteralRef::new_typed_literal(value, NamedNodeRef::new_unchecked(first)).into()
            }
        }
        _ => return None,
    })
}

fn decode_text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use oxrdf::{BlankNode, Literal, NamedNode, Term};

    use super::{decode, encode};

    #[test]
    fn encoded_terms_decode_to_the_same_terms() {
        let long = "x".repeat(300);
        let terms: [Term; 7] = [
            NamedNode::new("http://a.example/é").unwrap().into(),
            BlankNode::new("b1").unwrap().into(),
            Literal::new_simple_literal("a \"text\"\n\0").into(),
            Literal::new_language_tagged_literal("text", "en-gb").unwrap().into(),
            Literal::new_typed_literal("", NamedNode::new("http://a.example/t").unwrap()).into(),
            Literal::new_typed_literal("é", NamedNode::new(format!("http://a.example/{long}")).unwrap()).into(),
            Literal::new_simple_literal("").into(),
        ];
        let mut bytes = Vec::new();
        for term in terms {
            encode(term.as_ref(), &mut bytes);
            assert_eq!(decode(&bytes), Some(term));
        }
    }

    #[test]
    fn invalid_bytes_are_rejected() {
        for bytes in [&b""[..], b"\x09x", b"\x03", b"\x03\x05en", b"\x00\xff", b"\x04\x80"] {
            assert_eq!(decode(bytes), None);
        }
    }
}
