//! Escapes names for IRIs.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// How a name is written in an IRI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameEscape {
    /// As in `DBpedia` and Wikipedia: spaces become `_`, the first letter of the last part of
    /// the IRI is in upper case, and characters that are not allowed in a path are
    /// percent-encoded.
    #[default]
    Wiki,
    /// All characters but letters, digits and `-._~` are percent-encoded, as in a query.
    Percent,
}

impl NameEscape {
    /// A value, escaped for an IRI.
    pub(super) fn escape(self, value: &str) -> String {
        let value = crate::seeds::labels::collapse_whitespace(value);
        match self {
            Self::Wiki => percent_encode(&value.replace(' ', "_"), b"!$&'()*+,-./:;=@_~"),
            Self::Percent => percent_encode(&value, b"-._~"),
        }
    }

    /// Capitalises the name at the end of an IRI, which starts at `begin`, if the escape
    /// requires it.
    pub(super) fn capitalize_name(self, iri: String, begin: usize) -> String {
        let first = iri[begin..].chars().next().filter(|first| self == Self::Wiki && first.is_ascii_lowercase());
        match first {
            Some(first) => format!("{}{}{}", &iri[..begin], first.to_ascii_uppercase(), &iri[begin + 1..]),
            None => iri,
        }
    }
}

/// The name in an IRI: its last part, unescaped.
pub(super) fn name_from_iri(iri: &str) -> String {
    let last = iri.trim_end_matches(['/', '#']).rsplit(['/', '#']).next().unwrap_or_default();
    lodeward_focus::rank::terms::percent_decode(last).replace('_', " ")
}

fn percent_encode(text: &str, plain: &[u8]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wiki_escape_follows_wikipedia() {
        let check = |name: &str, written: &str| {
            let base = "http://a.example/resource/";
            let iri = format!("{base}{}", NameEscape::Wiki.escape(name));
            assert_eq!(NameEscape::Wiki.capitalize_name(iri, base.len()), format!("{base}{written}"), "{name}");
        };

        check("Cologne Cathedral", "Cologne_Cathedral");
        check("  cologne   cathedral ", "Cologne_cathedral");
        check("Édifice Price", "%C3%89difice_Price");
        check("input/output", "Input/output");
        check("Hunt's Tomb", "Hunt's_Tomb");
        check("Capitol Theatre, Manchester", "Capitol_Theatre,_Manchester");
        check("Who? #1 100%", "Who%3F_%231_100%25");
        check("a<b>\"c\"\n", "A%3Cb%3E%22c%22");
    }

    #[test]
    fn percent_escape_encodes_reserved_characters() {
        assert_eq!(NameEscape::Percent.escape("Köln & Bonn/Rhein"), "K%C3%B6ln%20%26%20Bonn%2FRhein");
        assert_eq!(
            NameEscape::Percent.capitalize_name("http://a.example/köln".to_owned(), 17),
            "http://a.example/köln"
        );
    }

    #[test]
    fn the_name_of_an_iri_is_its_last_part() {
        let check = |iri: &str, name: &str| assert_eq!(name_from_iri(iri), name);

        check("http://dbpedia.org/resource/Cologne_Cathedral", "Cologne Cathedral");
        check("http://dbpedia.org/resource/%C3%89difice_Price", "Édifice Price");
        check("http://a.example/places#Bonn", "Bonn");
        check("http://a.example/", "a.example");
    }
}
