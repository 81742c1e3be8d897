//! Handlers of `SERVICE` and `LOAD` in queries.

use std::sync::Arc;

use lodeward_archive::sparql::ServiceHandler;

use super::{CrawlOpenError, delay, fetch_options};
use crate::config::Config;
use crate::fetch::sparql_client::{FederationOptions, GuardedFederation, PacedClient, blocking_delay};

/// Handles `SERVICE` and `LOAD` with the proxies and certificates of crawls. Whether private IP
/// addresses may be requested is a separate parameter: the author of a query is not the person who
/// configures crawls, so `fetch.allow_private_addresses` does not apply.
pub fn service_handler(config: &Config, allow_private: bool) -> Result<Arc<dyn ServiceHandler>, CrawlOpenError> {
    Ok(Arc::new(guarded_federation(config, allow_private)?))
}

/// Handles series of generated queries to an endpoint that the user has configured, with the
/// request delay of crawls.
pub(super) fn paced_service_handler(config: &Config) -> Result<Arc<dyn ServiceHandler>, CrawlOpenError> {
    Ok(Arc::new(PacedClient::new(
        guarded_federation(config, config.fetch.allow_private_addresses)?,
        blocking_delay(delay(config)),
    )))
}

fn guarded_federation(config: &Config, allow_private_addresses: bool) -> Result<GuardedFederation, CrawlOpenError> {
    let options = FederationOptions { allow_private_addresses, ..FederationOptions::default() };
    Ok(GuardedFederation::new(fetch_options(config)?, options)?)
}
