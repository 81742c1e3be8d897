//! Which imports begin a crawl, and at what.

use std::collections::{BTreeMap, BTreeSet};

use lodeward::config::Config;
use lodeward::seed::instance::chosen;
use oxrdf::NamedNode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::Table;
use utoipa::ToSchema;

use super::import::Import;
use crate::problem::{Code, Problem};

/// Classes, properties and placeholders that a rule may name.
const NAMED_MAX: usize = 100;

/// Characters that the name of an import may have.
const PREFIX_LENGTH_MAX: usize = 40;

/// Which imports begin a crawl, and at what. All that is said must be true of an
/// import.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(example = json!({
    "types": ["http://data.duraark.eu/vocab/buildm/PhysicalAsset"],
    "roles": ["places"],
    "resolve_literals": true,
    "settings": {"crawl": {"max_documents": 500}},
}))]
pub(crate) struct Rule {
    /// Whether it is followed.
    pub(crate) enabled: bool,
    /// Only imports whose name begins so.
    #[schema(max_length = 40)]
    pub(crate) import_prefix: String,
    /// Only imports with an instance of one of these classes.
    #[schema(max_items = 100)]
    pub(crate) types: Vec<String>,
    /// The template that the crawl is begun with.
    #[schema(max_length = 64)]
    pub(crate) template: Option<String>,
    /// By placeholder of the template: the properties whose values are put in.
    pub(crate) values: BTreeMap<String, Vec<String>>,
    /// Roles whose values are seeds, as `places`. Where neither these nor properties
    /// nor a template are named, the usual ones.
    #[schema(max_items = 100)]
    pub(crate) roles: Vec<String>,
    /// Properties whose values are seeds.
    #[schema(max_items = 100)]
    pub(crate) properties: Vec<String>,
    /// Whether values that are texts are looked up among labels.
    pub(crate) resolve_literals: bool,
    /// Whether those who are described are seeds, too.
    pub(crate) with_subjects: bool,
    /// Settings of the crawl, by section and key. Without a strategy here or in the
    /// template it is a focused one.
    pub(crate) settings: BTreeMap<String, BTreeMap<String, Value>>,
}

impl Default for Rule {
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
            with_subjects: false,
            settings: BTreeMap::new(),
        }
    }
}

/// A rule as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RuleRecord {
    /// The rule.
    pub(crate) rule: Rule,
    /// Who has made it.
    pub(crate) owner: String,
    /// Whether it is for everybody's imports, as an admin's is, or for its owner's.
    pub(crate) for_everybody: bool,
    /// When, in milliseconds since the Unix epoch.
    pub(crate) made_at_ms: u64,
}

impl RuleRecord {
    /// Whether it is to be followed for an import.
    pub(super) fn is_for(&self, import: &Import, types: &BTreeSet<String>) -> bool {
        let Rule { enabled, import_prefix, types: wanted, .. } = &self.rule;
        *enabled
            && (self.for_everybody || self.owner == import.owner)
            && import.name.as_str().starts_with(import_prefix)
            && (wanted.is_empty() || wanted.iter().any(|class| types.contains(class)))
    }
}

impl Rule {
    /// Says what is wrong with it, but for its settings.
    pub(crate) fn check(&self, config: &Config) -> Result<(), Problem> {
        let wrong = |detail: String| Problem::new(Code::Invalid, detail);
        let placed = self.values.values().flatten();
        for iri in self.types.iter().chain(&self.properties).chain(placed) {
            NamedNode::new(iri).map_err(|_| wrong(format!("`{iri}` is no absolute IRI")))?;
        }
        let counts = [self.types.len(), self.properties.len(), self.roles.len(), self.values.len()];
        let placed = self.values.values().map(Vec::len).max().unwrap_or(0);
        if counts.into_iter().chain([placed]).any(|count| count > NAMED_MAX) {
            return Err(wrong(format!("a rule names at most {NAMED_MAX} of a kind")));
        }
        if self.import_prefix.chars().count() > PREFIX_LENGTH_MAX {
            return Err(wrong(format!("`import_prefix`: no name of an import is longer than {PREFIX_LENGTH_MAX}")));
        }
        if !self.values.is_empty() && self.template.is_none() {
            return Err(wrong("`values` are put into a `template`, and there is none".to_owned()));
        }
        chosen(&self.roles, &config.seeds.roles).map_err(|problems| wrong(problems.to_string()))?;
        Ok(())
    }

    /// Its settings, as a crawl takes them.
    pub(crate) fn table(&self) -> Result<Table, Problem> {
        let unreadable = |error: toml::ser::Error| Problem::new(Code::Invalid, format!("settings: {error}"));
        let mut settings = Table::try_from(&self.settings).map_err(unreadable)?;
        if self.template.is_none() {
            let section = settings.entry("crawl").or_insert_with(|| Table::new().into());
            let crawl = section.as_table_mut().expect("sections are tables");
            crawl.entry("strategy").or_insert_with(|| "focus".into());
        }
        Ok(settings)
    }

    /// Whether seeds are looked for in the data themselves, or only values for a
    /// template.
    pub(super) fn takes_seeds(&self) -> bool {
        self.template.is_none() || !self.roles.is_empty() || !self.properties.is_empty() || self.with_subjects
    }

    /// The properties whose values somebody wants put in.
    pub(super) fn placed(&self) -> impl Iterator<Item = &str> {
        self.values.values().flatten().map(String::as_str)
    }
}
