//! All routes, and the OpenAPI document with the responses that all operations have in common.

use std::sync::Arc;

use axum::Router;
use http::StatusCode;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{Content, OpenApi, PathItem, Ref, RefOr, Response};

use crate::problem::{self, ProblemCode};
use crate::route_rules::operations;
use crate::state::Service;
use crate::{api, duraark};

/// The name of the OpenAPI component for responses with a problem document.
const PROBLEM_RESPONSE: &str = "Problem";

/// Problems that the gateway and the extractors may send for all operations.
const COMMON_CODES: &[ProblemCode] = &[
    ProblemCode::BadRequest,
    ProblemCode::Unauthenticated,
    ProblemCode::Forbidden,
    ProblemCode::RequestTimeout,
    ProblemCode::ContentTooLarge,
    ProblemCode::Misdirected,
    ProblemCode::RateLimited,
    ProblemCode::Unavailable,
];

/// Problems that operations with path parameters may return.
const PATH_CODES: &[ProblemCode] = &[ProblemCode::NotFound];

/// Problems that operations with a request body may return.
const BODY_CODES: &[ProblemCode] = &[ProblemCode::UnsupportedMediaType, ProblemCode::Unprocessable];

/// Responses to request heads that are too long. hyper sends them before the request is
/// parsed, so they have no problem document.
const HEAD_RESPONSES: &[(StatusCode, &str)] = &[
    (StatusCode::URI_TOO_LONG, "The URL is longer than 65,534 bytes. The response has no body."),
    (
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        "URL and header fields are longer than 64 KiB. The response has no body.",
    ),
];

/// All routes, and the complete document that describes them.
pub(super) fn routes() -> (Router<Arc<Service>>, OpenApi) {
    let (router, document) = api::router().merge(duraark::router()).split_for_parts();
    (router, with_common_responses(document))
}

/// Adds to every operation the responses of the gateway, and the problem schema to every
/// error response without a body, so that handlers declare only their own responses.
fn with_common_responses(mut document: OpenApi) -> OpenApi {
    let components = document.components.get_or_insert_with(Default::default);
    let response = problem_response("An error, and a hint what to do about it.");
    components.responses.insert(PROBLEM_RESPONSE.to_owned(), response.into());
    for (path, item) in &mut document.paths.paths {
        let has_variables = path.contains('{');
        set_operation_ids(path, item);
        for operation in operations(item) {
            add_responses(operation, has_variables);
        }
        if let Some(get) = &mut item.get {
            add_not_modified(get);
        }
    }
    document
}

/// Sets operation IDs derived from method and path, because names of handlers are not unique.
fn set_operation_ids(path: &str, item: &mut PathItem) {
    let parts = path.trim_start_matches("/api/v1").split('/').map(|part| part.trim_matches(['{', '}', '*']));
    let stem = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    let PathItem { get, put, post, delete, options, head, patch, trace, .. } = item;
    let methods = [
        ("get", get),
        ("put", put),
        ("post", post),
        ("delete", delete),
        ("options", options),
        ("head", head),
        ("patch", patch),
        ("trace", trace),
    ];
    for (method, operation) in methods {
        if let Some(operation) = operation {
            operation.operation_id = Some(format!("{method}-{stem}"));
        }
    }
}

fn add_responses(operation: &mut Operation, has_variables: bool) {
    let has_body = operation.request_body.is_some();
    let responses = &mut operation.responses.responses;
    for (status, response) in responses.iter_mut() {
        if let RefOr::T(response) = response
            && status.starts_with(['4', '5'])
            && response.content.is_empty()
        {
            response.content = problem_response("").content;
        }
    }
    let path_codes = PATH_CODES.iter().filter(|_| has_variables);
    let body_codes = BODY_CODES.iter().filter(|_| has_body);
    for code in COMMON_CODES.iter().chain(path_codes).chain(body_codes) {
        let status = code.status().as_u16().to_string();
        let mut response = Ref::from_response_name(PROBLEM_RESPONSE);
        code.kind().title.clone_into(&mut response.description);
        responses.entry(status).or_insert(RefOr::Ref(response));
    }
    for (status, description) in HEAD_RESPONSES {
        responses.insert(status.as_u16().to_string(), Response::new(*description).into());
    }
}

/// Adds the response to a client that already has the JSON of a successful response.
fn add_not_modified(get: &mut Operation) {
    let responses = &mut get.responses.responses;
    let is_json = |response: &RefOr<Response>| match response {
        RefOr::T(response) => response.content.contains_key("application/json"),
        RefOr::Ref(_) => false,
    };
    if responses.get("200").is_some_and(is_json) {
        let description = "Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`.";
        responses.insert(StatusCode::NOT_MODIFIED.as_u16().to_string(), Response::new(description).into());
    }
}

fn problem_response(description: &str) -> Response {
    let mut response = Response::new(description);
    let schema = Ref::from_schema_name(PROBLEM_RESPONSE);
    response.content.insert(problem::MEDIA_TYPE.to_owned(), RefOr::T(Content::new(Some(schema))));
    response
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::route_rules::{LIMITS_EXTENSION, RouteLimits};

    fn document() -> Value {
        serde_json::to_value(routes().1).unwrap()
    }

    fn each_operation(document: &Value, mut check: impl FnMut(&str, &Value)) {
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                check(&format!("{method} {path}"), operation);
            }
        }
    }

    #[test]
    fn every_operation_has_summary_tag_security_limits_and_unique_id() {
        let document = document();
        let tags: Vec<&Value> = document["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
        let mut names = std::collections::BTreeSet::new();

        each_operation(&document, |name, operation| {
            assert!(operation["summary"].is_string(), "{name} has no summary");
            assert!(operation["security"].is_array(), "{name} has no security requirement");
            let limits = serde_json::from_value::<RouteLimits>(operation[LIMITS_EXTENSION].clone());
            assert!(limits.is_ok(), "{name} has no limits: register it with `RouteRules`");
            assert!(names.insert(operation["operationId"].to_string()), "{name} has the ID of another operation");
            let own = operation["tags"].as_array().unwrap_or_else(|| panic!("{name} has no tag"));
            assert!(own.iter().all(|tag| tags.contains(&tag)), "{name} has a tag without a description: {own:?}");
        });
        assert_eq!(document["openapi"], "3.1.0");
    }

    #[test]
    fn every_error_response_is_a_problem_and_none_is_500() {
        each_operation(&document(), |name, operation| {
            let responses = operation["responses"].as_object().unwrap();
            let is_head_response = |status: &str| HEAD_RESPONSES.iter().any(|(code, _)| code.as_str() == status);
            let is_error = |status: &str| status.starts_with(['4', '5']) && !is_head_response(status);
            for (status, response) in responses.iter().filter(|(status, _)| is_error(status)) {
                let is_problem = response["$ref"] == "#/components/responses/Problem"
                    || response["content"].get(problem::MEDIA_TYPE).is_some();
                assert!(is_problem, "{name}: the response {status} is not a problem");
            }
            assert!(!responses.contains_key("500"), "{name} declares 500");
            assert!(responses.contains_key("421") && responses.contains_key("503"), "{name} lacks common responses");
        });
    }

    #[test]
    fn every_reference_resolves() {
        let document = document();
        let text = document.to_string();
        for reference in text.split("\"$ref\":\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(document.pointer(reference).is_some(), "{reference} does not exist");
        }
    }
}
