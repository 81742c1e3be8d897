//! Similar entities, clusters of entities, and proposed links between them.

mod clusters;
mod links;
mod similar;

use std::sync::Arc;

use lodeward_app::followers::search::SearchIndex;
use lodeward_app::search::{EntitySearchError, EntitySelection};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::timestamp::Timestamp;
use crate::entity_jobs::{EntityJobKind, EntityJobState};
use crate::problem::{Problem, ProblemCode};
use crate::role::Role;
use crate::route_rules::{BodyClass, RouteRules};
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    let (reads, changes) = (RouteRules::reads(Role::Reader), RouteRules::changes(Role::Operator));
    OpenApiRouter::new()
        .routes(reads.on(routes!(similar::similar_entities)))
        .routes(reads.on(routes!(clusters::list_clusters)))
        .routes(changes.on(routes!(clusters::start_clusters)))
        .routes(reads.on(routes!(clusters::get_cluster)))
        .routes(reads.on(routes!(links::list_links)))
        .routes(changes.on(routes!(links::start_links)))
        // Lists of links may be long.
        .routes(changes.clone().body(BodyClass::Data).on(routes!(links::mark_links)))
        .routes(changes.on(routes!(links::undo_link_marks)))
        .routes(reads.on(routes!(links::link_mark_history)))
        .routes(reads.on(routes!(links::download_links)))
        .routes(changes.on(routes!(links::export_links)))
}

/// Entities that are clustered or compared. Default: all of the archive.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
struct EntityFilter {
    /// Only entities that a document of this crawl describes.
    crawl: Option<u32>,
    /// Only entities of one of these types: IRIs, names with a usual prefix, or words of their names.
    #[schema(max_items = 20)]
    types: Vec<String>,
    /// Only entities whose IRI is of one of these domains.
    #[schema(max_items = 100)]
    domains: Vec<String>,
}

impl EntityFilter {
    fn selection(self, service: &Service) -> Result<EntitySelection, Problem> {
        if let Some(crawl) = self.crawl {
            service.jobs.get(crawl)?;
        }
        if self.types.len() > 20 || self.domains.len() > 100 {
            return Err(Problem::new(ProblemCode::Unprocessable, "too many types or domains"));
        }
        Ok(EntitySelection { crawl: self.crawl, types: self.types, domains: self.domains })
    }
}

/// The state of the last job.
#[derive(Serialize, ToSchema)]
#[schema(as = EntityJob)]
struct EntityJobView {
    /// Whether a job runs.
    running: bool,
    /// When the job that runs was started.
    started_at: Option<Timestamp>,
    /// Why the last job failed.
    error: Option<String>,
}

impl From<EntityJobState> for EntityJobView {
    fn from(EntityJobState { running_since_ms, error }: EntityJobState) -> Self {
        let running = running_since_ms.is_some();
        Self { running, started_at: running_since_ms.map(Timestamp::from_ms), error }
    }
}

/// Starts a job, unless another one runs.
fn start_job(
    service: &Service,
    kind: EntityJobKind,
    work: impl FnOnce(&dyn Fn() -> bool) -> Result<(), EntitySearchError> + Send + 'static,
) -> Result<EntityJobView, Problem> {
    if service.entity_jobs.start(kind, (service.now)(), work) {
        return Ok(service.entity_jobs.state(kind).into());
    }
    let problem = Problem::new(ProblemCode::Conflict, "a job over the entities of the archive is running");
    Err(problem.hint("wait until `job.running` of GET /api/v1/clusters and of GET /api/v1/links is false"))
}

/// The search index, or a problem if it is disabled.
pub(super) fn require_index(service: &Service) -> Result<Arc<SearchIndex>, Problem> {
    service.search.clone().ok_or_else(|| {
        Problem::new(ProblemCode::Conflict, "the search index is disabled").hint("set `search.index = true`")
    })
}

/// The problem of a failed search.
pub(super) fn search_problem(error: &EntitySearchError) -> Problem {
    let code = match error {
        EntitySearchError::Index(_) | EntitySearchError::Marks(_) | EntitySearchError::File(_) => {
            return Problem::internal(error);
        }
        EntitySearchError::UnknownEntity(_) | EntitySearchError::NoClusters | EntitySearchError::UnknownCluster(_) => {
            ProblemCode::NotFound
        }
        _ => ProblemCode::Unprocessable,
    };
    Problem::new(code, error.to_string())
}
