//! Generated worlds.
//!
//! A world is a pure function of its parameters: what answers at a URI is
//! computed from the seed and the URI each time it is asked, so a world may be
//! of any size and costs nothing to keep. A document is first *planned* (kind,
//! name, topic, fault), then its *links* are drawn, then its *content* is
//! composed as statements, and only then it is *written* in some syntax. The
//! truth about a world is read off the first three, never off the bytes.
//!
//! The only thing remembered is how often a passing fault has been asked.

pub(crate) mod answer;
pub(crate) mod chance;
mod compose;
pub(crate) mod content;
mod faults;
pub(crate) mod gallery;
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

pub use faults::Fault;
pub use kind::Kind;
pub use parameters::{
    BadParameters, Bytes, Changes, Faults, Kinds, Links, Naming, Parameters, Robots, Sections, Skew, Topics,
};

use kind::KindTable;
use plan::Plan;
use site::{RobotsFile, SITE_STRIDE, Side};

/// A generated world.
pub struct World {
    parameters: Parameters,
    kinds: KindTable,
    memory: faults::Memory,
}

/// How many seeds a world has.
const SEEDS: usize = 10;

impl World {
    /// The world of these parameters.
    pub fn new(parameters: Parameters) -> Result<Self, BadParameters> {
        parameters.check()?;
        let kinds = KindTable::new(&parameters.kinds);
        Ok(Self { parameters, kinds, memory: faults::Memory::default() })
    }

    /// What the world was made of.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// URIs from which everything that is linked at all can be reached, over
    /// RDF links (where RDF links lead) and over HTML links alike.
    #[must_use]
    pub fn seeds(&self) -> Vec<String> {
        let mut seeds: Vec<String> = self.seed_plans().iter().map(Plan::name).collect();
        if self.parameters.faults.gallery {
            seeds.push(gallery::INDEX.to_owned());
        }
        seeds
    }

    pub(crate) fn seed_plans(&self) -> Vec<Plan> {
        let sound_sites = (0..self.parameters.hosts).step_by(SITE_STRIDE as usize);
        let stride = (sound_sites.len() / SEEDS).max(1);
        let homes = sound_sites.step_by(stride).map(|site| self.plan(self.site(site), 0));
        // A small world has few sound sites: then documents of the first one.
        let carriers = (0..self.site(0).documents).step_by(self.stride() as usize).skip(1);
        let others = carriers.map(|number| self.plan(self.site(0), number));
        homes.chain(others).take(SEEDS).collect()
    }

    /// Every host name of the world.
    pub fn hosts(&self) -> impl Iterator<Item = String> + '_ {
        let sites = (0..self.parameters.hosts).flat_map(|number| {
            let site = self.site(number);
            let names = [Some(site.origin(Side::Pages)), site.split.then(|| site.origin(Side::Data))];
            names.into_iter().flatten().map(|origin| origin["http://".len()..].to_owned())
        });
        let vocabularies = (0..self.vocabularies()).map(|number| vocabulary::url(number, self.parameters.vocabularies));
        let shown = gallery::exhibits().map(|(_, url)| url).filter(|_| self.parameters.faults.gallery);
        let others = vocabularies.chain(shown).filter_map(|url| Some(Url::parse(&url).ok()?.host_str()?.to_owned()));
        let mut others: Vec<String> = others.collect();
        others.sort_unstable();
        others.dedup();
        sites.chain(others)
    }

    /// How many vocabularies there are, with the stand-ins for RDF and RDFS.
    pub(crate) fn vocabularies(&self) -> u16 {
        self.parameters.vocabularies + 2
    }

    /// The `Crawl-delay` a host asks for, in seconds.
    #[must_use]
    pub fn crawl_delay_s(&self, host: &str) -> Option<f64> {
        let (site, _) = self.site_of_host(host)?;
        let asks = site.has_crawl_delay && site.robots == RobotsFile::Present;
        let readable = !matches!(site.fault, Some(Fault::RobotsError | Fault::RobotsDropped));
        (asks && readable).then_some(self.parameters.robots.crawl_delay_s)
    }

    /// The words a topic's documents speak in, the topic's name first.
    #[must_use]
    pub fn topic_words(&self, topic: u32) -> Vec<String> {
        words::of_topic(topic)
    }

    /// Whether robots.txt allows a visit. Where it cannot be had because the
    /// server fails, nothing is allowed (RFC 9309, 2.3.1.4).
    #[must_use]
    pub fn allows(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        if url.path() == "/robots.txt" {
            return true;
        }
        let (fault, present) = match self.site_of_host(host) {
            Some((site, _)) => (site.fault, site.robots == RobotsFile::Present),
            None if self.parameters.faults.gallery => (gallery::host_fault(host), host.ends_with(".example")),
            None => (None, false),
        };
        match fault {
            Some(Fault::RobotsError | Fault::RobotsDropped) => false,
            _ => !(present && url.path().starts_with("/private/")),
        }
    }
}
