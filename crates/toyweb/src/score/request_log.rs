//! The requests of a crawl, read from the access log.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead};

use url::Url;

use super::WebRules;
use super::politeness::{PolitenessScore, RequestInstant};
use super::report::RequestCounts;
use crate::access_log::AccessLogEntry;
use crate::truth::TruthDocument;

/// The requests of a crawl.
#[derive(Default)]
pub struct RequestLog {
    entries: Vec<AccessLogEntry>,
    /// The number of fetches with status 200 per URL.
    fetches: HashMap<String, u64>,
    without_rdf: u64,
}

impl RequestLog {
    /// Reads an access log. A truncated last line is accepted, because a killed server leaves one.
    pub fn read(reader: impl BufRead) -> io::Result<Self> {
        let mut request_log = Self::default();
        let mut broken = None;
        for line in reader.lines() {
            if let Some(problem) = broken {
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
            match AccessLogEntry::parse(&line?) {
                Ok(entry) => request_log.push(entry),
                Err(problem) => broken = Some(problem),
            }
        }
        Ok(request_log)
    }

    /// Adds one request.
    pub fn push(&mut self, entry: AccessLogEntry) {
        if entry.method == "GET" && entry.status == 200 {
            *self.fetches.entry(entry.url.clone()).or_default() += 1;
        }
        self.entries.push(entry);
    }

    /// Counts the fetches of a document without RDF as wasted; returns whether the document was fetched.
    pub(super) fn check_document(&mut self, document: &TruthDocument) -> bool {
        let fetches = self.fetches.get(&document.url).copied().unwrap_or(0);
        if !document.relevant {
            self.without_rdf += fetches;
        }
        fetches > 0
    }

    pub(super) fn request_counts(&self, rules: &dyn WebRules) -> RequestCounts {
        let count = |predicate: &dyn Fn(&AccessLogEntry) -> bool| {
            self.entries.iter().filter(|entry| predicate(entry)).count() as u64
        };
        let fetches = || self.fetches.iter().filter(|(url, _)| !is_robots(url)).map(|(_, count)| *count);
        let forbidden = |entry: &AccessLogEntry| Url::parse(&entry.url).is_ok_and(|url| !rules.allows(&url));
        RequestCounts {
            all: self.entries.len() as u64,
            get: count(&|entry| entry.method == "GET"),
            head: count(&|entry| entry.method == "HEAD"),
            robots: count(&|entry| is_robots(&entry.url)),
            redirected: count(&|entry| (300..400).contains(&entry.status)),
            not_found: count(&|entry| matches!(entry.status, 404 | 410) && !is_robots(&entry.url)),
            without_rdf: self.without_rdf,
            documents: fetches().count() as u64,
            documents_repeated: fetches().filter(|fetches| *fetches > 1).count() as u64,
            repetitions: fetches().map(|fetches| fetches - 1).sum(),
            disallowed: count(&forbidden),
            bytes: self.entries.iter().map(|entry| entry.bytes).sum(),
        }
    }

    pub(super) fn politeness_per_domain(&self, rules: &dyn WebRules, floor_s: f64) -> PolitenessScore {
        self.politeness(|host| {
            let required_s = rules.crawl_delay_s(host).unwrap_or(0.0).max(floor_s);
            Some((pay_level_domain(host), required_s))
        })
    }

    /// Per IP address only the crawler's own delay is required: the `Crawl-delay` of one host does not apply to other
    /// hosts of the address.
    pub(super) fn politeness_per_address(&self, addresses: &HashMap<String, String>, floor_s: f64) -> PolitenessScore {
        self.politeness(|host| Some((addresses.get(host)?.clone(), floor_s)))
    }

    fn politeness(&self, group: impl Fn(&str) -> Option<(String, f64)>) -> PolitenessScore {
        let mut groups: BTreeMap<String, Vec<RequestInstant>> = BTreeMap::new();
        for AccessLogEntry { start_us, end_us, url, .. } in &self.entries {
            let Some((name, required_s)) = host(url).and_then(&group) else { continue };
            let instant = RequestInstant { start_us: *start_us, end_us: *end_us, required_s };
            groups.entry(name).or_default().push(instant);
        }
        PolitenessScore::from_groups(groups)
    }
}

fn is_robots(url: &str) -> bool {
    url.ends_with("/robots.txt")
}

/// The host of an absolute URL, without the cost of parsing all of it.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    Some(authority.split_once(':').map_or(authority, |(host, _)| host))
}

fn pay_level_domain(host: &str) -> String {
    psl::domain_str(host).unwrap_or(host).to_owned()
}
