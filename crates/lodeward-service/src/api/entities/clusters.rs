//! Clusters of entities.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use lodeward_app::search::EntitySearchError;
use lodeward_app::search::clusters::{self, AlgorithmName, Cluster, ClusterJob, ClusterRun, ClusterSummary};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{EntityFilter, EntityJobView, require_index, search_problem, start_job};
use crate::api::extract::{JsonBody, PathParams, QueryParams};
use crate::api::pagination::{PageLimit, PageUrl, offset_links};
use crate::api::timestamp::Timestamp;
use crate::blocking::run_bulk_read;
use crate::entity_jobs::EntityJobKind;
use crate::problem::{Problem, ProblemCode};
use crate::state::Service;

/// The range of the number of clusters of a type.
const MAX_K: u16 = 1_000;

/// A clustering to start.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewClusters {
    /// Whether to assign new entities to the existing clusters, instead of a new clustering. Then all
    /// other fields are ignored.
    #[serde(default)]
    extend: bool,
    /// How entities are clustered.
    #[serde(default)]
    algorithm: AlgorithmParam,
    /// The entities.
    #[serde(default)]
    entities: EntityFilter,
    /// Minimum number of clusters of a type, for `x-means` and `spectral`.
    #[serde(default = "default_k_min")]
    #[schema(minimum = 1, maximum = 1000, default = 2)]
    k_min: u16,
    /// Maximum number of clusters of a type, for `x-means` and `spectral`.
    #[serde(default = "default_k_max")]
    #[schema(minimum = 1, maximum = 1000, default = 50)]
    k_max: u16,
}

fn default_k_min() -> u16 {
    2
}

fn default_k_max() -> u16 {
    50
}

/// How entities are clustered.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum AlgorithmParam {
    /// Communities of the graph of nearest neighbours.
    #[default]
    Leiden,
    /// X-means.
    XMeans,
    /// Spectral clustering.
    Spectral,
}

impl From<AlgorithmParam> for AlgorithmName {
    fn from(algorithm: AlgorithmParam) -> Self {
        match algorithm {
            AlgorithmParam::Leiden => Self::Leiden,
            AlgorithmParam::XMeans => Self::XMeans,
            AlgorithmParam::Spectral => Self::Spectral,
        }
    }
}

impl From<AlgorithmName> for AlgorithmParam {
    fn from(algorithm: AlgorithmName) -> Self {
        match algorithm {
            AlgorithmName::Leiden => Self::Leiden,
            AlgorithmName::XMeans => Self::XMeans,
            AlgorithmName::Spectral => Self::Spectral,
        }
    }
}

/// What was clustered, and when.
#[derive(Serialize, ToSchema)]
#[schema(as = ClusterRun)]
struct ClusterRunView {
    /// How entities were clustered.
    algorithm: AlgorithmParam,
    /// The crawl whose entities were clustered; `null` for all.
    crawl: Option<u32>,
    /// Types of the entities; empty for all.
    types: Vec<String>,
    /// Domains of the entities; empty for all.
    domains: Vec<String>,
    /// When the entities were clustered.
    clustered_at: Timestamp,
    /// When new entities were assigned last.
    updated_at: Timestamp,
    /// Number of entities.
    entities: u64,
    /// Number of entities that the last update added.
    added: u64,
}

impl From<ClusterRun> for ClusterRunView {
    fn from(run: ClusterRun) -> Self {
        let ClusterRun { algorithm, crawl, types, domains, clustered_at, updated_at, entities, added, .. } = run;
        let (clustered_at, updated_at) = (Timestamp::from_ms(clustered_at), Timestamp::from_ms(updated_at));
        let algorithm = algorithm.into();
        Self { algorithm, crawl, types, domains, clustered_at, updated_at, entities, added }
    }
}

/// A cluster.
#[derive(Serialize, ToSchema)]
#[schema(as = Cluster)]
struct ClusterView {
    /// Number of the cluster.
    id: u32,
    /// Words that are frequent in the cluster and rare elsewhere.
    label: String,
    /// The most frequent types of its members.
    types: Vec<String>,
    /// Number of members.
    size: u64,
}

/// A page of clusters, the largest first.
#[derive(Serialize, ToSchema)]
pub(super) struct ClusterPage {
    /// What was clustered, and when; `null` if entities were not clustered yet.
    run: Option<ClusterRunView>,
    /// The state of the last job.
    job: EntityJobView,
    /// Total number of clusters.
    total: u64,
    /// Number of skipped clusters.
    offset: u32,
    /// Maximum number of clusters in this page.
    #[schema(value_type = u16)]
    limit: PageLimit,
    /// The clusters.
    clusters: Vec<ClusterView>,
}

/// A cluster with a page of its members, those with most links first.
#[derive(Serialize, ToSchema)]
pub(super) struct ClusterMembers {
    /// The cluster.
    #[serde(flatten)]
    cluster: ClusterView,
    /// Number of skipped members.
    offset: u32,
    /// Maximum number of members in this page.
    #[schema(value_type = u16)]
    limit: PageLimit,
    /// The members.
    members: Vec<MemberView>,
}

/// A member of a cluster.
#[derive(Serialize, ToSchema)]
#[schema(as = ClusterMember)]
struct MemberView {
    /// IRI of the entity.
    iri: String,
    /// Label, or the name in the IRI.
    label: String,
}

/// Query parameters for a page of clusters or members.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct ClusterPageQuery {
    /// Number of items to skip.
    offset: u32,
    /// Maximum number of items.
    #[param(inline)]
    limit: PageLimit,
}

/// List clusters
///
/// The clusters of the last clustering, the largest first.
#[utoipa::path(
    get, path = "/api/v1/clusters", tag = "search",
    params(ClusterPageQuery),
    responses((
        status = 200, description = "A page of clusters", body = ClusterPage,
        headers(("Link" = String, description = "The previous (`prev`) and next (`next`) page")),
    )),
)]
pub(super) async fn list_clusters(
    State(service): State<Arc<Service>>,
    QueryParams(ClusterPageQuery { offset, limit }): QueryParams<ClusterPageQuery>,
) -> Result<Response, Problem> {
    let job = service.entity_jobs.state(EntityJobKind::Clusters).into();
    let data = service.data_dir().to_owned();
    let listed = run_bulk_read(move || clusters::list(&data).map_err(|error| search_problem(&error))).await?;
    let (run, found) = listed.map_or((None, Vec::new()), |(run, found)| (Some(run.into()), found));
    let total = found.len() as u64;
    let view = |ClusterSummary { id, label, types, size }| ClusterView { id, label, types, size };
    let found = found.into_iter().skip(offset as usize).take(limit.get().into()).map(view).collect();
    let page = ClusterPage { run, job, total, offset, limit, clusters: found };
    Ok(offset_links(&PageUrl::new("/api/v1/clusters"), offset.into(), limit, total).attach_to(Json(page)))
}

/// Get a cluster
#[utoipa::path(
    get, path = "/api/v1/clusters/{id}", tag = "search",
    params(("id" = u32, Path, description = "Number of the cluster"), ClusterPageQuery),
    responses(
        (
            status = 200, description = "The cluster and a page of its members", body = ClusterMembers,
            headers(("Link" = String, description = "The previous (`prev`) and next (`next`) page")),
        ),
        (status = 404, description = "There is no such cluster"),
    ),
)]
pub(super) async fn get_cluster(
    State(service): State<Arc<Service>>,
    PathParams(id): PathParams<u32>,
    QueryParams(ClusterPageQuery { offset, limit }): QueryParams<ClusterPageQuery>,
) -> Result<Response, Problem> {
    let data = service.data_dir().to_owned();
    let found = run_bulk_read(move || clusters::get(&data, id).map_err(|error| search_problem(&error))).await?;
    let Cluster { id, label, types, size, members } = found;
    let members = members.into_iter().skip(offset as usize).take(limit.get().into());
    let members = members.map(|member| MemberView { iri: member.iri, label: member.label }).collect();
    let page = ClusterMembers { cluster: ClusterView { id, label, types, size }, offset, limit, members };
    let url = PageUrl::new(format!("/api/v1/clusters/{id}"));
    Ok(offset_links(&url, offset.into(), limit, size).attach_to(Json(page)))
}

/// Start a clustering
///
/// Clusters the entities of the archive, or assigns new ones to the existing clusters. The result
/// replaces the stored one when it is complete. Poll `GET /api/v1/clusters` until `job.running` is
/// false.
#[utoipa::path(
    post, path = "/api/v1/clusters", tag = "search",
    request_body = NewClusters,
    responses(
        (status = 202, description = "Started", body = EntityJobView),
        (status = 404, description = "There is no such crawl"),
        (status = 409, description = "The search index is disabled, or another job runs"),
        (status = 422, description = "A number is out of range"),
    ),
)]
pub(super) async fn start_clusters(
    State(service): State<Arc<Service>>,
    JsonBody(request): JsonBody<NewClusters>,
) -> Result<(StatusCode, Json<EntityJobView>), Problem> {
    let index = require_index(&service)?;
    let NewClusters { extend, algorithm, entities, k_min, k_max } = request;
    if k_min < 1 || k_min > k_max || k_max > MAX_K {
        let problem =
            Problem::new(ProblemCode::Unprocessable, format!("invalid range of clusters: {k_min} to {k_max}"));
        return Err(problem.hint(format!("`k_min` is at least 1, `k_max` at most {MAX_K}")));
    }
    let selection = entities.selection(&service)?;
    let (data, now_ms) = (service.data_dir().to_owned(), (service.now)());
    let job = ClusterJob { algorithm: algorithm.into(), selection, k_min: k_min.into(), k_max: k_max.into() };
    let started = start_job(&service, EntityJobKind::Clusters, move |is_stopped| {
        if extend {
            let extended = clusters::extend(&index, &data, now_ms, is_stopped)?;
            return extended.map(drop).ok_or(EntitySearchError::NoClusters);
        }
        clusters::cluster(&index, &data, &job, now_ms, is_stopped).map(drop)
    })?;
    Ok((StatusCode::ACCEPTED, Json(started)))
}
