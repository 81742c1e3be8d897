//! The table of operations: access, limits, parameters and body, read from the OpenAPI document.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use http::header::ALLOW;
use http::{HeaderValue, Method};
use serde_json::Value;

use crate::problem::{Problem, ProblemCode, truncate_echo};
use crate::route_rules::{LIMITS_EXTENSION, RouteAccess, RouteEffect, RouteLimits};

/// The access, limits, parameters and body of an operation, as in the OpenAPI document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OperationSpec {
    pub(super) access: RouteAccess,
    pub(super) limits: RouteLimits,
    /// The query parameters.
    parameters: Vec<String>,
    /// Whether the operation has a request body.
    takes_body: bool,
}

impl OperationSpec {
    /// Reads an operation of the document. `None` if it has no valid access or limits.
    fn from_json(operation: &Value) -> Option<Self> {
        let access = required_access(&operation["security"])?;
        let limits = serde_json::from_value(operation[LIMITS_EXTENSION].clone()).ok()?;
        let takes_body = operation.get("requestBody").is_some();
        Some(Self { access, limits, parameters: query_parameters(operation), takes_body })
    }

    /// Whether a request with this method may change data.
    pub(super) fn is_mutating(&self, method: &Method) -> bool {
        match self.limits.effect {
            RouteEffect::Reads => false,
            RouteEffect::Changes => true,
            RouteEffect::Queries => !is_safe(method),
        }
    }

    /// Whether a request with this method is a GET with effects, which an image in a page could
    /// trigger.
    pub(super) fn is_get_with_effects(&self, method: &Method) -> bool {
        is_safe(method) && self.limits.effect != RouteEffect::Reads
    }

    /// Rejects unknown query parameters. Otherwise a client could send `dry_run` to an operation
    /// without this parameter, and the operation would change data.
    pub(super) fn check_query(&self, query: Option<&str>) -> Result<(), Problem> {
        let Some(query) = query.filter(|_| self.limits.strict) else { return Ok(()) };
        let mut names = url::form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name);
        let is_unknown = |name: &str| self.parameters.iter().all(|known| known != name);
        let Some(name) = names.find(|name| is_unknown(name)) else { return Ok(()) };
        let problem =
            Problem::new(ProblemCode::BadRequest, format!("unknown query parameter `{}`", truncate_echo(&name)));
        Err(problem.hint(self.parameters_hint()))
    }

    /// Rejects a body if the operation would ignore it.
    pub(super) fn check_body(&self, is_empty: bool) -> Result<(), Problem> {
        if is_empty || self.takes_body || !self.limits.strict {
            return Ok(());
        }
        Err(Problem::new(ProblemCode::BadRequest, "this operation takes no body").hint(self.parameters_hint()))
    }

    fn parameters_hint(&self) -> String {
        match self.parameters.as_slice() {
            [] => "this operation takes no query parameters".to_owned(),
            known => format!("query parameters of this operation: {}", known.join(", ")),
        }
    }
}

fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// The operations, by path and method.
pub(super) struct OperationTable(HashMap<String, BTreeMap<String, Arc<OperationSpec>>>);

impl OperationTable {
    /// Reads the operations from the OpenAPI document. An operation without access or limits is
    /// left out, so that it cannot be called by mistake.
    pub(super) fn from_openapi(document: &utoipa::openapi::OpenApi) -> Self {
        let document = serde_json::to_value(document).expect("the OpenAPI document can be serialized");
        let mut paths = HashMap::new();
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            let mut methods = BTreeMap::new();
            for (method, operation) in item.as_object().into_iter().flatten() {
                let method = method.to_ascii_uppercase();
                match OperationSpec::from_json(operation) {
                    Some(operation) => {
                        methods.insert(method, Arc::new(operation));
                    }
                    None => tracing::error!(%path, %method, "operation disabled: it has no access rule or limits"),
                }
            }
            paths.insert(path.clone(), methods);
        }
        Self(paths)
    }

    /// The operation for a route and a method.
    pub(super) fn operation(&self, path: Option<&str>, method: &Method) -> Result<Arc<OperationSpec>, Problem> {
        let Some(methods) = path.and_then(|path| self.0.get(path)).filter(|methods| !methods.is_empty()) else {
            let problem = Problem::new(ProblemCode::NotFound, "no resource at this path");
            return Err(problem.hint("see /api/v1/openapi.json for all paths"));
        };
        // HEAD must not change data, so it is allowed only where GET does not change data.
        let get = methods.get(Method::GET.as_str());
        let allows_head = get.is_some_and(|operation| !operation.is_mutating(&Method::GET));
        let name = if *method == Method::HEAD && allows_head { Method::GET.as_str() } else { method.as_str() };
        if let Some(operation) = methods.get(name) {
            return Ok(Arc::clone(operation));
        }
        let mut allowed: Vec<&str> = methods.keys().map(String::as_str).collect();
        if allows_head {
            allowed.push(Method::HEAD.as_str());
        }
        let allowed = allowed.join(", ");
        let field = HeaderValue::from_str(&allowed).expect("names of methods are valid in a header field");
        let detail = format!("allowed methods: {allowed}");
        Err(Problem::new(ProblemCode::MethodNotAllowed, detail).with_header(ALLOW, field))
    }
}

/// The query parameters of an operation.
fn query_parameters(operation: &Value) -> Vec<String> {
    let declared = operation["parameters"].as_array().into_iter().flatten();
    let names =
        declared.filter(|parameter| parameter["in"] == "query").filter_map(|parameter| parameter["name"].as_str());
    names.map(str::to_owned).collect()
}

/// The highest role among the alternatives; `None` if the requirement is missing or cannot be
/// parsed.
fn required_access(security: &Value) -> Option<RouteAccess> {
    let mut highest = None;
    for requirement in security.as_array()? {
        let requirement = requirement.as_object()?;
        if requirement.is_empty() {
            return Some(RouteAccess::Public);
        }
        for scopes in requirement.values() {
            let role = serde_json::from_value(scopes.as_array()?.first()?.clone()).ok()?;
            highest = highest.max(Some(role));
        }
    }
    highest.map(RouteAccess::Role)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::role::Role;

    fn operations() -> OperationTable {
        let role = |role| json!([{ "token": [role] }, { "password": [role] }]);
        let limits = |effect: &str, strict: bool| json!({ "effect": effect, "body": "medium", "timeout": true, "rate_limit": true, "strict": strict });
        let document = json!({
            "openapi": "3.1.0",
            "info": { "title": "", "version": "" },
            "paths": {
                "/public": { "get": { "security": [{}], LIMITS_EXTENSION: limits("reads", false), "responses": {} } },
                "/crawls/{id}": {
                    "get": { "security": role("reader"), LIMITS_EXTENSION: limits("reads", true), "responses": {} },
                    "delete": {
                        "security": role("operator"), LIMITS_EXTENSION: limits("changes", true), "responses": {},
                    },
                },
                "/listed": { "get": { "security": [{}], LIMITS_EXTENSION: limits("reads", true), "responses": {}, "parameters": [
                    { "in": "query", "name": "limit", "required": false },
                    { "in": "path", "name": "id", "required": true },
                ] } },
                "/read": { "get": { "security": [{}], LIMITS_EXTENSION: limits("reads", true), "responses": {}, "requestBody": {
                    "content": { "text/plain": {} },
                } } },
                "/changes": {
                    "get": { "security": role("operator"), LIMITS_EXTENSION: limits("changes", false), "responses": {} },
                },
                "/forgotten": {
                    "get": { LIMITS_EXTENSION: limits("reads", true), "responses": {} },
                    "post": { "security": [], LIMITS_EXTENSION: limits("reads", true), "responses": {} },
                    "put": { "security": role("reader"), "responses": {} },
                },
                "/misspelt": {
                    "get": { "security": role("root"), LIMITS_EXTENSION: limits("reads", true), "responses": {} },
                    "put": { "security": role("reader"), LIMITS_EXTENSION: limits("writes", true), "responses": {} },
                },
            },
        });
        OperationTable::from_openapi(&serde_json::from_value(document).unwrap())
    }

    #[test]
    fn the_document_defines_the_role_of_an_operation() {
        let operations = operations();
        let access = |path, method| operations.operation(Some(path), &method).map(|operation| operation.access);

        assert_eq!(access("/public", Method::GET), Ok(RouteAccess::Public));
        assert_eq!(access("/crawls/{id}", Method::HEAD), Ok(RouteAccess::Role(Role::Reader)));
        assert_eq!(access("/crawls/{id}", Method::DELETE), Ok(RouteAccess::Role(Role::Operator)));
    }

    #[test]
    fn only_query_parameters_of_the_document_are_accepted() {
        let operations = operations();
        let check = |path, query| {
            let operation = operations.operation(Some(path), &Method::GET).unwrap();
            operation.check_query(query).map_err(|problem| problem.detail().to_owned())
        };

        assert_eq!(check("/listed", None), Ok(()));
        assert_eq!(check("/listed", Some("limit=1&limit=2")), Ok(()));
        let rejected = |name| Err(format!("unknown query parameter `{name}`"));
        assert_eq!(check("/listed", Some("limit=1&dry%5frun")), rejected("dry_run"));
        assert_eq!(check("/listed", Some("id=1")), rejected("id"));
        assert_eq!(check("/public", Some("id=1")), Ok(()));
    }

    #[test]
    fn a_body_is_rejected_where_none_is_read() {
        let operations = operations();
        let check = |path, is_empty| {
            let operation = operations.operation(Some(path), &Method::GET).unwrap();
            operation.check_body(is_empty)
        };

        assert_eq!(check("/listed", true), Ok(()));
        assert_eq!(check("/read", false), Ok(()));
        assert_eq!(check("/public", false), Ok(()));
        assert_eq!(check("/listed", false).unwrap_err().code(), ProblemCode::BadRequest);
    }

    #[test]
    fn the_effect_of_a_route_and_the_method_define_what_changes_data() {
        let check = |effect: RouteEffect, expected: [(bool, bool); 2]| {
            let mut operation = OperationSpec::clone(&*operations().operation(Some("/public"), &Method::GET).unwrap());
            operation.limits.effect = effect;
            let of = |method: Method| (operation.is_mutating(&method), operation.is_get_with_effects(&method));
            assert_eq!([of(Method::GET), of(Method::POST)], expected, "{effect:?}");
        };

        check(RouteEffect::Reads, [(false, false), (false, false)]);
        check(RouteEffect::Changes, [(true, true), (true, false)]);
        check(RouteEffect::Queries, [(false, true), (true, false)]);
    }

    #[test]
    fn operations_that_are_not_in_the_document_are_not_found() {
        let operations = operations();
        let code = |path, method| operations.operation(path, &method).unwrap_err().code();
        assert_eq!(code(Some("/changes"), Method::HEAD), ProblemCode::MethodNotAllowed, "GET has an effect there");

        assert_eq!(code(None, Method::GET), ProblemCode::NotFound);
        assert_eq!(code(Some("/elsewhere"), Method::GET), ProblemCode::NotFound);
        assert_eq!(code(Some("/forgotten"), Method::GET), ProblemCode::NotFound);
        assert_eq!(code(Some("/misspelt"), Method::GET), ProblemCode::NotFound);
        assert_eq!(code(Some("/crawls/{id}"), Method::PUT), ProblemCode::MethodNotAllowed);
        assert_eq!(code(Some("/public"), Method::OPTIONS), ProblemCode::MethodNotAllowed);
    }
}
