//! Rules: which imports start a crawl, and with which seeds.

use std::sync::{Arc, PoisonError};

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{JsonBody, PathParams};
use super::timestamp::Timestamp;
use crate::blocking::run_blocking;
use crate::enrichment::{ImportRule, RuleRecord};
use crate::json_store::ItemName;
use crate::problem::{Problem, ProblemCode};
use crate::role::{Caller, Role};
use crate::route_rules::RouteRules;
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
        .routes(RouteRules::reads(Role::Reader).on(routes!(list_rules)))
        .routes(RouteRules::reads(Role::Reader).on(routes!(get_rule)))
        .routes(RouteRules::changes(Role::Operator).on(routes!(put_rule, delete_rule)))
}

/// Path parameter that selects a rule.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct RulePath {
    /// Name of a rule.
    #[param(value_type = String, pattern = "^[A-Za-z0-9_-]{1,40}$", example = "surroundings")]
    name: ItemName,
}

/// A rule and its owner.
#[derive(Serialize, ToSchema)]
#[schema(as = Rule)]
struct RuleView {
    /// Name of the rule.
    name: ItemName,
    /// User that created the rule.
    owner: String,
    /// Whether the rule applies to the imports of all users (a rule of an admin), or only to those
    /// of its owner.
    applies_to_all: bool,
    /// When the rule was created.
    created_at: Timestamp,
    /// The rule.
    rule: ImportRule,
}

impl RuleView {
    fn from_record(name: ItemName, record: RuleRecord) -> Self {
        let RuleRecord { rule, owner, applies_to_all, created_at_ms } = record;
        Self { name, owner, applies_to_all, created_at: Timestamp::from_ms(created_at_ms), rule }
    }
}

/// All rules.
#[derive(Serialize, ToSchema)]
struct RuleList {
    /// Rules, by name.
    rules: Vec<RuleView>,
}

/// List rules
#[utoipa::path(
    get, path = "/api/v1/rules", tag = "imports",
    responses((status = 200, description = "All rules", body = RuleList)),
)]
async fn list_rules(State(service): State<Arc<Service>>) -> Result<Json<RuleList>, Problem> {
    let listing = run_blocking(move || {
        let store = &service.enrichment.rules;
        let rules = store.read_valid(store.names()?);
        Ok(RuleList { rules: rules.into_iter().map(|(name, record)| RuleView::from_record(name, record)).collect() })
    });
    listing.await.map(Json)
}

/// Get a rule
#[utoipa::path(
    get, path = "/api/v1/rules/{name}", tag = "imports",
    params(RulePath), responses((status = 200, description = "The rule", body = RuleView)),
)]
async fn get_rule(
    State(service): State<Arc<Service>>,
    PathParams(RulePath { name }): PathParams<RulePath>,
) -> Result<Json<RuleView>, Problem> {
    run_blocking(move || {
        let record = service.enrichment.rules.get(&name)?.ok_or_else(|| unknown_rule(&name))?;
        Ok(Json(RuleView::from_record(name, record)))
    })
    .await
}

/// Create or replace a rule
///
/// A rule of an operator applies to the operator's own imports, a rule of an admin to all.
/// It is applied when data is imported. The empty rule (`{}`) starts a crawl for every
/// import, with the values of the default roles as seeds.
#[utoipa::path(
    put, path = "/api/v1/rules/{name}", tag = "imports",
    params(RulePath), request_body = ImportRule,
    responses(
        (status = 200, description = "Replaced", body = RuleView),
        (status = 201, description = "Created", body = RuleView),
        (status = 409, description = "There are too many rules"),
    ),
)]
async fn put_rule(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(RulePath { name }): PathParams<RulePath>,
    JsonBody(rule): JsonBody<ImportRule>,
) -> Result<(StatusCode, Json<RuleView>), Problem> {
    run_blocking(move || {
        rule.check(&service.settings.current().config)?;
        service.jobs.check_settings(rule.template.as_deref(), &rule.settings_table()?)?;
        let rules = &service.enrichment.rules;
        // The lock keeps the owner unchanged between the check and the write.
        let _writing = service.enrichment.rules_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let before = rules.get(&name)?;
        let owner = before.as_ref().map_or(&caller.name, |before| &before.owner).clone();
        caller.require_owner(&format!("rule `{}`", name.as_str()), Some(&owner))?;
        let applies_to_all = caller.role == Role::Admin;
        let record = RuleRecord { rule, owner, applies_to_all, created_at_ms: (service.now)() };
        rules.put(&name, &record)?;
        let status = if before.is_some() { StatusCode::OK } else { StatusCode::CREATED };
        Ok((status, Json(RuleView::from_record(name, record))))
    })
    .await
}

/// Delete a rule
///
/// Crawls that it has started stay.
#[utoipa::path(
    delete, path = "/api/v1/rules/{name}", tag = "imports",
    params(RulePath), responses((status = 204, description = "Deleted")),
)]
async fn delete_rule(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(RulePath { name }): PathParams<RulePath>,
) -> Result<StatusCode, Problem> {
    run_blocking(move || {
        let rules = &service.enrichment.rules;
        let _writing = service.enrichment.rules_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let record = rules.get(&name)?.ok_or_else(|| unknown_rule(&name))?;
        caller.require_owner(&format!("rule `{}`", name.as_str()), Some(&record.owner))?;
        rules.remove(&name)?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

fn unknown_rule(name: &ItemName) -> Problem {
    Problem::new(ProblemCode::NotFound, format!("no such rule: `{}`", name.as_str()))
}
