//! Seed templates.

use std::io::Write as _;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use lodeward::seed::instance::roles;
use lodeward::seed::template::{self, Shelf, Shelved, Template, TemplateError};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Path, Text};
use crate::problem::{Code, Problem};
use crate::service::Service;

/// How many templates there may be: all of them are read when one is looked for.
const TEMPLATES_MAX: usize = 1_000;

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

impl From<Shelved> for ToldTemplate {
    fn from(Shelved { template, text, path }: Shelved) -> Self {
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
        Self { name, title, description, shipped: path.is_none(), placeholders, seeds, text: Some(text) }
    }
}

/// Lists templates.
///
/// Those that come with the program, and those that users have put here. One of a
/// user hides one that comes with the program.
#[utoipa::path(
    get, path = "/api/v1/templates", tag = "templates", operation_id = "listTemplates",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses((status = 200, description = "All of them", body = Templates)),
)]
async fn list_templates(State(service): State<Arc<Service>>) -> Result<axum::Json<Templates>, Problem> {
    let all = beside(move || Ok(shelf(&service).list()?)).await?;
    let told = |shelved| ToldTemplate { text: None, ..ToldTemplate::from(shelved) };
    Ok(axum::Json(Templates { templates: all.into_iter().map(told).collect() }))
}

/// Looks at a template.
#[utoipa::path(
    get, path = "/api/v1/templates/{name}", tag = "templates", operation_id = "getTemplate",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(TemplatePath), responses((status = 200, description = "The template", body = ToldTemplate)),
)]
async fn get_template(
    State(service): State<Arc<Service>>,
    Path(TemplatePath { name }): Path<TemplatePath>,
) -> Result<axum::Json<ToldTemplate>, Problem> {
    Ok(axum::Json(beside(move || find(&service, &name)).await?.into()))
}

/// Puts a template here.
///
/// The body is TOML, as `docs/seeds.md` tells; its name is that of the path. A
/// template of this name is replaced; crawls that were begun with it stay as they are.
#[utoipa::path(
    put, path = "/api/v1/templates/{name}", tag = "templates", operation_id = "putTemplate",
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
    Path(TemplatePath { name }): Path<TemplatePath>,
    Text(text): Text,
) -> Result<(StatusCode, axum::Json<ToldTemplate>), Problem> {
    let (status, shelved) = beside(move || put(&service, &name, text)).await?;
    Ok((status, axum::Json(shelved.into())))
}

/// Removes a template.
///
/// One that it has hidden is to be seen again.
#[utoipa::path(
    delete, path = "/api/v1/templates/{name}", tag = "templates", operation_id = "deleteTemplate",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    params(TemplatePath),
    responses(
        (status = 204, description = "It is gone"),
        (status = 409, description = "It comes with the program and cannot go"),
    ),
)]
async fn delete_template(
    State(service): State<Arc<Service>>,
    Path(TemplatePath { name }): Path<TemplatePath>,
) -> Result<StatusCode, Problem> {
    beside(move || {
        let Some(path) = find(&service, &name)?.path else {
            let problem = Problem::new(Code::Conflict, format!("the template `{name}` comes with the program"));
            return Err(problem.hint("one of the same name that you put here hides it"));
        };
        std::fs::remove_file(&path).and_then(|()| sync(&folder(&service))).map_err(|error| Problem::internal(&error))
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

fn folder(service: &Service) -> PathBuf {
    service.data.join("templates")
}

fn shelf(service: &Service) -> Shelf {
    Shelf::new(vec![folder(service)])
}

/// Whoever asks over the network names no files.
fn find(service: &Service, name: &str) -> Result<Shelved, Problem> {
    let unknown = || Problem::new(Code::NotFound, format!("there is no template `{name}`"));
    if !template::is_name(name) {
        return Err(unknown());
    }
    Ok(shelf(service).find(name)?)
}

fn put(service: &Service, name: &str, text: String) -> Result<(StatusCode, Shelved), Problem> {
    if !template::is_name(name) {
        let problem = Problem::new(Code::Invalid, format!("`{name}` cannot be the name of a template"));
        return Err(problem.hint("a name is 1 to 64 letters, digits, - and _"));
    }
    let template = Template::read("template", &text).map_err(|error| Problem::new(Code::Invalid, error.to_string()))?;
    if template.name != name {
        let what = format!("the template says that it is called `{}`, and the path `{name}`", template.name);
        return Err(Problem::new(Code::Invalid, what));
    }
    let all = shelf(service).list()?;
    let count = all.len();
    // A user's own stays in its file; one that is shipped is hidden.
    let known = all.into_iter().find(|shelved| shelved.template.name == name).and_then(|shelved| shelved.path);
    if known.is_none() && count >= TEMPLATES_MAX {
        let problem = Problem::new(Code::Conflict, format!("there are {count} templates already"));
        return Err(problem.hint("delete some that nobody needs"));
    }
    let status = if known.is_some() { StatusCode::OK } else { StatusCode::CREATED };
    let path = known.unwrap_or_else(|| folder(service).join(format!("{name}.toml")));
    write(&folder(service), &path, &text).map_err(|error| Problem::internal(&error))?;
    Ok((status, Shelved { template, text, path: Some(path) }))
}

/// Writes a file beside its place and renames it, so that it is there as a whole
/// whatever happens.
fn write(folder: &FilePath, path: &FilePath, text: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync(folder)
}

fn sync(folder: &FilePath) -> std::io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

impl From<TemplateError> for Problem {
    fn from(error: TemplateError) -> Self {
        match &error {
            TemplateError::Unknown { known, .. } => {
                let hint = format!("there are {}", known.join(", "));
                Self::new(Code::NotFound, error.to_string()).hint(hint)
            }
            // A file that somebody has put there by hand.
            TemplateError::Format { .. } => {
                tracing::error!(%error, "a template cannot be read");
                let problem = Self::new(Code::Unavailable, "a file among the templates cannot be read");
                problem.hint("an admin has to mend or remove it; the log says which")
            }
            _ => Self::internal(&error),
        }
    }
}

/// Does something that blocks.
async fn beside<T: Send + 'static>(work: impl FnOnce() -> Result<T, Problem> + Send + 'static) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.expect("templates are read without a panic")
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
    get, path = "/api/v1/instances/roles", tag = "templates", operation_id = "listRoles",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses((status = 200, description = "All of them", body = Roles)),
)]
async fn list_roles(State(service): State<Arc<Service>>) -> axum::Json<Roles> {
    let all = roles(&service.settings.now().config.seeds.roles).into_iter();
    let roles = all.map(|role| Role { name: role.name, properties: role.properties }).collect();
    axum::Json(Roles { roles })
}
