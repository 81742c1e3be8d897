//! Crawl orders: what a user requests, and what is stored of it.

use lodeward::frontier::RefreshSelection;
use lodeward_app::seeds::template::PlaceholderValues;
use serde::{Deserialize, Serialize};

use super::state::DesiredState;

/// A request for a crawl.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each flag is an independent option")]
pub(crate) struct CrawlOrder {
    /// Name of the crawl; default `crawl N`.
    pub(crate) name: Option<String>,
    /// The user that requests the crawl, and owns it.
    pub(crate) user: String,
    /// The user of the client for whom the crawl is requested (DURAARK API).
    pub(crate) on_behalf_of: Option<String>,
    /// Whether quotas apply.
    pub(crate) has_quota: bool,
    /// URIs of seeds.
    pub(crate) seeds: Vec<String>,
    /// Labels of entities that are seeds.
    pub(crate) labels: Vec<String>,
    /// Name of a template, never a path.
    pub(crate) template: Option<String>,
    /// Values of the placeholders of the template.
    pub(crate) values: PlaceholderValues,
    /// Instance data from which seeds are extracted.
    pub(crate) instances: Vec<InstanceFile>,
    /// Roles of the properties whose values are seeds; empty for the default roles.
    pub(crate) roles: Vec<String>,
    /// Further properties whose values are seeds; if no roles are given, only these are used.
    pub(crate) properties: Vec<String>,
    /// Whether literals of the instance data are looked up among labels.
    pub(crate) resolve_literals: bool,
    /// Whether the described entities are seeds, too.
    pub(crate) include_subjects: bool,
    /// Settings of the crawl, by section.
    pub(crate) settings: toml::Table,
    /// Whether responses are recorded as WARC.
    pub(crate) record_warc: bool,
}

/// A file with instance data.
#[derive(Clone, Debug, Default)]
pub(crate) struct InstanceFile {
    /// File name; its extension may identify the format.
    pub(crate) name: String,
    /// Media type, if known.
    pub(crate) media_type: Option<String>,
    /// Content of the file.
    pub(crate) content: Vec<u8>,
}

/// The stored part of an order: `order.json` in the directory of the crawl, beside the settings of
/// the crawl. Unknown fields are rejected: the file of another version must not be read partially.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct OrderRecord {
    pub(super) user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) on_behalf_of: Option<String>,
    pub(super) desired_state: DesiredState,
    /// Whether quotas apply.
    pub(super) has_quota: bool,
    pub(super) template: Option<String>,
    pub(super) record_warc: bool,
    /// Users besides the owner that may mark candidates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) reviewers: Vec<String>,
    /// Which documents the next run, or the one that runs, revalidates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refresh: Option<RefreshSelection>,
    /// When the scope or the limits were last changed, in milliseconds since the Unix epoch; `None` if a run has
    /// applied the change from its beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scope_changed_at_ms: Option<u64>,
    /// Why the crawl failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    /// Why the service stopped the crawl, or why a finished crawl fetched no document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stop_detail: Option<String>,
}

/// The name of the file with the order.
pub(super) const ORDER_FILE: &str = "order.json";
