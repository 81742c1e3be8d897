//! Pagination of lists of settled URIs.

use std::sync::Arc;

use lodeward::frontier::{FrontierError, UriRecord};
use lodeward_app::crawl_dir::OpenCrawl;
use serde::Deserialize;
use tokio::runtime::Handle;
use utoipa::IntoParams;

use crate::api::pagination::{PageLimit, PageNavigation, PageUrl, next_link};
use crate::blocking::run_bulk_read;
use crate::problem::Problem;

/// Maximum number of records read at a time. The crawl waits while they are read.
const MAX_BATCH: usize = 256;

/// The maximum number of records scanned for a page.
const MAX_SCANNED: usize = 10_000;

/// Query parameters for a page of settled URIs.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct SettledQuery {
    /// Only entries after this number.
    after: Option<u64>,
    /// Maximum number of entries. A page with fewer entries is not necessarily the last page.
    #[param(inline)]
    limit: PageLimit,
}

impl SettledQuery {
    /// The entries for which `make` returns `Some`, and the number after which the next page
    /// continues. The page is shorter than the limit if `MAX_SCANNED` records were scanned before.
    pub(super) async fn page<T: Send + 'static>(
        &self,
        open_crawl: Arc<OpenCrawl>,
        make: impl Fn(u64, UriRecord) -> Option<T> + Send + 'static,
    ) -> Result<(Vec<T>, Option<u64>), Problem> {
        let from = self.after.map_or(Some(0), |after| after.checked_add(1));
        let Some(from) = from else { return Ok((Vec::new(), None)) };
        let limit = usize::from(self.limit.get());
        // Reading a frontier on disk blocks the thread.
        run_bulk_read(move || read(&open_crawl, from, limit, make).map_err(|error| Problem::internal(&error))).await
    }

    /// The link to the next page.
    pub(super) fn links(&self, path: String, next: Option<u64>) -> PageNavigation {
        next_link(&PageUrl::new(path), next, self.limit)
    }
}

fn read<T>(
    open_crawl: &OpenCrawl,
    mut from: u64,
    limit: usize,
    make: impl Fn(u64, UriRecord) -> Option<T>,
) -> Result<(Vec<T>, Option<u64>), FrontierError> {
    let (mut found, mut next, mut scanned) = (Vec::new(), None, 0);
    while scanned < MAX_SCANNED {
        let records = Handle::current().block_on(open_crawl.frontier.settled_records(from, MAX_BATCH))?;
        let is_last = records.len() < MAX_BATCH;
        scanned += records.len();
        for (number, record) in records {
            if found.len() == limit {
                return Ok((found, next));
            }
            found.extend(make(number, record));
            next = Some(number);
            from = number.saturating_add(1);
        }
        if is_last {
            return Ok((found, None));
        }
    }
    Ok((found, next))
}
