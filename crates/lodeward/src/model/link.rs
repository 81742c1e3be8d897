//! References between documents, from discovery to visit.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Again, Pld, Uri};
use crate::discover::Step;
use crate::discover::promise::{self, Promise};
use crate::select::Verdict;

/// A reference to a document, with everything its finder could tell about it.
///
/// Links live only while the document they were found in is at hand; what waits
/// in the frontier is a [`Candidate`], which is small.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The document referred to.
    pub target: Uri,
    /// How it is referred to.
    pub via: Via,
}

impl Link {
    /// The short form of how it was found that is kept with a candidate, with
    /// what was promised.
    #[must_use]
    pub fn how(&self) -> How {
        let how = self.via.how();
        match how {
            // The user said so, or a server, or a service: there is no promise.
            How::Seed | How::Redirect(_) | How::Step(_) => how,
            how => match promise::of(self) {
                Some(promise) => How::Promised(Box::new(how), promise),
                None => how,
            },
        }
    }
}

/// How a document refers to another.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Via {
    /// It was given by the user.
    Seed,
    /// It occurs in a triple.
    Triple {
        /// The direct property set `PS_t` of the target: the predicates that
        /// connect it, as subject or object (LDCOC §3.1). Bounded.
        properties: Vec<Arc<str>>,
        /// Whether it occurs as a predicate, or as the object of `rdf:type`:
        /// a term of a vocabulary rather than a thing described.
        vocabulary: bool,
        /// The siblings `Sib_t`: subjects that share a (p, o) with the target,
        /// objects that share an (s, p). Bounded; empty unless asked for.
        siblings: Vec<Uri>,
        /// A property that says what its objects are, and which the target is an
        /// object of: `void:dataDump`. Of several, the plainest.
        telling: Option<Arc<str>>,
    },
    /// It is the `href` of an HTML element.
    Html(Box<HtmlLink>),
    /// It was named by a `Link:` header field.
    Header {
        /// The relation types, separated by spaces.
        rel: String,
        /// The `type` parameter.
        media_type: Option<String>,
    },
    /// It was the `Location` of a redirect with this status code.
    Redirect(u16),
    /// It is on a list of addresses.
    Listed {
        /// On which sort of list.
        list: List,
        /// The media type that the list gives it.
        media_type: Option<String>,
    },
    /// It is a step of the harvest of a service.
    Step(Box<StepLink>),
}

/// The sorts of list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum List {
    /// A sitemap.
    Sitemap,
    /// A catalogue of data sets.
    Catalogue,
    /// The convention that hosts have such a document (RFC 8615).
    WellKnown,
    /// A robots.txt.
    Robots,
}

impl List {
    /// Its name.
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

/// How a step was found.
#[derive(Clone, Debug, PartialEq)]
pub struct StepLink {
    /// What to do.
    pub step: Step,
    /// What led to it.
    pub how: How,
}

/// What HTML says about a link: the properties that link analysis looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtmlLink {
    /// The element's name: `a`, `area`, `link`, `iframe` or `frame`.
    pub element: String,
    /// The `rel` attribute.
    pub rel: Option<String>,
    /// The `type` attribute.
    pub media_type: Option<String>,
    /// The `title` attribute.
    pub title: Option<String>,
    /// The anchor text, white space folded, cut to a bound.
    pub text: String,
    /// The text around the anchor within its block, cut to a bound each side.
    pub context: String,
    /// The names of the enclosing elements, outermost first: `body/ul/li`.
    pub tag_path: String,
}

impl Via {
    /// The short form that is kept with a candidate.
    #[must_use]
    pub fn how(&self) -> How {
        const DETAIL_CHARACTERS_MAX: usize = 80;
        let cut = |text: &str| text.chars().take(DETAIL_CHARACTERS_MAX).collect();
        match self {
            Self::Seed => How::Seed,
            Self::Triple { properties, telling, .. } => {
                How::Triple(telling.as_ref().or(properties.first()).map(|p| cut(p)).unwrap_or_default())
            }
            Self::Html(link) if link.element == "a" || link.element == "area" => How::Anchor(cut(&link.text)),
            Self::Html(link) => How::Element(cut(&format!("{} {}", link.element, link.rel.as_deref().unwrap_or("")))),
            Self::Header { rel, .. } => How::Header(cut(rel)),
            Self::Redirect(status) => How::Redirect(*status),
            Self::Listed { list, .. } => How::Listed(list.name().to_owned()),
            Self::Step(link) => link.how.clone(),
        }
    }

    /// The step that is to be taken, if this is one.
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
            Self::Listed { list, .. } => matches!(list, List::Catalogue | List::WellKnown),
            Self::Html(_) | Self::Header { .. } => false,
        }
    }
}

/// How a candidate was found, in one word and a detail: what `explain` shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// Given by the user.
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
    /// By a step before it: this is what it is for.
    Step(String),
    /// On a list of this sort.
    Listed(String),
    /// In a way that says what it is.
    Promised(Box<How>, Promise),
}

impl How {
    /// What was promised, if anything.
    #[must_use]
    pub fn promise(&self) -> Option<Promise> {
        match self {
            Self::Promised(_, promise) => Some(*promise),
            _ => None,
        }
    }
}

impl fmt::Display for How {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seed => formatter.write_str("as a seed"),
            Self::Triple(predicate) => write!(formatter, "in a triple with <{predicate}>"),
            Self::Anchor(text) => write!(formatter, "by an anchor “{text}”"),
            Self::Element(element) => write!(formatter, "by an element <{}>", element.trim_end()),
            Self::Header(rel) => write!(formatter, "by a Link header, rel={rel}"),
            Self::Redirect(status) => write!(formatter, "by a redirect ({status})"),
            Self::Step(purpose) => write!(formatter, "by a step before it: {purpose}"),
            Self::Listed(list) => write!(formatter, "on a list: {list}"),
            Self::Promised(how, promise) => write!(formatter, "{how}, promised: {promise}"),
        }
    }
}

/// A link that has been given its place in the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The document to visit.
    pub target: Uri,
    /// The document it was found in; `None` for a seed.
    pub source: Option<Uri>,
    /// How it was found there.
    pub how: How,
    /// Hops from the nearest seed; a redirect is not a hop.
    pub depth: u16,
    /// Redirects that led here in a row.
    pub redirects: u8,
    /// Urgency, larger first. Finite.
    pub priority: f32,
    /// What the selector will see, computed while the context was at hand, so
    /// that a waiting candidate can be scored again as the model learns.
    pub features: Features,
    /// What the visit is for, if not for a document.
    pub step: Option<Box<Step>>,
    /// What is known of the visits before, if this is not the first.
    pub again: Option<Box<Again>>,
}

impl Candidate {
    /// The pay-level domain of the target.
    #[must_use]
    pub fn pld(&self) -> Pld {
        self.target.pld()
    }
}

/// A hashed, sparse, binary feature vector: the indices that are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Features(pub Vec<u32>);

/// Permission to visit one candidate, once.
#[derive(Clone, Debug, PartialEq)]
pub struct Visit {
    /// Which lease this is: how its frontier knows it again. Leases are
    /// numbered in the order in which they were given.
    pub lease: u64,
    /// Who may be visited.
    pub candidate: Candidate,
    /// How many visits have failed before this one.
    pub attempt: u8,
    /// What a HEAD request said, if one was made.
    pub probe: Option<Probe>,
    /// What the strategy made of it.
    pub verdict: Option<Verdict>,
}

/// What is known of a document without downloading it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// The status code.
    pub status: u16,
    /// Its media type, as declared.
    pub media_type: Option<String>,
    /// Where it says the document is instead.
    pub location: Option<Uri>,
}
