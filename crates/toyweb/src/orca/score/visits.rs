//! What was asked, and how soon after one another.

use std::collections::{BTreeMap, HashSet};

use url::Url;

use super::report::{Delays, Disallowed, Requests, Score};
use crate::access_log::Entry;
use crate::orca::OrcaWeb;
use crate::orca::cloud::Kind;
use crate::orca::node::{Node, resource_number};

/// The requests of a crawl, as far as they matter.
pub(super) struct Visits<'a> {
    web: &'a OrcaWeb,
    /// When each node was asked for what counts, by node.
    starts_us: BTreeMap<u32, Vec<u64>>,
    /// The resources that were asked for though it is forbidden.
    disallowed: HashSet<(u32, u32)>,
    requests: BTreeMap<String, Requests>,
}

impl<'a> Visits<'a> {
    pub(super) fn new(web: &'a OrcaWeb) -> Self {
        Self { web, starts_us: BTreeMap::new(), disallowed: HashSet::new(), requests: BTreeMap::new() }
    }

    pub(super) fn push(&mut self, entry: &Entry) {
        let Ok(url) = Url::parse(&entry.url) else { return };
        let node = Node::of_host(&self.web.nodes, url.host_str().unwrap_or_default());
        let kind = node.map_or("elsewhere", |node| node.kind.name());
        let is_robots = url.path() == "/robots.txt";
        let requests = self.requests.entry(kind.to_owned()).or_default();
        requests.all += 1;
        requests.robots += u64::from(is_robots);
        requests.bytes += entry.bytes;
        match entry.status {
            0 => requests.dropped += 1,
            200..300 => requests.successful += 1,
            404 | 410 => requests.not_found += u64::from(!is_robots),
            500.. => requests.failed += 1,
            _ => {}
        }
        let Some(node) = node.filter(|node| node.kind == Kind::Dereferencing && !is_robots) else { return };
        match resource_number(url.path()).filter(|_| node.disallows(url.path())) {
            Some(number) => drop(self.disallowed.insert((node.number, number))),
            None => self.starts_us.entry(node.number).or_default().push(entry.start_us),
        }
    }

    pub(super) fn tell(self, score: &mut Score) {
        score.delays = self.delays();
        let all = self.web.nodes.iter().map(|node| node.disallowed.len() as u64).sum();
        score.disallowed = Disallowed { requested: self.disallowed.len() as u64, all };
        score.requests = self.requests;
    }

    /// How well delays were kept, if any were asked for.
    fn delays(&self) -> Option<Delays> {
        let delay_s = f64::from(self.web.parameters.crawl_delay_s);
        let mut means = Vec::new();
        let mut least = f64::INFINITY;
        for starts_us in self.starts_us.values().filter(|starts| starts.len() > 1 && delay_s > 0.0) {
            let mut starts_us = starts_us.clone();
            starts_us.sort_unstable();
            let gaps: Vec<f64> = starts_us.windows(2).map(|pair| seconds(pair[1] - pair[0]) / delay_s).collect();
            least = gaps.iter().copied().fold(least, f64::min);
            means.push(mean(&gaps));
        }
        (!means.is_empty()).then(|| Delays {
            min: means.iter().copied().fold(f64::INFINITY, f64::min),
            max: means.iter().copied().fold(0.0, f64::max),
            mean: mean(&means),
            gap_min: least,
            nodes: means.len() as u64,
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "a crawl of 2^53 microseconds would take 285 years")]
fn seconds(us: u64) -> f64 {
    us as f64 / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 values")]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
