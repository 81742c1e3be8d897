//! Scores the delays between requests, as measured by the server.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// Scores the delays within groups of requests (by pay-level domain or by IP address).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PolitenessScore {
    /// The smallest ratio of actual to required delay over all groups; at least 1 is polite. `None` if no delay was
    /// required.
    pub min_ratio: Option<f64>,
    /// The number of requests that came too early.
    pub too_early: u64,
    /// The worst groups, worst first, at most 100.
    pub groups: Vec<RequestGroup>,
}

/// The requests of one domain or IP address.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequestGroup {
    /// The domain or IP address.
    pub name: String,
    /// The number of requests.
    pub requests: u64,
    /// The smallest delay from the end of a response to the arrival of the next request, in seconds; negative if they
    /// overlap.
    pub min_gap_seconds: Option<f64>,
    /// The largest required delay, in seconds.
    pub required_gap_seconds: f64,
    /// The smallest ratio of actual to required delay.
    pub min_ratio: Option<f64>,
    /// The number of requests that came too early.
    pub too_early: u64,
}

/// The times of one request.
pub(super) struct RequestInstant {
    pub(super) start_us: u64,
    pub(super) end_us: u64,
    pub(super) required_s: f64,
}

const MAX_GROUPS: usize = 100;

impl PolitenessScore {
    pub(super) fn from_groups(groups: BTreeMap<String, Vec<RequestInstant>>) -> Self {
        let mut groups: Vec<RequestGroup> =
            groups.into_iter().map(|(name, instants)| RequestGroup::from_instants(name, instants)).collect();
        let ratio = |group: &RequestGroup| group.min_ratio.unwrap_or(f64::INFINITY);
        groups.sort_by(|left, right| ratio(left).total_cmp(&ratio(right)));
        let min_ratio = groups.first().and_then(|group| group.min_ratio);
        let too_early = groups.iter().map(|group| group.too_early).sum();
        groups.truncate(MAX_GROUPS);
        Self { min_ratio, too_early, groups }
    }
}

impl RequestGroup {
    fn from_instants(name: String, mut instants: Vec<RequestInstant>) -> Self {
        instants.sort_by_key(|instant| instant.start_us);
        let requests = instants.len() as u64;
        let mut group =
            Self { name, requests, min_gap_seconds: None, required_gap_seconds: 0.0, min_ratio: None, too_early: 0 };
        let mut previous_end_us: Option<u64> = None;
        for RequestInstant { start_us, end_us, required_s } in instants {
            if let Some(end_us) = previous_end_us {
                group.record_gap(gap_s(end_us, start_us), required_s);
            }
            // The delay counts from the latest end, because responses may overlap.
            previous_end_us = previous_end_us.max(Some(end_us));
        }
        group
    }

    fn record_gap(&mut self, gap_s: f64, required_s: f64) {
        let minimum = |previous: Option<f64>, new: f64| Some(previous.map_or(new, |previous| previous.min(new)));
        self.min_gap_seconds = minimum(self.min_gap_seconds, gap_s);
        self.required_gap_seconds = self.required_gap_seconds.max(required_s);
        if required_s > 0.0 {
            self.min_ratio = minimum(self.min_ratio, gap_s / required_s);
            self.too_early += u64::from(gap_s < required_s);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a crawl of 2^53 microseconds would take 285 years")]
fn gap_s(end_us: u64, start_us: u64) -> f64 {
    (start_us as f64 - end_us as f64) / 1e6
}

impl fmt::Display for PolitenessScore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min_ratio, self.groups.first()) {
            (Some(ratio), Some(worst)) => {
                write!(
                    formatter,
                    "{ratio:.3} of the required delay at worst ({}), {} too early",
                    worst.name, self.too_early
                )
            }
            _ => formatter.write_str("no delay required"),
        }
    }
}
