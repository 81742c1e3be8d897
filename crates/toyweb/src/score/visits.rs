//! What the access log tells.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead};

use url::Url;

use super::Rules;
use super::politeness::{Moment, Politeness};
use super::report::Requests;
use crate::access_log::Entry;
use crate::truth::Document;

/// The requests of a crawl.
#[derive(Default)]
pub struct Visits {
    entries: Vec<Entry>,
    /// How often each URL was fetched with 200.
    fetches: HashMap<String, u64>,
    barren: u64,
}

impl Visits {
    /// Reads an access log. A last line cut short is what a killed server
    /// leaves; any other line must be whole.
    pub fn read(reader: impl BufRead) -> io::Result<Self> {
        let mut visits = Self::default();
        let mut broken = None;
        for line in reader.lines() {
            if let Some(problem) = broken {
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
            match Entry::parse(&line?) {
                Ok(entry) => visits.push(entry),
                Err(problem) => broken = Some(problem),
            }
        }
        Ok(visits)
    }

    /// Adds one request.
    pub fn push(&mut self, entry: Entry) {
        if entry.method == "GET" && entry.status == 200 {
            *self.fetches.entry(entry.url.clone()).or_default() += 1;
        }
        self.entries.push(entry);
    }

    /// Takes note of what a document is, and tells whether it was fetched.
    pub(super) fn meet(&mut self, document: &Document) -> bool {
        let fetches = self.fetches.get(&document.url).copied().unwrap_or(0);
        if !document.relevant {
            self.barren += fetches;
        }
        fetches > 0
    }

    pub(super) fn requests(&self, rules: &dyn Rules) -> Requests {
        let count = |wanted: &dyn Fn(&Entry) -> bool| self.entries.iter().filter(|entry| wanted(entry)).count() as u64;
        let fetches = || self.fetches.iter().filter(|(url, _)| !is_robots(url)).map(|(_, count)| *count);
        let forbidden = |entry: &Entry| Url::parse(&entry.url).is_ok_and(|url| !rules.allows(&url));
        Requests {
            all: self.entries.len() as u64,
            get: count(&|entry| entry.method == "GET"),
            head: count(&|entry| entry.method == "HEAD"),
            robots: count(&|entry| is_robots(&entry.url)),
            redirected: count(&|entry| (300..400).contains(&entry.status)),
            not_found: count(&|entry| matches!(entry.status, 404 | 410) && !is_robots(&entry.url)),
            barren: self.barren,
            documents: fetches().count() as u64,
            documents_repeated: fetches().filter(|fetches| *fetches > 1).count() as u64,
            repetitions: fetches().map(|fetches| fetches - 1).sum(),
            disallowed: count(&forbidden),
            bytes: self.entries.iter().map(|entry| entry.bytes).sum(),
        }
    }

    pub(super) fn politeness_per_domain(&self, rules: &dyn Rules, floor_s: f64) -> Politeness {
        self.politeness(|host| {
            let required_s = rules.crawl_delay_s(host).unwrap_or(0.0).max(floor_s);
            Some((pay_level_domain(host), required_s))
        })
    }

    /// Per address only the crawler's own floor is required: what one host
    /// asks for does not bind its neighbours.
    pub(super) fn politeness_per_address(&self, addresses: &HashMap<String, String>, floor_s: f64) -> Politeness {
        self.politeness(|host| Some((addresses.get(host)?.clone(), floor_s)))
    }

    fn politeness(&self, group: impl Fn(&str) -> Option<(String, f64)>) -> Politeness {
        let mut groups: BTreeMap<String, Vec<Moment>> = BTreeMap::new();
        for Entry { start_us, end_us, url, .. } in &self.entries {
            let Some((name, required_s)) = host(url).and_then(&group) else { continue };
            let moment = Moment { start_us: *start_us, end_us: *end_us, required_s };
            groups.entry(name).or_default().push(moment);
        }
        Politeness::of(groups)
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
