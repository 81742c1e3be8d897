//! What any operation may be answered, added to the document in one place.

use http::StatusCode;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{Content, OpenApi, PathItem, Ref, RefOr, Response};

use crate::problem::{self, Code};

/// The name of the answer that all problems share.
const PROBLEM: &str = "Problem";

/// What the door, and whoever reads requests, may say to anybody.
const ANYBODY: &[Code] = &[
    Code::BadRequest,
    Code::Unauthenticated,
    Code::Forbidden,
    Code::RequestTimeout,
    Code::TooLarge,
    Code::Misdirected,
    Code::TooManyRequests,
    Code::Unavailable,
];

/// What may be wrong with a path that has variable parts.
const NAMED: &[Code] = &[Code::NotFound];

/// What may be wrong with a body.
const SENT: &[Code] = &[Code::UnsupportedMediaType, Code::Invalid];

/// What is said to heads that are too long, before anybody has read them: so there is no
/// problem to read, either.
const UNREAD: &[(StatusCode, &str)] = &[
    (StatusCode::URI_TOO_LONG, "The URL is longer than 65,534 bytes. Without a body."),
    (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "URL and header fields are longer than 64 KiB. Without a body."),
];

/// Declares for every operation what the door may answer in its place, and gives
/// every refusal that is declared without a body the body of a problem. So handlers
/// declare only what is special about them.
pub(crate) fn with_common_answers(mut document: OpenApi) -> OpenApi {
    let components = document.components.get_or_insert_with(Default::default);
    components.responses.insert(PROBLEM.to_owned(), problem_answer("What is wrong, and what to do about it.").into());
    for (path, item) in &mut document.paths.paths {
        let is_named = path.contains('{');
        name(path, item);
        for operation in operations(item) {
            add_answers(operation, is_named);
        }
    }
    document
}

/// Names the operations of a path by it: names that the code has are not unique.
fn name(path: &str, item: &mut PathItem) {
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

/// The operations of a path.
pub(crate) fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, options, head, patch, trace, .. } = item;
    [get, put, post, delete, options, head, patch, trace].into_iter().filter_map(Option::as_mut)
}

fn add_answers(operation: &mut Operation, is_named: bool) {
    let has_body = operation.request_body.is_some();
    let answers = &mut operation.responses.responses;
    for (status, answer) in answers.iter_mut() {
        if let RefOr::T(answer) = answer
            && status.starts_with(['4', '5'])
            && answer.content.is_empty()
        {
            answer.content = problem_answer("").content;
        }
    }
    let named = NAMED.iter().filter(|_| is_named);
    let sent = SENT.iter().filter(|_| has_body);
    for code in ANYBODY.iter().chain(named).chain(sent) {
        let status = code.status().as_u16().to_string();
        let mut answer = Ref::from_response_name(PROBLEM);
        code.title().clone_into(&mut answer.description);
        answers.entry(status).or_insert(RefOr::Ref(answer));
    }
    for (status, why) in UNREAD {
        answers.insert(status.as_u16().to_string(), Response::new(*why).into());
    }
}

fn problem_answer(description: &str) -> Response {
    let mut answer = Response::new(description);
    let schema = Ref::from_schema_name(PROBLEM);
    answer.content.insert(problem::MEDIA_TYPE.to_owned(), RefOr::T(Content::new(Some(schema))));
    answer
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn document() -> Value {
        let (_, document) = crate::api::router().split_for_parts();
        serde_json::to_value(with_common_answers(document)).unwrap()
    }

    fn each_operation(document: &Value, mut check: impl FnMut(&str, &Value)) {
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                check(&format!("{method} {path}"), operation);
            }
        }
    }

    #[test]
    fn every_operation_says_what_it_is_and_who_may() {
        let document = document();
        let tags: Vec<&Value> = document["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
        let mut names = std::collections::BTreeSet::new();

        each_operation(&document, |name, operation| {
            assert!(operation["summary"].is_string(), "{name} has no summary");
            assert!(operation["security"].is_array(), "{name} does not say who may");
            assert!(names.insert(operation["operationId"].to_string()), "{name} is called as another is");
            let own = operation["tags"].as_array().unwrap_or_else(|| panic!("{name} has no tag"));
            assert!(own.iter().all(|tag| tags.contains(&tag)), "{name} has a tag that nobody explains: {own:?}");
        });
        assert_eq!(document["openapi"], "3.1.0");
    }

    #[test]
    fn every_refusal_is_a_problem_and_no_operation_breaks() {
        each_operation(&document(), |name, operation| {
            let answers = operation["responses"].as_object().unwrap();
            let unread = |status: &str| UNREAD.iter().any(|(code, _)| code.as_str() == status);
            let is_refusal = |status: &str| status.starts_with(['4', '5']) && !unread(status);
            for (status, answer) in answers.iter().filter(|(status, _)| is_refusal(status)) {
                let is_problem = answer["$ref"] == "#/components/responses/Problem"
                    || answer["content"].get(problem::MEDIA_TYPE).is_some();
                assert!(is_problem, "{name} may be refused with {status}, and it is not said how");
            }
            assert!(!answers.contains_key("500"), "{name} promises to break");
            assert!(answers.contains_key("421") && answers.contains_key("503"), "{name} passes the door");
        });
    }

    #[test]
    fn everything_that_is_referred_to_is_there() {
        let document = document();
        let text = document.to_string();
        for reference in text.split("\"$ref\":\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(document.pointer(reference).is_some(), "{reference} is nowhere");
        }
    }
}
