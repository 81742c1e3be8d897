//! Tests of property values.

use oxrdf::{LiteralRef, TermRef};
use regex::Regex;

use super::FilterComparison;
use super::name::FilterName;

/// A condition on a value.
#[derive(Clone, Debug)]
pub(super) enum ValueTest {
    /// The value is this resource.
    Resource(FilterName),
    /// The value is a literal that compares in this way, in a language if one is given.
    Literal { comparison: FilterComparison, text: String, language: Option<String> },
    /// The value is a literal with this text, or a resource with this name.
    Either { text: String, name: Option<FilterName> },
    /// The value is a literal or IRI that matches a regular expression.
    Pattern(Regex),
}

impl ValueTest {
    pub(super) fn matches(&self, value: TermRef<'_>) -> bool {
        match (self, value) {
            (Self::Pattern(pattern), value) => term_text(value).is_some_and(|text| pattern.is_match(text)),
            (Self::Resource(name), TermRef::NamedNode(iri)) => name.matches(iri.as_str()),
            (Self::Literal { comparison, text, language }, TermRef::Literal(literal)) => {
                let has_language =
                    |tag: &String| literal.language().is_some_and(|known| known.eq_ignore_ascii_case(tag));
                language.as_ref().is_none_or(has_language) && literal_matches(literal, *comparison, text)
            }
            (Self::Either { text, .. }, TermRef::Literal(literal)) => {
                literal_matches(literal, FilterComparison::Equal, text)
            }
            (Self::Either { text, name }, TermRef::NamedNode(iri)) => {
                iri.as_str() == text || name.as_ref().is_some_and(|name| name.matches(iri.as_str()))
            }
            _ => false,
        }
    }
}

/// Compares numbers as numbers, and everything else as text, which is correct for XML Schema dates.
fn literal_matches(literal: LiteralRef<'_>, comparison: FilterComparison, expected: &str) -> bool {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    match (number(literal.value()), number(expected)) {
        (Some(known), Some(expected)) => comparison.holds(known.total_cmp(&expected)),
        // A text cannot be ordered relative to a number.
        (None, Some(_)) if comparison != FilterComparison::Equal => false,
        _ => comparison.holds(literal.value().cmp(expected)),
    }
}

fn term_text(value: TermRef<'_>) -> Option<&str> {
    match value {
        TermRef::Literal(literal) => Some(literal.value()),
        TermRef::NamedNode(iri) => Some(iri.as_str()),
        TermRef::BlankNode(_) => None,
    }
}
