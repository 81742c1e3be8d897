//! Texts: literals that are strings, with or without a language.

use oxrdf::vocab::xsd;
use oxrdf::{Literal, Term};

use crate::sparql::query_control::{EvaluationAborted, QueryControl};

/// A string literal.
#[derive(Clone, Copy)]
pub(super) struct PlainText<'a> {
    pub(super) value: &'a str,
    pub(super) language: Option<&'a str>,
}

impl<'a> PlainText<'a> {
    /// The text of a string literal; `None` for all other terms, on which string functions fail.
    pub(super) fn of(term: &'a Term) -> Option<Self> {
        let Term::Literal(literal) = term else { return None };
        let language = literal.language();
        (language.is_some() || literal.datatype() == xsd::STRING).then(|| Self { value: literal.value(), language })
    }

    /// A literal with the same language.
    pub(super) fn with_value(self, value: String) -> Term {
        plain_literal(value, self.language)
    }
}

/// The text of a string literal without a language.
pub(super) fn simple_literal(term: &Term) -> Option<&str> {
    PlainText::of(term).filter(|text| text.language.is_none()).map(|text| text.value)
}

pub(super) fn plain_literal(value: String, language: Option<&str>) -> Term {
    match language {
        Some(language) => Literal::new_language_tagged_literal_unchecked(value, language).into(),
        None => Literal::new_simple_literal(value).into(),
    }
}

/// `CONCAT`. The result has a language if all arguments have it.
pub(super) fn concat(arguments: &[Term], control: &QueryControl) -> Result<Option<Term>, EvaluationAborted> {
    let Some(texts) = arguments.iter().map(PlainText::of).collect::<Option<Vec<_>>>() else { return Ok(None) };
    control.charge_text(texts.iter().map(|text| text.value.len()).fold(0, usize::saturating_add))?;
    let language = texts.first().and_then(|first| first.language);
    let has_one_language = texts.iter().all(|text| text.language == language);
    let value = texts.iter().map(|text| text.value).collect();
    Ok(Some(plain_literal(value, language.filter(|_| has_one_language))))
}

/// The characters of a text for which memory is charged at once.
const PIECE_BYTES: usize = 1 << 20;

/// Maps a text piece by piece.
pub(super) fn map_text(
    term: &Term,
    control: &QueryControl,
    map: impl Fn(&str, &mut String),
) -> Result<Option<Term>, EvaluationAborted> {
    let Some(text) = PlainText::of(term) else { return Ok(None) };
    let mut mapped = String::new();
    let mut rest = text.value;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
        let before = mapped.len();
        map(piece, &mut mapped);
        control.charge_growth(mapped.len() - before, mapped.len())?;
        rest = after;
    }
    Ok(Some(text.with_value(mapped)))
}

/// `LCASE`. A sigma at the end of a word depends on the characters around it, so the text is mapped
/// as a whole; a lower-case text has at most 1.5 times the bytes.
pub(super) fn lower_case(term: &Term, control: &QueryControl) -> Result<Option<Term>, EvaluationAborted> {
    let Some(text) = PlainText::of(term) else { return Ok(None) };
    control.charge(text.value.len())?;
    let mapped = text.value.to_lowercase();
    control.charge_text(mapped.len())?;
    Ok(Some(text.with_value(mapped)))
}

/// `ENCODE_FOR_URI`.
pub(super) fn encode_for_uri(term: &Term, control: &QueryControl) -> Result<Option<Term>, EvaluationAborted> {
    let encoded = map_text(term, control, |text, out| {
        for byte in text.bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
                _ => {
                    out.push('%');
                    for digit in [byte / 16, byte % 16] {
                        out.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
                    }
                }
            }
        }
    })?;
    Ok(encoded.map(|encoded| match encoded {
        Term::Literal(literal) => Literal::new_simple_literal(literal.destruct().0).into(),
        other => other,
    }))
}
