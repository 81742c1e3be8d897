//! The remote store of a configuration.

use url::{Host, Url};

use super::feeds::{description, name_of, names};
use super::{OpenError, Shelf, fetch_options};
use crate::config::{Config, Sparql};
use crate::fetch;
use crate::model::Uri;
use crate::provenance::survey::About;
use crate::store::follow::{Followers, Pace};
use crate::store::sparql::{Options, SparqlFollower};

/// Begins to feed the remote store, if there is one.
///
/// One that was described wrongly ends the crawl before it begins; one that
/// cannot be reached does not.
pub(super) fn follow(
    config: &Config,
    shelf: &Shelf,
    seeds: &[Uri],
    followers: &mut Followers,
) -> Result<(), OpenError> {
    if config.sparql.update.is_none() && config.sparql.graph_store.is_none() {
        return Ok(());
    }
    let place = shelf.place().filter(|_| config.sparql.provenance);
    let names = place.and_then(|(_, crawl)| names(config, crawl));
    let describe = place
        .zip(names.clone())
        .map(|((data, crawl), names)| description(names, About { title: name_of(data, crawl), seeds: seeds.to_vec() }));
    let folder = shelf.directory.join("remote");
    let follower = SparqlFollower::open(options(&config.sparql), reached(config)?, &folder, names)?;
    followers.add(Box::new(follower), Pace::default(), describe);
    Ok(())
}

/// How the store is reached: as documents are, but for one on this machine,
/// of which the proxy that documents come through knows nothing.
fn reached(config: &Config) -> Result<fetch::Options, OpenError> {
    let options = fetch_options(config)?;
    let Sparql { update, graph_store, .. } = &config.sparql;
    if !update.iter().chain(graph_store).any(|address| is_here(address)) {
        return Ok(options);
    }
    Ok(fetch::Options { proxy: None, proxy_from_environment: false, ..options })
}

fn is_here(address: &str) -> bool {
    let url = Url::parse(address).ok();
    match url.as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn options(sparql: &Sparql) -> Options {
    Options {
        update: sparql.update.clone(),
        graph_store: sparql.graph_store.clone(),
        user: sparql.user.clone(),
        password: sparql.password.clone(),
        password_file: sparql.password_file.as_ref().map(Into::into),
        token: sparql.token.clone(),
        token_file: sparql.token_file.as_ref().map(Into::into),
        batch_documents: sparql.batch_documents,
        batch_bytes: sparql.batch_kb << 10,
        timeout_s: sparql.timeout_s,
        ..Options::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_on_this_machine_is_not_asked_through_the_proxy_of_the_crawl() {
        let proxy = |update: &str| {
            let mut config = Config::default();
            config.fetch.proxy = Some("http://proxy.example:3128".to_owned());
            config.sparql.update = Some(update.to_owned());
            reached(&config).unwrap().proxy
        };

        assert_eq!(proxy("http://localhost:3030/harvest/update"), None);
        assert_eq!(proxy("http://127.0.0.1:7878/update"), None);
        assert_eq!(proxy("http://[::1]:7878/update"), None);
        assert_eq!(proxy("http://store.example/update").as_deref(), Some("http://proxy.example:3128"));
    }
}
