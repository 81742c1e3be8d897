//! The policy for services: what is requested besides documents.

use super::{Step, StepKind, ckan, endpoint, promise, sitemap};
use crate::model::{Link, LinkKind, Promise, Uri};

/// How SPARQL endpoints are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndpointPolicy {
    /// Endpoints are requested like any other document.
    Off,
    /// The service description and the list of graphs of each endpoint are read.
    #[default]
    Describe,
    /// All statements of each endpoint are harvested.
    Harvest,
}

/// What a crawl requests besides documents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct DiscoverPolicy {
    /// How SPARQL endpoints are used.
    pub sparql_endpoints: EndpointPolicy,
    /// The only graph that is harvested from endpoints; all if `None`.
    pub endpoint_graph: Option<String>,
    /// The class whose instances are harvested from endpoints; everything if `None`.
    pub endpoint_class: Option<String>,
    /// Whether the IRIs in harvested statements of endpoints are links to follow.
    pub follow_harvested: bool,
    /// Whether the API of CKAN catalogues is used.
    pub ckan: bool,
    /// Whether the sitemaps listed in robots.txt are read.
    pub sitemaps: bool,
    /// Whether `/.well-known/void` is requested from hosts with RDF.
    pub well_known_void: bool,
    /// Number of rows per request.
    pub page_rows: u32,
    /// Maximum number of quads from one service.
    pub max_quads_per_service: u64,
    /// Maximum number of requests to one service.
    pub max_requests_per_service: u64,
}

impl Default for DiscoverPolicy {
    fn default() -> Self {
        Self {
            sparql_endpoints: EndpointPolicy::default(),
            endpoint_graph: None,
            endpoint_class: None,
            follow_harvested: false,
            ckan: true,
            sitemaps: false,
            well_known_void: false,
            page_rows: 10_000,
            max_quads_per_service: 10_000_000,
            max_requests_per_service: 10_000,
        }
    }
}

impl DiscoverPolicy {
    /// A policy that requests documents only.
    #[must_use]
    pub fn documents_only() -> Self {
        Self { sparql_endpoints: EndpointPolicy::Off, ckan: false, ..Self::default() }
    }

    /// The first step for the service that a link promises, if it promises one. The URL of the step is the target of
    /// the link.
    #[must_use]
    pub(crate) fn first_step(&self, link: &Link) -> Option<Step> {
        if !self.uses_services() {
            return None;
        }
        let step = match promise::from_link(link)? {
            Promise::Endpoint => {
                let is_seed = matches!(link.via, LinkKind::Seed);
                Step::from(endpoint::EndpointStep::first(&link.target, is_seed, self))
            }
            Promise::Catalogue => Step::from(ckan::CkanStep::first(&link.target)?),
            Promise::Sitemap => Step::from(sitemap::SitemapStep::first(&link.target)),
            Promise::Rdf | Promise::Dump | Promise::Description => return None,
        };
        self.allows(&step).then_some(step)
    }

    /// Whether steps of this kind are allowed.
    #[must_use]
    pub(crate) fn allows(&self, step: &Step) -> bool {
        match step.0 {
            StepKind::Endpoint(_) => self.sparql_endpoints != EndpointPolicy::Off,
            StepKind::Ckan(_) => self.ckan,
            StepKind::Sitemap(_) => self.sitemaps,
        }
    }

    fn uses_services(&self) -> bool {
        self.sparql_endpoints != EndpointPolicy::Off || self.ckan || self.sitemaps
    }

    /// The URL at which a host with RDF may describe its data sets.
    #[must_use]
    pub(crate) fn well_known_uri(&self, host: &Uri) -> Option<Uri> {
        if !self.well_known_void {
            return None;
        }
        Uri::resolve(&host.to_url(), "/.well-known/void").ok()
    }
}
