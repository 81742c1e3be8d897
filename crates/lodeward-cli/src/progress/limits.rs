//! The limits of a crawl, how much of them is used, and the time until one is reached.

use std::time::Duration;

use lodeward_app::display_text::{counted, size_text};
use lodeward_app::settings::Config;

use super::duration_text::duration_text;

/// The limits that end a crawl. Those of counts apply to all its runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "the names of the settings")]
pub(crate) struct ProgressLimits {
    max_requests: Option<u64>,
    max_documents: Option<u64>,
    max_rdf_documents: Option<u64>,
    max_bytes: Option<u64>,
    max_time: Option<Duration>,
}

/// The counts that limits apply to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LimitedCounts {
    pub(crate) requests: u64,
    pub(crate) documents: u64,
    pub(crate) rdf_documents: u64,
    pub(crate) bytes: u64,
}

/// The limit that is reached first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NextLimit {
    /// How much of it is used, from 0 to 1.
    pub(super) share: f64,
    /// The limit in words.
    pub(super) limit: String,
    /// The time until it is reached, if that can be estimated.
    pub(super) time_left: Option<Duration>,
}

impl ProgressLimits {
    pub(crate) fn new(config: &Config) -> Self {
        let crawl = &config.crawl;
        Self {
            max_requests: crawl.max_requests,
            max_documents: crawl.effective_max_documents(),
            max_rdf_documents: crawl.max_rdf_documents,
            max_bytes: crawl.max_bytes.map(|bytes| bytes.0),
            max_time: crawl.max_time,
        }
    }

    /// The limit that is reached first. `before` are the counts at the start of the run.
    pub(super) fn next(&self, before: LimitedCounts, now: LimitedCounts, elapsed: Duration) -> Option<NextLimit> {
        let counts = [
            (self.max_requests, before.requests, now.requests, "request"),
            (self.max_documents, before.documents, now.documents, "document"),
            (self.max_rdf_documents, before.rdf_documents, now.rdf_documents, "RDF document"),
        ];
        let count = |(max, before, now, noun): (Option<u64>, u64, u64, &str)| {
            max.map(|max| by_count(max, before, now, elapsed, counted(max, noun)))
        };
        let bytes = self.max_bytes.map(|max| by_count(max, before.bytes, now.bytes, elapsed, size_text(max)));
        let time = self.max_time.map(|max| NextLimit {
            share: share(elapsed.as_secs_f64(), max.as_secs_f64()),
            limit: duration_text(max),
            time_left: Some(max.saturating_sub(elapsed)),
        });
        let limits = counts.into_iter().filter_map(count).chain(bytes).chain(time);
        // Without an estimate, the limit of which most is used is the best guess.
        limits.min_by(|one, other| {
            let time = |limit: &NextLimit| limit.time_left.unwrap_or(Duration::MAX);
            time(one).cmp(&time(other)).then(other.share.total_cmp(&one.share))
        })
    }
}

fn by_count(max: u64, before: u64, now: u64, elapsed: Duration, limit: String) -> NextLimit {
    let of_run = to_f64(now.saturating_sub(before));
    let left = to_f64(max.saturating_sub(now));
    let time_left = (of_run > 0.0).then(|| elapsed.as_secs_f64() * left / of_run);
    let time_left = time_left.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    NextLimit { share: share(to_f64(now), to_f64(max)), limit, time_left }
}

fn share(used: f64, max: f64) -> f64 {
    if max > 0.0 { (used / max).min(1.0) } else { 1.0 }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate needs few digits")]
pub(super) fn to_f64(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_that_of_the_limit_reached_first() {
        let limits = ProgressLimits {
            max_requests: Some(1_000),
            max_documents: Some(110),
            max_time: Some(Duration::from_mins(10)),
            ..ProgressLimits::default()
        };
        let before = LimitedCounts { requests: 100, documents: 90, ..LimitedCounts::default() };
        let now = LimitedCounts { requests: 130, documents: 100, ..LimitedCounts::default() };

        let next = limits.next(before, now, Duration::from_mins(1)).unwrap();

        assert_eq!((next.limit.as_str(), next.time_left), ("110 documents", Some(Duration::from_mins(1))));
        assert!((next.share - 100.0 / 110.0).abs() < 1e-9);
        let at_start = limits.next(before, before, Duration::ZERO).unwrap();
        assert_eq!((at_start.limit.as_str(), at_start.time_left), ("10m 0s", Some(Duration::from_mins(10))));
        assert_eq!(ProgressLimits::default().next(before, now, Duration::from_mins(1)), None);
    }
}
