//! Rules: which imports start a crawl, and with which seeds.

use std::collections::{BTreeMap, BTreeSet};

use lodeward_app::seeds::instance::select_roles;
use lodeward_app::settings::Config;
use oxrdf::NamedNode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::Table;
use utoipa::ToSchema;

use super::import::ImportRecord;
use crate::problem::{Problem, ProblemCode};

/// The maximum number of classes, properties and placeholders of a rule.
const MAX_NAMES: usize = 100;

/// The maximum length of the name of an import.
const MAX_PREFIX_CHARS: usize = 40;

/// A rule: which imports start a crawl, and with which seeds. All conditions must match.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(example = json!({
    "types": ["http://data.duraark.eu/vocab/buildm/PhysicalAsset"],
    "roles": ["places"],
    "resolve_literals": true,
    "settings": {"crawl": {"max_documents": 500}},
}))]
pub(crate) struct ImportRule {
    /// Whether the rule is active.
    pub(crate) enabled: bool,
    /// Only imports whose name begins with this prefix.
    #[schema(max_length = 40)]
    pub(crate) import_prefix: String,
    /// Only imports with an instance of one of these classes.
    #[schema(max_items = 100)]
    pub(crate) types: Vec<String>,
    /// Name of the template of the crawl.
    #[schema(max_length = 64)]
    pub(crate) template: Option<String>,
    /// For each placeholder of the template, the properties whose values are inserted into it.
    pub(crate) values: BTreeMap<String, Vec<String>>,
    /// Roles whose values are seeds, such as `places`. If no roles, properties and template
    /// are given, the default roles apply.
    #[schema(max_items = 100)]
    pub(crate) roles: Vec<String>,
    /// Properties whose values are seeds.
    #[schema(max_items = 100)]
    pub(crate) properties: Vec<String>,
    /// Whether literal values are looked up among labels.
    pub(crate) resolve_literals: bool,
    /// Whether the described entities are seeds, too.
    pub(crate) include_subjects: bool,
    /// Settings of the crawl, by section and key. The default strategy is `focus`, unless
    /// there is a template.
    pub(crate) settings: BTreeMap<String, BTreeMap<String, Value>>,
}

impl Default for ImportRule {
    fn default() -> Self {
        Self {
            enabled: true,
            import_prefix: String::new(),
            types: Vec::new(),
            template: None,
            values: BTreeMap::new(),
            roles: Vec::new(),
            properties: Vec::new(),
            resolve_literals: false,
            include_subjects: false,
            settings: BTreeMap::new(),
        }
    }
}

/// A rule, as stored on disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleRecord {
    /// The rule.
    pub(crate) rule: ImportRule,
    /// User that created the rule.
    pub(crate) owner: String,
    /// Whether the rule applies to the imports of all users (a rule of an admin), or only to those
    /// of its owner.
    pub(crate) applies_to_all: bool,
    /// When the rule was created, in milliseconds since the Unix epoch.
    pub(crate) created_at_ms: u64,
}

impl RuleRecord {
    /// Whether the rule applies to an import.
    pub(super) fn matches(&self, import: &ImportRecord, types: &BTreeSet<String>) -> bool {
        let ImportRule { enabled, import_prefix, types: required, .. } = &self.rule;
        *enabled
            && (self.applies_to_all || self.owner == import.owner)
            && import.name.as_str().starts_with(import_prefix)
            && (required.is_empty() || required.iter().any(|class| types.contains(class)))
    }
}

impl ImportRule {
    /// Validates all fields except the settings.
    pub(crate) fn check(&self, config: &Config) -> Result<(), Problem> {
        let invalid = |detail: String| Problem::new(ProblemCode::Unprocessable, detail);
        let inserted = self.values.values().flatten();
        for iri in self.types.iter().chain(&self.properties).chain(inserted) {
            NamedNode::new(iri).map_err(|_| invalid(format!("`{iri}` is not an absolute IRI")))?;
        }
        let counts = [self.types.len(), self.properties.len(), self.roles.len(), self.values.len()];
        let inserted = self.values.values().map(Vec::len).max().unwrap_or(0);
        if counts.into_iter().chain([inserted]).any(|count| count > MAX_NAMES) {
            return Err(invalid(format!(
                "a rule may have at most {MAX_NAMES} types, properties, roles and values each"
            )));
        }
        if self.import_prefix.chars().count() > MAX_PREFIX_CHARS {
            return Err(invalid(format!("`import_prefix` is longer than {MAX_PREFIX_CHARS} characters")));
        }
        if !self.values.is_empty() && self.template.is_none() {
            return Err(invalid("`values` needs a `template`".to_owned()));
        }
        select_roles(&self.roles, &config.seeds.roles).map_err(|problems| invalid(problems.to_string()))?;
        Ok(())
    }

    /// The settings as a TOML table.
    pub(crate) fn settings_table(&self) -> Result<Table, Problem> {
        let invalid =
            |error: toml::ser::Error| Problem::new(ProblemCode::Unprocessable, format!("invalid settings: {error}"));
        let mut settings = Table::try_from(&self.settings).map_err(invalid)?;
        if self.template.is_none() {
            let section = settings.entry("crawl").or_insert_with(|| Table::new().into());
            let crawl = section.as_table_mut().expect("every section is a table");
            crawl.entry("strategy").or_insert_with(|| "focus".into());
        }
        Ok(settings)
    }

    /// Whether the rule extracts seeds from the data, and not only values for a template.
    pub(super) fn extracts_seeds(&self) -> bool {
        self.template.is_none() || !self.roles.is_empty() || !self.properties.is_empty() || self.include_subjects
    }

    /// The properties whose values are inserted into the template.
    pub(super) fn value_properties(&self) -> impl Iterator<Item = &str> {
        self.values.values().flatten().map(String::as_str)
    }
}
