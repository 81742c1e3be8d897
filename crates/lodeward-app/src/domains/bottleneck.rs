//! The bottleneck of a crawl: the domain that takes longest, in one sentence.

use std::time::Duration;

use serde::Serialize;

use super::{DelaySource, DomainState};

/// What delays a crawl most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrawlBottleneck {
    /// Number of domains.
    pub domains: u64,
    /// Number of domains that are rate-limited.
    pub limited_domains: u64,
    /// The domain that takes longest.
    pub domain: String,
    /// Number of URIs that wait in its queue.
    pub queued: u64,
    /// How long its queue takes, in seconds: its URIs times its delay, after the time for which it is rate-limited.
    pub estimate_seconds: f64,
    /// The bottleneck as a sentence.
    pub text: String,
}

impl CrawlBottleneck {
    /// The bottleneck of a crawl with these domains; `None` if no URI waits.
    #[must_use]
    pub fn find(domains: &[DomainState], now_ms: u64) -> Option<Self> {
        let waiting = domains.iter().filter(|domain| domain.queued > 0);
        let longest = waiting.max_by(|one, other| {
            let seconds = |domain| estimate_seconds(domain, now_ms);
            // Of equal times, the longer queue is the bottleneck.
            seconds(one).total_cmp(&seconds(other)).then(one.queued.cmp(&other.queued))
        })?;
        let limited = domains.iter().filter(|domain| domain.limited_until_ms.is_some()).count() as u64;
        let estimate_seconds = estimate_seconds(longest, now_ms);
        let text = sentence(domains.len() as u64, limited, longest, estimate_seconds);
        Some(Self {
            domains: domains.len() as u64,
            limited_domains: limited,
            domain: longest.domain.clone(),
            queued: longest.queued,
            estimate_seconds,
            text,
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "queues and times are far below 2^53")]
fn estimate_seconds(domain: &DomainState, now_ms: u64) -> f64 {
    let limited_ms = domain.limited_until_ms.map_or(0, |until_ms| until_ms.saturating_sub(now_ms));
    // The first request needs no delay before it.
    let requests = domain.queued.saturating_sub(1) as f64;
    limited_ms as f64 / 1_000.0 + requests * domain.delay_seconds
}

fn sentence(domains: u64, limited: u64, longest: &DomainState, estimate_seconds: f64) -> String {
    let is_or_are = if limited == 1 { "is" } else { "are" };
    let (noun, queued) = (plural(domains, "domain"), group_digits(longest.queued));
    let delay = time_text(longest.delay_seconds);
    let delay = match longest.delay_source {
        DelaySource::Setting => format!("a delay of {delay}"),
        DelaySource::RobotsTxt => format!("a crawl delay of {delay} (robots.txt)"),
    };
    let limited_by = match longest.limited_by {
        Some("delay" | "crawl-delay") | None => String::new(),
        Some(_) => format!("; it waits now: {}", longest.limited_because.unwrap_or_default()),
    };
    format!(
        "{limited} of {domains} {noun} {is_or_are} rate-limited; {} has {queued} queued {} and {delay}: about {}{limited_by}.",
        longest.domain,
        plural(longest.queued, "URI"),
        time_text(estimate_seconds),
    )
}

fn plural(count: u64, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}

/// A number with commas: `8,102`.
fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time in its two largest units: `6 h 25 min`.
fn time_text(seconds: f64) -> String {
    let duration = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
    if duration < Duration::from_secs(10) {
        let tenths = (seconds * 10.0).round() / 10.0;
        return format!("{tenths} s");
    }
    let seconds = duration.as_secs();
    let parts = [(seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")];
    let first = parts.iter().position(|(count, _)| *count > 0).unwrap_or(3);
    let shown = parts[first..].iter().take(2).filter(|(count, _)| *count > 0);
    shown.map(|(count, unit)| format!("{count} {unit}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::DomainCounts;
    use super::*;

    fn domain(name: &str, queued: u64, delay_seconds: f64, delay_source: DelaySource) -> DomainState {
        DomainState {
            domain: name.to_owned(),
            queued,
            counts: DomainCounts::default(),
            closed: None,
            delay_seconds,
            delay_source,
            limited_until_ms: None,
            limited_by: None,
            limited_because: None,
            is_possible_trap: false,
        }
    }

    #[test]
    fn the_domain_that_takes_longest_is_the_bottleneck() {
        let mut slow = domain("h12.example", 8_102, 10.0, DelaySource::RobotsTxt);
        (slow.limited_until_ms, slow.limited_by) = (Some(6_000), Some("crawl-delay"));
        let domains = [domain("trap.example", 19_004, 1.0, DelaySource::Setting), slow.clone()];

        let found = CrawlBottleneck::find(&domains, 1_000).unwrap();

        assert_eq!(
            found.text,
            "1 of 2 domains is rate-limited; h12.example has 8,102 queued URIs and a crawl delay of 10 s (robots.txt): \
             about 22 h 30 min."
        );
        assert!((found.estimate_seconds - 81_015.0).abs() < 0.1, "{}", found.estimate_seconds);
        (slow.limited_by, slow.limited_because) = (Some("retry-after"), Some("delay requested by its server"));
        let text = CrawlBottleneck::find(&[slow], 1_000).unwrap().text;
        assert!(text.ends_with("22 h 30 min; it waits now: delay requested by its server."), "{text}");
    }

    #[test]
    fn a_crawl_without_waiting_uris_has_no_bottleneck() {
        assert_eq!(CrawlBottleneck::find(&[domain("a.example", 0, 1.0, DelaySource::Setting)], 0), None);
        let one = CrawlBottleneck::find(&[domain("a.example", 1, 0.5, DelaySource::Setting)], 0).unwrap();
        assert_eq!(
            one.text,
            "0 of 1 domain are rate-limited; a.example has 1 queued URI and a delay of 0.5 s: about 0 s."
        );
    }

    #[test]
    fn times_have_two_units() {
        let check = |seconds: f64, expected: &str| assert_eq!(time_text(seconds), expected);

        check(0.25, "0.3 s");
        check(59.9, "59 s");
        check(60.0, "1 min");
        check(23_100.0, "6 h 25 min");
        check(200_000.0, "2 d 7 h");
        check(f64::INFINITY, &time_text(f64::MAX));
    }
}
