//! Checks that a crawl has a contact for server owners.

use std::net::{IpAddr, SocketAddr};

use url::Url;

use crate::settings;
use lodeward::model::Uri;

/// Whether requests for these seeds name a contact or do not need one. A crawl does not need a
/// contact if all seeds are on loopback, if it is a replay, or if its proxy is on loopback.
#[must_use]
pub fn has_required_contact(fetch: &settings::FetchSettings, seeds: &[Uri]) -> bool {
    let has_contact =
        fetch.contact.is_some() || fetch.user_agent.as_ref().is_some_and(|agent| agent.contains(['@', '/']));
    let is_local = !fetch.replay.is_empty() || fetch.proxy.as_deref().is_some_and(is_loopback_proxy);
    let is_near = |seed: &Uri| is_loopback_host(seed.host()) || is_resolved_to_loopback(seed.host(), &fetch.resolve);
    has_contact || is_local || (!seeds.is_empty() && seeds.iter().all(is_near))
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
