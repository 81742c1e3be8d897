//! The SPARQL 1.1 Protocol: queries and updates.

use std::io::Write;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode};

use super::parameters::ProtocolParameters;
use super::problem::ProtocolProblem;
use super::rdf_body::body_type;
use super::response::ProtocolResponse;
use super::{ProtocolEndpoint, accept_header, archive_problem, description};
use crate::sparql::{
    QueryError, QueryLimit, QueryOptions, QueryOutput, ResultFormat, ServiceCallError, TextSearchError, UpdateError,
    UpdateOptions,
};

/// The operations that a path accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AllowedOperations {
    /// `/sparql`: queries, updates, and the service description.
    QueryAndUpdate,
    /// `/update`: only updates.
    Update,
}

/// The requested operation.
enum SparqlOperation {
    Query(String),
    Update(String),
}

/// Handles a request to the query path or the update path.
pub(super) fn handle(
    endpoint: &ProtocolEndpoint,
    request: &Request<Bytes>,
    url: &str,
    allowed: AllowedOperations,
) -> Result<ProtocolResponse, ProtocolProblem> {
    let parameters = ProtocolParameters::parse(request.uri().query().unwrap_or_default())?;
    if allowed == AllowedOperations::QueryAndUpdate
        && matches!(*request.method(), Method::GET | Method::HEAD)
        && parameters.is_empty()
    {
        return description::response(endpoint, request, url).map(|reply| strip_body_for_head(request, reply));
    }
    let (operation, parameters) = parse_operation(request, parameters, allowed)?;
    match operation {
        SparqlOperation::Query(text) if allowed == AllowedOperations::QueryAndUpdate => {
            run_query(endpoint, request, url, &text, &parameters).map(|reply| strip_body_for_head(request, reply))
        }
        SparqlOperation::Query(_) => Err(ProtocolProblem::bad_request("this path accepts only updates")),
        SparqlOperation::Update(text) => {
            endpoint.check_write_access(request)?;
            run_update(endpoint, url, &text, &parameters)
        }
    }
}

fn strip_body_for_head(request: &Request<Bytes>, reply: ProtocolResponse) -> ProtocolResponse {
    if request.method() == Method::HEAD { reply.without_body() } else { reply }
}

/// Parses the operation and its parameters, from the URL and the body.
fn parse_operation(
    request: &Request<Bytes>,
    in_url: ProtocolParameters,
    allowed: AllowedOperations,
) -> Result<(SparqlOperation, ProtocolParameters), ProtocolProblem> {
    match *request.method() {
        Method::GET | Method::HEAD if allowed == AllowedOperations::QueryAndUpdate => {
            if in_url.contains("update") {
                return Err(ProtocolProblem::bad_request("updates need POST"));
            }
            let query = in_url.single("query")?.map(str::to_owned);
            let query = query.ok_or_else(|| ProtocolProblem::bad_request("parameter `query` is missing"))?;
            Ok((SparqlOperation::Query(query), in_url))
        }
        Method::POST => parse_post(request, in_url),
        _ if allowed == AllowedOperations::QueryAndUpdate => {
            Err(ProtocolProblem::method_not_allowed("GET, HEAD, POST, OPTIONS"))
        }
        _ => Err(ProtocolProblem::method_not_allowed("POST, OPTIONS")),
    }
}

fn parse_post(
    request: &Request<Bytes>,
    in_url: ProtocolParameters,
) -> Result<(SparqlOperation, ProtocolParameters), ProtocolProblem> {
    let unsupported = |detail: String| ProtocolProblem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail);
    let expected = "send application/x-www-form-urlencoded, application/sparql-query or application/sparql-update";
    let Some(media_type) = body_type(request.headers())? else {
        return Err(unsupported(format!("the body has no Content-Type; {expected}")));
    };
    let body = || {
        let text = str::from_utf8(request.body());
        text.map_err(|error| ProtocolProblem::bad_request(format!("the body is not UTF-8: {error}")))
    };
    let is_alone = |parameters: &ProtocolParameters| match ["query", "update"]
        .into_iter()
        .find(|name| parameters.contains(name))
    {
        Some(name) => Err(ProtocolProblem::bad_request(format!(
            "the body contains the operation, so parameter `{name}` is not allowed"
        ))),
        None => Ok(()),
    };
    match media_type.essence.as_str() {
        "application/sparql-query" => {
            is_alone(&in_url)?;
            Ok((SparqlOperation::Query(body()?.to_owned()), in_url))
        }
        "application/sparql-update" => {
            is_alone(&in_url)?;
            Ok((SparqlOperation::Update(body()?.to_owned()), in_url))
        }
        "application/x-www-form-urlencoded" => {
            let parameters = in_url.merge(ProtocolParameters::parse(body()?)?);
            let operation = match (parameters.single("query")?, parameters.single("update")?) {
                (Some(query), None) => SparqlOperation::Query(query.to_owned()),
                (None, Some(update)) => SparqlOperation::Update(update.to_owned()),
                (Some(_), Some(_)) => {
                    return Err(ProtocolProblem::bad_request("`query` and `update` cannot be combined"));
                }
                (None, None) => return Err(ProtocolProblem::bad_request("parameter `query` or `update` is missing")),
            };
            Ok((operation, parameters))
        }
        other => Err(unsupported(format!("unsupported media type `{other}`; {expected}"))),
    }
}

/// The requested timeout in seconds, at most the configured one.
pub(super) fn parse_timeout(
    parameters: &ProtocolParameters,
    max: Option<Duration>,
) -> Result<Option<Duration>, ProtocolProblem> {
    let Some(text) = parameters.single("timeout")? else { return Ok(max) };
    let requested = text.parse().ok().filter(|seconds: &f64| *seconds >= 1.0).map(Duration::try_from_secs_f64);
    let Some(Ok(requested)) = requested else {
        return Err(ProtocolProblem::bad_request(format!(
            "invalid timeout `{text}`: expected a number of seconds, at least 1"
        )));
    };
    Ok(Some(max.map_or(requested, |max| max.min(requested))))
}

/// The value of a switch: as requested, or the default.
fn parse_switch(parameters: &ProtocolParameters, name: &str, default: bool) -> Result<bool, ProtocolProblem> {
    match parameters.single(name)? {
        None => Ok(default),
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(text) => Err(ProtocolProblem::bad_request(format!("{name}: `{text}` is not `true` or `false`"))),
    }
}

/// The parameter that includes provenance.
const WITH_PROVENANCE: &str = "with-provenance";

fn run_query(
    endpoint: &ProtocolEndpoint,
    request: &Request<Bytes>,
    url: &str,
    text: &str,
    parameters: &ProtocolParameters,
) -> Result<ProtocolResponse, ProtocolProblem> {
    let options = QueryOptions {
        base_iri: Some(url.to_owned()),
        default_graph_uris: parameters.graphs("default-graph-uri")?,
        named_graph_uris: parameters.graphs("named-graph-uri")?,
        timeout: parse_timeout(parameters, endpoint.options.query.timeout)?,
        lenient: parse_switch(parameters, "lenient", endpoint.options.query.lenient)?,
        with_provenance: parse_switch(parameters, WITH_PROVENANCE, endpoint.options.query.with_provenance)?,
        ..endpoint.options.query.clone()
    };
    let output = endpoint.archive.snapshot().query(text, &options).map_err(|error| query_problem(&error))?;
    let format = ResultFormat::negotiate(&accept_header(request), output.kind());
    let format = format.ok_or_else(|| not_acceptable_problem(&output))?;
    let body = move |into: &mut dyn Write| output.write(format, into).map(drop).map_err(|error| query_problem(&error));
    Ok(ProtocolResponse::from_writer(format.media_type(), Box::new(body)))
}

fn not_acceptable_problem(output: &QueryOutput) -> ProtocolProblem {
    let known: Vec<_> = output.kind().formats().iter().map(|format| format.media_type()).collect();
    ProtocolProblem::new(
        StatusCode::NOT_ACCEPTABLE,
        format!("available media types of {}: {}", output.kind(), known.join(", ")),
    )
}

fn run_update(
    endpoint: &ProtocolEndpoint,
    url: &str,
    text: &str,
    parameters: &ProtocolParameters,
) -> Result<ProtocolResponse, ProtocolProblem> {
    let options = UpdateOptions {
        base_iri: Some(url.to_owned()),
        using_graph_uris: parameters.graphs("using-graph-uri")?,
        using_named_graph_uris: parameters.graphs("using-named-graph-uri")?,
        timeout: parse_timeout(parameters, endpoint.options.update.timeout)?,
        lenient: parse_switch(parameters, "lenient", endpoint.options.update.lenient)?,
        with_provenance: parse_switch(parameters, WITH_PROVENANCE, endpoint.options.update.with_provenance)?,
        ..endpoint.options.update.clone()
    };
    endpoint.archive.update(text, &options).map_err(|error| update_problem(&error))?;
    endpoint.make_durable().map_err(|error| archive_problem(&error))?;
    Ok(ProtocolResponse::empty(StatusCode::NO_CONTENT))
}

fn query_problem(error: &QueryError) -> ProtocolProblem {
    match error {
        QueryError::Search(TextSearchError::Failed(_)) => {
            ProtocolProblem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
        }
        QueryError::Syntax(_) | QueryError::Evaluation(_) | QueryError::Search(_) => {
            ProtocolProblem::bad_request(error.to_string())
        }
        QueryError::Format { .. } => ProtocolProblem::new(StatusCode::NOT_ACCEPTABLE, error.to_string()),
        QueryError::Stopped(limit) => limit_problem(limit, error),
        QueryError::Service { source, .. } if source.is_forbidden() => forbidden_problem(source),
        QueryError::Service { .. } => ProtocolProblem::new(StatusCode::BAD_GATEWAY, error.to_string()),
        _ => ProtocolProblem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

fn update_problem(error: &UpdateError) -> ProtocolProblem {
    match error {
        UpdateError::Syntax(_)
        | UpdateError::ConflictingUsing
        | UpdateError::Evaluation(_)
        | UpdateError::Search(_) => ProtocolProblem::bad_request(error.to_string()),
        UpdateError::GraphExists(_) | UpdateError::ProvenanceGraph(_) => {
            ProtocolProblem::new(StatusCode::CONFLICT, error.to_string())
        }
        UpdateError::GraphNotFound(_) => ProtocolProblem::new(StatusCode::NOT_FOUND, error.to_string()),
        UpdateError::Stopped(limit) => limit_problem(limit, error),
        UpdateError::Load { source, .. } | UpdateError::Service { source, .. } if source.is_forbidden() => {
            forbidden_problem(source)
        }
        UpdateError::Load { .. } | UpdateError::Service { .. } => {
            ProtocolProblem::new(StatusCode::BAD_GATEWAY, error.to_string())
        }
        _ => ProtocolProblem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

/// Converts an exceeded limit to a problem. The row limit is a client error, because the same
/// request would exceed it again; the other limits depend on the load and are server errors.
fn limit_problem(limit: &QueryLimit, error: &impl ToString) -> ProtocolProblem {
    match limit {
        QueryLimit::Rows(_) => ProtocolProblem::bad_request(error.to_string()),
        _ => ProtocolProblem::query_limit(error.to_string()),
    }
}

/// Reports that the client may not use `SERVICE` or `LOAD`, or not with this URL.
fn forbidden_problem(source: &ServiceCallError) -> ProtocolProblem {
    ProtocolProblem::new(StatusCode::FORBIDDEN, source.to_string())
}
