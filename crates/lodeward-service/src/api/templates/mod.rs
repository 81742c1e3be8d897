//! Seed templates.

mod keep;

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use lodeward::seed::instance::roles;
use lodeward::seed::template::{self, Shelved, Template};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::keep::{Templates as Kept, owner};
use super::extract::{Path, Text};
use crate::beside::beside;
use crate::problem::Problem;
use crate::role::Caller;
use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
        .routes(routes!(list_templates))
        .routes(routes!(get_template, put_template, delete_template))
        .routes(routes!(list_roles))
}

/// Which template is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct TemplatePath {
    /// The name of a template.
    #[param(pattern = "^[A-Za-z0-9_-]{1,64}$", example = "geography")]
    name: String,
}

/// All templates.
#[derive(Serialize, ToSchema)]
struct Templates {
    /// By name.
    templates: Vec<ToldTemplate>,
}

/// A seed list with placeholders.
#[derive(Serialize, ToSchema)]
#[schema(as = Template)]
struct ToldTemplate {
    /// What it is called by.
    name: String,
    /// What it is about, in a few words.
    title: String,
    /// What it is about, in some more.
    description: String,
    /// Whether it comes with the program.
    shipped: bool,
    /// To whom it belongs; admins alone change one that belongs to nobody.
    owner: Option<String>,
    /// What is to be put in.
    placeholders: Vec<ToldPlaceholder>,
    /// Its seeds, with placeholders.
    seeds: Vec<String>,
    /// As it is written (TOML); not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// Something that is to be put in.
#[derive(Serialize, ToSchema)]
#[schema(as = Placeholder)]
struct ToldPlaceholder {
    /// What it is called by.
    name: String,
    /// What is to be put in, for people.
    description: String,
    /// What values are.
    kind: Kind,
    /// Whether there must be a value.
    required: bool,
    /// The value if there is no other.
    default: Option<String>,
}

/// What the values of a placeholder are.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    /// Names.
    Text,
    /// IRIs, or beginnings of them.
    Iri,
    /// Names that are looked up among labels.
    Label,
}

impl ToldTemplate {
    fn of(Shelved { template, text, path }: Shelved, owner: Option<String>) -> Self {
        let seeds = template.seeds().collect();
        let Template { name, title, description, placeholders, .. } = template;
        let placeholder = |placeholder: template::Placeholder| {
            let template::Placeholder { name, description, required, default, .. } = placeholder;
            let kind = match placeholder.kind {
                template::Kind::Text => Kind::Text,
                template::Kind::Iri => Kind::Iri,
                template::Kind::Label => Kind::Label,
            };
            ToldPlaceholder { name, description, kind, required, default }
        };
        let placeholders = placeholders.into_iter().map(placeholder).collect();
        Self { name, title, description, shipped: path.is_none(), owner, placeholders, seeds, text: Some(text) }
    }
}

/// Lists templates.
///
/// Those that come with the program, and those that users have put here. One of a
/// user hides one that comes with the program.
#[utoipa::path(
    get, path = "/api/v1/templates", tag = "templates",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses((status = 200, description = "All of them", body = Templates)),
)]
async fn list_templates(State(service): State<Arc<Service>>) -> Result<axum::Json<Templates>, Problem> {
    beside(move || {
        let kept = Kept::of(&service);
        let told = |shelved: Shelved| {
            let theirs = owner(&shelved)?;
            Ok(ToldTemplate { text: None, ..ToldTemplate::of(shelved, theirs) })
        };
        Ok(axum::Json(Templates { templates: kept.list()?.into_iter().map(told).collect::<Result<_, Problem>>()? }))
    })
    .await
}

/// Looks at a template.
#[utoipa::path(
    get, path = "/api/v1/templates/{name}", tag = "templates",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(TemplatePath), responses((status = 200, description = "The template", body = ToldTemplate)),
)]
async fn get_template(
    State(service): State<Arc<Service>>,
    Path(TemplatePath { name }): Path<TemplatePath>,
) -> Result<axum::Json<ToldTemplate>, Problem> {
    beside(move || {
        let kept = Kept::of(&service);
        let found = kept.find(&name)?;
        let theirs = owner(&found)?;
        Ok(axum::Json(ToldTemplate::of(found, theirs)))
    })
    .await
}

/// Puts a template here.
///
/// The body is TOML, as `docs/seeds.md` tells; its name is that of the path. A
/// template of this name is replaced; crawls that were begun with it stay as they are.
/// It belongs to whoever puts it here first. One that hides another that comes with the
/// program is for admins to put.
#[utoipa::path(
    put, path = "/api/v1/templates/{name}", tag = "templates",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    params(TemplatePath), request_body(content = String, content_type = "application/toml"),
    responses(
        (status = 200, description = "It replaces another one", body = ToldTemplate),
        (status = 201, description = "It is new", body = ToldTemplate),
        (status = 409, description = "There are too many already"),
    ),
)]
async fn put_template(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(TemplatePath { name }): Path<TemplatePath>,
    Text(text): Text,
) -> Result<(StatusCode, axum::Json<ToldTemplate>), Problem> {
    beside(move || {
        let kept = Kept::of(&service);
        let (is_new, shelved) = kept.put(&caller, &name, text)?;
        let theirs = owner(&shelved)?;
        let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
        Ok((status, axum::Json(ToldTemplate::of(shelved, theirs))))
    })
    .await
}

/// Removes a template.
///
/// One that it has hidden is to be seen again.
#[utoipa::path(
    delete, path = "/api/v1/templates/{name}", tag = "templates",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    params(TemplatePath),
    responses(
        (status = 204, description = "It is gone"),
        (status = 409, description = "It comes with the program and cannot go"),
    ),
)]
async fn delete_template(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(TemplatePath { name }): Path<TemplatePath>,
) -> Result<StatusCode, Problem> {
    beside(move || Kept::of(&service).remove(&caller, &name)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What values in instance data may be.
#[derive(Serialize, ToSchema)]
struct Roles {
    /// Those that can be asked for.
    roles: Vec<Role>,
}

/// What a value in instance data is to whom it describes.
#[derive(Serialize, ToSchema)]
#[schema(as = InstanceRole)]
struct Role {
    /// Its name: `places`.
    name: String,
    /// The properties that have it.
    properties: Vec<String>,
}

/// Lists roles of instance data.
///
/// The properties whose values can become seeds.
#[utoipa::path(
    get, path = "/api/v1/instances/roles", tag = "templates",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses((status = 200, description = "All of them", body = Roles)),
)]
async fn list_roles(State(service): State<Arc<Service>>) -> axum::Json<Roles> {
    let all = roles(&service.settings.now().config.seeds.roles).into_iter();
    let roles = all.map(|role| Role { name: role.name, properties: role.properties }).collect();
    axum::Json(Roles { roles })
}
