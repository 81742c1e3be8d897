//! Who answers `SERVICE` and `LOAD` in queries.

use std::sync::Arc;

use lodeward_archive::sparql::Services;

use super::{OpenError, fetch_options};
use crate::config::Config;
use crate::fetch::service::{GuardedServices, ServiceOptions};

/// Answers `SERVICE` and `LOAD` with the proxies and certificates of crawls,
/// and reaches private addresses only if that is said for queries: what a crawl
/// may visit was decided by somebody else than whoever wrote the query.
pub fn services(config: &Config, allow_private: bool) -> Result<Arc<dyn Services>, OpenError> {
    let options = ServiceOptions { allow_private, ..ServiceOptions::default() };
    Ok(Arc::new(GuardedServices::new(fetch_options(config)?, options)?))
}
