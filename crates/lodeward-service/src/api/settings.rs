//! The settings of the service, and the schema of those that a request may set.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use lodeward_app::settings::{
    Config, EffectiveSetting, ROWS, SECTIONS, SettingKind, SettingOrigin, SettingOwner, SettingRow,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{ObjectBuilder, RefOr};
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::crawls::CrawlPath;
use super::extract::PathParams;
use crate::blocking::run_blocking;
use crate::problem::Problem;
use crate::role::Role;
use crate::route_rules::RouteRules;
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    let reads = RouteRules::reads(Role::Reader);
    OpenApiRouter::new().routes(reads.on(routes!(list_settings))).routes(reads.on(routes!(list_crawl_settings)))
}

/// All settings.
#[derive(Serialize, ToSchema)]
struct SettingList {
    /// Settings, by section, in the order of `lodeward.example.toml`.
    settings: Vec<SettingView>,
}

/// A setting.
#[derive(Serialize, ToSchema)]
#[schema(as = Setting)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the response")]
struct SettingView {
    /// Section and key, as in `lodeward.toml`.
    #[schema(examples("crawl.max_depth"))]
    key: String,
    /// What the setting does, and the reason for its default.
    description: String,
    /// Type of its value.
    r#type: SettingTypeView,
    /// What its texts must be, such as `absolute IRI`.
    format: Option<String>,
    /// Values that it accepts; empty if it has no fixed set of values.
    values: Vec<String>,
    /// Range of its number; for durations in seconds, for sizes in bytes.
    range: SettingRangeView,
    /// Default; null if there is none.
    default: Value,
    /// Current value; null if there is none or if it is hidden.
    value: Value,
    /// Whether the value is hidden, because it is a secret or names files or hosts of the operator.
    hidden: bool,
    /// Kind of the source of the value.
    source: SettingSourceView,
    /// Environment variable that sets it.
    variable: String,
    /// Flag of the command line that sets it.
    flag: Option<String>,
    /// Whether a crawl remembers its value.
    remembered: bool,
    /// Whether templates and requests for crawls may set it.
    settable_by_users: bool,
    /// Whether a change needs a restart of the service.
    needs_restart: bool,
}

/// The type of a setting.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = SettingType)]
enum SettingTypeView {
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A text of a number and a unit: `500ms`, `30s`, `15m`, `24h`, `90d`.
    Duration,
    /// A text of a number and a unit: `64kB`, `50MB`, `1GB`, `64MiB`.
    Size,
    /// A text.
    Text,
    /// A list of texts.
    List,
    /// Lists of texts by name.
    Lists,
    /// One of `values`.
    Choice,
    /// A text that is read only from the environment.
    Secret,
}

/// A range of numbers. A bound that is null does not apply.
#[derive(Serialize, ToSchema)]
#[schema(as = SettingRange)]
struct SettingRangeView {
    /// The number is at least this one.
    minimum: Option<f64>,
    /// The number is above this one.
    exclusive_minimum: Option<f64>,
    /// The number is at most this one.
    maximum: Option<f64>,
    /// The number is below this one.
    exclusive_maximum: Option<f64>,
}

/// The kind of the source of a value.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = SettingSource)]
enum SettingSourceView {
    /// The default of the setting.
    Default,
    /// The configuration file.
    File,
    /// An environment variable.
    Environment,
    /// An argument of the service.
    Argument,
    /// The crawl: its request or its template.
    Crawl,
}

/// List all settings
///
/// The settings of the service with their documentation, default and current value. Crawls use them,
/// unless their template or request sets another value.
#[utoipa::path(
    get, path = "/api/v1/settings", tag = "operations",
    responses((status = 200, description = "All settings", body = SettingList)),
)]
async fn list_settings(State(service): State<Arc<Service>>) -> Json<SettingList> {
    let default = Config::default();
    let current = service.settings.current();
    Json(SettingList { settings: current.settings.iter().map(|setting| view(setting, &default)).collect() })
}

/// List the settings of a crawl
///
/// All settings that the crawl uses, with the kind of source of each value.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/settings", tag = "crawls",
    params(CrawlPath),
    responses(
        (status = 200, description = "All settings", body = SettingList),
        (status = 409, description = "The settings of the crawl conflict with those of the service"),
    ),
)]
async fn list_crawl_settings(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
) -> Result<Json<SettingList>, Problem> {
    let default = Config::default();
    let effective = run_blocking(move || Ok(service.jobs.effective_settings(id)?)).await?;
    Ok(Json(SettingList { settings: effective.settings.iter().map(|setting| view(setting, &default)).collect() }))
}

fn view(EffectiveSetting { row, value, origin }: &EffectiveSetting, default: &Config) -> SettingView {
    let json = |value: Option<toml::Value>| serde_json::to_value(value).unwrap_or_default();
    SettingView {
        key: row.name(),
        description: row.doc.clone(),
        r#type: type_view(row.kind),
        format: row.format().map(str::to_owned),
        values: accepted_values(row).into_iter().map(str::to_owned).collect(),
        range: range_view(row),
        default: json(row.value(default)),
        value: json(value.clone().filter(|_| !row.is_private)),
        hidden: row.is_private,
        source: match origin {
            SettingOrigin::Default => SettingSourceView::Default,
            SettingOrigin::File(..) => SettingSourceView::File,
            SettingOrigin::Environment(_) => SettingSourceView::Environment,
            SettingOrigin::Crawl(_) => SettingSourceView::Crawl,
            _ => SettingSourceView::Argument,
        },
        variable: row.variable(),
        flag: row.flag.map(|flag| flag.name.to_owned()),
        remembered: row.owner == SettingOwner::Crawl,
        settable_by_users: row.is_for_users,
        needs_restart: row.needs_restart,
    }
}

fn type_view(kind: SettingKind) -> SettingTypeView {
    match kind {
        SettingKind::Boolean => SettingTypeView::Boolean,
        SettingKind::Integer(_) => SettingTypeView::Integer,
        SettingKind::Number => SettingTypeView::Number,
        SettingKind::Duration => SettingTypeView::Duration,
        SettingKind::Size => SettingTypeView::Size,
        SettingKind::Text => SettingTypeView::Text,
        SettingKind::List => SettingTypeView::List,
        SettingKind::Lists => SettingTypeView::Lists,
        SettingKind::Choice(_) => SettingTypeView::Choice,
        SettingKind::Secret => SettingTypeView::Secret,
    }
}

fn accepted_values(row: &SettingRow) -> Vec<&'static str> {
    match row.kind {
        SettingKind::Choice(values) => values.iter().map(|value| value.name).collect(),
        _ => row.allowed.to_vec(),
    }
}

fn range_view(row: &SettingRow) -> SettingRangeView {
    let bounds = |bound: Bound<f64>| match bound {
        Bound::Included(bound) => (Some(bound), None),
        Bound::Excluded(bound) => (None, Some(bound)),
        Bound::Unbounded => (None, None),
    };
    let ((minimum, exclusive_minimum), (maximum, exclusive_maximum)) = (bounds(row.range.min), bounds(row.range.max));
    SettingRangeView { minimum, exclusive_minimum, maximum, exclusive_maximum }
}

/// Settings by section and key, as a request for a crawl contains them. The schema lists those that
/// it may set.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct RequestedSettings(pub(crate) BTreeMap<String, BTreeMap<String, Value>>);

impl ToSchema for RequestedSettings {
    fn name() -> std::borrow::Cow<'static, str> {
        "CrawlSettings".into()
    }
}

impl PartialSchema for RequestedSettings {
    fn schema() -> RefOr<Schema> {
        let sections = SECTIONS.iter().filter(|(section, _)| !section.contains('.'));
        let schema =
            sections.fold(closed_object("Settings by section."), |object, (section, _)| {
                match section_schema(section) {
                    Some(schema) => object.property(*section, schema),
                    None => object,
                }
            });
        Schema::Object(schema.build()).into()
    }
}

pub(super) fn closed_object(description: &str) -> ObjectBuilder {
    let closed = Some(AdditionalProperties::FreeForm(false));
    ObjectBuilder::new().description(Some(description)).additional_properties(closed)
}

/// The keys of a section that a request may set, and its subsections; `None` if there are none.
fn section_schema(section: &str) -> Option<Schema> {
    let doc = SECTIONS.iter().find(|(known, _)| *known == section).map_or("", |(_, doc)| doc.trim());
    let keys = ROWS.iter().filter(|row| row.is_for_users && row.section == section);
    let keys = keys.map(|row| (row.key, row_schema(row)));
    let inner = SECTIONS.iter().filter_map(|(known, _)| {
        let name = known.strip_prefix(section)?.strip_prefix('.')?;
        Some((name, section_schema(known)?))
    });
    let properties: Vec<(&str, Schema)> = keys.chain(inner).collect();
    let add = |object: ObjectBuilder, (name, schema)| object.property(name, schema);
    (!properties.is_empty()).then(|| Schema::Object(properties.into_iter().fold(closed_object(doc), add).build()))
}

/// The schema of a setting.
pub(super) fn row_schema(row: &SettingRow) -> Schema {
    let typed = |kind: Type| ObjectBuilder::new().schema_type(SchemaType::Type(kind));
    let object = match row.kind {
        SettingKind::Boolean => typed(Type::Boolean),
        SettingKind::Integer(max) => {
            let SettingRangeView { minimum, exclusive_minimum, maximum, .. } = range_view(row);
            let object = typed(Type::Integer).minimum(Some(minimum.unwrap_or(0.0)));
            let object = object.exclusive_minimum(exclusive_minimum);
            #[expect(clippy::cast_precision_loss, reason = "the largest whole number need not be exact")]
            object.maximum(Some(maximum.unwrap_or(max as f64)))
        }
        SettingKind::Number => {
            let SettingRangeView { minimum, exclusive_minimum, maximum, exclusive_maximum } = range_view(row);
            let object = typed(Type::Number).minimum(minimum).exclusive_minimum(exclusive_minimum);
            object.maximum(maximum).exclusive_maximum(exclusive_maximum)
        }
        SettingKind::List => {
            let items = typed(Type::String).description(row.format());
            return Schema::Array(ArrayBuilder::new().items(items).description(Some(row.doc.as_str())).build());
        }
        SettingKind::Lists => typed(Type::Object),
        SettingKind::Choice(_) => typed(Type::String).enum_values(Some(accepted_values(row))),
        SettingKind::Duration | SettingKind::Size | SettingKind::Text | SettingKind::Secret => typed(Type::String),
    };
    let default = serde_json::to_value(row.value(&Config::default())).ok().filter(|value| !value.is_null());
    Schema::Object(object.description(Some(row.doc.as_str())).default(default).build())
}
