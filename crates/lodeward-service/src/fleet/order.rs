//! What somebody asks for, and what is kept of it.

use lodeward::seed::template::Values;
use serde::{Deserialize, Serialize};

use super::state::Wish;

/// A crawl that somebody asks for.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub(crate) struct Order {
    /// What to call it; `crawl N` if nothing is said.
    pub(crate) name: Option<String>,
    /// Who asks.
    pub(crate) user: String,
    /// For whom they ask, if that is somebody whom only they know.
    pub(crate) on_behalf_of: Option<String>,
    /// Whether they are bound by quotas.
    pub(crate) has_quota: bool,
    /// URIs to begin at.
    pub(crate) seeds: Vec<String>,
    /// Names of entities to begin at.
    pub(crate) texts: Vec<String>,
    /// The name of a template; never a path.
    pub(crate) template: Option<String>,
    /// What is put in for its placeholders.
    pub(crate) values: Values,
    /// Instance data to take seeds from.
    pub(crate) instances: Vec<Instance>,
    /// Which roles of instance data are taken; empty for all.
    pub(crate) roles: Vec<String>,
    /// Properties of instance data whose values are taken, too; if no roles are named,
    /// only these.
    pub(crate) properties: Vec<String>,
    /// Whether texts in instance data are looked up.
    pub(crate) resolve_literals: bool,
    /// Whether those whom instance data describe are seeds, too.
    pub(crate) with_subjects: bool,
    /// Settings of this crawl, section by section.
    pub(crate) settings: toml::Table,
    /// Whether it records what it is answered (WARC).
    pub(crate) warc: bool,
}

/// Instance data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instance {
    /// What it is called; its extension may tell the syntax.
    pub(crate) name: String,
    /// What it is.
    pub(crate) media_type: Option<String>,
    /// Its text.
    pub(crate) content: Vec<u8>,
}

/// What is kept of an order: `order.json` in the folder of its crawl.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Kept {
    pub(super) user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) on_behalf_of: Option<String>,
    pub(super) wish: Wish,
    /// Whether whoever asked for it is bound by quotas.
    pub(super) has_quota: bool,
    pub(super) template: Option<String>,
    pub(super) settings: toml::Table,
    pub(super) warc: bool,
    /// Why it could not go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
    /// Why the service has stopped it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stopped_because: Option<String>,
}

/// The name of its file.
pub(super) const FILE: &str = "order.json";
