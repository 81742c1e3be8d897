//! Seed templates, and roles of instance data.

mod template_store;

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use lodeward_app::seeds::instance::roles;
use lodeward_app::seeds::template::{self, ListedTemplate, Template};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::template_store::{TemplateStore, owner};
use super::extract::{PathParams, TextBody};
use crate::blocking::run_blocking;
use crate::problem::Problem;
use crate::role::{Caller, Role};
use crate::route_rules::RouteRules;
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    let reads = RouteRules::reads(Role::Reader);
    OpenApiRouter::new()
        .routes(reads.on(routes!(list_templates)))
        .routes(reads.on(routes!(get_template)))
        .routes(RouteRules::changes(Role::Operator).on(routes!(put_template, delete_template)))
        .routes(reads.on(routes!(list_roles)))
}

/// Path parameter that selects a template.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct TemplatePath {
    /// Name of a template.
    #[param(pattern = "^[A-Za-z0-9_-]{1,64}$", example = "geography")]
    name: String,
}

/// All templates.
#[derive(Serialize, ToSchema)]
struct TemplateList {
    /// Templates, by name.
    templates: Vec<TemplateView>,
}

/// A seed list with placeholders.
#[derive(Serialize, ToSchema)]
#[schema(as = Template)]
struct TemplateView {
    /// Name of the template.
    name: String,
    /// Short description.
    title: String,
    /// Long description.
    description: String,
    /// Whether the template is shipped with the program.
    shipped: bool,
    /// Owner; null if only admins may change it.
    owner: Option<String>,
    /// Placeholders of the template.
    placeholders: Vec<PlaceholderView>,
    /// Seeds, with placeholders.
    seeds: Vec<String>,
    /// Source text (TOML); not included in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// A placeholder of a template.
#[derive(Serialize, ToSchema)]
#[schema(as = Placeholder)]
struct PlaceholderView {
    /// Name of the placeholder.
    name: String,
    /// Description for users.
    description: String,
    /// Kind of the values of the placeholder.
    kind: PlaceholderKindView,
    /// Whether a value is required.
    required: bool,
    /// Default value.
    default: Option<String>,
}

/// The kind of the values of a placeholder.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = PlaceholderKind)]
enum PlaceholderKindView {
    /// The values are text.
    Text,
    /// The values are IRIs or prefixes of IRIs.
    Iri,
    /// The values are names of entities, which are looked up among labels.
    Label,
}

impl TemplateView {
    fn from_template(ListedTemplate { template, text, path }: ListedTemplate, owner: Option<String>) -> Self {
        let seeds = template.seeds().collect();
        let Template { name, title, description, placeholders, .. } = template;
        let placeholder = |placeholder: template::Placeholder| {
            let template::Placeholder { name, description, required, default, .. } = placeholder;
            let kind = match placeholder.kind {
                template::PlaceholderKind::Text => PlaceholderKindView::Text,
                template::PlaceholderKind::Iri => PlaceholderKindView::Iri,
                template::PlaceholderKind::Label => PlaceholderKindView::Label,
            };
            PlaceholderView { name, description, kind, required, default }
        };
        let placeholders = placeholders.into_iter().map(placeholder).collect();
        Self { name, title, description, shipped: path.is_none(), owner, placeholders, seeds, text: Some(text) }
    }
}

/// List templates
///
/// Shipped templates, and templates of users. A template of a user hides a shipped one with
/// the same name.
#[utoipa::path(
    get, path = "/api/v1/templates", tag = "templates",
    responses((status = 200, description = "All templates", body = TemplateList)),
)]
async fn list_templates(State(service): State<Arc<Service>>) -> Result<axum::Json<TemplateList>, Problem> {
    run_blocking(move || {
        let store = TemplateStore::new(&service);
        let view = |listed: ListedTemplate| {
            let owner = owner(&listed)?;
            Ok(TemplateView { text: None, ..TemplateView::from_template(listed, owner) })
        };
        Ok(axum::Json(TemplateList { templates: store.list()?.into_iter().map(view).collect::<Result<_, Problem>>()? }))
    })
    .await
}

/// Get a template
#[utoipa::path(
    get, path = "/api/v1/templates/{name}", tag = "templates",
    params(TemplatePath), responses((status = 200, description = "The template", body = TemplateView)),
)]
async fn get_template(
    State(service): State<Arc<Service>>,
    PathParams(TemplatePath { name }): PathParams<TemplatePath>,
) -> Result<axum::Json<TemplateView>, Problem> {
    run_blocking(move || {
        let found = TemplateStore::new(&service).find(&name)?;
        let owner = owner(&found)?;
        Ok(axum::Json(TemplateView::from_template(found, owner)))
    })
    .await
}

/// Create or replace a template
///
/// The body is TOML, as described in `docs/seeds.md`; its name must be the name in the path.
/// Existing crawls are not affected. A template belongs to the user that creates it. Only admins
/// may create a template that hides a shipped one.
#[utoipa::path(
    put, path = "/api/v1/templates/{name}", tag = "templates",
    params(TemplatePath), request_body(content = String, content_type = "application/toml"),
    responses(
        (status = 200, description = "Replaced", body = TemplateView),
        (status = 201, description = "Created", body = TemplateView),
        (status = 409, description = "There are too many templates"),
    ),
)]
async fn put_template(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(TemplatePath { name }): PathParams<TemplatePath>,
    TextBody(text): TextBody,
) -> Result<(StatusCode, axum::Json<TemplateView>), Problem> {
    run_blocking(move || {
        let (is_new, listed) = TemplateStore::new(&service).put(&caller, &name, text)?;
        let owner = owner(&listed)?;
        let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
        Ok((status, axum::Json(TemplateView::from_template(listed, owner))))
    })
    .await
}

/// Delete a template
///
/// A shipped template that it has hidden is visible again.
#[utoipa::path(
    delete, path = "/api/v1/templates/{name}", tag = "templates",
    params(TemplatePath),
    responses(
        (status = 204, description = "Deleted"),
        (status = 409, description = "The template is shipped with the program"),
    ),
)]
async fn delete_template(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(TemplatePath { name }): PathParams<TemplatePath>,
) -> Result<StatusCode, Problem> {
    run_blocking(move || TemplateStore::new(&service).remove(&caller, &name)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Roles of instance data.
#[derive(Serialize, ToSchema)]
struct InstanceRoleList {
    /// Roles.
    roles: Vec<InstanceRoleView>,
}

/// A role of values in instance data.
#[derive(Serialize, ToSchema)]
#[schema(as = InstanceRole)]
struct InstanceRoleView {
    /// Name, such as `places`.
    name: String,
    /// Properties with this role.
    properties: Vec<String>,
}

/// List roles of instance data
///
/// A role is a set of properties whose values can become seeds.
#[utoipa::path(
    get, path = "/api/v1/instances/roles", tag = "templates",
    responses((status = 200, description = "All roles", body = InstanceRoleList)),
)]
async fn list_roles(State(service): State<Arc<Service>>) -> axum::Json<InstanceRoleList> {
    let all = roles(&service.settings.current().config.seeds.roles).into_iter();
    let roles = all.map(|role| InstanceRoleView { name: role.name, properties: role.properties }).collect();
    axum::Json(InstanceRoleList { roles })
}
