//! Who answers `SERVICE` and `LOAD` in queries.

use std::sync::Arc;

use lodeward_archive::sparql::Services;

use super::{OpenError, delay, fetch_options};
use crate::config::Config;
use crate::fetch::service::{GuardedServices, Paced, ServiceOptions, pause};

/// Answers `SERVICE` and `LOAD` with the proxies and certificates of crawls,
/// and reaches private addresses only if that is said for queries: what a crawl
/// may visit was decided by somebody else than whoever wrote the query.
pub fn services(config: &Config, allow_private: bool) -> Result<Arc<dyn Services>, OpenError> {
    Ok(Arc::new(guarded(config, allow_private)?))
}

/// Answers the queries that we make by ourselves, many in a row, at an endpoint that
/// the user has named: with the pause that servers have from crawls.
pub(super) fn paced_services(config: &Config) -> Result<Arc<dyn Services>, OpenError> {
    Ok(Arc::new(Paced::new(guarded(config, config.fetch.allow_private)?, pause(delay(config)))))
}

fn guarded(config: &Config, allow_private: bool) -> Result<GuardedServices, OpenError> {
    let options = ServiceOptions { allow_private, ..ServiceOptions::default() };
    Ok(GuardedServices::new(fetch_options(config)?, options)?)
}
