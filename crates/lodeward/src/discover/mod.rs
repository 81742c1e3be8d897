//! What no link leads into: endpoints, catalogues, sitemaps.
//!
//! Much linked data is not a document behind a URI. It is in a SPARQL endpoint,
//! behind the API of a catalogue, or listed in a sitemap. Such a *service* is
//! harvested in *steps*. A [`Step`] is one request: it has a URI, waits in the
//! frontier like any other candidate, and so robots, politeness, retries,
//! resuming, provenance and the store see nothing new. Which steps come next is
//! told by a step and its answer alone; nothing is remembered between them, so
//! there is nothing to lose.
//!
//! This room is pure: it reads answers and says what to ask next. Whoever links
//! to a service is found by [`promise`]: what a link says its target is. What is
//! asked for at all is the user's [`Policy`].

pub mod ckan;
pub mod endpoint;
pub mod promise;
pub mod sitemap;
mod policy;

use std::fmt;
use std::io::Read;

use oxrdf::QuadRef;
use serde::{Deserialize, Serialize};

use crate::fetch::Refusal;
use crate::model::link::StepLink;
use crate::model::{Fault, How, Link, Uri, Via};

pub use policy::{Endpoints, Policy};

/// One request of the harvest of a service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// To a SPARQL endpoint.
    Endpoint(endpoint::Step),
    /// To the API of a CKAN catalogue.
    Ckan(ckan::Step),
    /// For a sitemap.
    Sitemap(sitemap::Step),
}

/// A step that is to be taken, and its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    /// What to ask for.
    pub uri: Uri,
    /// Why.
    pub step: Step,
}

impl From<Next> for Link {
    fn from(Next { uri, step }: Next) -> Self {
        let how = How::Step(step.to_string());
        Self { target: uri, via: Via::Step(Box::new(StepLink { step, how })) }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// An RDF document, as ever.
    Document,
    /// The results of a SPARQL query, or RDF.
    Results,
    /// JSON.
    Json,
    /// XML.
    Xml,
}

/// What a service said.
pub struct Answer<'a> {
    /// Where.
    pub uri: &'a Uri,
    /// The media type it declared.
    pub content_type: Option<&'a str>,
    /// The bytes. What cuts them short is an error with a
    /// [`CutShort`](crate::fetch::CutShort) inside, or one of the parser's.
    pub body: Box<dyn Read + 'a>,
}

/// Takes what is found in an answer.
pub trait Findings {
    /// Statements from here on were written in this syntax, by its short name,
    /// and their blank nodes are not those of before.
    fn begin(&mut self, syntax: &'static str);
    /// Takes a statement, and the links in it. Says why not, if it cannot be
    /// written down.
    fn quad(&mut self, quad: QuadRef<'_>) -> Result<(), String>;
    /// Takes a link that is in no statement.
    fn link(&mut self, link: Link);
    /// Takes a step that is to be taken next.
    fn step(&mut self, next: Next);
    /// Notes what could not be read.
    fn fault(&mut self, fault: Fault);
}

impl Step {
    /// The address of the service, by which quotas are counted.
    #[must_use]
    pub fn service(&self) -> &str {
        match self {
            Self::Endpoint(step) => step.service(),
            Self::Ckan(step) => step.service(),
            Self::Sitemap(step) => step.service(),
        }
    }

    /// Whether taking it again, by itself, tells what its service has by now. A list
    /// is read anew from wherever it begins; where a page of an endpoint begins
    /// depends on what the page before it held.
    #[must_use]
    pub fn can_be_repeated(&self) -> bool {
        !matches!(self, Self::Endpoint(_))
    }

    /// What is asked for.
    #[must_use]
    pub fn wish(&self) -> Wish {
        match self {
            Self::Endpoint(step) => step.wish(),
            Self::Ckan(_) => Wish::Json,
            Self::Sitemap(_) => Wish::Xml,
        }
    }

    /// Whether the answer is a document like any other, to be read as such. Then
    /// [`Self::after`] tells what comes next, not [`Self::read`].
    #[must_use]
    pub fn reads_document(&self) -> bool {
        matches!(self, Self::Endpoint(step) if step.reads_document())
    }

    /// Reads an answer. Returns the name of the syntax it turned out to be in.
    ///
    /// Never fails: what could not be read is a fault, and what came before it is
    /// kept; next steps are found even so, unless they make no sense.
    pub fn read(&self, answer: Answer<'_>, findings: &mut dyn Findings) -> &'static str {
        match self {
            Self::Endpoint(step) => step.read(answer, findings),
            Self::Ckan(step) => step.read(answer, findings),
            Self::Sitemap(step) => step.read(answer, findings),
        }
    }

    /// What to do after a document was read.
    #[must_use]
    pub fn after(&self) -> Vec<Next> {
        match self {
            Self::Endpoint(step) => step.after(),
            Self::Ckan(_) | Self::Sitemap(_) => Vec::new(),
        }
    }

    /// What to do instead, now that it has failed for good.
    #[must_use]
    pub fn after_failure(&self, refusal: &Refusal) -> Vec<Next> {
        match self {
            Self::Endpoint(step) => step.after_failure(refusal),
            Self::Ckan(step) => step.after_failure(refusal),
            Self::Sitemap(_) => Vec::new(),
        }
    }

    /// The same step at the address that its service points to.
    #[must_use]
    pub fn redirected(&self, target: &Uri) -> Option<Self> {
        match self {
            Self::Endpoint(step) => step.redirected(target).map(Self::Endpoint),
            Self::Ckan(step) => step.redirected(target).map(Self::Ckan),
            Self::Sitemap(step) => Some(Self::Sitemap(step.clone())),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Endpoint(step) => step.fmt(formatter),
            Self::Ckan(step) => step.fmt(formatter),
            Self::Sitemap(step) => step.fmt(formatter),
        }
    }
}
