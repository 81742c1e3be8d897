//! Two crawls beside each other.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use lodeward_app::compare::{CrawlComparison, OverlapCounts, RankChange, RankingComparison, compare_crawls};
use lodeward_app::review::{CandidateIndex, ranking_file};
use lodeward_app::series::{SeriesPoint, read_series};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::QueryParams;
use super::pagination::PageLimit;
use crate::blocking::run_bulk_read;
use crate::problem::Problem;
use crate::role::Role;
use crate::route_rules::RouteRules;
use crate::state::Service;

/// The maximum number of points of a yield.
const MAX_POINTS: usize = 200;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(RouteRules::reads(Role::Reader).on(routes!(compare)))
}

/// The crawls to compare.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct CompareQuery {
    /// ID of the first crawl.
    #[param(minimum = 1)]
    a: u32,
    /// ID of the second crawl.
    #[param(minimum = 1)]
    b: u32,
    /// Maximum length of each list.
    #[serde(default)]
    #[param(inline)]
    k: PageLimit,
}

/// What two crawls have in common, and what only one of them has.
#[derive(Serialize, ToSchema)]
#[schema(as = Overlap)]
struct OverlapView {
    /// In both.
    both: u64,
    /// Only in the first.
    only_a: u64,
    /// Only in the second.
    only_b: u64,
}

impl From<OverlapCounts> for OverlapView {
    fn from(OverlapCounts { both, only_a, only_b }: OverlapCounts) -> Self {
        Self { both, only_a, only_b }
    }
}

/// Two crawls beside each other.
#[derive(Serialize, ToSchema)]
#[schema(as = Comparison)]
struct ComparisonView {
    /// Documents.
    documents: OverlapView,
    /// Domains with documents.
    domains: OverlapView,
    /// Domains that only the first crawl has, the largest first.
    domains_only_a: Vec<DomainCountView>,
    /// Domains that only the second crawl has.
    domains_only_b: Vec<DomainCountView>,
    /// The rankings; null unless both crawls are ranked.
    rankings: Option<RankingComparisonView>,
    /// Documents of the first crawl after a number of requests.
    yield_a: Vec<YieldPoint>,
    /// Documents of the second crawl after a number of requests.
    yield_b: Vec<YieldPoint>,
}

/// A domain and the number of its documents.
#[derive(Serialize, ToSchema)]
#[schema(as = DomainDocuments)]
struct DomainCountView {
    /// Name of the domain.
    domain: String,
    /// Number of documents.
    documents: u64,
}

/// Two rankings beside each other.
#[derive(Serialize, ToSchema)]
#[schema(as = RankingComparison)]
struct RankingComparisonView {
    /// Number of candidates that both rankings have among their first 10, 100 and 1,000.
    overlaps: Vec<RankingOverlapView>,
    /// Candidates of both with another rank, the largest change first.
    moved: Vec<RankChangeView>,
    /// The first candidates that only the first ranking has.
    only_a: Vec<RankChangeView>,
    /// The first candidates that only the second ranking has.
    only_b: Vec<RankChangeView>,
}

/// The overlap of two rankings down to a depth.
#[derive(Serialize, ToSchema)]
#[schema(as = RankingOverlap)]
struct RankingOverlapView {
    /// Number of candidates of each ranking.
    depth: usize,
    /// Number of candidates that both have.
    shared: u64,
}

/// The ranks of a candidate in two rankings.
#[derive(Serialize, ToSchema)]
#[schema(as = RankChange)]
struct RankChangeView {
    /// IRI of the candidate.
    entity: String,
    /// Its label.
    label: Option<String>,
    /// Rank in the first ranking.
    rank_a: Option<u64>,
    /// Rank in the second ranking.
    rank_b: Option<u64>,
}

/// Documents after a number of requests.
#[derive(Serialize, ToSchema)]
struct YieldPoint {
    /// Number of requests.
    requests: u64,
    /// Number of documents.
    documents: u64,
    /// Number of documents with RDF.
    rdf_documents: u64,
}

fn rank_changes(changes: Vec<RankChange>) -> Vec<RankChangeView> {
    let view = |RankChange { entity, label, rank_a, rank_b }| RankChangeView { entity, label, rank_a, rank_b };
    changes.into_iter().map(view).collect()
}

fn ranking_view(rankings: RankingComparison) -> RankingComparisonView {
    let overlap = |(depth, shared)| RankingOverlapView { depth, shared };
    RankingComparisonView {
        overlaps: rankings.overlaps.into_iter().map(overlap).collect(),
        moved: rank_changes(rankings.moved),
        only_a: rank_changes(rankings.only_a),
        only_b: rank_changes(rankings.only_b),
    }
}

fn domain_views(domains: Vec<(String, u64)>) -> Vec<DomainCountView> {
    domains.into_iter().map(|(domain, documents)| DomainCountView { domain, documents }).collect()
}

/// Compare two crawls
///
/// Documents, domains and candidates that both have or only one of them, changes of rank, and the yield by requests.
#[utoipa::path(
    get, path = "/api/v1/compare", tag = "crawls",
    params(CompareQuery),
    responses(
        (status = 200, description = "The comparison", body = ComparisonView),
        (status = 404, description = "No such crawl"),
        (status = 409, description = "A crawl is in use by another process"),
    ),
)]
async fn compare(
    State(service): State<Arc<Service>>,
    QueryParams(CompareQuery { a, b, k }): QueryParams<CompareQuery>,
) -> Result<Json<ComparisonView>, Problem> {
    let (open_a, open_b) = (service.jobs.open_crawl(a).await?, service.jobs.open_crawl(b).await?);
    run_bulk_read(move || {
        let (ranking_a, ranking_b) = (ranking(&service, a)?, ranking(&service, b)?);
        let sides = ((&*open_a, ranking_a.as_deref()), (&*open_b, ranking_b.as_deref()));
        let compared = compare_crawls(sides.0, sides.1, usize::from(k.get()));
        let CrawlComparison { documents, domains, domains_only_a, domains_only_b, rankings } =
            compared.map_err(|error| Problem::internal(&error))?;
        Ok(Json(ComparisonView {
            documents: documents.into(),
            domains: domains.into(),
            domains_only_a: domain_views(domains_only_a),
            domains_only_b: domain_views(domains_only_b),
            rankings: rankings.map(ranking_view),
            yield_a: yield_points(&service, a)?,
            yield_b: yield_points(&service, b)?,
        }))
    })
    .await
}

/// The ranking of a crawl, if it has one that can be read.
fn ranking(service: &Service, id: u32) -> Result<Option<Arc<CandidateIndex>>, Problem> {
    let path = service.jobs.crawl_dir(id)?.join(ranking_file::FILE_NAME);
    Ok(service.candidates.index(&path).ok())
}

fn yield_points(service: &Service, id: u32) -> Result<Vec<YieldPoint>, Problem> {
    let (directory, recent) = service.jobs.recent_series(id)?;
    let (points, _) = read_series(&directory, &recent, 0, 1_000, MAX_POINTS)?;
    let point = |SeriesPoint { requests, documents, rdf_documents, .. }: SeriesPoint| YieldPoint {
        requests,
        documents,
        rdf_documents,
    };
    Ok(points.into_iter().map(point).collect())
}
