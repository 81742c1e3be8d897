//! Counts of candidates.

use std::sync::Arc;

use axum::extract::State;
use lodeward_app::review::{CandidateFacet, CandidateFacets, MarkCounts, ScoreHistogram};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::list::MarkFilterParam;
use super::rankings::{open_index, parse_ranking_name};
use super::{lazy_harvest, parse_filter};
use crate::api::crawls::CrawlPath;
use crate::api::extract::{PathParams, QueryParams};
use crate::blocking::run_bulk_read;
use crate::problem::Problem;
use crate::state::Service;

/// Query parameters for counts of candidates.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct CandidateFacetsQuery {
    /// Only candidates that match this filter expression.
    #[param(max_length = 4_000, example = "type = dbo:Building and score >= 0.3")]
    filter: Option<String>,
    /// Only candidates with this mark.
    #[param(inline)]
    mark: MarkFilterParam,
    /// Name of a further ranking; default: the ranking of the crawl.
    #[param(max_length = 40)]
    ranking: Option<String>,
}

/// Counts of the selected candidates.
#[derive(Serialize, ToSchema)]
#[schema(as = CandidateFacets)]
pub(super) struct CandidateFacetsView {
    /// Number of selected candidates.
    total: u64,
    /// Candidates by type, the most frequent first. A candidate may have several types.
    types: CandidateFacetView,
    /// Candidates by pay-level domain, the most frequent first.
    domains: CandidateFacetView,
    /// Candidates by number of links from the nearest seed.
    hops: Vec<HopFacetView>,
    /// Candidates by mark, whatever marks are selected.
    marks: MarkFacetView,
    /// Number of candidates about which a document was fetched.
    described: u64,
    /// Candidates by score.
    scores: ScoreHistogramView,
}

/// The most frequent values of a facet.
#[derive(Serialize, ToSchema)]
#[schema(as = CandidateFacet)]
struct CandidateFacetView {
    /// At most 50 values.
    values: Vec<CandidateFacetValueView>,
    /// Number of further values.
    more: u64,
}

/// A value of a facet.
#[derive(Serialize, ToSchema)]
#[schema(as = CandidateFacetValue)]
struct CandidateFacetValueView {
    /// The value: the IRI of a type, or a domain.
    value: String,
    /// Number of candidates.
    count: u64,
}

/// Candidates with the same number of links from the nearest seed.
#[derive(Serialize, ToSchema)]
#[schema(as = HopFacet)]
struct HopFacetView {
    /// Number of links; `null` for entities that are not ranked.
    hop: Option<u8>,
    /// Number of candidates.
    count: u64,
}

/// Candidates by mark.
#[derive(Serialize, ToSchema)]
#[schema(as = MarkFacet)]
struct MarkFacetView {
    /// Candidates marked `keep`.
    keep: u64,
    /// Candidates marked `drop`.
    drop: u64,
    /// Candidates without a mark.
    none: u64,
}

/// Candidates in intervals of the score of equal width.
#[derive(Serialize, ToSchema)]
#[schema(as = ScoreHistogram)]
struct ScoreHistogramView {
    /// The lowest score; `null` if no selected candidate has a score.
    min: Option<f64>,
    /// The highest score.
    max: Option<f64>,
    /// Number of candidates in each of 20 intervals, the lowest first; empty without scores.
    counts: Vec<u64>,
}

impl From<CandidateFacets> for CandidateFacetsView {
    fn from(facets: CandidateFacets) -> Self {
        let CandidateFacets { total, types, domains, hops, marks, described, scores } = facets;
        let MarkCounts { keep, drop, none } = marks;
        let ScoreHistogram { range, counts } = scores;
        Self {
            total,
            types: types.into(),
            domains: domains.into(),
            hops: hops.into_iter().map(|(hop, count)| HopFacetView { hop, count }).collect(),
            marks: MarkFacetView { keep, drop, none },
            described,
            scores: ScoreHistogramView { min: range.map(|(min, _)| min), max: range.map(|(_, max)| max), counts },
        }
    }
}

impl From<CandidateFacet> for CandidateFacetView {
    fn from(CandidateFacet { values, more }: CandidateFacet) -> Self {
        let values = values.into_iter().map(|(value, count)| CandidateFacetValueView { value, count });
        Self { values: values.collect(), more }
    }
}

/// Count candidates
///
/// By type, domain, hop, mark and score, for the candidates that match a filter.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/candidates/facets", tag = "candidates",
    params(CrawlPath, CandidateFacetsQuery),
    responses(
        (status = 200, description = "The counts", body = CandidateFacetsView),
        (status = 409, description = "There is no ranking yet"),
        (status = 422, description = "The filter is invalid"),
    ),
)]
pub(super) async fn candidate_facets(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(query): QueryParams<CandidateFacetsQuery>,
) -> Result<axum::Json<CandidateFacetsView>, Problem> {
    let directory = service.jobs.crawl_dir(id)?;
    let filter = parse_filter(query.filter.as_deref())?;
    let ranking = parse_ranking_name(query.ranking.as_deref())?;
    let harvest = lazy_harvest(&service, id, &filter).await?;
    let facets = run_bulk_read(move || {
        let index = open_index(&service, &directory, ranking.as_ref())?;
        let marks = service.candidates.marks(&directory)?;
        Ok(index.facets(&marks, &filter, query.mark.to_mark_filter(), || Ok(harvest.into_store()))?)
    })
    .await?;
    Ok(axum::Json(facets.into()))
}
