//! Harvests data that links do not lead to: SPARQL endpoints, catalogues, sitemaps.
//!
//! Much linked data is not a document behind a URI. It is in a SPARQL endpoint, behind the API of a catalogue, or
//! listed in a sitemap. Such a *service* is harvested in *steps*. A [`Step`] is one request: it has a URI and waits in
//! the frontier like any other entry, so robots.txt, politeness, retries, resuming, provenance and the store apply
//! without changes. The next steps depend only on a step and its response; no state is stored between them, so none can
//! be lost.
//!
//! This module does no I/O: it reads responses and returns the next steps. Links to services are recognised by
//! `promise`: what a link states about its target. The [`DiscoverPolicy`] decides which services are used.

pub(crate) mod ckan;
pub(crate) mod endpoint;
pub mod promise;
pub(crate) mod sitemap;
mod policy;

use std::fmt;
use std::io::Read;

use oxrdf::QuadRef;
use serde::{Deserialize, Serialize};

use crate::model::{AcceptProfile, Fault, FetchFailure, FoundBy, Link, Uri};

pub use policy::{DiscoverPolicy, EndpointPolicy};

/// A request in the harvest of a service. Its `Display` names the service and what is requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step(pub(crate) StepKind);

/// A step by the kind of its service. Stored by the position of the variant: append only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StepKind {
    /// A request to a SPARQL endpoint.
    Endpoint(endpoint::EndpointStep),
    /// A request to the API of a CKAN catalogue.
    Ckan(ckan::CkanStep),
    /// A request for a sitemap.
    Sitemap(sitemap::SitemapStep),
}

/// A step to take, with its URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextStep {
    /// The URL to request.
    pub uri: Uri,
    /// The step.
    pub step: Step,
}

impl NextStep {
    /// How the step was found: by a previous step.
    #[must_use]
    pub(crate) fn found_by(&self) -> FoundBy {
        FoundBy::Step(self.step.to_string())
    }
}

/// The response of a service.
pub(crate) struct ServiceResponse<'a> {
    /// The URL of the request.
    pub(crate) uri: &'a Uri,
    /// The bytes of the body. If the body is truncated, reading fails with an error that contains a
    /// [`StreamFault`](crate::model::StreamFault), or with an error of the parser.
    pub(crate) body: Box<dyn Read + 'a>,
}

/// How the statements of a response are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StatementRules {
    /// Whether the statements stay in their named graphs, whatever the options.
    pub(crate) keeps_graph_names: bool,
    /// Whether their IRIs are links.
    pub(crate) has_links: bool,
}

/// Receives the statements, links, steps and faults found in a response.
pub(crate) trait StepSink {
    /// Sets the rules for the following statements.
    fn set_rules(&mut self, rules: StatementRules);
    /// Starts a format, by its short name: the following statements are written in it, and their blank nodes are new.
    fn begin_syntax(&mut self, syntax: &'static str);
    /// Accepts a statement and its links, or returns why it cannot be serialised.
    fn quad(&mut self, quad: QuadRef<'_>) -> Result<(), String>;
    /// Accepts a link that is not in a statement.
    fn link(&mut self, link: Link);
    /// Accepts a step to take next.
    fn step(&mut self, next: NextStep);
    /// Accepts a fault.
    fn fault(&mut self, fault: Fault);
}

impl Step {
    /// The URL of the service, by which quotas are counted.
    #[must_use]
    pub(crate) fn service(&self) -> &str {
        match &self.0 {
            StepKind::Endpoint(step) => step.service(),
            StepKind::Ckan(step) => step.service(),
            StepKind::Sitemap(step) => step.service(),
        }
    }

    /// Forgets what earlier responses predicted about the next one: the service may have changed since.
    pub(crate) fn forget_predictions(&mut self) {
        if let StepKind::Endpoint(step) = &mut self.0 {
            step.forget_predictions();
        }
    }

    /// The expected kind of response.
    #[must_use]
    pub(crate) fn accept_profile(&self) -> AcceptProfile {
        match &self.0 {
            StepKind::Endpoint(step) => step.accept_profile(),
            StepKind::Ckan(_) => AcceptProfile::Json,
            StepKind::Sitemap(_) => AcceptProfile::Xml,
        }
    }

    /// Whether the response is a document like any other. Then [`Self::next_steps`] returns the next steps, not
    /// [`Self::read`].
    #[must_use]
    pub(crate) fn reads_document(&self) -> bool {
        matches!(&self.0, StepKind::Endpoint(step) if step.reads_document())
    }

    /// Reads a response. Returns the name of the detected format.
    ///
    /// Never fails: unreadable parts are faults, and everything before them is preserved. The next steps are found as
    /// far as possible.
    pub(crate) fn read(&self, response: ServiceResponse<'_>, findings: &mut dyn StepSink) -> &'static str {
        match &self.0 {
            StepKind::Endpoint(step) => step.read(response, findings),
            StepKind::Ckan(step) => step.read(response, findings),
            StepKind::Sitemap(step) => step.read(response, findings),
        }
    }

    /// The next steps after the document was read.
    #[must_use]
    pub(crate) fn next_steps(&self) -> Vec<NextStep> {
        match &self.0 {
            StepKind::Endpoint(step) => step.next_steps(),
            StepKind::Ckan(_) | StepKind::Sitemap(_) => Vec::new(),
        }
    }

    /// The steps to take after a permanent failure.
    #[must_use]
    pub(crate) fn after_failure(&self, failure: &FetchFailure) -> Vec<NextStep> {
        match &self.0 {
            StepKind::Endpoint(step) => step.after_failure(failure),
            StepKind::Ckan(step) => step.after_failure(failure),
            StepKind::Sitemap(_) => Vec::new(),
        }
    }

    /// The same step at the target of a redirect.
    #[must_use]
    pub(crate) fn redirect_to(&self, target: &Uri) -> Option<Self> {
        match &self.0 {
            StepKind::Endpoint(step) => step.redirect_to(target).map(Self::from),
            StepKind::Ckan(step) => step.redirect_to(target).map(Self::from),
            StepKind::Sitemap(step) => Some(step.clone().into()),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            StepKind::Endpoint(step) => step.fmt(formatter),
            StepKind::Ckan(step) => step.fmt(formatter),
            StepKind::Sitemap(step) => step.fmt(formatter),
        }
    }
}

impl From<endpoint::EndpointStep> for Step {
    fn from(step: endpoint::EndpointStep) -> Self {
        Self(StepKind::Endpoint(step))
    }
}

impl From<ckan::CkanStep> for Step {
    fn from(step: ckan::CkanStep) -> Self {
        Self(StepKind::Ckan(step))
    }
}

impl From<sitemap::SitemapStep> for Step {
    fn from(step: sitemap::SitemapStep) -> Self {
        Self(StepKind::Sitemap(step))
    }
}
