//! Search for entities by plain words.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use lodeward_app::review::{MarkFilter, MarkKind};
use lodeward_app::search::links::ProposalEvidence;
use lodeward_app::search::{self, EntityResult, EntitySearch, FeatureShare};
use lodeward_search::retrieve::Method;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::entities::{require_index, search_problem};
use super::extract::QueryParams;
use super::pagination::PageLimit;
use crate::blocking::run_bulk_read;
use crate::problem::Problem;
use crate::role::Role;
use crate::route_rules::RouteRules;
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(RouteRules::reads(Role::Reader).on(routes!(search_entities)))
}

/// Query parameters of a search.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct SearchQuery {
    /// The words.
    #[param(min_length = 1, example = "gothic cathedral")]
    q: String,
    /// Retrieval method.
    #[serde(default)]
    #[param(inline)]
    method: MethodParam,
    /// Type of entities that the words ask for, in the method `published`; detected if it is missing.
    #[param(max_length = 100, example = "film")]
    query_type: Option<String>,
    /// Only entities of this type: an IRI, a name with a usual prefix, or words of its name.
    #[param(example = "dbo:Building")]
    r#type: Option<String>,
    /// Only entities that a document of this crawl describes.
    crawl: Option<u32>,
    /// Only entities with this mark in `crawl`; without `crawl`, marks are ignored.
    #[serde(default)]
    #[param(inline)]
    mark: SearchMarkParam,
    /// Only entities of this domain, or described by a document of it.
    #[param(example = "dbpedia.org")]
    domain: Option<String>,
    /// Only entities with statements in this graph.
    graph: Option<String>,
    /// Only entities with a text in this language.
    #[param(example = "en")]
    language: Option<String>,
    /// Whether the last word is the beginning of a word.
    #[serde(default)]
    prefix: bool,
    /// Whether to count types, domains and languages of the best 1,000 results.
    #[serde(default)]
    facets: bool,
    /// Maximum number of results.
    #[serde(default)]
    #[param(inline)]
    limit: PageLimit,
}

/// Retrieval method.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum MethodParam {
    /// Words, mentioned entities and relations between them.
    #[default]
    Ranked,
    /// Words only.
    Bm25f,
    /// Words, clusters, types and context, as in DURAARK D3.6.
    Published,
}

/// Selection of entities by mark.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum SearchMarkParam {
    /// Not dropped.
    #[default]
    Undropped,
    /// All.
    All,
    /// Marked `keep`.
    Keep,
    /// Marked `drop`.
    Drop,
    /// Without a mark.
    None,
}

impl SearchQuery {
    fn to_search(&self) -> EntitySearch {
        EntitySearch {
            words: self.q.clone(),
            method: match self.method {
                MethodParam::Ranked => Method::Ranked,
                MethodParam::Bm25f => Method::Bm25f,
                MethodParam::Published => Method::Published,
            },
            query_type: self.query_type.clone(),
            limit: usize::from(self.limit.get()),
            types: self.r#type.iter().cloned().collect(),
            graphs: self.graph.iter().cloned().collect(),
            domains: self.domain.iter().cloned().collect(),
            languages: self.language.iter().cloned().collect(),
            crawl: self.crawl,
            mark: match self.mark {
                SearchMarkParam::Undropped => MarkFilter::Undropped,
                SearchMarkParam::All => MarkFilter::All,
                SearchMarkParam::Keep => MarkFilter::Only(Some(MarkKind::Keep)),
                SearchMarkParam::Drop => MarkFilter::Only(Some(MarkKind::Drop)),
                SearchMarkParam::None => MarkFilter::Only(None),
            },
            is_prefix: self.prefix,
            has_facets: self.facets,
        }
    }
}

/// The results of a search, best first.
#[derive(Serialize, ToSchema)]
struct SearchPage {
    /// The entities.
    results: Vec<FoundEntity>,
    /// Words that are not in the index, and what was searched instead.
    corrections: Vec<CorrectionView>,
    /// How often types, domains and languages occur among the results; empty unless requested.
    facets: Vec<FacetView>,
    /// Number of changes of the archive, of up to 128 statements each, that the index does not contain yet; 0 if it
    /// is up to date. After a fast crawl it is behind for some seconds.
    pending: u64,
}

/// An entity that was found.
#[derive(Serialize, ToSchema)]
struct FoundEntity {
    /// IRI of the entity.
    iri: String,
    /// Label, or the name in the IRI.
    label: String,
    /// Score; comparable within one search.
    score: f64,
    /// IRIs of its types.
    types: Vec<String>,
    /// The statement that matches best.
    snippet: Option<SnippetView>,
    /// What the score consists of.
    why: Vec<ScoreShareView>,
}

/// A statement that matches the words.
#[derive(Serialize, ToSchema)]
#[schema(as = Snippet)]
struct SnippetView {
    /// `label`, `alias`, `description`, `literal`, `type` or `neighbour`.
    field: String,
    /// The text, cut.
    text: String,
    /// URL of the document; `null` for the default graph.
    document: Option<String>,
}

/// A part of a score.
#[derive(Serialize, ToSchema)]
#[schema(as = FeatureShare)]
pub(super) struct ScoreShareView {
    /// Name of the feature.
    feature: String,
    /// Its value.
    value: f64,
    /// What it adds to the score.
    share: f64,
}

/// A word that was replaced.
#[derive(Serialize, ToSchema)]
#[schema(as = CorrectedWord)]
struct CorrectionView {
    /// The word as given.
    word: String,
    /// The word that was searched.
    replacement: String,
}

/// How often the values of a property occur.
#[derive(Serialize, ToSchema)]
#[schema(as = Facet)]
struct FacetView {
    /// `type`, `domain` or `language`.
    name: String,
    /// Values, most frequent first.
    values: Vec<FacetValueView>,
}

/// How often a value occurs.
#[derive(Serialize, ToSchema)]
#[schema(as = FacetValue)]
struct FacetValueView {
    /// The value.
    value: String,
    /// Number of results.
    count: u64,
}

impl From<FeatureShare> for ScoreShareView {
    fn from(FeatureShare { feature, value, share }: FeatureShare) -> Self {
        Self { feature: feature.to_owned(), value, share }
    }
}

impl From<ProposalEvidence> for ScoreShareView {
    fn from(ProposalEvidence { feature, value, share }: ProposalEvidence) -> Self {
        Self { feature, value, share }
    }
}

impl From<EntityResult> for FoundEntity {
    fn from(EntityResult { iri, label, score, types, snippet, why }: EntityResult) -> Self {
        let snippet =
            snippet.map(|of| SnippetView { field: of.field.to_owned(), text: of.text, document: of.document });
        Self { iri, label, score, types, snippet, why: why.into_iter().map(Into::into).collect() }
    }
}

/// Search for entities
///
/// Finds entities of the archive, crawled or imported, by plain words. A stored document can be found
/// after about two seconds.
#[utoipa::path(
    get, path = "/api/v1/search", tag = "search",
    params(SearchQuery),
    responses(
        (status = 200, description = "The best entities", body = SearchPage),
        (status = 404, description = "There is no such crawl"),
        (status = 409, description = "The search index is disabled"),
        (status = 422, description = "The words or a filter are invalid"),
    ),
)]
async fn search_entities(
    State(service): State<Arc<Service>>,
    QueryParams(query): QueryParams<SearchQuery>,
) -> Result<Json<SearchPage>, Problem> {
    if let Some(crawl) = query.crawl {
        service.jobs.get(crawl)?;
    }
    let index = require_index(&service)?;
    let data = service.data_dir().to_owned();
    run_bulk_read(move || {
        let found = search::search(&index, &data, &query.to_search()).map_err(|error| search_problem(&error))?;
        let corrections = found.corrections.into_iter();
        let facets = found.facets.into_iter().map(|facet| FacetView {
            name: facet.name.to_owned(),
            values: facet.values.into_iter().map(|of| FacetValueView { value: of.value, count: of.count }).collect(),
        });
        Ok(Json(SearchPage {
            results: found.results.into_iter().map(FoundEntity::from).collect(),
            corrections: corrections.map(|of| CorrectionView { word: of.word, replacement: of.replacement }).collect(),
            facets: facets.collect(),
            pending: found.pending,
        }))
    })
    .await
}
