//! Names of classes and properties in filters.

use crate::prefixes::{is_full_iri, namespace};

/// Name of a class or property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FilterName {
    /// A full IRI.
    Iri(String),
    /// An IRI with the scheme http or https: some namespaces are used with both.
    EitherScheme(String),
    /// A local name: the end of an IRI.
    Local(String),
}

impl FilterName {
    /// Parses an unquoted name: an IRI, a prefixed name, or a local name.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let Some((prefix, local)) = text.split_once(':') else { return Ok(Self::Local(text.to_owned())) };
        if is_full_iri(prefix, local) {
            return Ok(Self::Iri(text.to_owned()));
        }
        match namespace(prefix) {
            Some(namespace) => Ok(Self::EitherScheme(without_scheme(&format!("{namespace}{local}")).to_owned())),
            None => Err(format!("unknown prefix `{prefix}`")),
        }
    }

    /// Whether the name refers to the class or property with this IRI.
    pub(super) fn matches(&self, iri: &str) -> bool {
        match self {
            Self::Iri(expected) => iri == expected,
            Self::EitherScheme(expected) => without_scheme(iri) == expected,
            Self::Local(expected) => local_name(iri).eq_ignore_ascii_case(expected),
        }
    }
}

fn without_scheme(iri: &str) -> &str {
    iri.strip_prefix("http://").or_else(|| iri.strip_prefix("https://")).unwrap_or(iri)
}

/// The end of an IRI.
fn local_name(iri: &str) -> &str {
    iri.trim_end_matches(['/', '#']).rsplit(['/', '#', ':']).next().unwrap_or(iri)
}
