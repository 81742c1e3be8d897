//! Requests and response times by domain, for the live view.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lodeward::engine::{Observer, RequestRecord};

/// Maximum number of domains in memory. If there are more, those with the fewest requests are forgotten.
const MAX_DOMAINS: usize = 10_000;

/// The domains that a run has sent requests to. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct DomainActivity(Arc<Mutex<HashMap<String, DomainLoad>>>);

#[derive(Clone, Copy, Debug, Default)]
struct DomainLoad {
    requests: u64,
    /// Sum of the times of all requests.
    elapsed: Duration,
}

impl DomainActivity {
    fn loads(&self) -> MutexGuard<'_, HashMap<String, DomainLoad>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, domain: String, elapsed: Duration) {
        let mut loads = self.loads();
        if loads.len() >= MAX_DOMAINS && !loads.contains_key(&domain) {
            let mut counts: Vec<u64> = loads.values().map(|load| load.requests).collect();
            let (_, median, _) = counts.select_nth_unstable(MAX_DOMAINS / 2);
            loads.retain(|_, load| load.requests > *median);
        }
        let load = loads.entry(domain).or_default();
        load.requests += 1;
        load.elapsed += elapsed;
    }

    /// The domains with most requests, and their number.
    pub(crate) fn busiest(&self, max: usize) -> Vec<(String, u64)> {
        let mut domains: Vec<(String, u64)> =
            self.loads().iter().map(|(domain, load)| (domain.clone(), load.requests)).collect();
        domains.sort_by(|one, other| (Reverse(one.1), &one.0).cmp(&(Reverse(other.1), &other.0)));
        domains.truncate(max);
        domains
    }

    /// The domains with the longest mean time of a request.
    pub(crate) fn slowest(&self, max: usize) -> Vec<(String, Duration)> {
        let mean = |load: &DomainLoad| load.elapsed / u32::try_from(load.requests).unwrap_or(u32::MAX).max(1);
        let mut domains: Vec<(String, Duration)> =
            self.loads().iter().map(|(domain, load)| (domain.clone(), mean(load))).collect();
        domains.sort_by(|one, other| (Reverse(one.1), &one.0).cmp(&(Reverse(other.1), &other.0)));
        domains.truncate(max);
        domains
    }
}

impl Observer for DomainActivity {
    fn request_finished(&mut self, request: &RequestRecord<'_>) {
        self.record(request.uri.pld().to_string(), request.elapsed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_ordered_by_requests_and_by_mean_time() {
        let activity = DomainActivity::default();
        for (domain, ms) in [("a.example", 10), ("b.example", 300), ("a.example", 30), ("c.example", 100)] {
            activity.record(domain.to_owned(), Duration::from_millis(ms));
        }

        let busiest: Vec<_> = activity.busiest(2);
        let slowest: Vec<_> = activity.slowest(2);

        assert_eq!(busiest, [("a.example".to_owned(), 2), ("b.example".to_owned(), 1)]);
        let ms = Duration::from_millis;
        assert_eq!(slowest, [("b.example".to_owned(), ms(300)), ("c.example".to_owned(), ms(100))]);
    }

    #[test]
    fn the_number_of_domains_is_bounded() {
        let activity = DomainActivity::default();
        activity.record("busy.example".to_owned(), Duration::ZERO);
        for number in 0..2 * MAX_DOMAINS {
            activity.record(format!("{number}.example"), Duration::ZERO);
            activity.record("busy.example".to_owned(), Duration::ZERO);
        }

        assert!(activity.loads().len() <= MAX_DOMAINS);
        assert_eq!(activity.busiest(1)[0].0, "busy.example");
    }
}
