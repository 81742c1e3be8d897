//! Names in IRIs.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// How a name is written in an IRI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Escape {
    /// As `DBpedia` and Wikipedia do: spaces are `_`, the first letter of the IRI's
    /// last part is in upper case, and only what cannot be in a path is escaped.
    #[default]
    Wiki,
    /// Everything but letters, digits and `-._~` is escaped, as in a query.
    Percent,
}

impl Escape {
    /// A value as it is put into an IRI.
    pub(super) fn escaped(self, value: &str) -> String {
        let value = crate::seed::labels::spaced(value);
        match self {
            Self::Wiki => escaped(&value.replace(' ', "_"), b"!$&'()*+,-./:;=@_~"),
            Self::Percent => escaped(&value, b"-._~"),
        }
    }

    /// An IRI whose last part, which begins here, is a name, as names are written.
    pub(super) fn finished(self, iri: String, begin: usize) -> String {
        let first = iri[begin..].chars().next().filter(|first| self == Self::Wiki && first.is_ascii_lowercase());
        match first {
            Some(first) => format!("{}{}{}", &iri[..begin], first.to_ascii_uppercase(), &iri[begin + 1..]),
            None => iri,
        }
    }
}

/// The name in an IRI: its last part, as people write it.
pub(super) fn name_of(iri: &str) -> String {
    let last = iri.trim_end_matches(['/', '#']).rsplit(['/', '#']).next().unwrap_or_default();
    crate::rank::terms::decoded(last).replace('_', " ")
}

fn escaped(text: &str, plain: &[u8]) -> String {
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
    fn names_are_written_as_on_wikipedia() {
        let check = |name: &str, written: &str| {
            let base = "http://a.example/resource/";
            let iri = format!("{base}{}", Escape::Wiki.escaped(name));
            assert_eq!(Escape::Wiki.finished(iri, base.len()), format!("{base}{written}"), "{name}");
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
    fn names_are_written_as_in_a_query() {
        assert_eq!(Escape::Percent.escaped("Köln & Bonn/Rhein"), "K%C3%B6ln%20%26%20Bonn%2FRhein");
        assert_eq!(Escape::Percent.finished("http://a.example/köln".to_owned(), 17), "http://a.example/köln");
    }

    #[test]
    fn an_iri_has_a_name() {
        let check = |iri: &str, name: &str| assert_eq!(name_of(iri), name);

        check("http://dbpedia.org/resource/Cologne_Cathedral", "Cologne Cathedral");
        check("http://dbpedia.org/resource/%C3%89difice_Price", "Édifice Price");
        check("http://a.example/places#Bonn", "Bonn");
        check("http://a.example/", "a.example");
    }
}
