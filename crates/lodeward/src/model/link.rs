//! References between documents: links as found, and the short form stored with a queue entry.

use std::fmt;
use std::sync::Arc;

use lodeward_markup::links::PageLink;
use serde::{Deserialize, Serialize};

use super::{Promise, Uri};

/// A reference to a document, with all context available where it was found.
///
/// A link lives only while its source document is processed. The frontier stores a queue entry, which is
/// small.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The referenced document.
    pub target: Uri,
    /// How the document is referenced.
    pub via: LinkKind,
}

/// How a document references another.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LinkKind {
    /// A seed, from the user.
    Seed,
    /// A triple.
    Triple {
        /// The direct property set `PS_t` of the target: the predicates that
        /// connect it, as subject or object (LDCOC §3.1). Bounded.
        properties: Vec<Arc<str>>,
        /// Whether the target occurs as a predicate, or as the object of `rdf:type`: a term of a
        /// vocabulary rather than a described thing.
        vocabulary: bool,
        /// The siblings `Sib_t`: subjects that share a (p, o) with the target,
        /// objects that share an (s, p). Bounded; empty unless requested.
        siblings: Vec<Uri>,
        /// The most specific property that has the target as object and states what its objects
        /// are, such as `void:dataDump`.
        type_hint: Option<Arc<str>>,
    },
    /// The `href` of an HTML element.
    Html(Box<PageLink>),
    /// A `Link:` header field.
    Header {
        /// The relation types, separated by spaces.
        rel: String,
        /// The `type` parameter.
        media_type: Option<String>,
    },
    /// The `Location` of a redirect with this status code.
    Redirect(u16),
    /// An entry of a list of URLs.
    Listed {
        /// The kind of list.
        list: LinkListKind,
        /// The media type stated by the list.
        media_type: Option<String>,
    },
}

/// The kinds of link list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkListKind {
    /// A sitemap.
    Sitemap,
    /// A catalogue of data sets.
    Catalogue,
    /// A well-known URI (RFC 8615), tried on each host.
    WellKnown,
    /// A robots.txt.
    Robots,
    /// A feed: Atom or RSS.
    Feed,
}

impl LinkListKind {
    /// The name used in reports.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sitemap => "sitemap",
            Self::Catalogue => "catalogue",
            Self::WellKnown => "well-known",
            Self::Robots => "robots.txt",
            Self::Feed => "feed",
        }
    }
}

impl LinkKind {
    /// The short form stored in a queue entry, without the promise of the link.
    #[must_use]
    pub fn found_by(&self) -> FoundBy {
        const MAX_DETAIL_CHARS: usize = 80;
        let truncate = |text: &str| text.chars().take(MAX_DETAIL_CHARS).collect();
        match self {
            Self::Seed => FoundBy::Seed,
            Self::Triple { properties, type_hint, .. } => {
                FoundBy::Triple(type_hint.as_ref().or(properties.first()).map(|p| truncate(p)).unwrap_or_default())
            }
            Self::Html(link) if link.element == "a" || link.element == "area" => FoundBy::Anchor(truncate(&link.text)),
            Self::Html(link) => {
                FoundBy::Element(truncate(&format!("{} {}", link.element, link.rel.as_deref().unwrap_or(""))))
            }
            Self::Header { rel, .. } => FoundBy::Header(truncate(rel)),
            Self::Redirect(status) => FoundBy::Redirect(*status),
            Self::Listed { list, .. } => FoundBy::Listed(list.name().to_owned()),
        }
    }

    /// Whether the link was found in RDF, rather than in HTML or HTTP.
    #[must_use]
    pub(crate) fn is_rdf(&self) -> bool {
        match self {
            Self::Seed | Self::Triple { .. } | Self::Redirect(_) => true,
            Self::Listed { list, .. } => matches!(list, LinkListKind::Catalogue | LinkListKind::WellKnown),
            Self::Html(_) | Self::Header { .. } => false,
        }
    }
}

/// How a URI was found, in one word and a detail, as `explain` shows it. Stored by the position of the variant: append
/// only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FoundBy {
    /// A seed, from the user.
    Seed,
    /// In a triple, next to this predicate.
    Triple(String),
    /// By an HTML anchor with this text.
    Anchor(String),
    /// By another HTML element: its name and relation.
    Element(String),
    /// By a `Link:` header field with this relation.
    Header(String),
    /// By a redirect with this status code.
    Redirect(u16),
    /// By a previous step of a service; the text is the purpose of the new step.
    Step(String),
    /// On a list of this kind.
    Listed(String),
    /// In this way, with a promise of what the URI is.
    Promised(Box<FoundBy>, Promise),
}

impl FoundBy {
    /// The promise, if there is one.
    #[must_use]
    pub(crate) fn promise(&self) -> Option<Promise> {
        match self {
            Self::Promised(_, promise) => Some(*promise),
            _ => None,
        }
    }
}

impl fmt::Display for FoundBy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seed => formatter.write_str("as a seed"),
            // A term of a vocabulary is found as a predicate or a class, without a predicate of its own.
            Self::Triple(predicate) if predicate.is_empty() => formatter.write_str("as a term of a vocabulary"),
            Self::Triple(predicate) => write!(formatter, "in a triple with <{predicate}>"),
            Self::Anchor(text) => write!(formatter, "by an anchor “{text}”"),
            Self::Element(element) => write!(formatter, "by an element <{}>", element.trim_end()),
            Self::Header(rel) => write!(formatter, "by a Link header, rel={rel}"),
            Self::Redirect(status) => write!(formatter, "by a redirect ({status})"),
            // The text is the purpose of this step, which is shown by itself.
            Self::Step(_) => formatter.write_str("by a previous step"),
            Self::Listed(list) => write!(formatter, "on a list: {list}"),
            Self::Promised(how, promise) => write!(formatter, "{how}, promised: {promise}"),
        }
    }
}

/// The result of a HEAD request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeResult {
    /// The status code.
    pub status: u16,
    /// The declared media type.
    pub media_type: Option<String>,
    /// The redirect target.
    pub location: Option<Uri>,
    /// The `Retry-After` of a redirect. Not stored.
    #[serde(skip)]
    pub retry_after_s: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_a_uri_was_found_is_described_without_empty_names() {
        let check = |found: FoundBy, text: &str| assert_eq!(found.to_string(), text);

        check(FoundBy::Triple("http://a.example/p".to_owned()), "in a triple with <http://a.example/p>");
        check(FoundBy::Triple(String::new()), "as a term of a vocabulary");
        check(FoundBy::Step("page 3".to_owned()), "by a previous step");
    }
}
