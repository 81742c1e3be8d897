//! The SPARQL 1.1 Protocol: queries and updates.

use std::io::Write;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode};

use super::media::MediaType;
use super::parameters::Parameters;
use super::problem::Problem;
use super::reply::Reply;
use super::{Endpoint, accepted, description, failed};
use crate::sparql::{
    Answer, AnswerFormat, QueryError, QueryOptions, ServiceError, Stopped, UpdateError, UpdateOptions,
};

/// What may be done at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allowed {
    /// `/sparql`: both, and the description of the service.
    QueryAndUpdate,
    /// `/update`.
    Update,
}

/// What is asked for.
enum Operation {
    Query(String),
    Update(String),
}

/// Answers a request at an address for queries or updates.
pub(super) fn answer(
    endpoint: &Endpoint,
    request: &Request<Bytes>,
    url: &str,
    allowed: Allowed,
) -> Result<Reply, Problem> {
    let parameters = Parameters::parse(request.uri().query().unwrap_or_default())?;
    if allowed == Allowed::QueryAndUpdate
        && matches!(*request.method(), Method::GET | Method::HEAD)
        && parameters.is_empty()
    {
        return description::reply(endpoint, request, url).map(|reply| bare(request, reply));
    }
    let (operation, parameters) = operation(request, parameters, allowed)?;
    match operation {
        Operation::Query(text) if allowed == Allowed::QueryAndUpdate => {
            query(endpoint, request, url, &text, &parameters).map(|reply| bare(request, reply))
        }
        Operation::Query(_) => Err(Problem::bad_request("queries are answered elsewhere; here are only updates done")),
        Operation::Update(text) => {
            endpoint.check_writing(request)?;
            update(endpoint, url, &text, &parameters)
        }
    }
}

fn bare(request: &Request<Bytes>, reply: Reply) -> Reply {
    if request.method() == Method::HEAD { reply.head_only() } else { reply }
}

/// What a request asks for, and its parameters, wherever they were.
fn operation(
    request: &Request<Bytes>,
    in_address: Parameters,
    allowed: Allowed,
) -> Result<(Operation, Parameters), Problem> {
    match *request.method() {
        Method::GET | Method::HEAD if allowed == Allowed::QueryAndUpdate => {
            if in_address.contains("update") {
                return Err(Problem::bad_request("updates are sent by POST"));
            }
            let query = in_address.one("query")?.map(str::to_owned);
            let query = query.ok_or_else(|| Problem::bad_request("the parameter `query` is missing"))?;
            Ok((Operation::Query(query), in_address))
        }
        Method::POST => posted(request, in_address),
        _ if allowed == Allowed::QueryAndUpdate => Err(Problem::method("GET, HEAD, POST, OPTIONS")),
        _ => Err(Problem::method("POST, OPTIONS")),
    }
}

fn posted(request: &Request<Bytes>, in_address: Parameters) -> Result<(Operation, Parameters), Problem> {
    let unsupported = |detail: String| Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail);
    let expected = "send application/x-www-form-urlencoded, application/sparql-query or application/sparql-update";
    let Some(media_type) = MediaType::of(request.headers())? else {
        return Err(unsupported(format!("the body has no content type; {expected}")));
    };
    let body = || {
        let text = str::from_utf8(request.body());
        text.map_err(|error| Problem::bad_request(format!("the body is not UTF-8: {error}")))
    };
    let is_alone = |parameters: &Parameters| match ["query", "update"]
        .into_iter()
        .find(|name| parameters.contains(name))
    {
        Some(name) => Err(Problem::bad_request(format!("the body is the whole request, but there is also `{name}`"))),
        None => Ok(()),
    };
    match media_type.essence.as_str() {
        "application/sparql-query" => {
            is_alone(&in_address)?;
            Ok((Operation::Query(body()?.to_owned()), in_address))
        }
        "application/sparql-update" => {
            is_alone(&in_address)?;
            Ok((Operation::Update(body()?.to_owned()), in_address))
        }
        "application/x-www-form-urlencoded" => {
            let parameters = in_address.and(Parameters::parse(body()?)?);
            let operation = match (parameters.one("query")?, parameters.one("update")?) {
                (Some(query), None) => Operation::Query(query.to_owned()),
                (None, Some(update)) => Operation::Update(update.to_owned()),
                (Some(_), Some(_)) => return Err(Problem::bad_request("give either `query` or `update`, not both")),
                (None, None) => return Err(Problem::bad_request("the form has neither `query` nor `update`")),
            };
            Ok((operation, parameters))
        }
        other => Err(unsupported(format!("cannot read `{other}`; {expected}"))),
    }
}

/// Seconds that a client wants to wait, if it is less than it may.
pub(super) fn timeout(parameters: &Parameters, longest: Option<Duration>) -> Result<Option<Duration>, Problem> {
    let Some(text) = parameters.one("timeout")? else { return Ok(longest) };
    let asked = text.parse().ok().filter(|seconds: &f64| *seconds >= 1.0).map(Duration::try_from_secs_f64);
    let Some(Ok(asked)) = asked else {
        return Err(Problem::bad_request(format!("timeout: `{text}` is no number of seconds, 1 or more")));
    };
    Ok(Some(longest.map_or(asked, |longest| longest.min(asked))))
}

/// Whether string functions take IRIs: as the client says, if it says so.
fn lenient(parameters: &Parameters, otherwise: bool) -> Result<bool, Problem> {
    match parameters.one("lenient")? {
        None => Ok(otherwise),
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(text) => Err(Problem::bad_request(format!("lenient: `{text}` is neither `true` nor `false`"))),
    }
}

fn query(
    endpoint: &Endpoint,
    request: &Request<Bytes>,
    url: &str,
    text: &str,
    parameters: &Parameters,
) -> Result<Reply, Problem> {
    let options = QueryOptions {
        base_iri: Some(url.to_owned()),
        default_graph_uris: parameters.graphs("default-graph-uri")?,
        named_graph_uris: parameters.graphs("named-graph-uri")?,
        timeout: timeout(parameters, endpoint.options.query.timeout)?,
        lenient: lenient(parameters, endpoint.options.query.lenient)?,
        ..endpoint.options.query.clone()
    };
    let answer = endpoint.archive.snapshot().query(text, &options).map_err(|error| query_problem(&error))?;
    let format = AnswerFormat::negotiate(&accepted(request), answer.kind());
    let format = format.ok_or_else(|| not_acceptable(&answer))?;
    let body = move |into: &mut dyn Write| answer.write(format, into).map(drop).map_err(|error| query_problem(&error));
    Ok(Reply::written(format.media_type(), Box::new(body)))
}

fn not_acceptable(answer: &Answer) -> Problem {
    let known: Vec<_> = answer.kind().formats().iter().map(|format| format.media_type()).collect();
    Problem::new(StatusCode::NOT_ACCEPTABLE, format!("{} can be had as {}", answer.kind(), known.join(", ")))
}

fn update(endpoint: &Endpoint, url: &str, text: &str, parameters: &Parameters) -> Result<Reply, Problem> {
    let options = UpdateOptions {
        base_iri: Some(url.to_owned()),
        using_graph_uris: parameters.graphs("using-graph-uri")?,
        using_named_graph_uris: parameters.graphs("using-named-graph-uri")?,
        timeout: timeout(parameters, endpoint.options.update.timeout)?,
        lenient: lenient(parameters, endpoint.options.update.lenient)?,
        ..endpoint.options.update.clone()
    };
    endpoint.archive.update(text, &options).map_err(|error| update_problem(&error))?;
    endpoint.make_durable().map_err(|error| failed(&error))?;
    Ok(Reply::empty(StatusCode::NO_CONTENT))
}

fn query_problem(error: &QueryError) -> Problem {
    match error {
        QueryError::Syntax(_) | QueryError::Evaluation(_) => Problem::bad_request(error.to_string()),
        QueryError::Format { .. } => Problem::new(StatusCode::NOT_ACCEPTABLE, error.to_string()),
        QueryError::Stopped(stopped) => stopped_problem(stopped, error),
        QueryError::Service { source, .. } if source.is_forbidden() => forbidden(source),
        QueryError::Service { .. } => Problem::new(StatusCode::BAD_GATEWAY, error.to_string()),
        _ => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

fn update_problem(error: &UpdateError) -> Problem {
    match error {
        UpdateError::Syntax(_) | UpdateError::UsingTwice | UpdateError::Evaluation(_) => {
            Problem::bad_request(error.to_string())
        }
        UpdateError::GraphExists(_) => Problem::new(StatusCode::CONFLICT, error.to_string()),
        UpdateError::NoGraph(_) => Problem::new(StatusCode::NOT_FOUND, error.to_string()),
        UpdateError::Stopped(stopped) => stopped_problem(stopped, error),
        UpdateError::Load { source, .. } | UpdateError::Service { source, .. } if source.is_forbidden() => {
            forbidden(source)
        }
        UpdateError::Load { .. } | UpdateError::Service { .. } => {
            Problem::new(StatusCode::BAD_GATEWAY, error.to_string())
        }
        _ => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

/// A bound that the same request would meet again is the request's fault; one
/// that depends on the moment is the server's.
fn stopped_problem(stopped: &Stopped, error: &impl ToString) -> Problem {
    match stopped {
        Stopped::Rows(_) => Problem::bad_request(error.to_string()),
        _ => Problem::stopped(error.to_string()),
    }
}

/// Whoever asks may not make us ask others, or not these.
fn forbidden(source: &ServiceError) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, source.to_string())
}
