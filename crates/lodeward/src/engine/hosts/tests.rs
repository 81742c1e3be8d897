//! Tests of hosts without a network.

use super::*;
use crate::engine::EngineOptions;

const SECOND: Duration = Duration::from_secs(1);

fn uri(text: &str) -> Uri {
    Uri::parse(text).unwrap()
}

fn hosts_with(options: &EngineOptions) -> Hosts {
    Hosts::new(options, &Arc::default(), Arc::default(), CrawlClock::start(0))
}

fn hosts() -> Hosts {
    hosts_with(&EngineOptions { max_consecutive_failures: 3, ..EngineOptions::default() })
}

fn fail(hosts: &mut Hosts, uris: &[&str]) -> u32 {
    uris.iter().map(|text| hosts.record_failure(&uri(text))).last().unwrap()
}

#[test]
fn a_dead_server_does_not_close_a_domain_with_a_live_one() {
    let mut hosts = hosts();
    hosts.record_response(&uri("http://a.example:8890/sparql"));

    let failures = fail(&mut hosts, &["http://a.example/1", "http://a.example/2", "http://a.example/3"]);

    assert!(hosts.is_failure_limit_reached(failures));
    assert!(hosts.abandon(&uri("http://a.example/3")));
    assert!(hosts.is_abandoned(&uri("http://a.example/4")));
    assert!(!hosts.is_abandoned(&uri("http://a.example:8890/sparql")));
    assert_eq!(hosts.record_failure(&uri("http://a.example:8890/sparql")), 1, "a new run");
}

#[test]
fn a_domain_without_a_live_server_is_abandoned() {
    let check = |responded: Option<&str>, failed: [&str; 3]| {
        let mut hosts = hosts();
        if let Some(responded) = responded {
            hosts.record_response(&uri(responded));
        }
        fail(&mut hosts, &failed);
        assert!(!hosts.abandon(&uri(failed[2])), "{responded:?} {failed:?}");
    };
    let one = ["http://a.example/1", "http://a.example/2", "http://a.example/3"];

    check(None, one);
    check(Some("http://a.example/0"), one);
    check(Some("http://c.a.example/0"), ["http://a.example/1", "http://b.a.example/", "http://a.example/3"]);
}

#[test]
fn a_response_resets_the_failure_count() {
    let mut hosts = hosts();

    fail(&mut hosts, &["http://a.example/1", "http://a.example/2"]);
    hosts.record_response(&uri("http://b.a.example/"));

    assert_eq!(hosts.record_failure(&uri("http://a.example/3")), 1);
}

#[tokio::test]
async fn the_longest_crawl_delay_of_a_domain_applies() {
    let mut hosts = hosts();
    let rules = |text: &str| RobotsRules::parse(text.as_bytes(), "lodeward");
    let page = uri("http://a.example/page");

    assert_eq!(hosts.record_robots(&page, rules("User-agent: *\nAllow: /"), SECOND), None);
    assert_eq!(hosts.delay(&page), with_margin(SECOND));
    let returned = hosts.record_robots(&uri("http://b.a.example/"), rules("User-agent: *\nCrawl-delay: 7"), SECOND);
    assert_eq!(returned, Some(with_margin(7 * SECOND)), "the frontier receives the same delay");
    hosts.record_robots(&page, rules("User-agent: *\nCrawl-delay: 2"), SECOND);

    assert_eq!(hosts.delay(&page), with_margin(7 * SECOND));
    assert_eq!(hosts.delay(&uri("http://c.example/")), with_margin(SECOND));
}

#[tokio::test]
async fn an_unreachable_robots_txt_is_requested_three_times() {
    let mut hosts = hosts();
    let page = uri("http://a.example/page");
    let unknown = RobotsPermission::Unknown(uri("http://a.example/robots.txt"));

    assert_eq!(hosts.permission(&page, SECOND), unknown);
    assert!(!hosts.record_robots_failure(&page, SECOND, SECOND, false));
    assert_eq!(hosts.permission(&page, SECOND), RobotsPermission::NotBefore(2 * SECOND));
    assert_eq!(hosts.permission(&page, 2 * SECOND), unknown);
    assert!(!hosts.record_robots_failure(&page, 2 * SECOND, SECOND, false));
    assert_eq!(hosts.permission(&page, 2 * SECOND), RobotsPermission::NotBefore(4 * SECOND));
    assert!(hosts.record_robots_failure(&page, 4 * SECOND, SECOND, false));
    assert_eq!(hosts.permission(&page, 4 * SECOND), RobotsPermission::Unreachable);
    assert_eq!(hosts.permission(&uri("http://a.example/robots.txt"), SECOND), RobotsPermission::Granted);
}

#[tokio::test]
async fn a_robots_txt_is_followed_only_within_its_domain() {
    let mut hosts = hosts();
    let (page, moved) = (uri("http://a.example/page"), uri("https://www.a.example/robots.txt"));

    hosts.record_robots_redirect(&page, moved.clone(), SECOND);
    assert_eq!(hosts.permission(&page, SECOND), RobotsPermission::Unknown(moved));
    hosts.record_robots_redirect(&page, uri("http://b.example/robots.txt"), SECOND);
    assert_eq!(hosts.permission(&page, SECOND), RobotsPermission::Granted);
}

#[tokio::test]
async fn the_number_of_entries_is_bounded() {
    let mut hosts = hosts_with(&EngineOptions { max_cached_hosts: 100, ..EngineOptions::default() });
    let rules = || RobotsRules::parse(b"User-agent: *\nDisallow: /x", "lodeward");
    for number in 0..10_000_u32 {
        // Half of the servers share a domain.
        let host = if number % 2 == 0 { format!("n{number}.example") } else { format!("n{number}.a.example") };
        let page = uri(&format!("http://{host}/x"));
        hosts.record_address(&page, None, SECOND);
        hosts.record_robots(&page, rules(), SECOND);
        if number % 3 == 0 {
            hosts.record_failure(&page);
        }
        assert_eq!(hosts.permission(&page, SECOND), RobotsPermission::Denied, "the latest server is known");
        let entries: usize = hosts.domains.values().map(Host::entries).sum();
        assert!(entries == hosts.entries && entries <= 303, "{entries} {}", hosts.entries);
    }
}
