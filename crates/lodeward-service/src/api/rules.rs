//! Rules: which imports begin a crawl, and at what.

use std::sync::{Arc, PoisonError};

use axum::Json as Answer;
use axum::extract::State;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Json, Path};
use super::moment::Moment;
use crate::beside::beside;
use crate::enrichment::{Name, Rule, RuleRecord};
use crate::problem::{Code, Problem};
use crate::role::{Caller, Role};
use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list_rules)).routes(routes!(get_rule, put_rule, delete_rule))
}

/// Which rule is meant.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct RulePath {
    /// The name of a rule.
    #[param(value_type = String, pattern = "^[A-Za-z0-9_-]{1,40}$", example = "surroundings")]
    name: Name,
}

/// A rule, and whose it is.
#[derive(Serialize, ToSchema)]
#[schema(as = KeptRule)]
struct ToldRule {
    /// What it is called by.
    name: Name,
    /// Who has made it.
    owner: String,
    /// Whether it is for everybody's imports, as an admin's is, or only for its
    /// owner's.
    for_everybody: bool,
    /// When it was made.
    made: Moment,
    /// What it says.
    rule: Rule,
}

impl ToldRule {
    fn of(name: Name, record: RuleRecord) -> Self {
        let RuleRecord { rule, owner, for_everybody, made_at_ms } = record;
        Self { name, owner, for_everybody, made: Moment::of_ms(made_at_ms), rule }
    }
}

/// All rules.
#[derive(Serialize, ToSchema)]
struct Rules {
    /// By name.
    rules: Vec<ToldRule>,
}

/// Lists rules.
#[utoipa::path(
    get, path = "/api/v1/rules", tag = "imports",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses((status = 200, description = "All of them", body = Rules)),
)]
async fn list_rules(State(service): State<Arc<Service>>) -> Result<Answer<Rules>, Problem> {
    let listing = beside(move || {
        let drawer = &service.enrichment.rules;
        let readable = drawer.readable(drawer.names()?);
        Ok(Rules { rules: readable.into_iter().map(|(name, record)| ToldRule::of(name, record)).collect() })
    });
    listing.await.map(Answer)
}

/// Looks at a rule.
#[utoipa::path(
    get, path = "/api/v1/rules/{name}", tag = "imports",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(RulePath), responses((status = 200, description = "The rule", body = ToldRule)),
)]
async fn get_rule(
    State(service): State<Arc<Service>>,
    Path(RulePath { name }): Path<RulePath>,
) -> Result<Answer<ToldRule>, Problem> {
    beside(move || {
        let record = service.enrichment.rules.get(&name)?.ok_or_else(|| unknown(&name))?;
        Ok(Answer(ToldRule::of(name, record)))
    })
    .await
}

/// Makes a rule, or replaces one.
///
/// An operator's rule is for their own imports, an admin's for everybody's. It is
/// looked at when something is imported. One that says nothing (`{}`) begins a crawl
/// for every import, at the values of the usual roles.
#[utoipa::path(
    put, path = "/api/v1/rules/{name}", tag = "imports",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    params(RulePath), request_body = Rule,
    responses(
        (status = 200, description = "It replaces another one", body = ToldRule),
        (status = 201, description = "It is new", body = ToldRule),
        (status = 409, description = "There are too many already"),
    ),
)]
async fn put_rule(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(RulePath { name }): Path<RulePath>,
    Json(rule): Json<Rule>,
) -> Result<(StatusCode, Answer<ToldRule>), Problem> {
    beside(move || {
        rule.check(&service.settings.now().config)?;
        service.fleet.check_settings(rule.template.as_deref(), &rule.table()?)?;
        let rules = &service.enrichment.rules;
        // Whose a rule is must not change between looking and writing.
        let _writing = service.enrichment.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = rules.get(&name)?;
        let owner = before.as_ref().map_or(&caller.name, |before| &before.owner).clone();
        caller.must_own(&format!("rule `{}`", name.as_str()), Some(&owner))?;
        let for_everybody = caller.role == Role::Admin;
        let record = RuleRecord { rule, owner, for_everybody, made_at_ms: (service.now)() };
        rules.put(&name, &record)?;
        let status = if before.is_some() { StatusCode::OK } else { StatusCode::CREATED };
        Ok((status, Answer(ToldRule::of(name, record))))
    })
    .await
}

/// Removes a rule.
///
/// Crawls that it has begun stay.
#[utoipa::path(
    delete, path = "/api/v1/rules/{name}", tag = "imports",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    params(RulePath), responses((status = 204, description = "It is gone")),
)]
async fn delete_rule(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(RulePath { name }): Path<RulePath>,
) -> Result<StatusCode, Problem> {
    beside(move || {
        let rules = &service.enrichment.rules;
        let _writing = service.enrichment.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let record = rules.get(&name)?.ok_or_else(|| unknown(&name))?;
        caller.must_own(&format!("rule `{}`", name.as_str()), Some(&record.owner))?;
        rules.remove(&name)?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

fn unknown(name: &Name) -> Problem {
    Problem::new(Code::NotFound, format!("there is no rule `{}`", name.as_str()))
}
