//! An entity of the archive, in one call.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use lodeward_app::entity::{
    self, ArchivedEntity, EntityNeighbourhood, EntityOptions, EntityProperty, EntityValue, IncomingCount, IncomingLink,
    LabelledTerm, crawls_with, read_entity, read_incoming, read_neighbours,
};
use lodeward_app::prefixes::shorten;
use oxrdf::{NamedNode, Term};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::QueryParams;
use super::pagination::PageLimit;
use crate::blocking::run_bulk_read;
use crate::problem::{Problem, ProblemCode};
use crate::role::Role;
use crate::route_rules::RouteRules;
use crate::state::Service;

/// The maximum number of nodes of a neighbourhood.
const MAX_NODES: usize = 60;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    let reads = RouteRules::reads(Role::Reader);
    OpenApiRouter::new()
        .routes(reads.on(routes!(get_entity)))
        .routes(reads.on(routes!(list_incoming)))
        .routes(reads.on(routes!(get_neighbours)))
}

/// Selection of an entity.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct EntityQuery {
    /// IRI of the entity.
    #[param(example = "http://dbpedia.org/resource/Cologne_Cathedral")]
    iri: String,
    /// Preferred language of labels.
    #[serde(default = "english")]
    #[param(min_length = 2, max_length = 20, example = "en")]
    language: String,
    /// Only statements in documents of this crawl.
    crawl: Option<u32>,
    /// Maximum number of values per property.
    #[serde(default)]
    #[param(inline)]
    limit: PageLimit,
}

fn english() -> String {
    "en".to_owned()
}

fn parse_iri(name: &str, iri: &str) -> Result<NamedNode, Problem> {
    NamedNode::new(iri).map_err(|error| {
        Problem::new(ProblemCode::BadRequest, format!("`{name}` is not an IRI: {error}")).at(format!("?{name}"))
    })
}

/// An entity of the archive.
#[derive(Serialize, ToSchema)]
#[schema(as = Entity)]
struct EntityView {
    /// IRI of the entity.
    iri: String,
    /// Its label, in the preferred language if there is one; null if it has none.
    label: Option<String>,
    /// Its types.
    types: Vec<TermValueView>,
    /// Its statements by property, without types.
    properties: Vec<PropertyView>,
    /// Number of different statements that were read.
    statements: u64,
    /// Whether it has more statements than were read (50,000).
    truncated: bool,
    /// Links to it, counted by property, the most frequent first.
    incoming: Vec<IncomingCountView>,
    /// Where it is; null if it has no coordinates.
    coordinates: Option<CoordinatesView>,
    /// The crawls with a statement about it.
    crawls: Vec<EntityCrawlView>,
}

/// A term with its label.
#[derive(Serialize, ToSchema)]
#[schema(as = TermValue)]
struct TermValueView {
    /// Kind of the term: `iri`, `literal`, `blank`.
    kind: String,
    /// The IRI, the text of the literal, or the name of the blank node.
    value: String,
    /// Name of an IRI with a usual prefix: `dbo:Building`.
    name: Option<String>,
    /// Label of an IRI.
    label: Option<String>,
    /// Language of a literal.
    language: Option<String>,
    /// Datatype of a literal without a language.
    datatype: Option<String>,
}

impl From<&LabelledTerm> for TermValueView {
    fn from(LabelledTerm { term, label }: &LabelledTerm) -> Self {
        let (kind, value, language, datatype) = match term {
            Term::NamedNode(node) => ("iri", node.as_str().to_owned(), None, None),
            Term::Literal(literal) => {
                let language = literal.language().map(str::to_owned);
                let datatype = language.is_none().then(|| literal.datatype().as_str().to_owned());
                ("literal", literal.value().to_owned(), language, datatype)
            }
            other @ Term::BlankNode(_) => ("blank", other.to_string(), None, None),
        };
        let name = if kind == "iri" { shorten(&value) } else { None };
        Self { kind: kind.to_owned(), value, name, label: label.clone(), language, datatype }
    }
}

/// A property of an entity.
#[derive(Serialize, ToSchema)]
#[schema(as = EntityProperty)]
struct PropertyView {
    /// The property.
    property: TermValueView,
    /// Number of different values.
    total: u64,
    /// The first values.
    values: Vec<ValueView>,
}

/// A value of a property.
#[derive(Serialize, ToSchema)]
#[schema(as = EntityValue)]
struct ValueView {
    /// The value.
    value: TermValueView,
    /// Graphs with the statement, at most ten: mostly source documents. An empty text is the default graph.
    sources: Vec<String>,
    /// Number of graphs with the statement.
    source_count: u64,
}

/// The links to an entity with one property.
#[derive(Serialize, ToSchema)]
#[schema(as = IncomingCount)]
struct IncomingCountView {
    /// The property.
    property: TermValueView,
    /// Number of subjects.
    count: u64,
    /// Whether there are more subjects than were counted (1,000).
    truncated: bool,
}

/// A point on the earth (WGS 84).
#[derive(Serialize, ToSchema)]
#[schema(as = Coordinates)]
struct CoordinatesView {
    /// Degrees north of the equator.
    latitude: f64,
    /// Degrees east of Greenwich.
    longitude: f64,
}

/// A crawl with a statement about an entity.
#[derive(Serialize, ToSchema)]
#[schema(as = EntityCrawl)]
struct EntityCrawlView {
    /// ID of the crawl.
    id: u32,
    /// Name of the crawl.
    name: String,
    /// Rank of the entity among the candidates of the crawl; null if it is none.
    rank: Option<u64>,
    /// Mark of the entity in the crawl: `keep` or `drop`; null if it has none.
    mark: Option<String>,
    /// The user that set the mark.
    marked_by: Option<String>,
}

fn property_view(property: &EntityProperty) -> PropertyView {
    let value = |EntityValue { value, sources, source_count }: &EntityValue| ValueView {
        value: value.into(),
        sources: sources.clone(),
        source_count: *source_count,
    };
    let EntityProperty { property, total, values } = property;
    PropertyView { property: property.into(), total: *total, values: values.iter().map(value).collect() }
}

fn entity_view(found: &ArchivedEntity, crawls: Vec<EntityCrawlView>) -> EntityView {
    let incoming = |IncomingCount { property, count, is_cut }: &IncomingCount| IncomingCountView {
        property: property.into(),
        count: *count,
        truncated: *is_cut,
    };
    let coordinates = |entity::Coordinates { latitude, longitude }| CoordinatesView { latitude, longitude };
    EntityView {
        iri: found.iri.clone(),
        label: found.label.clone(),
        types: found.types.iter().map(TermValueView::from).collect(),
        properties: found.properties.iter().map(property_view).collect(),
        statements: found.statements,
        truncated: found.is_cut,
        incoming: found.incoming.iter().map(incoming).collect(),
        coordinates: found.coordinates.map(coordinates),
        crawls,
    }
}

/// Get an entity
///
/// Its label, types, statements by property with labels and source documents, links to it by property, coordinates, and
/// the crawls that have statements about it, with its rank and mark.
#[utoipa::path(
    get, path = "/api/v1/entity", tag = "search",
    params(EntityQuery),
    responses(
        (status = 200, description = "The entity", body = EntityView),
        (status = 404, description = "No such crawl, or the archive has no statement with the IRI"),
    ),
)]
async fn get_entity(
    State(service): State<Arc<Service>>,
    QueryParams(query): QueryParams<EntityQuery>,
) -> Result<Json<EntityView>, Problem> {
    let iri = parse_iri("iri", &query.iri)?;
    if let Some(crawl) = query.crawl {
        service.jobs.get(crawl)?;
    }
    run_bulk_read(move || {
        let max_values = usize::from(query.limit.get());
        let options = EntityOptions { language: &query.language, max_values, crawl: query.crawl };
        let found = read_entity(&service.archive, iri.as_ref(), options).map_err(|error| Problem::internal(&error))?;
        let found = found.ok_or_else(|| unknown_entity(&query.iri))?;
        let crawls = entity_crawls(&service, &iri)?;
        Ok(Json(entity_view(&found, crawls)))
    })
    .await
}

fn unknown_entity(iri: &str) -> Problem {
    let problem = Problem::new(ProblemCode::NotFound, format!("the archive has no statement with <{iri}>"));
    problem.hint("GET /api/v1/search finds entities by words")
}

/// The crawls with a statement about an entity, and its rank and mark in each.
fn entity_crawls(service: &Service, iri: &NamedNode) -> Result<Vec<EntityCrawlView>, Problem> {
    let views = service.jobs.list();
    let ids: Vec<u32> = views.iter().map(|view| view.id).collect();
    let found = crawls_with(&service.archive, iri.as_ref(), &ids).map_err(|error| Problem::internal(&error))?;
    let mut crawls = Vec::new();
    for view in views.into_iter().filter(|view| found.contains(&view.id)) {
        // A crawl that was deleted meanwhile has neither a ranking nor marks.
        let Ok(directory) = service.jobs.crawl_dir(view.id) else { continue };
        let ranking = directory.join(lodeward_app::review::ranking_file::FILE_NAME);
        let rank = service.candidates.index(&ranking).ok().and_then(|index| Some(index.row(iri.as_str())?.rank));
        let marks = service.candidates.marks(&directory).ok();
        let mark = marks.as_ref().and_then(|marks| marks.get(iri.as_str()));
        crawls.push(EntityCrawlView {
            id: view.id,
            name: view.name,
            rank,
            mark: mark.map(|mark| mark.mark.name().to_owned()),
            marked_by: mark.and_then(|mark| mark.author.user.clone()),
        });
    }
    Ok(crawls)
}

/// Selection of links to an entity.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct IncomingQuery {
    /// IRI of the entity.
    #[param(example = "http://dbpedia.org/resource/Cologne_Cathedral")]
    iri: String,
    /// IRI of the property.
    #[param(example = "http://dbpedia.org/ontology/location")]
    property: String,
    /// Preferred language of labels.
    #[serde(default = "english")]
    #[param(min_length = 2, max_length = 20, example = "en")]
    language: String,
    /// Maximum number of subjects.
    #[serde(default)]
    #[param(inline)]
    limit: PageLimit,
}

/// Subjects that link to an entity.
#[derive(Serialize, ToSchema)]
struct IncomingList {
    /// The subjects.
    subjects: Vec<IncomingLinkView>,
}

/// A subject that links to an entity.
#[derive(Serialize, ToSchema)]
#[schema(as = IncomingLink)]
struct IncomingLinkView {
    /// The subject.
    subject: TermValueView,
    /// A graph with the statement: mostly a source document.
    source: String,
}

/// List links to an entity
///
/// The subjects that link to an entity with one property.
#[utoipa::path(
    get, path = "/api/v1/entity/incoming", tag = "search",
    params(IncomingQuery), responses((status = 200, description = "The subjects", body = IncomingList)),
)]
async fn list_incoming(
    State(service): State<Arc<Service>>,
    QueryParams(query): QueryParams<IncomingQuery>,
) -> Result<Json<IncomingList>, Problem> {
    let (iri, property) = (parse_iri("iri", &query.iri)?, parse_iri("property", &query.property)?);
    run_bulk_read(move || {
        let max = usize::from(query.limit.get());
        let found = read_incoming(&service.archive, iri.as_ref(), property.as_ref(), &query.language, max);
        let found = found.map_err(|error| Problem::internal(&error))?;
        let view =
            |IncomingLink { subject, source }: IncomingLink| IncomingLinkView { subject: (&subject).into(), source };
        Ok(Json(IncomingList { subjects: found.into_iter().map(view).collect() }))
    })
    .await
}

/// Selection of a neighbourhood.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct NeighbourQuery {
    /// IRI of the entity.
    #[param(example = "http://dbpedia.org/resource/Cologne_Cathedral")]
    iri: String,
    /// Preferred language of labels.
    #[serde(default = "english")]
    #[param(min_length = 2, max_length = 20, example = "en")]
    language: String,
}

/// The neighbourhood of an entity: at most 60 nodes, the 8 rarest properties.
#[derive(Serialize, ToSchema)]
#[schema(as = Neighbourhood)]
struct NeighbourhoodView {
    /// The nodes; the entity is the first.
    nodes: Vec<NodeView>,
    /// The edges between them.
    edges: Vec<EdgeView>,
    /// Number of neighbours that are left out.
    omitted: u64,
}

/// A node of a neighbourhood.
#[derive(Serialize, ToSchema)]
#[schema(as = NeighbourNode)]
struct NodeView {
    /// The IRI.
    iri: String,
    /// Its label.
    label: Option<String>,
}

/// A statement between two nodes.
#[derive(Serialize, ToSchema)]
#[schema(as = NeighbourEdge)]
struct EdgeView {
    /// Position of the subject among the nodes, from 0.
    from: usize,
    /// Position of the object among the nodes, from 0.
    to: usize,
    /// IRI of the property.
    property: String,
    /// Name of the property with a usual prefix.
    name: Option<String>,
}

/// Get the neighbourhood of an entity
///
/// A small graph of the entities it links to and that link to it.
#[utoipa::path(
    get, path = "/api/v1/neighbours", tag = "search",
    params(NeighbourQuery), responses((status = 200, description = "The neighbourhood", body = NeighbourhoodView)),
)]
async fn get_neighbours(
    State(service): State<Arc<Service>>,
    QueryParams(NeighbourQuery { iri, language }): QueryParams<NeighbourQuery>,
) -> Result<Json<NeighbourhoodView>, Problem> {
    let node = parse_iri("iri", &iri)?;
    run_bulk_read(move || {
        let graph = read_neighbours(&service.archive, node.as_ref(), &language, MAX_NODES);
        let EntityNeighbourhood { nodes, edges, omitted } = graph.map_err(|error| Problem::internal(&error))?;
        let edge = |edge: entity::NeighbourEdge| EdgeView {
            from: edge.from,
            to: edge.to,
            name: shorten(&edge.property),
            property: edge.property,
        };
        let nodes = nodes.into_iter().map(|(iri, label)| NodeView { iri, label }).collect();
        Ok(Json(NeighbourhoodView { nodes, edges: edges.into_iter().map(edge).collect(), omitted }))
    })
    .await
}
