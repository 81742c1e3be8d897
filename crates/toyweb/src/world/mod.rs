//! Generated worlds.
//!
//! A world is a pure function of its parameters. The response at a URI is computed from the seed and the URI for each
//! request, so a world can have any size and needs no storage. A document is first *planned* (kind, name, topic,
//! fault), then its *links* are drawn, then its *content* is composed as statements, and finally it is *written* in a
//! syntax. The truth about a world comes from the first three, never from the bytes.
//!
//! The only state is the number of requests to transient faults.

pub(crate) mod responses;
pub(crate) mod chance_stream;
mod compose;
pub(crate) mod content;
mod faults;
pub(crate) mod fault_gallery;
mod kind;
pub(crate) mod links;
pub(crate) mod parameters;
pub(crate) mod plan;
mod presets;
mod respond;
mod revision;
mod robots;
mod sections;
pub(crate) mod site;
pub(crate) mod vocabulary;
mod words;
pub(crate) mod write;

#[cfg(test)]
mod committed;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;

use url::Url;

pub use faults::ServerFault;
pub use kind::DocumentKind;
pub use parameters::{
    ByteParameters, ChangeParameters, FaultParameters, KindShares, LinkParameters, NamingParameters, RobotsParameters,
    SectionParameters, SkewParameters, TopicParameters, WorldParameters, WorldParametersError,
};

use kind::KindTable;
use plan::DocumentPlan;
use site::{HostSide, RobotsFile, SITE_STRIDE};

/// A generated world.
pub struct World {
    parameters: WorldParameters,
    kinds: KindTable,
    memory: faults::FaultMemory,
}

/// The number of seeds of a world.
const SEED_COUNT: usize = 10;

impl World {
    /// Creates the world with these parameters.
    pub fn new(parameters: WorldParameters) -> Result<Self, WorldParametersError> {
        parameters.check()?;
        let kinds = KindTable::new(&parameters.kinds);
        Ok(Self { parameters, kinds, memory: faults::FaultMemory::default() })
    }

    /// The parameters of the world.
    #[must_use]
    pub fn parameters(&self) -> &WorldParameters {
        &self.parameters
    }

    /// URIs from which every linked document is reachable, over RDF links (if RDF links lead to it) and over HTML
    /// links.
    #[must_use]
    pub fn seeds(&self) -> Vec<String> {
        let mut seeds: Vec<String> = self.seed_plans().iter().map(DocumentPlan::name).collect();
        if self.parameters.faults.gallery {
            seeds.push(fault_gallery::INDEX_URL.to_owned());
        }
        seeds
    }

    pub(crate) fn seed_plans(&self) -> Vec<DocumentPlan> {
        let faultless_sites = (0..self.parameters.hosts).step_by(SITE_STRIDE as usize);
        let stride = (faultless_sites.len() / SEED_COUNT).max(1);
        let homes = faultless_sites.step_by(stride).map(|site| self.plan(self.site(site), 0));
        // A small world has few faultless sites, so documents of the first site are added.
        let carriers = (0..self.site(0).documents).step_by(self.stride() as usize).skip(1);
        let others = carriers.map(|number| self.plan(self.site(0), number));
        homes.chain(others).take(SEED_COUNT).collect()
    }

    /// Every host name of the world.
    pub fn hosts(&self) -> impl Iterator<Item = String> + '_ {
        let sites = (0..self.parameters.hosts).flat_map(|number| {
            let site = self.site(number);
            let names = [Some(site.origin(HostSide::Pages)), site.split.then(|| site.origin(HostSide::Data))];
            names.into_iter().flatten().map(|origin| origin["http://".len()..].to_owned())
        });
        let vocabularies =
            (0..self.vocabulary_count()).map(|number| vocabulary::url(number, self.parameters.vocabularies));
        let gallery = fault_gallery::fault_urls().map(|(_, url)| url).filter(|_| self.parameters.faults.gallery);
        let others = vocabularies.chain(gallery).filter_map(|url| Some(Url::parse(&url).ok()?.host_str()?.to_owned()));
        let mut others: Vec<String> = others.collect();
        others.sort_unstable();
        others.dedup();
        sites.chain(others)
    }

    /// The number of vocabularies, including the copies of RDF and RDFS.
    pub(crate) fn vocabulary_count(&self) -> u16 {
        self.parameters.vocabularies + 2
    }

    /// The `Crawl-delay` of a host, in seconds.
    #[must_use]
    pub fn crawl_delay_s(&self, host: &str) -> Option<f64> {
        let (site, _) = self.site_of_host(host)?;
        let has_delay = site.has_crawl_delay && site.robots == RobotsFile::Present;
        let readable = !matches!(site.fault, Some(ServerFault::RobotsError | ServerFault::RobotsDropped));
        (has_delay && readable).then_some(self.parameters.robots.crawl_delay_seconds)
    }

    /// Whether robots.txt allows a request. If robots.txt is unavailable because of a server error, nothing is allowed
    /// (RFC 9309, 2.3.1.4).
    #[must_use]
    pub fn allows(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        if url.path() == "/robots.txt" {
            return true;
        }
        let (fault, present) = match self.site_of_host(host) {
            Some((site, _)) => (site.fault, site.robots == RobotsFile::Present),
            None if self.parameters.faults.gallery => (fault_gallery::host_fault(host), host.ends_with(".example")),
            None => (None, false),
        };
        match fault {
            Some(ServerFault::RobotsError | ServerFault::RobotsDropped) => false,
            _ => !(present && url.path().starts_with("/private/")),
        }
    }
}
