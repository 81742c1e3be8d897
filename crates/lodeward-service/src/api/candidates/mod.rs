//! The ranked candidates of a crawl, and what users think of them.

mod list;
mod marks;
mod ranking;

pub(crate) use list::Reason;

use std::sync::Arc;

use lodeward::open::CandidatesError;
use lodeward::rank::{Filter, ListingError, MarksError};
use lodeward::store::SegmentStore;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::problem::{Code, Problem};
use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
        .routes(routes!(list::list_candidates))
        .routes(routes!(list::download_candidates))
        .routes(routes!(marks::mark_candidates, marks::undo_marks))
        .routes(routes!(ranking::get_ranking, ranking::rank_again))
}

/// The longest filter, in characters. Twelve bytes each, if they are the longest in a
/// URL, so that every filter fits into one.
const FILTER_LENGTH_MAX: usize = 4_000;

/// Reads a filter; none is one that wants all.
pub(crate) fn filter(text: Option<&str>) -> Result<Filter, Problem> {
    let text = text.unwrap_or_default();
    if text.chars().nth(FILTER_LENGTH_MAX).is_some() {
        let detail = format!("filter: it is longer than {FILTER_LENGTH_MAX} characters");
        return Err(Problem::new(Code::Invalid, detail).hint("a regular expression may say the same in fewer"));
    }
    Filter::parse(text).map_err(|error| {
        let problem = Problem::new(Code::Invalid, format!("filter: {error}"));
        error.hint.map_or(problem.clone(), |hint| problem.hint(hint))
    })
}

/// The harvest of a crawl, if a filter asks for what was said of candidates.
async fn harvest(service: &Service, id: u32, filter: &Filter) -> Result<Harvest, Problem> {
    if !filter.needs_statements() {
        return Ok(Harvest(None));
    }
    Ok(Harvest(Some(Arc::clone(&service.fleet.shelf(id).await?.segments))))
}

/// The harvest of a crawl, where it is needed.
struct Harvest(Option<Arc<SegmentStore>>);

impl Harvest {
    fn open(self) -> Arc<SegmentStore> {
        self.0.expect("a filter that needs statements has them")
    }
}

/// Why candidates cannot be had.
impl From<CandidatesError> for Problem {
    fn from(error: CandidatesError) -> Self {
        let told = match &error {
            CandidatesError::Listing(ListingError::Missing) => "the crawl has not been ranked yet",
            CandidatesError::Listing(ListingError::Damaged { .. } | ListingError::Version { .. }) => {
                tracing::warn!(%error, "a ranking cannot be read");
                "the ranking cannot be read"
            }
            CandidatesError::Marks(MarksError::Entity(_)) => return Self::new(Code::Invalid, error.to_string()),
            _ => return Self::internal(&error),
        };
        Self::new(Code::Conflict, told).hint("POST …/ranking ranks it; a focused crawl is ranked when it ends")
    }
}
