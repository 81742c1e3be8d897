//! Values of properties, as they are asked for.

use oxrdf::{LiteralRef, TermRef};
use regex::Regex;

use super::Comparison;
use super::name::Name;

/// What a value must be like.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// This resource.
    Resource(Name),
    /// A literal that compares so, in a language if one is said.
    Literal { comparison: Comparison, text: String, language: Option<String> },
    /// A literal of this text, or a resource of this name.
    Either { text: String, name: Option<Name> },
    /// Whatever this is found in.
    Pattern(Regex),
}

impl Wanted {
    pub(super) fn is_met_by(&self, value: TermRef<'_>) -> bool {
        match (self, value) {
            (Self::Pattern(pattern), value) => text_of(value).is_some_and(|text| pattern.is_match(text)),
            (Self::Resource(name), TermRef::NamedNode(iri)) => name.is(iri.as_str()),
            (Self::Literal { comparison, text, language }, TermRef::Literal(literal)) => {
                let speaks =
                    |wanted: &String| literal.language().is_some_and(|known| known.eq_ignore_ascii_case(wanted));
                language.as_ref().is_none_or(speaks) && holds(literal, *comparison, text)
            }
            (Self::Either { text, .. }, TermRef::Literal(literal)) => holds(literal, Comparison::Equal, text),
            (Self::Either { text, name }, TermRef::NamedNode(iri)) => {
                iri.as_str() == text || name.as_ref().is_some_and(|name| name.is(iri.as_str()))
            }
            _ => false,
        }
    }
}

/// Numbers are compared as numbers, everything else letter by letter, which does
/// for dates as XML Schema writes them.
fn holds(literal: LiteralRef<'_>, comparison: Comparison, wanted: &str) -> bool {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    match (number(literal.value()), number(wanted)) {
        (Some(known), Some(wanted)) => comparison.holds(known.total_cmp(&wanted)),
        // What is no number is neither more nor less than one.
        (None, Some(_)) if comparison != Comparison::Equal => false,
        _ => comparison.holds(literal.value().cmp(wanted)),
    }
}

fn text_of(value: TermRef<'_>) -> Option<&str> {
    match value {
        TermRef::Literal(literal) => Some(literal.value()),
        TermRef::NamedNode(iri) => Some(iri.as_str()),
        TermRef::BlankNode(_) => None,
    }
}
