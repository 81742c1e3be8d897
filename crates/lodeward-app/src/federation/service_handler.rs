//! Handlers of `SERVICE` and `LOAD` in queries.

use std::sync::Arc;

use lodeward_archive::sparql::ServiceHandler;

use crate::federation::{FederationOptions, GuardedFederation, PacedClient, blocking_delay};
use crate::settings::Config;
use crate::settings::fetch_options;
use lodeward::fetch::FetchOptionsError;

/// Handles `SERVICE` and `LOAD` with the proxies and certificates of crawls. Whether private IP
/// addresses may be requested is a separate parameter: the author of a query is not the person who
/// configures crawls, so `fetch.allow_private_addresses` does not apply.
pub fn service_handler(config: &Config, allow_private: bool) -> Result<Arc<dyn ServiceHandler>, FetchOptionsError> {
    Ok(Arc::new(guarded_federation(config, allow_private)?))
}

/// Handles series of generated queries to an endpoint that the user has configured, with the
/// request delay of crawls.
pub(crate) fn paced_service_handler(config: &Config) -> Result<Arc<dyn ServiceHandler>, FetchOptionsError> {
    Ok(Arc::new(PacedClient::new(
        guarded_federation(config, config.fetch.allow_private_addresses)?,
        blocking_delay(config.politeness.delay),
    )))
}

fn guarded_federation(config: &Config, allow_private_addresses: bool) -> Result<GuardedFederation, FetchOptionsError> {
    let options = FederationOptions { allow_private_addresses, ..FederationOptions::default() };
    GuardedFederation::new(fetch_options(config)?, options)
}
