//! Collects the requests of a crawl of an ORCA world, and scores their delays.

use std::collections::{BTreeMap, HashSet};

use url::Url;

use super::report::{DelayScore, DisallowedScore, NodeRequests, OrcaScore, mean};
use crate::access_log::AccessLogEntry;
use crate::orca::OrcaWeb;
use crate::orca::cloud::NodeKind;
use crate::orca::node::{OrcaNode, resource_number};

/// The relevant properties of the requests of a crawl.
pub(super) struct OrcaRequestLog<'a> {
    web: &'a OrcaWeb,
    /// The times of the requests to each node, without robots.txt and disallowed resources.
    starts_us: BTreeMap<u32, Vec<u64>>,
    /// The disallowed resources that were requested.
    disallowed: HashSet<(u32, u32)>,
    requests: BTreeMap<String, NodeRequests>,
}

impl<'a> OrcaRequestLog<'a> {
    pub(super) fn new(web: &'a OrcaWeb) -> Self {
        Self { web, starts_us: BTreeMap::new(), disallowed: HashSet::new(), requests: BTreeMap::new() }
    }

    pub(super) fn push(&mut self, entry: &AccessLogEntry) {
        let Ok(url) = Url::parse(&entry.url) else { return };
        let node = OrcaNode::find_by_host(&self.web.nodes, url.host_str().unwrap_or_default());
        let kind = node.map_or("other", |node| node.kind.name());
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
        let Some(node) = node.filter(|node| node.kind == NodeKind::Dereferencing && !is_robots) else { return };
        match resource_number(url.path()).filter(|_| node.disallows(url.path())) {
            Some(number) => drop(self.disallowed.insert((node.number, number))),
            None => self.starts_us.entry(node.number).or_default().push(entry.start_us),
        }
    }

    pub(super) fn fill_score(self, score: &mut OrcaScore) {
        score.delays = self.delays();
        let all = self.web.nodes.iter().map(|node| node.disallowed.len() as u64).sum();
        score.disallowed = DisallowedScore { requested: self.disallowed.len() as u64, all };
        score.requests = self.requests;
    }

    /// The fulfilment of delays, if any were required.
    fn delays(&self) -> Option<DelayScore> {
        let delay_s = f64::from(self.web.parameters.crawl_delay_seconds);
        let mut means = Vec::new();
        let mut smallest = f64::INFINITY;
        for starts_us in self.starts_us.values().filter(|starts| starts.len() > 1 && delay_s > 0.0) {
            let mut starts_us = starts_us.clone();
            starts_us.sort_unstable();
            let gaps: Vec<f64> = starts_us.windows(2).map(|pair| to_seconds(pair[1] - pair[0]) / delay_s).collect();
            smallest = gaps.iter().copied().fold(smallest, f64::min);
            means.push(mean(&gaps));
        }
        (!means.is_empty()).then(|| DelayScore {
            min: means.iter().copied().fold(f64::INFINITY, f64::min),
            max: means.iter().copied().fold(0.0, f64::max),
            mean: mean(&means),
            min_gap: smallest,
            nodes: means.len() as u64,
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "a crawl of 2^53 microseconds would take 285 years")]
fn to_seconds(us: u64) -> f64 {
    us as f64 / 1e6
}
