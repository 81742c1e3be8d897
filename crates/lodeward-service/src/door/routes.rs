//! What every operation takes: read from the document that describes them.

use std::collections::{BTreeMap, HashMap};

use http::header::ALLOW;
use http::{HeaderValue, Method};
use serde_json::Value;

use super::site::is_changing;
use crate::problem::{Code, Problem, cut};
use crate::role::Role;

/// What an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Nobody is asked who they are.
    Public,
    /// At least this role.
    Role(Role),
}

/// Where a parameter that is not known is refused. Other operations have their own
/// ways: those of SPARQL and of the published API read forms, too, and probes of
/// health are asked by machines that add whatever they like.
const STRICT: &str = "/api/v1/";

/// An operation, as the document has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) access: Access,
    /// The parameters that its query may have; `None` if it says so itself.
    parameters: Option<Vec<String>>,
    /// Whether it reads what is sent with a request.
    takes_body: bool,
}

impl Operation {
    /// Refuses parameters that are not known. Who says `dry_run` to an operation that
    /// has no such thing should not be surprised.
    pub(super) fn check_query(&self, query: Option<&str>) -> Result<(), Problem> {
        let (Some(known), Some(query)) = (&self.parameters, query) else { return Ok(()) };
        let mut names = url::form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name);
        let Some(name) = names.find(|name| known.iter().all(|known| known != name)) else { return Ok(()) };
        let problem = Problem::new(Code::BadRequest, format!("there is no parameter `{}` here", cut(&name)));
        Err(problem.hint(self.parameters_told()))
    }

    /// Refuses a body that nobody would read: what it says would be passed over.
    pub(super) fn check_body(&self, says_nothing: bool) -> Result<(), Problem> {
        if says_nothing || self.takes_body || self.parameters.is_none() {
            return Ok(());
        }
        Err(Problem::new(Code::BadRequest, "this takes no body").hint(self.parameters_told()))
    }

    fn parameters_told(&self) -> String {
        match self.parameters.as_deref() {
            None | Some([]) => "this takes no parameters".to_owned(),
            Some(known) => format!("in the query of its address, this takes {}", known.join(", ")),
        }
    }
}

/// What every operation takes, by path and method.
pub(super) struct Routes(HashMap<String, BTreeMap<String, Operation>>);

impl Routes {
    /// Reads them from the document. An operation that does not say what it takes is
    /// left out, and so it is not there: whoever forgets it will notice.
    pub(super) fn of(document: &utoipa::openapi::OpenApi) -> Self {
        let document = serde_json::to_value(document).expect("a document is plain data");
        let mut routes = HashMap::new();
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            let mut methods = BTreeMap::new();
            for (method, operation) in item.as_object().into_iter().flatten() {
                let method = method.to_ascii_uppercase();
                let parameters = path.starts_with(STRICT).then(|| queried(operation));
                match access(&operation["security"]) {
                    Some(access) => {
                        let takes_body = operation.get("requestBody").is_some();
                        methods.insert(method, Operation { access, parameters, takes_body });
                    }
                    None => tracing::error!(%path, %method, "an operation does not say who may use it"),
                }
            }
            routes.insert(path.clone(), methods);
        }
        Self(routes)
    }

    /// What it takes to do this with what the router has found.
    pub(super) fn operation(&self, path: Option<&str>, method: &Method) -> Result<&Operation, Problem> {
        let Some(methods) = path.and_then(|path| self.0.get(path)).filter(|methods| !methods.is_empty()) else {
            let problem = Problem::new(Code::NotFound, "there is nothing at this path");
            return Err(problem.hint("/api/v1/openapi.json says what there is"));
        };
        // Whoever only looks at the head of an answer wants nothing done.
        let may_look = path.is_some_and(|path| !is_changing(&Method::GET, path)) && methods.contains_key("GET");
        let asked = if *method == Method::HEAD && may_look { Method::GET.as_str() } else { method.as_str() };
        if let Some(operation) = methods.get(asked) {
            return Ok(operation);
        }
        let mut allowed: Vec<&str> = methods.keys().map(String::as_str).collect();
        if may_look {
            allowed.push(Method::HEAD.as_str());
        }
        let allowed = allowed.join(", ");
        let field = HeaderValue::from_str(&allowed).expect("methods are tokens");
        let detail = format!("it takes {allowed}");
        Err(Problem::new(Code::MethodNotAllowed, detail).with(ALLOW, field))
    }
}

/// The parameters that the query of an operation may have.
fn queried(operation: &Value) -> Vec<String> {
    let declared = operation["parameters"].as_array().into_iter().flatten();
    let names =
        declared.filter(|parameter| parameter["in"] == "query").filter_map(|parameter| parameter["name"].as_str());
    names.map(str::to_owned).collect()
}

/// What all of the ways in take, if one should take more than another; `None` if
/// nothing is said that is understood.
fn access(security: &Value) -> Option<Access> {
    let mut most = None;
    for requirement in security.as_array()? {
        let requirement = requirement.as_object()?;
        if requirement.is_empty() {
            return Some(Access::Public);
        }
        for scopes in requirement.values() {
            let role = serde_json::from_value(scopes.as_array()?.first()?.clone()).ok()?;
            most = most.max(Some(role));
        }
    }
    most.map(Access::Role)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn routes() -> Routes {
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
        Routes::of(&serde_json::from_value(document).unwrap())
    }

    #[test]
    fn an_operation_takes_what_the_document_says() {
        let routes = routes();
        let access = |path, method| routes.operation(Some(path), &method).map(|operation| operation.access);

        assert_eq!(access("/public", Method::GET), Ok(Access::Public));
        assert_eq!(access("/crawls/{id}", Method::HEAD), Ok(Access::Role(Role::Reader)));
        assert_eq!(access("/crawls/{id}", Method::DELETE), Ok(Access::Role(Role::Operator)));
    }

    #[test]
    fn a_query_has_the_parameters_that_the_document_says() {
        let routes = routes();
        let check = |path, query| {
            let operation = routes.operation(Some(path), &Method::GET).unwrap();
            operation.check_query(query).map_err(|problem| problem.detail().to_owned())
        };

        assert_eq!(check("/api/v1/listed", None), Ok(()));
        assert_eq!(check("/api/v1/listed", Some("limit=1&limit=2")), Ok(()));
        let refused = |name| Err(format!("there is no parameter `{name}` here"));
        assert_eq!(check("/api/v1/listed", Some("limit=1&dry%5frun")), refused("dry_run"));
        assert_eq!(check("/api/v1/listed", Some("id=1")), refused("id"));
        assert_eq!(check("/public", Some("id=1")), Ok(()));
    }

    #[test]
    fn a_body_that_nobody_reads_is_refused() {
        let routes = routes();
        let check = |path, says_nothing| {
            let operation = routes.operation(Some(path), &Method::GET).unwrap();
            operation.check_body(says_nothing)
        };

        assert_eq!(check("/api/v1/listed", true), Ok(()));
        assert_eq!(check("/api/v1/read", false), Ok(()));
        assert_eq!(check("/public", false), Ok(()));
        assert_eq!(check("/api/v1/listed", false).unwrap_err().code(), Code::BadRequest);
    }

    #[test]
    fn what_the_document_does_not_say_is_not_there() {
        let routes = routes();
        let code = |path, method| routes.operation(path, &method).unwrap_err().code();
        assert_eq!(code(Some("/CrawlAPI/crawl"), Method::HEAD), Code::MethodNotAllowed, "a GET there does something");

        assert_eq!(code(None, Method::GET), Code::NotFound);
        assert_eq!(code(Some("/elsewhere"), Method::GET), Code::NotFound);
        assert_eq!(code(Some("/forgotten"), Method::GET), Code::NotFound);
        assert_eq!(code(Some("/forgotten"), Method::POST), Code::NotFound);
        assert_eq!(code(Some("/misspelt"), Method::GET), Code::NotFound);
        assert_eq!(code(Some("/crawls/{id}"), Method::PUT), Code::MethodNotAllowed);
        assert_eq!(code(Some("/public"), Method::OPTIONS), Code::MethodNotAllowed);
    }
}
