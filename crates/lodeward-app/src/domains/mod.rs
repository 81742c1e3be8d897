//! The domains of a crawl: what waits in their queues, what was fetched from them, and what delays them.
//!
//! The counts are read from the records of all settled URIs, so they are the same for a crawl that runs, has ended, or
//! was killed. The reasons of delays are known only in the process that runs the crawl.

mod bottleneck;
mod counts;

use std::collections::HashMap;
use std::time::Duration;

use lodeward::engine::WaitReason;
use lodeward::frontier::{DomainQueueState, FrontierError, QueueEntry, RobotsCopy};
use lodeward::model::{DropReason, Pld};
use serde::Serialize;

pub use bottleneck::CrawlBottleneck;
pub use counts::DomainCounts;

use crate::crawl_dir::{OpenCrawl, wait};
use crate::settings::Config;

/// A domain may be a trap if at least this many URIs wait in its queue, and at least so many documents without RDF were
/// fetched.
const MIN_TRAP_QUEUE: u64 = 500;
const MIN_TRAP_DOCUMENTS: u64 = 50;

/// The number of waiting URIs in the details of a domain.
const MAX_NEXT: usize = 20;

/// A domain of a crawl.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DomainState {
    /// Name of the domain.
    pub domain: String,
    /// Number of URIs that wait in its queue.
    pub queued: u64,
    /// What was fetched, failed and dropped.
    #[serde(flatten)]
    pub counts: DomainCounts,
    /// Why its queue was closed: `domain-limit` or `unreachable`; `None` if it is open.
    pub closed: Option<&'static str>,
    /// Minimum time between two requests, in seconds.
    pub delay_seconds: f64,
    /// Where the delay comes from.
    pub delay_source: DelaySource,
    /// Until when the domain is rate-limited, in milliseconds since the Unix epoch; `None` if it is not.
    pub limited_until_ms: Option<u64>,
    /// Why it is rate-limited, as a short name.
    pub limited_by: Option<&'static str>,
    /// Why it is rate-limited, as text.
    pub limited_because: Option<&'static str>,
    /// Whether many URIs wait and no document had RDF, or URIs were dropped as parts of a trap.
    pub is_possible_trap: bool,
}

/// Where the delay of a domain comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DelaySource {
    /// The setting `politeness.delay`.
    Setting,
    /// `Crawl-delay` in a robots.txt of the domain.
    RobotsTxt,
}

impl DelaySource {
    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Setting => "setting",
            Self::RobotsTxt => "robots-txt",
        }
    }
}

/// A domain with what is read only for one.
#[derive(Clone, Debug, PartialEq)]
pub struct DomainDetails {
    /// The domain.
    pub state: DomainState,
    /// Its robots.txt files, as fetched.
    pub robots: Vec<RobotsCopy>,
    /// The URIs that are requested next, each with the time until which the domain is delayed, in milliseconds since the
    /// Unix epoch.
    pub next: Vec<(QueueEntry, u64)>,
}

/// The domains of a crawl, by name, as of the last commit. Reads the records of all URIs. Blocks.
pub fn read_domains(config: &Config, crawl: &OpenCrawl, now_ms: u64) -> Result<Vec<DomainState>, FrontierError> {
    let mut counts: HashMap<Pld, DomainCounts> = HashMap::new();
    for record in crawl.frontier.settled_snapshot() {
        let record = record?;
        counts.entry(record.uri.pld()).or_default().add(&record);
    }
    let queues = wait(crawl.frontier.domain_queues())?;
    let mut domains = Vec::with_capacity(queues.len());
    for queue in queues {
        let counts = counts.remove(&queue.pld).unwrap_or_default();
        domains.push(domain_state(config, crawl, queue, counts, now_ms));
    }
    // A domain whose URIs were all dropped when they were offered has no queue.
    for (pld, counts) in counts {
        let queue = DomainQueueState { pld, queued: 0, closed: None, crawl_delay: Duration::ZERO, delayed_until_ms: 0 };
        domains.push(domain_state(config, crawl, queue, counts, now_ms));
    }
    domains.sort_by(|one, other| one.domain.cmp(&other.domain));
    Ok(domains)
}

/// The sums over all domains.
#[must_use]
pub fn totals(domains: &[DomainState]) -> DomainCounts {
    let mut sums = DomainCounts::default();
    for domain in domains {
        sums.merge(&domain.counts);
    }
    sums
}

/// Adds what is read only for one domain. Blocks.
pub fn read_details(crawl: &OpenCrawl, state: DomainState) -> Result<DomainDetails, FrontierError> {
    let pld = Pld::from_host(&state.domain);
    let robots = wait(crawl.frontier.robots_copies(&pld))?;
    let next = wait(crawl.frontier.next_entries(Some(&pld), MAX_NEXT))?;
    Ok(DomainDetails { state, robots, next })
}

fn domain_state(
    config: &Config,
    crawl: &OpenCrawl,
    queue: DomainQueueState,
    mut counts: DomainCounts,
    now_ms: u64,
) -> DomainState {
    let DomainQueueState { pld, mut queued, closed, crawl_delay, delayed_until_ms } = queue;
    if let Some(reason) = closed {
        counts.add_drops(reason, std::mem::take(&mut queued));
    }
    let crawl_delay = without_margin(crawl_delay);
    let is_from_robots = crawl_delay > config.politeness.delay;
    let wait = crawl.wait_reasons.of_domain(&pld, now_ms);
    let until_ms = wait.map_or(delayed_until_ms, |wait| wait.until_ms);
    // Only a crawl that runs has a reason to wait.
    let is_limited = queued > 0 && until_ms > now_ms && crawl.has_run();
    let ordinary = if is_from_robots { WaitReason::CrawlDelay } else { WaitReason::Delay };
    let reason = wait.map_or(ordinary, |wait| wait.reason);
    let is_barren = queued >= MIN_TRAP_QUEUE && counts.documents >= MIN_TRAP_DOCUMENTS && counts.rdf_documents == 0;
    DomainState {
        domain: pld.as_str().to_owned(),
        queued,
        closed: closed.map(DropReason::name),
        delay_seconds: crawl_delay.max(config.politeness.delay).as_secs_f64(),
        delay_source: if is_from_robots { DelaySource::RobotsTxt } else { DelaySource::Setting },
        limited_until_ms: is_limited.then_some(until_ms),
        limited_by: is_limited.then(|| reason.name()),
        limited_because: is_limited.then(|| reason.description()),
        is_possible_trap: is_barren || counts.dropped_by_reason.contains_key("trap"),
        counts,
    }
}

/// The crawl delay that a robots.txt requests. The frontier stores it with the margin of
/// [`with_margin`](lodeward::engine::with_margin): 10 ms and a hundredth.
fn without_margin(delay: Duration) -> Duration {
    let ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX).saturating_sub(10);
    Duration::from_millis(ms.saturating_mul(100).div_ceil(101))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_of_a_crawl_delay_is_removed() {
        for ms in [1, 500, 1_000, 10_000, 600_000] {
            let delay = Duration::from_millis(ms);
            assert_eq!(without_margin(lodeward::engine::with_margin(delay)), delay);
        }
        assert_eq!(without_margin(Duration::ZERO), Duration::ZERO);
    }
}
