//! What every operation takes: read from the document that describes them.

use std::collections::{BTreeMap, HashMap};

use http::header::ALLOW;
use http::{HeaderValue, Method};
use serde_json::Value;

use crate::problem::{Code, Problem};
use crate::role::Role;

/// What an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Nobody is asked who they are.
    Public,
    /// At least this role.
    Role(Role),
}

/// What every operation takes, by path and method.
pub(super) struct Routes(HashMap<String, BTreeMap<String, Access>>);

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
                match access(&operation["security"]) {
                    Some(access) => drop(methods.insert(method, access)),
                    None => tracing::error!(%path, %method, "an operation does not say who may use it"),
                }
            }
            routes.insert(path.clone(), methods);
        }
        Self(routes)
    }

    /// What it takes to do this with what the router has found.
    pub(super) fn access(&self, path: Option<&str>, method: &Method) -> Result<Access, Problem> {
        let Some(methods) = path.and_then(|path| self.0.get(path)).filter(|methods| !methods.is_empty()) else {
            let problem = Problem::new(Code::NotFound, "there is nothing at this path");
            return Err(problem.hint("/api/v1/openapi.json says what there is"));
        };
        let asked = if *method == Method::HEAD { Method::GET.as_str() } else { method.as_str() };
        if let Some(access) = methods.get(asked) {
            return Ok(*access);
        }
        let mut allowed: Vec<&str> = methods.keys().map(String::as_str).collect();
        if methods.contains_key(Method::GET.as_str()) {
            allowed.push(Method::HEAD.as_str());
        }
        let allowed = allowed.join(", ");
        let field = HeaderValue::from_str(&allowed).expect("methods are tokens");
        let detail = format!("it takes {allowed}");
        Err(Problem::new(Code::MethodNotAllowed, detail).with(ALLOW, field))
    }
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
                "/forgotten": { "get": { "responses": {} }, "post": { "security": [], "responses": {} } },
                "/misspelt": { "get": { "security": role("root"), "responses": {} } },
            },
        });
        Routes::of(&serde_json::from_value(document).unwrap())
    }

    #[test]
    fn an_operation_takes_what_the_document_says() {
        let routes = routes();
        let access = |path, method| routes.access(Some(path), &method);

        assert_eq!(access("/public", Method::GET), Ok(Access::Public));
        assert_eq!(access("/crawls/{id}", Method::HEAD), Ok(Access::Role(Role::Reader)));
        assert_eq!(access("/crawls/{id}", Method::DELETE), Ok(Access::Role(Role::Operator)));
    }

    #[test]
    fn what_the_document_does_not_say_is_not_there() {
        let routes = routes();
        let code = |path, method| routes.access(path, &method).unwrap_err().code();

        assert_eq!(code(None, Method::GET), Code::NotFound);
        assert_eq!(code(Some("/elsewhere"), Method::GET), Code::NotFound);
        assert_eq!(code(Some("/forgotten"), Method::GET), Code::NotFound);
        assert_eq!(code(Some("/forgotten"), Method::POST), Code::NotFound);
        assert_eq!(code(Some("/misspelt"), Method::GET), Code::NotFound);
        assert_eq!(code(Some("/crawls/{id}"), Method::PUT), Code::MethodNotAllowed);
        assert_eq!(code(Some("/public"), Method::OPTIONS), Code::MethodNotAllowed);
    }
}
