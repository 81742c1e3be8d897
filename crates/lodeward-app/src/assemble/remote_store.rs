//! Starts the follower for the configured remote store.

use url::{Host, Url};

use super::AssembleError;
use crate::archive_feed::{crawl_describer, crawl_name};
use crate::crawl_dir::OpenCrawl;
use crate::followers::remote_store::{RemoteStoreOptions, SparqlFollower};
use crate::settings::{Config, RemoteStoreSettings};
use crate::settings::{fetch_options, graph_names};
use lodeward::fetch;
use lodeward::model::Uri;
use lodeward::provenance::survey::CrawlDescription;
use lodeward::store::follow::{FeedOptions, Followers};

/// Starts the follower for the remote store, if one is configured.
///
/// Invalid settings prevent the crawl from starting; a store that cannot be reached does not.
pub(super) fn start_remote_follower(
    config: &Config,
    crawl: &OpenCrawl,
    seeds: &[Uri],
    followers: &mut Followers,
) -> Result<(), AssembleError> {
    if config.remote_store.update_url.is_none() && config.remote_store.graph_store_url.is_none() {
        return Ok(());
    }
    let names = if config.remote_store.include_provenance { graph_names(config, crawl.dir.id()) } else { None };
    let describe = names
        .clone()
        .map(|names| crawl_describer(names, CrawlDescription { title: crawl_name(&crawl.dir), seeds: seeds.to_vec() }));
    let directory = crawl.dir.path().join("remote");
    let follower = SparqlFollower::open(
        remote_store_options(&config.remote_store),
        connection_options(config)?,
        &directory,
        names,
    )?;
    followers.add(Box::new(follower), FeedOptions::default(), describe);
    Ok(())
}

/// Returns the options of requests to the store. They are those of requests for documents, except
/// that a store on loopback is reached without a proxy.
fn connection_options(config: &Config) -> Result<fetch::FetchOptions, AssembleError> {
    let options = fetch_options(config)?;
    let RemoteStoreSettings { update_url, graph_store_url, .. } = &config.remote_store;
    if !update_url.iter().chain(graph_store_url).any(|url| is_loopback(url)) {
        return Ok(options);
    }
    Ok(fetch::FetchOptions { proxy: None, proxy_from_environment: false, ..options })
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
        max_batch_bytes: usize::try_from(settings.max_batch_size).unwrap_or(usize::MAX),
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
