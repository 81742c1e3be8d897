//! References between documents: links as found, queue entries as stored in the frontier, leases as fetched.

use std::fmt;
use std::sync::Arc;

use lodeward_markup::links::PageLink;
use serde::{Deserialize, Serialize};

use super::{Pld, Revisit, Uri};
use crate::discover::Step;
use crate::discover::promise::{self, Promise};
use crate::select::Verdict;

/// A reference to a document, with all context available where it was found.
///
/// A link lives only while its source document is processed. The frontier stores a [`QueueEntry`], which is small.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The referenced document.
    pub target: Uri,
    /// How the document is referenced.
    pub via: LinkKind,
}

impl Link {
    /// The short form stored in a queue entry, with the promise of the link if it makes one.
    #[must_use]
    pub fn found_by(&self) -> FoundBy {
        let found_by = self.via.found_by();
        match found_by {
            // Seeds, redirects and steps of a service make no promise.
            FoundBy::Seed | FoundBy::Redirect(_) | FoundBy::Step(_) => found_by,
            found_by => match promise::from_link(self) {
                Some(promise) => FoundBy::Promised(Box::new(found_by), promise),
                None => found_by,
            },
        }
    }
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
    /// A step in the harvest of a service.
    Step(Box<StepLink>),
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
}

impl LinkListKind {
    /// The name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sitemap => "sitemap",
            Self::Catalogue => "catalogue",
            Self::WellKnown => "well-known",
            Self::Robots => "robots.txt",
        }
    }
}

/// A step and how it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct StepLink {
    /// The step.
    pub step: Step,
    /// How it was found.
    pub found_by: FoundBy,
}

impl LinkKind {
    /// The short form stored in a queue entry.
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
            Self::Step(link) => link.found_by.clone(),
        }
    }

    /// The step, if the link is one.
    #[must_use]
    pub fn step(&self) -> Option<&Step> {
        match self {
            Self::Step(link) => Some(&link.step),
            _ => None,
        }
    }

    /// Whether the link was found in RDF, rather than in HTML or HTTP.
    #[must_use]
    pub fn is_rdf(&self) -> bool {
        match self {
            Self::Seed | Self::Triple { .. } | Self::Redirect(_) | Self::Step(_) => true,
            Self::Listed { list, .. } => matches!(list, LinkListKind::Catalogue | LinkListKind::WellKnown),
            Self::Html(_) | Self::Header { .. } => false,
        }
    }
}

/// How a URI was found, in one word and a detail, as `explain` shows it.
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
    pub fn promise(&self) -> Option<Promise> {
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
            Self::Triple(predicate) => write!(formatter, "in a triple with <{predicate}>"),
            Self::Anchor(text) => write!(formatter, "by an anchor “{text}”"),
            Self::Element(element) => write!(formatter, "by an element <{}>", element.trim_end()),
            Self::Header(rel) => write!(formatter, "by a Link header, rel={rel}"),
            Self::Redirect(status) => write!(formatter, "by a redirect ({status})"),
            Self::Step(purpose) => write!(formatter, "by a previous step: {purpose}"),
            Self::Listed(list) => write!(formatter, "on a list: {list}"),
            Self::Promised(how, promise) => write!(formatter, "{how}, promised: {promise}"),
        }
    }
}

/// A link queued in the frontier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueEntry {
    /// The document to fetch.
    pub target: Uri,
    /// The document it was found in; `None` for a seed.
    pub source: Option<Uri>,
    /// How it was found.
    pub found_by: FoundBy,
    /// Hops from the nearest seed; a redirect is not a hop.
    pub depth: u16,
    /// Number of consecutive redirects that led here.
    pub redirects: u8,
    /// Urgency: larger values are fetched first. Always finite.
    pub priority: f32,
    /// Features for the strategy, computed while the source document is available, so that queued entries can be scored
    /// again as the model learns.
    pub features: FeatureVector,
    /// The step to take; `None` to fetch a document.
    pub step: Option<Box<Step>>,
    /// Last outcome and history, if the URI has been fetched before.
    pub revisit: Option<Box<Revisit>>,
}

impl QueueEntry {
    /// The pay-level domain of the target.
    #[must_use]
    pub fn pld(&self) -> Pld {
        self.target.pld()
    }
}

/// A hashed, sparse, binary feature vector: the indices that are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureVector(pub Vec<u32>);

/// Permission to fetch one queue entry once.
#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    /// Identifies the lease within its frontier. Leases are numbered in the order in which they are granted.
    pub id: u64,
    /// The entry to fetch.
    pub entry: QueueEntry,
    /// Number of failed attempts before this one.
    pub attempt: u8,
    /// Result of the HEAD request, if one was sent.
    pub probe: Option<ProbeResult>,
    /// Verdict of the strategy.
    pub verdict: Option<Verdict>,
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
}
