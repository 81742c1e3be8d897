//! The configured remote store as a target of followers.

use std::error::Error;
use std::sync::Arc;

use url::{Host, Url};

use super::{RemoteStoreOptions, SparqlFollower};
use crate::followers::registry::{FollowerEntry, RequiredBy};
use crate::provenance::GraphNames;
use crate::settings::{Config, RemoteStoreSettings, fetch_options};
use lodeward::fetch::{FetchOptions, FetchOptionsError};
use lodeward::store::follow::{FollowedCrawl, Follower, FollowerTarget};

/// The remote store, as a row of the registry. Invalid settings prevent a crawl from starting; a
/// store that cannot be reached does not.
pub(in crate::followers) const ENTRY: FollowerEntry = FollowerEntry {
    name: "remote",
    required_by: RequiredBy::Crawls,
    is_enabled: |config| config.remote_store.update_url.is_some() || config.remote_store.graph_store_url.is_some(),
    open: |config, _| {
        let connection = connection_options(config).map_err(|error| Box::new(error) as Box<dyn Error + Send + Sync>)?;
        let options = remote_store_options(&config.remote_store);
        let include_provenance = config.remote_store.include_provenance;
        Ok(Arc::new(RemoteStoreTarget { options, connection, include_provenance }))
    },
    restore: None,
};

/// A remote store. The state of a follower is stored in the directory of its crawl.
struct RemoteStoreTarget {
    options: RemoteStoreOptions,
    connection: FetchOptions,
    include_provenance: bool,
}

impl FollowerTarget for RemoteStoreTarget {
    fn follower(&self, crawl: &FollowedCrawl<'_>) -> Result<Box<dyn Follower>, Box<dyn Error + Send + Sync>> {
        let (options, connection) = (self.options.clone(), self.connection.clone());
        let directory = crawl.dir.join(ENTRY.name);
        let names = GraphNames::of_followed(crawl).filter(|_| self.include_provenance);
        Ok(Box::new(SparqlFollower::open(options, connection, &directory, names)?))
    }

    fn stores_description(&self, crawl: &FollowedCrawl<'_>) -> bool {
        crawl.has_provenance && self.include_provenance
    }
}

/// Returns the options of requests to the store. They are those of requests for documents, except
/// that a store on loopback is reached without a proxy.
fn connection_options(config: &Config) -> Result<FetchOptions, FetchOptionsError> {
    let options = fetch_options(config)?;
    let RemoteStoreSettings { update_url, graph_store_url, .. } = &config.remote_store;
    if !update_url.iter().chain(graph_store_url).any(|url| is_loopback(url)) {
        return Ok(options);
    }
    Ok(FetchOptions { proxy: None, proxy_from_environment: false, ..options })
}

fn is_loopback(url: &str) -> bool {
    let url = Url::parse(url).ok();
    match url.as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn remote_store_options(settings: &RemoteStoreSettings) -> RemoteStoreOptions {
    RemoteStoreOptions {
        update_url: settings.update_url.clone(),
        graph_store_url: settings.graph_store_url.clone(),
        username: settings.username.clone(),
        password: settings.password.clone(),
        password_file: settings.password_file.as_ref().map(Into::into),
        token: settings.token.clone(),
        token_file: settings.token_file.as_ref().map(Into::into),
        max_batch_bytes: settings.max_batch_size.to_usize(),
        timeout_s: settings.timeout.as_millis().div_ceil(1_000).try_into().unwrap_or(u64::MAX),
        ..RemoteStoreOptions::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_on_loopback_is_reached_without_the_proxy() {
        let proxy = |update: &str| {
            let mut config = Config::default();
            config.fetch.proxy = Some("http://proxy.example:3128".to_owned());
            config.remote_store.update_url = Some(update.to_owned());
            connection_options(&config).unwrap().proxy
        };

        assert_eq!(proxy("http://localhost:3030/harvest/update"), None);
        assert_eq!(proxy("http://127.0.0.1:7878/update"), None);
        assert_eq!(proxy("http://[::1]:7878/update"), None);
        assert_eq!(proxy("http://store.example/update").as_deref(), Some("http://proxy.example:3128"));
    }
}
