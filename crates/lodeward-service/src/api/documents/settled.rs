//! Pages of settled URIs: of the log, and of documents.

use std::sync::Arc;

use lodeward_app::crawl_dir::OpenCrawl;
use lodeward_app::crawl_log::{LogFilter, LogPart, LogPosition, read_log};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::pagination::{PageLimit, PageNavigation, PageUrl, position_link};
use crate::blocking::run_bulk_read;
use crate::problem::{Problem, ProblemCode};

/// The maximum number of records scanned for a page.
const MAX_SCANNED: usize = 10_000;

/// Order of entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum SettledOrder {
    /// The oldest first.
    #[default]
    Oldest,
    /// The newest first.
    Newest,
}

/// Which page of settled URIs is read.
#[derive(Debug)]
pub(super) struct SettledPage {
    pub(super) order: SettledOrder,
    pub(super) after: Option<u64>,
    pub(super) before: Option<u64>,
    pub(super) limit: PageLimit,
    pub(super) filter: LogFilter,
}

impl SettledPage {
    /// The position of the page; `None` if no entry can be on it.
    fn position(&self) -> Result<Option<LogPosition>, Problem> {
        let misplaced = |name: &str, other: &str, order: &str| {
            let detail = format!("`{name}` continues a list with `order={order}`");
            Problem::new(ProblemCode::BadRequest, detail).hint(format!("use `{other}`")).at(format!("?{name}"))
        };
        match (self.order, self.after, self.before) {
            (SettledOrder::Oldest, _, Some(_)) => Err(misplaced("before", "after", "newest")),
            (SettledOrder::Newest, Some(_), _) => Err(misplaced("after", "before", "oldest")),
            (SettledOrder::Oldest, None, None) => Ok(Some(LogPosition::From(0))),
            (SettledOrder::Oldest, Some(after), None) => Ok(after.checked_add(1).map(LogPosition::From)),
            (SettledOrder::Newest, None, before) => Ok(Some(LogPosition::Before(before.unwrap_or(u64::MAX)))),
        }
    }

    /// The entries of the page, and the number with which the next page continues. The page is shorter than the limit
    /// if `MAX_SCANNED` records were scanned before.
    pub(super) async fn read(&self, open_crawl: Arc<OpenCrawl>) -> Result<LogPart, Problem> {
        let Some(position) = self.position()? else { return Ok(LogPart { entries: Vec::new(), last: None }) };
        let (filter, limit) = (self.filter.clone(), usize::from(self.limit.get()));
        // Reading a frontier on disk blocks the thread.
        run_bulk_read(move || {
            let part = read_log(&open_crawl, &filter, position, limit, MAX_SCANNED);
            part.map_err(|error| Problem::internal(&error))
        })
        .await
    }

    /// The link to the next page.
    pub(super) fn links(&self, url: PageUrl, next: Option<u64>) -> PageNavigation {
        let is_newest = self.order == SettledOrder::Newest;
        let url = url.with_param("order", is_newest.then_some("newest"));
        position_link(&url, if is_newest { "before" } else { "after" }, next, self.limit)
    }
}
