//! `lodeward crawl`: from seeds to a harvest.

use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use lodeward::config::{self, Effective};
use lodeward::model::Uri;
use lodeward::seed;
use url::Url;

use crate::arguments::{Crawl, Loudness, Place};
use crate::failure::Usage;
use crate::settings;

/// A crawl as it was asked for, with everything checked that can be checked
/// before it begins.
#[derive(Debug)]
#[expect(dead_code, reason = "`drive` will read it")]
struct Plan {
    /// Where to begin; may be empty when a crawl is gone on with.
    seeds: Vec<Uri>,
    place: Place,
    output: Option<PathBuf>,
    report: Option<PathBuf>,
    effective: Effective,
    quiet: bool,
}

pub(crate) fn run(arguments: Crawl, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let effective = settings::resolve(&arguments.settings)?;
    let seeds = seed::gather(&arguments.seeds, &mut std::io::stdin().lock())?;
    require_contact(&effective.config.fetch, &seeds)?;
    let Crawl { place, output, report, .. } = arguments;
    drive(&Plan { seeds, place, output, report, effective, quiet: loudness.quiet })
}

fn drive(plan: &Plan) -> anyhow::Result<ExitCode> {
    let _ = plan;
    bail!("crawl is not wired yet")
}

/// Whoever runs a server must be able to reach whoever runs a crawl. On
/// loopback, in a replay, and behind a proxy on loopback that is one person.
fn require_contact(fetch: &config::Fetch, seeds: &[Uri]) -> Result<(), Usage> {
    let named = fetch.contact.is_some() || fetch.user_agent.as_ref().is_some_and(|agent| agent.contains(['@', '/']));
    let at_home = !fetch.replay.is_empty() || fetch.proxy.as_deref().is_some_and(is_loopback_proxy);
    let near = |seed: &Uri| is_loopback_host(seed.host()) || is_resolved_to_loopback(seed.host(), &fetch.resolve);
    if named || at_home || (!seeds.is_empty() && seeds.iter().all(near)) {
        return Ok(());
    }
    Err(Usage {
        message: "a crawl outside of loopback needs a contact".to_owned(),
        hint: Some(
            "say --contact you@example.org, or set contact in the section [fetch] of lodeward.toml; it is sent with \
             every request"
                .to_owned(),
        ),
    })
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
        let address = address.parse().map(|address: std::net::SocketAddr| address.ip()).or_else(|_| address.parse());
        name == host && address.is_ok_and(|address: IpAddr| address.is_loopback())
    })
}

#[cfg(test)]
mod tests {
    use lodeward::config::Fetch;

    use super::*;

    #[test]
    fn a_contact_is_required_outside_of_loopback() {
        let check = |seeds: &[&str], fetch: Fetch, allowed: bool| {
            let seeds: Vec<Uri> = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
            assert_eq!(require_contact(&fetch, &seeds).is_ok(), allowed, "{seeds:?} {fetch:?}");
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
