//! Checks that a crawl has a contact for server owners.

use std::net::{IpAddr, SocketAddr};

use url::Url;

use crate::settings;
use lodeward::engine::DomainPolicy;
use lodeward::model::Uri;

/// Whether requests for these seeds name a contact or do not need one. A crawl does not need a
/// contact if all seeds are on loopback, if it is a replay, or if its proxy is on loopback.
#[must_use]
pub fn has_required_contact(fetch: &settings::FetchSettings, seeds: &[Uri]) -> bool {
    let is_near = |seed: &Uri| is_loopback_host(seed.host()) || is_resolved_to_loopback(seed.host(), &fetch.resolve);
    needs_no_limit(fetch) || (!seeds.is_empty() && seeds.iter().all(is_near))
}

/// Limits a crawl without a contact to loopback: its seeds are there, but their links may lead to
/// other servers, whose owners could not reach the operator.
pub(crate) fn limit_to_loopback(policy: DomainPolicy, fetch: &settings::FetchSettings, seeds: &[Uri]) -> DomainPolicy {
    if needs_no_limit(fetch) || is_resolved_to_loopback("*", &fetch.resolve) {
        return policy;
    }
    let resolved = fetch.resolve.iter().filter_map(|entry| Some(entry.split_once(':')?.0));
    let resolved = resolved.filter(|name| is_resolved_to_loopback(name, &fetch.resolve)).map(str::to_owned);
    let seeds = seeds.iter().map(|seed| seed.host().to_owned());
    let usual = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
    DomainPolicy { allowed: seeds.chain(resolved).chain(usual).collect(), ..policy }
}

/// Whether a crawl may send requests to any server: it has a contact, or all requests stay here.
fn needs_no_limit(fetch: &settings::FetchSettings) -> bool {
    let has_contact =
        fetch.contact.is_some() || fetch.user_agent.as_ref().is_some_and(|agent| agent.contains(['@', '/']));
    has_contact || !fetch.replay.is_empty() || fetch.proxy.as_deref().is_some_and(is_loopback_proxy)
}

fn is_loopback_proxy(proxy: &str) -> bool {
    Url::parse(proxy).is_ok_and(|url| url.host_str().is_some_and(is_loopback_host))
}

fn is_loopback_host(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    is_loopback || host == "localhost" || host.ends_with(".localhost")
}

fn is_resolved_to_loopback(host: &str, resolve: &[String]) -> bool {
    resolve.iter().filter_map(|entry| entry.split_once(':')).any(|(name, address)| {
        let address = address.parse().map(|address: SocketAddr| address.ip()).or_else(|_| address.parse());
        (name == host || name == "*") && address.is_ok_and(|address: IpAddr| address.is_loopback())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::FetchSettings;

    #[test]
    fn a_crawl_without_a_contact_does_not_leave_loopback() {
        let seed = [Uri::parse("http://127.0.0.1:8080/").unwrap()];
        let allows = |fetch: FetchSettings, uri: &str| {
            limit_to_loopback(DomainPolicy::default(), &fetch, &seed).allows(&Uri::parse(uri).unwrap())
        };
        let plain = FetchSettings::default;
        let far = "http://a.example/";

        assert!(allows(plain(), "http://127.0.0.1:9090/") && allows(plain(), "http://localhost/"));
        assert!(!allows(plain(), far), "its owner could not reach the operator");
        assert!(allows(FetchSettings { contact: Some("me@a.example".to_owned()), ..plain() }, far));
        assert!(allows(FetchSettings { proxy: Some("http://127.0.0.1:3128".to_owned()), ..plain() }, far));
        assert!(allows(FetchSettings { resolve: vec!["a.example:127.0.0.1".to_owned()], ..plain() }, far));
        assert!(allows(FetchSettings { resolve: vec!["*:127.0.0.1".to_owned()], ..plain() }, far));
    }

    #[test]
    fn a_contact_is_required_outside_of_loopback() {
        let check = |seeds: &[&str], fetch: FetchSettings, allowed: bool| {
            let seeds: Vec<Uri> = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
            assert_eq!(has_required_contact(&fetch, &seeds), allowed, "{seeds:?} {fetch:?}");
        };
        let far = "http://a.example/";
        let text = |text: &str| Some(text.to_owned());
        let plain = FetchSettings::default;

        check(&[far], plain(), false);
        check(&[], plain(), false);
        check(&["http://127.0.0.1:8080/", "http://localhost/", "http://[::1]/x"], plain(), true);
        check(&["http://127.0.0.1:8080/", far], plain(), false);
        check(&["http://localhost.example/"], plain(), false);
        check(&[far], FetchSettings { contact: text("me@a.example"), ..plain() }, true);
        check(&[far], FetchSettings { user_agent: text("anonymous"), ..plain() }, false);
        check(&[far], FetchSettings { user_agent: text("bot (+https://a.example/bot)"), ..plain() }, true);
        check(&[far], FetchSettings { replay: vec!["web.warc.gz".to_owned()], ..plain() }, true);
        check(&[far], FetchSettings { proxy: text("http://127.0.0.1:3128"), ..plain() }, true);
        check(&[far], FetchSettings { proxy: text("http://proxy.example:3128"), ..plain() }, false);
        check(&[far], FetchSettings { resolve: vec!["a.example:127.0.0.1".to_owned()], ..plain() }, true);
        check(&[far], FetchSettings { resolve: vec!["a.example:192.0.2.1".to_owned()], ..plain() }, false);
    }
}
