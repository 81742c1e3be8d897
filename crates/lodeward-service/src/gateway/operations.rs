//! The table of operations: role, parameters and body, read from the OpenAPI document.

use std::collections::{BTreeMap, HashMap};

use http::header::ALLOW;
use http::{HeaderValue, Method};
use serde_json::Value;

use super::same_origin::is_mutating;
use crate::problem::{Problem, ProblemCode, truncate_echo};
use crate::role::Role;

/// Who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperationAccess {
    /// Every client, without authentication.
    Public,
    /// Clients with at least this role.
    Role(Role),
}

/// Prefix of the paths at which unknown query parameters are rejected. SPARQL and the DURAARK API
/// check their own parameters, because they also read forms; monitoring systems may add parameters
/// to health checks.
const STRICT_PREFIX: &str = "/api/v1/";

/// The access, parameters and body of an operation, as in the OpenAPI document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OperationSpec {
    pub(super) access: OperationAccess,
    /// The allowed query parameters; `None` if the operation checks them itself.
    parameters: Option<Vec<String>>,
    /// Whether the operation has a request body.
    takes_body: bool,
}

impl OperationSpec {
    /// Rejects unknown query parameters. Otherwise a client could send `dry_run` to an operation
    /// without this parameter, and the operation would change data.
    pub(super) fn check_query(&self, query: Option<&str>) -> Result<(), Problem> {
        let (Some(known), Some(query)) = (&self.parameters, query) else { return Ok(()) };
        let mut names = url::form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name);
        let Some(name) = names.find(|name| known.iter().all(|known| known != name)) else { return Ok(()) };
        let problem =
            Problem::new(ProblemCode::BadRequest, format!("unknown query parameter `{}`", truncate_echo(&name)));
        Err(problem.hint(self.parameters_hint()))
    }

    /// Rejects a body if the operation would ignore it.
    pub(super) fn check_body(&self, is_empty: bool) -> Result<(), Problem> {
        if is_empty || self.takes_body || self.parameters.is_none() {
            return Ok(());
        }
        Err(Problem::new(ProblemCode::BadRequest, "this operation takes no body").hint(self.parameters_hint()))
    }

    fn parameters_hint(&self) -> String {
        match self.parameters.as_deref() {
            None | Some([]) => "this operation takes no query parameters".to_owned(),
            Some(known) => format!("query parameters of this operation: {}", known.join(", ")),
        }
    }
}

/// The operations, by path and method.
pub(super) struct OperationTable(HashMap<String, BTreeMap<String, OperationSpec>>);

impl OperationTable {
    /// Reads the operations from the OpenAPI document. An operation disabled: no security requirement
    /// is left out, so that it cannot be called by mistake.
    pub(super) fn from_openapi(document: &utoipa::openapi::OpenApi) -> Self {
        let document = serde_json::to_value(document).expect("the OpenAPI document can be serialized");
        let mut paths = HashMap::new();
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            let mut methods = BTreeMap::new();
            for (method, operation) in item.as_object().into_iter().flatten() {
                let method = method.to_ascii_uppercase();
                let parameters = path.starts_with(STRICT_PREFIX).then(|| query_parameters(operation));
                match required_access(&operation["security"]) {
                    Some(access) => {
                        let takes_body = operation.get("requestBody").is_some();
                        methods.insert(method, OperationSpec { access, parameters, takes_body });
                    }
                    None => tracing::error!(%path, %method, "operation disabled: no security requirement"),
                }
            }
            paths.insert(path.clone(), methods);
        }
        Self(paths)
    }

    /// The operation for a route and a method.
    pub(super) fn operation(&self, path: Option<&str>, method: &Method) -> Result<&OperationSpec, Problem> {
        let Some(methods) = path.and_then(|path| self.0.get(path)).filter(|methods| !methods.is_empty()) else {
            let problem = Problem::new(ProblemCode::NotFound, "no resource at this path");
            return Err(problem.hint("see /api/v1/openapi.json for all paths"));
        };
        // HEAD must not change data, so it is allowed only where GET does not change data.
        let allows_head = path.is_some_and(|path| !is_mutating(&Method::GET, path)) && methods.contains_key("GET");
        let name = if *method == Method::HEAD && allows_head { Method::GET.as_str() } else { method.as_str() };
        if let Some(operation) = methods.get(name) {
            return Ok(operation);
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
fn required_access(security: &Value) -> Option<OperationAccess> {
    let mut highest = None;
    for requirement in security.as_array()? {
        let requirement = requirement.as_object()?;
        if requirement.is_empty() {
            return Some(OperationAccess::Public);
        }
        for scopes in requirement.values() {
            let role = serde_json::from_value(scopes.as_array()?.first()?.clone()).ok()?;
            highest = highest.max(Some(role));
        }
    }
    highest.map(OperationAccess::Role)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn operations() -> OperationTable {
        let role = |role| json!([{ "token": [role] }, { "password": [role] }]);
        let document = json!({
            "openapi": "3.1.0",
            "info": { "title": "", "version": "" },
            "paths": {
                "/public": { "get": { "security": [{}], "responses": {} } },
                "/crawls/{id}": {
                    "get": { "security": role("reader"), "responses": {} },
                    "delete": { "security": role("operator"), "responses": {} },
                },
                "/api/v1/listed": { "get": { "security": [{}], "responses": {}, "parameters": [
                    { "in": "query", "name": "limit", "required": false },
                    { "in": "path", "name": "id", "required": true },
                ] } },
                "/api/v1/read": { "get": { "security": [{}], "responses": {}, "requestBody": {
                    "content": { "text/plain": {} },
                } } },
                "/CrawlAPI/crawl": { "get": { "security": role("operator"), "responses": {} } },
                "/forgotten": { "get": { "responses": {} }, "post": { "security": [], "responses": {} } },
                "/misspelt": { "get": { "security": role("root"), "responses": {} } },
            },
        });
        OperationTable::from_openapi(&serde_json::from_value(document).unwrap())
    }

    #[test]
    fn the_document_defines_the_role_of_an_operation() {
        let operations = operations();
        let access = |path, method| operations.operation(Some(path), &method).map(|operation| operation.access);

        assert_eq!(access("/public", Method::GET), Ok(OperationAccess::Public));
        assert_eq!(access("/crawls/{id}", Method::HEAD), Ok(OperationAccess::Role(Role::Reader)));
        assert_eq!(access("/crawls/{id}", Method::DELETE), Ok(OperationAccess::Role(Role::Operator)));
    }

    #[test]
    fn only_query_parameters_of_the_document_are_accepted() {
        let operations = operations();
        let check = |path, query| {
            let operation = operations.operation(Some(path), &Method::GET).unwrap();
            operation.check_query(query).map_err(|problem| problem.detail().to_owned())
        };

        assert_eq!(check("/api/v1/listed", None), Ok(()));
        assert_eq!(check("/api/v1/listed", Some("limit=1&limit=2")), Ok(()));
        let rejected = |name| Err(format!("unknown query parameter `{name}`"));
        assert_eq!(check("/api/v1/listed", Some("limit=1&dry%5frun")), rejected("dry_run"));
        assert_eq!(check("/api/v1/listed", Some("id=1")), rejected("id"));
        assert_eq!(check("/public", Some("id=1")), Ok(()));
    }

    #[test]
    fn a_body_is_rejected_where_none_is_read() {
        let operations = operations();
        let check = |path, is_empty| {
            let operation = operations.operation(Some(path), &Method::GET).unwrap();
            operation.check_body(is_empty)
        };

        assert_eq!(check("/api/v1/listed", true), Ok(()));
        assert_eq!(check("/api/v1/read", false), Ok(()));
        assert_eq!(check("/public", false), Ok(()));
        assert_eq!(check("/api/v1/listed", false).unwrap_err().code(), ProblemCode::BadRequest);
    }

    #[test]
    fn operations_that_are_not_in_the_document_are_not_found() {
        let operations = operations();
        let code = |path, method| operations.operation(path, &method).unwrap_err().code();
        assert_eq!(
            code(Some("/CrawlAPI/crawl"), Method::HEAD),
            ProblemCode::MethodNotAllowed,
            "GET has an effect there"
        );

        assert_eq!(code(None, Method::GET), ProblemCode::NotFound);
        assert_eq!(code(Some("/elsewhere"), Method::GET), ProblemCode::NotFound);
        assert_eq!(code(Some("/forgotten"), Method::GET), ProblemCode::NotFound);
        assert_eq!(code(Some("/forgotten"), Method::POST), ProblemCode::NotFound);
        assert_eq!(code(Some("/misspelt"), Method::GET), ProblemCode::NotFound);
        assert_eq!(code(Some("/crawls/{id}"), Method::PUT), ProblemCode::MethodNotAllowed);
        assert_eq!(code(Some("/public"), Method::OPTIONS), ProblemCode::MethodNotAllowed);
    }
}
