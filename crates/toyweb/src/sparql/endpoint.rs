//! The SPARQL 1.1 Protocol: maps requests to responses.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderValue, Method, StatusCode};
use oxigraph::model::{NamedNode, NamedOrBlankNode, Quad};
use oxigraph::sparql::{CancellationToken, QueryDatasetSpecification, SparqlEvaluator};
use oxigraph::store::Store;
use spargebra::SparqlParser;
use spargebra::algebra::GraphPattern;
use url::form_urlencoded;

use super::EndpointBehaviour;
use super::describe;
use super::evaluate::{EvaluationError, ResultsEncoding, evaluate};
use crate::accept::AcceptHeader;
use crate::message::{DeliveryFault, WebBody, WebRequest, WebResponse};
use crate::world::chance_stream::{ChanceStream, ChanceTopic};
use crate::world::responses::with_vary_accept;

/// A SPARQL endpoint over some quads.
pub struct SparqlEndpoint {
    url: String,
    store: Store,
    quads: usize,
    behaviour: EndpointBehaviour,
}

/// The parameters of a request.
#[derive(Default)]
struct EndpointRequest {
    query: Option<String>,
    default_graphs: Vec<String>,
    named_graphs: Vec<String>,
    /// Virtuoso's parameter for the media type.
    format: Option<String>,
}

impl SparqlEndpoint {
    /// An endpoint at this URL with these quads.
    ///
    /// # Panics
    /// If memory is exhausted.
    #[must_use]
    pub fn new(url: &str, quads: impl IntoIterator<Item = Quad>, behaviour: EndpointBehaviour) -> Self {
        let store = Store::new().expect("a store in memory can be created");
        let mut count = 0;
        let mut loader = store.bulk_loader();
        loader.load_quads(quads.into_iter().inspect(|_| count += 1)).expect("a store in memory accepts all quads");
        loader.commit().expect("a store in memory accepts all quads");
        Self { url: url.to_owned(), store, quads: count, behaviour }
    }

    /// The number of quads.
    #[must_use]
    pub fn quad_count(&self) -> usize {
        self.quads
    }

    /// Responds to the request with this number, counted from 0. The number decides whether the request fails.
    #[must_use]
    pub fn respond(&self, request: &WebRequest, number: u64) -> WebResponse {
        let parameters = match read(request) {
            Ok(parameters) => parameters,
            Err(rejection) => return *rejection,
        };
        let Some(query) = &parameters.query else {
            return describe::respond(
                &self.url,
                &AcceptHeader::from_headers(&request.headers),
                self.behaviour.union_default_graph,
            );
        };
        if self.fails(number) {
            return plain_text_response(
                StatusCode::INTERNAL_SERVER_ERROR,
                "Virtuoso 08C04 Error CL...: Cluster server 3 is not reachable".to_owned(),
            );
        }
        match self.run_query(query, &parameters, request) {
            Ok(response) => with_vary_accept(response),
            Err(EvaluationError::Rejected(problem)) => plain_text_response(StatusCode::BAD_REQUEST, problem),
            Err(EvaluationError::TimedOut) => plain_text_response(
                StatusCode::INTERNAL_SERVER_ERROR,
                "Virtuoso S1T00 Error SR171: Transaction timeout".to_owned(),
            ),
            Err(EvaluationError::NotAcceptable) => {
                plain_text_response(StatusCode::NOT_ACCEPTABLE, "no supported format is acceptable".to_owned())
            }
            Err(EvaluationError::Internal(problem)) => plain_text_response(StatusCode::INTERNAL_SERVER_ERROR, problem),
        }
    }

    fn fails(&self, number: u64) -> bool {
        let [high, low] = [number >> 32, number & u64::from(u32::MAX)].map(|half| u32::try_from(half).expect("half"));
        ChanceStream::new(self.behaviour.seed, ChanceTopic::Failure, high, low).bernoulli(self.behaviour.error_share)
    }

    fn run_query(
        &self,
        query: &str,
        parameters: &EndpointRequest,
        request: &WebRequest,
    ) -> Result<WebResponse, EvaluationError> {
        let reject = |problem: &dyn std::fmt::Display| {
            EvaluationError::Rejected(format!(
                "Virtuoso 37000 Error SP030: SPARQL compiler: {problem}\n\nSPARQL query:\n{query}"
            ))
        };
        let parser = SparqlParser::new().with_base_iri(&self.url).map_err(|problem| reject(&problem))?;
        let parsed = parser.parse_query(query).map_err(|problem| reject(&problem))?;
        self.check_sorting(&parsed)?;
        let accept = match &parameters.format {
            Some(format) => AcceptHeader::parse(&format.replace(' ', "+")),
            None => AcceptHeader::from_headers(&request.headers),
        };
        let results = ResultsEncoding::negotiate(&parsed, &accept)?;
        with_time_limit(self.behaviour.timeout, |token| {
            let mut prepared = SparqlEvaluator::new().with_cancellation_token(token).for_query(parsed);
            self.set_dataset(prepared.dataset_mut(), parameters).map_err(|problem| reject(&problem))?;
            let results = evaluate(prepared.on_store(&self.store), results, self.behaviour.max_rows)?;
            let mut response = plain_text_response(StatusCode::OK, String::new());
            response.headers.insert(CONTENT_TYPE, HeaderValue::from_static(results.media_type));
            response.body = WebBody::Whole(results.bytes.into());
            Ok(response)
        })
    }

    fn set_dataset(
        &self,
        dataset: &mut QueryDatasetSpecification,
        parameters: &EndpointRequest,
    ) -> Result<(), oxigraph::model::IriParseError> {
        let nodes = |names: &[String]| names.iter().map(NamedNode::new).collect::<Result<Vec<NamedNode>, _>>();
        let (default, named) = (nodes(&parameters.default_graphs)?, nodes(&parameters.named_graphs)?);
        if !default.is_empty() || !named.is_empty() {
            // The dataset of the protocol takes precedence over that of the query.
            dataset.set_default_graph(default.into_iter().map(Into::into).collect());
            dataset.set_available_named_graphs(named.into_iter().map(NamedOrBlankNode::from).collect());
        } else if self.behaviour.union_default_graph && dataset.is_default_dataset() {
            dataset.set_default_graph_as_union();
        }
        Ok(())
    }

    /// Rejects queries that sort too many rows, as Virtuoso does.
    fn check_sorting(&self, query: &spargebra::Query) -> Result<(), EvaluationError> {
        let Some(max_rows) = self.behaviour.max_sorted_rows else { return Ok(()) };
        let (spargebra::Query::Select { pattern, .. } | spargebra::Query::Construct { pattern, .. }) = query else {
            return Ok(());
        };
        let rows = sorted_rows(pattern, self.behaviour.max_rows.unwrap_or(0));
        if rows <= max_rows {
            return Ok(());
        }
        Err(EvaluationError::Rejected(format!(
            "Virtuoso 22023 Error SR353: Sorted TOP clause specifies more then {rows} rows to sort. Only {max_rows} are \
             allowed. Either decrease the offset and/or row count or use a scrollable cursor"
        )))
    }
}

/// The number of rows that have to be sorted, 0 without `ORDER BY`.
fn sorted_rows(mut pattern: &GraphPattern, max_rows: usize) -> usize {
    let mut rows = max_rows;
    loop {
        match pattern {
            GraphPattern::Slice { inner, start, length } => {
                rows = start.saturating_add(length.unwrap_or(max_rows));
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

/// Reads the parameters of a `GET` or a `POST`.
fn read(request: &WebRequest) -> Result<EndpointRequest, Box<WebResponse>> {
    let mut parameters = EndpointRequest::default();
    if request.method == Method::POST {
        let media_type = request.headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
        match media_type.split(';').next().unwrap_or_default().trim() {
            "application/x-www-form-urlencoded" => {
                form_urlencoded::parse(&request.body).for_each(|(name, value)| parameters.add_parameter(&name, &value));
            }
            "application/sparql-query" => parameters.query = Some(String::from_utf8_lossy(&request.body).into_owned()),
            _ => {
                let problem = "post the query as a form or as application/sparql-query";
                return Err(Box::new(plain_text_response(StatusCode::UNSUPPORTED_MEDIA_TYPE, problem.to_owned())));
            }
        }
    } else if request.method != Method::GET && request.method != Method::HEAD {
        let mut rejection =
            plain_text_response(StatusCode::METHOD_NOT_ALLOWED, "send the query with GET or POST".to_owned());
        rejection.headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
        return Err(Box::new(rejection));
    }
    request.url.query_pairs().for_each(|(name, value)| parameters.add_parameter(&name, &value));
    Ok(parameters)
}

impl EndpointRequest {
    fn add_parameter(&mut self, name: &str, value: &str) {
        match name {
            "query" => self.query = Some(value.to_owned()),
            // An empty field of a form means no graph.
            "default-graph-uri" if !value.is_empty() => self.default_graphs.push(value.to_owned()),
            "named-graph-uri" if !value.is_empty() => self.named_graphs.push(value.to_owned()),
            "format" | "output" if !value.is_empty() => self.format = Some(value.to_owned()),
            _ => {}
        }
    }
}

fn plain_text_response(status: StatusCode, text: String) -> WebResponse {
    let mut headers = http::HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(http::header::SERVER, HeaderValue::from_static("Virtuoso/07.20.3233 (Linux) toyweb"));
    WebResponse { status, headers, body: WebBody::Whole(text.into()), delivery: DeliveryFault::Plain }
}

/// Runs `work` with a token that is cancelled after `limit`.
///
/// The evaluator has no clock, so a second thread sleeps until the work is done or the time is up.
fn with_time_limit<T>(limit: Duration, work: impl FnOnce(CancellationToken) -> T) -> T {
    let token = CancellationToken::new();
    let (working, done) = channel::<()>();
    std::thread::scope(|scope| {
        let watched = token.clone();
        scope.spawn(move || {
            if done.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                watched.cancel();
            }
        });
        let result = work(token);
        drop(working);
        result
    })
}
