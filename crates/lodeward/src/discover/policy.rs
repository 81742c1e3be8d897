//! What is asked for besides documents.

use super::{Step, ckan, endpoint, promise, sitemap};
use crate::model::{Link, Uri};

/// What becomes of SPARQL endpoints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Endpoints {
    /// They are documents like any other.
    Off,
    /// Their service description is read, and what graphs they have.
    #[default]
    Describe,
    /// Everything in them is taken.
    Harvest,
}

/// What a crawl asks for besides documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// What becomes of SPARQL endpoints.
    pub endpoints: Endpoints,
    /// Whether the API of catalogues is asked.
    pub catalogues: bool,
    /// Whether the sitemaps that a robots.txt names are read.
    pub sitemaps: bool,
    /// Whether hosts on which RDF was found are asked for `/.well-known/void`.
    pub well_known: bool,
    /// Rows that are asked for at a time.
    pub page_rows: u32,
    /// Statements taken from one service.
    pub quads_max: u64,
    /// Requests to one service.
    pub requests_max: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            endpoints: Endpoints::default(),
            catalogues: true,
            sitemaps: false,
            well_known: false,
            page_rows: 10_000,
            quads_max: 10_000_000,
            requests_max: 10_000,
        }
    }
}

impl Policy {
    /// A policy that asks for nothing but documents.
    #[must_use]
    pub fn documents_only() -> Self {
        Self { endpoints: Endpoints::Off, catalogues: false, ..Self::default() }
    }

    /// The first step towards the service that a link promises, if it promises
    /// one. It is taken at the link's target.
    #[must_use]
    pub fn first_step(&self, link: &Link) -> Option<Step> {
        if !self.asks_services() {
            return None;
        }
        let step = match promise::of(link)? {
            promise::Promise::Endpoint => Step::Endpoint(endpoint::Step::first(&link.target, self)?),
            promise::Promise::Catalogue => Step::Ckan(ckan::Step::first(&link.target)?),
            promise::Promise::Sitemap => Step::Sitemap(sitemap::Step::first(&link.target)),
            promise::Promise::Rdf | promise::Promise::Dump | promise::Promise::Description => return None,
        };
        self.allows(&step).then_some(step)
    }

    /// Whether steps to such services are taken at all.
    #[must_use]
    pub fn allows(&self, step: &Step) -> bool {
        match step {
            Step::Endpoint(_) => self.endpoints != Endpoints::Off,
            Step::Ckan(_) => self.catalogues,
            Step::Sitemap(_) => self.sitemaps,
        }
    }

    fn asks_services(&self) -> bool {
        self.endpoints != Endpoints::Off || self.catalogues || self.sitemaps
    }

    /// Where a host on which RDF was found may describe its data sets.
    #[must_use]
    pub fn well_known(&self, host: &Uri) -> Option<Uri> {
        if !self.well_known {
            return None;
        }
        Uri::resolve(&host.to_url(), "/.well-known/void").ok()
    }
}
