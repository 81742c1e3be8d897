//! The SPARQL 1.1 Protocol: a request in, an answer out.

use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderValue, Method, StatusCode};
use oxigraph::model::{NamedNode, NamedOrBlankNode, Quad};
use oxigraph::sparql::{QueryDatasetSpecification, SparqlEvaluator};
use oxigraph::store::Store;
use spargebra::SparqlParser;
use spargebra::algebra::GraphPattern;
use url::form_urlencoded;

use super::Manners;
use super::describe;
use super::evaluate::{Failure, Results, evaluate};
use super::limit::within;
use crate::accept::Accept;
use crate::message::{Body, Conduct, Request, Response};
use crate::world::answer::varying;
use crate::world::chance::{Chance, Matter};

/// A SPARQL endpoint over some quads.
pub struct Endpoint {
    url: String,
    store: Store,
    quads: usize,
    manners: Manners,
}

/// What is asked of an endpoint.
#[derive(Default)]
struct Asked {
    query: Option<String>,
    default_graphs: Vec<String>,
    named_graphs: Vec<String>,
    /// Virtuoso's own way to ask for a media type.
    format: Option<String>,
}

impl Endpoint {
    /// An endpoint at this URL with these quads.
    ///
    /// # Panics
    /// When memory cannot hold them.
    #[must_use]
    pub fn new(url: &str, quads: impl IntoIterator<Item = Quad>, manners: Manners) -> Self {
        let store = Store::new().expect("a store in memory");
        let mut count = 0;
        let mut loader = store.bulk_loader();
        loader.load_quads(quads.into_iter().inspect(|_| count += 1)).expect("memory takes all quads");
        loader.commit().expect("memory takes all quads");
        Self { url: url.to_owned(), store, quads: count, manners }
    }

    /// How many quads it was given.
    #[must_use]
    pub fn quads(&self) -> usize {
        self.quads
    }

    /// Answers the request that is the `asked`-th here, counted from 0, which
    /// decides whether it fails.
    #[must_use]
    pub fn respond(&self, request: &Request, asked: u64) -> Response {
        let parameters = match read(request) {
            Ok(parameters) => parameters,
            Err(refusal) => return *refusal,
        };
        let Some(query) = &parameters.query else {
            return describe::respond(&self.url, &Accept::of(&request.headers), self.manners.union_default_graph);
        };
        if self.fails(asked) {
            return told(
                StatusCode::INTERNAL_SERVER_ERROR,
                "Virtuoso 08C04 Error CL...: Cluster server 3 is not reachable".to_owned(),
            );
        }
        match self.answer(query, &parameters, request) {
            Ok(response) => varying(response),
            Err(Failure::Refused(problem)) => told(StatusCode::BAD_REQUEST, problem),
            Err(Failure::Late) => {
                told(StatusCode::INTERNAL_SERVER_ERROR, "Virtuoso S1T00 Error SR171: Transaction timeout".to_owned())
            }
            Err(Failure::NotAcceptable) => {
                told(StatusCode::NOT_ACCEPTABLE, "no result format that is acceptable".to_owned())
            }
            Err(Failure::Broken(problem)) => told(StatusCode::INTERNAL_SERVER_ERROR, problem),
        }
    }

    fn fails(&self, asked: u64) -> bool {
        let [high, low] = [asked >> 32, asked & u64::from(u32::MAX)].map(|half| u32::try_from(half).expect("half"));
        Chance::of(self.manners.seed, Matter::Failure, high, low).happens(self.manners.error_share)
    }

    fn answer(&self, query: &str, parameters: &Asked, request: &Request) -> Result<Response, Failure> {
        let refuse = |problem: &dyn std::fmt::Display| {
            Failure::Refused(format!(
                "Virtuoso 37000 Error SP030: SPARQL compiler: {problem}\n\nSPARQL query:\n{query}"
            ))
        };
        let parser = SparqlParser::new().with_base_iri(&self.url).map_err(|problem| refuse(&problem))?;
        let parsed = parser.parse_query(query).map_err(|problem| refuse(&problem))?;
        self.check_sorting(&parsed)?;
        let accept = match &parameters.format {
            Some(format) => Accept::of_text(&format.replace(' ', "+")),
            None => Accept::of(&request.headers),
        };
        let results = Results::chosen(&parsed, &accept)?;
        within(self.manners.timeout, |token| {
            let mut prepared = SparqlEvaluator::new().with_cancellation_token(token).for_query(parsed);
            self.set_dataset(prepared.dataset_mut(), parameters).map_err(|problem| refuse(&problem))?;
            let results = evaluate(prepared.on_store(&self.store), results, self.manners.row_cap)?;
            let mut response = told(StatusCode::OK, String::new());
            response.headers.insert(CONTENT_TYPE, HeaderValue::from_static(results.media_type));
            response.body = Body::Whole(results.bytes.into());
            Ok(response)
        })
    }

    fn set_dataset(
        &self,
        dataset: &mut QueryDatasetSpecification,
        parameters: &Asked,
    ) -> Result<(), oxigraph::model::IriParseError> {
        let nodes = |names: &[String]| names.iter().map(NamedNode::new).collect::<Result<Vec<NamedNode>, _>>();
        let (default, named) = (nodes(&parameters.default_graphs)?, nodes(&parameters.named_graphs)?);
        if !default.is_empty() || !named.is_empty() {
            // What the protocol says goes before what the query says.
            dataset.set_default_graph(default.into_iter().map(Into::into).collect());
            dataset.set_available_named_graphs(named.into_iter().map(NamedOrBlankNode::from).collect());
        } else if self.manners.union_default_graph && dataset.is_default_dataset() {
            dataset.set_default_graph_as_union();
        }
        Ok(())
    }

    /// Refuses to sort more than is allowed, as Virtuoso does.
    fn check_sorting(&self, query: &spargebra::Query) -> Result<(), Failure> {
        let Some(most) = self.manners.sorted_rows_max else { return Ok(()) };
        let (spargebra::Query::Select { pattern, .. } | spargebra::Query::Construct { pattern, .. }) = query else {
            return Ok(());
        };
        let rows = sorted_rows(pattern, self.manners.row_cap.unwrap_or(0));
        if rows <= most {
            return Ok(());
        }
        Err(Failure::Refused(format!(
            "Virtuoso 22023 Error SR353: Sorted TOP clause specifies more then {rows} rows to sort. Only {most} are \
             allowed. Either decrease the offset and/or row count or use a scrollable cursor"
        )))
    }
}

/// Up to which row results have to be sorted: 0 where they are not.
fn sorted_rows(mut pattern: &GraphPattern, row_cap: usize) -> usize {
    let mut rows = row_cap;
    loop {
        match pattern {
            GraphPattern::Slice { inner, start, length } => {
                rows = start.saturating_add(length.unwrap_or(row_cap));
                pattern = inner;
            }
            GraphPattern::Project { inner, .. }
            | GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner } => pattern = inner,
            GraphPattern::OrderBy { .. } => return rows,
            _ => return 0,
        }
    }
}

/// Reads what is asked out of a `GET` or a `POST`.
fn read(request: &Request) -> Result<Asked, Box<Response>> {
    let mut asked = Asked::default();
    if request.method == Method::POST {
        let media_type = request.headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
        match media_type.split(';').next().unwrap_or_default().trim() {
            "application/x-www-form-urlencoded" => {
                form_urlencoded::parse(&request.body).for_each(|(name, value)| asked.note(&name, &value));
            }
            "application/sparql-query" => asked.query = Some(String::from_utf8_lossy(&request.body).into_owned()),
            _ => {
                let problem = "a query is posted as a form or as application/sparql-query";
                return Err(Box::new(told(StatusCode::UNSUPPORTED_MEDIA_TYPE, problem.to_owned())));
            }
        }
    } else if request.method != Method::GET && request.method != Method::HEAD {
        let mut refusal = told(StatusCode::METHOD_NOT_ALLOWED, "GET and POST are understood here".to_owned());
        refusal.headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
        return Err(Box::new(refusal));
    }
    request.url.query_pairs().for_each(|(name, value)| asked.note(&name, &value));
    Ok(asked)
}

impl Asked {
    fn note(&mut self, name: &str, value: &str) {
        match name {
            "query" => self.query = Some(value.to_owned()),
            // A form that leaves the field empty means no graph.
            "default-graph-uri" if !value.is_empty() => self.default_graphs.push(value.to_owned()),
            "named-graph-uri" if !value.is_empty() => self.named_graphs.push(value.to_owned()),
            "format" | "output" if !value.is_empty() => self.format = Some(value.to_owned()),
            _ => {}
        }
    }
}

fn told(status: StatusCode, text: String) -> Response {
    let mut headers = http::HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(http::header::SERVER, HeaderValue::from_static("Virtuoso/07.20.3233 (Linux) toyweb"));
    Response { status, headers, body: Body::Whole(text.into()), conduct: Conduct::Plain }
}
