//! The limits in a request for a crawl: settings of `crawl` and `crawl.hops` whose value is a number, without their
//! section. The table of settings has their names, descriptions and ranges.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lodeward_app::settings::{ROWS, SettingKind, SettingRow};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::schema::{SchemaType, Type};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::api::settings::{closed_object, row_schema};

/// The section of the limits of a crawl.
const CRAWL: &str = "crawl";

/// The section of the limits of each hop, and their name among the limits of a crawl.
const HOPS: (&str, &str) = ("crawl.hops", "hops");

/// Limits of a crawl, by key; those of each hop are in `hops`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, Value>")]
pub(super) struct CrawlLimits(BTreeMap<String, Value>);

impl CrawlLimits {
    /// The limits as settings: section, key, value.
    pub(super) fn settings(&self) -> impl Iterator<Item = (&'static str, &str, u64)> {
        self.values().filter_map(|(section, key, value)| Some((section, key, value.as_u64()?)))
    }

    /// The limits that are not null.
    fn values(&self) -> impl Iterator<Item = (&'static str, &str, &Value)> {
        let values = self.0.iter().flat_map(|(key, value)| match value {
            Value::Object(hops) if key == HOPS.1 => {
                hops.iter().map(|(key, value)| (HOPS.0, key.as_str(), value)).collect()
            }
            value => vec![(CRAWL, key.as_str(), value)],
        });
        values.filter(|(.., value)| !value.is_null())
    }
}

impl TryFrom<BTreeMap<String, Value>> for CrawlLimits {
    type Error = String;

    fn try_from(limits: BTreeMap<String, Value>) -> Result<Self, String> {
        let limits = Self(limits);
        for (section, key, value) in limits.values() {
            if !rows(section).any(|row| row.key == key) {
                let known = rows(section).map(|row| row.key).collect::<Vec<_>>().join(", ");
                return Err(format!("unknown limit `{key}`, expected one of {known}"));
            }
            if !value.is_u64() {
                return Err(format!("{key}: {value} is not a whole number of at least 0"));
            }
        }
        Ok(limits)
    }
}

/// The settings of a section that are limits.
fn rows(section: &str) -> impl Iterator<Item = &'static SettingRow> {
    let is_limit =
        |row: &SettingRow| row.is_for_users && row.is_optional && matches!(row.kind, SettingKind::Integer(_));
    ROWS.iter().filter(move |row| row.section == section && is_limit(row))
}

/// A schema that accepts null, too: a limit that is null does not apply.
fn nullable(schema: Schema) -> Schema {
    match schema {
        Schema::Object(mut object) => {
            if let SchemaType::Type(kind) = &object.schema_type {
                object.schema_type = SchemaType::Array(vec![kind.clone(), Type::Null]);
            }
            Schema::Object(object)
        }
        other => other,
    }
}

impl ToSchema for CrawlLimits {
    fn name() -> Cow<'static, str> {
        "CrawlLimits".into()
    }
}

impl PartialSchema for CrawlLimits {
    fn schema() -> RefOr<Schema> {
        let object = |section, description| {
            let add = |object: ObjectBuilder, row: &SettingRow| object.property(row.key, nullable(row_schema(row)));
            rows(section).fold(closed_object(description), add)
        };
        let hops = object(HOPS.0, "Limits of each hop: of all documents with the same number of links from the seeds.");
        let crawl = object(CRAWL, "Limits of a crawl. The limits of the service apply as well.");
        Schema::Object(crawl.property(HOPS.1, nullable(Schema::Object(hops.build()))).build()).into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_limits_of_the_table_are_accepted() {
        let all = json!({
            "max_documents": 1, "max_requests": 2, "max_rdf_documents": 3, "max_depth": 4, "max_documents_per_domain": 5,
            "hops": {"max_documents": 6, "max_documents_per_domain": 7, "max_domains": 8, "min_domains": null},
        });

        let limits: CrawlLimits = serde_json::from_value(all).unwrap();

        assert_eq!(limits.settings().count(), rows(CRAWL).count() + rows(HOPS.0).count() - 1);
    }

    #[test]
    fn unknown_and_invalid_limits_are_rejected() {
        for invalid in [
            json!({"max_pages": 1}),
            json!({"stay": "host"}),
            json!({"max_depth": -1}),
            json!({"max_depth": "2"}),
            json!({"hops": 3}),
            json!({"hops": {"strict": true}}),
        ] {
            assert!(serde_json::from_value::<CrawlLimits>(invalid.clone()).is_err(), "{invalid}");
        }
    }
}
