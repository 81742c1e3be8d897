//! Whether servers can reach whoever crawls.

use std::net::{IpAddr, SocketAddr};

use url::Url;

use crate::config;
use crate::model::Uri;

/// Whether requests for these seeds say who is behind them, or need not: on
/// loopback, in a replay, and behind a proxy on loopback that is one person.
#[must_use]
pub fn names_contact(fetch: &config::Fetch, seeds: &[Uri]) -> bool {
    let named = fetch.contact.is_some() || fetch.user_agent.as_ref().is_some_and(|agent| agent.contains(['@', '/']));
    let at_home = !fetch.replay.is_empty() || fetch.proxy.as_deref().is_some_and(is_loopback_proxy);
    let near = |seed: &Uri| is_loopback_host(seed.host()) || is_resolved_to_loopback(seed.host(), &fetch.resolve);
    named || at_home || (!seeds.is_empty() && seeds.iter().all(near))
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
    use crate::config::Fetch;

    #[test]
    fn a_contact_is_required_outside_of_loopback() {
        let check = |seeds: &[&str], fetch: Fetch, allowed: bool| {
            let seeds: Vec<Uri> = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
            assert_eq!(names_contact(&fetch, &seeds), allowed, "{seeds:?} {fetch:?}");
        };
        let far = "http://a.example/";
        let text = |text: &str| Some(text.to_owned());
        let plain = Fetch::default;

        check(&[far], plain(), false);
        check(&[], plain(), false);
        check(&["http://127.0.0.1:8080/", "http://localhost/", "http://[::1]/x"], plain(), true);
        check(&["http://127.0.0.1:8080/", far], plain(), false);
        check(&["http://localhost.example/"], plain(), false);
        check(&[far], Fetch { contact: text("me@a.example"), ..plain() }, true);
        check(&[far], Fetch { user_agent: text("anonymous"), ..plain() }, false);
        check(&[far], Fetch { user_agent: text("bot (+https://a.example/bot)"), ..plain() }, true);
        check(&[far], Fetch { replay: vec!["web.warc.gz".to_owned()], ..plain() }, true);
        check(&[far], Fetch { proxy: text("http://127.0.0.1:3128"), ..plain() }, true);
        check(&[far], Fetch { proxy: text("http://proxy.example:3128"), ..plain() }, false);
        check(&[far], Fetch { resolve: vec!["a.example:127.0.0.1".to_owned()], ..plain() }, true);
        check(&[far], Fetch { resolve: vec!["a.example:192.0.2.1".to_owned()], ..plain() }, false);
    }
}
