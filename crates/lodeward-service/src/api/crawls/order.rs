//! What somebody asks for who begins a crawl.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::Table;
use utoipa::ToSchema;

use crate::fleet::{Instance, Order};
use crate::problem::{Code, Problem};
use crate::role::{Caller, Role};

/// A crawl that somebody wants. It needs at least one seed: from `seeds`, `texts`, a
/// `template` or `instances`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(example = json!({"name": "cologne", "seeds": ["http://dbpedia.org/resource/Cologne"], "limits": {"max_documents": 100}}))]
pub(crate) struct NewCrawl {
    /// What to call it: at most 100 bytes, no control characters, and nobody else is
    /// called so. `crawl N` if nothing is said.
    #[schema(min_length = 1, max_length = 100)]
    name: Option<String>,
    /// URIs to begin at.
    seeds: Vec<String>,
    /// Names of entities to begin at, which are looked up among labels.
    texts: Vec<String>,
    /// The name of a template.
    template: Option<String>,
    /// What is put in for its placeholders.
    values: BTreeMap<String, Vec<String>>,
    /// Instance data: RDF that names seeds as the values of properties.
    instances: Vec<InstanceData>,
    /// Which roles of instance data are taken; the usual ones if nothing is said.
    roles: Vec<String>,
    /// Properties of instance data whose values are taken, too: IRIs. If no roles are
    /// named, only these.
    properties: Vec<String>,
    /// Whether texts in instance data are looked up among labels.
    resolve_literals: bool,
    /// Whether those whom instance data describe are seeds, too.
    with_subjects: bool,
    /// Where requests are spent: `learned`, `focus`, `bfs` or another one.
    strategy: Option<String>,
    /// Where it ends.
    limits: Limits,
    /// Other settings, by section and key, as in `lodeward.toml`: `{"crawl": {"stay":
    /// true}}`. Only what concerns what is crawled can be set.
    settings: BTreeMap<String, BTreeMap<String, Value>>,
    /// Whether it records what it is answered (WARC).
    warc: bool,
}

/// Instance data.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct InstanceData {
    /// What it is called; its extension may tell the syntax.
    name: String,
    /// What it is: `text/turtle`.
    #[serde(default)]
    media_type: Option<String>,
    /// Its text.
    content: String,
}

/// Where a crawl ends. The service has bounds of its own, which hold as well.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
struct Limits {
    /// After so many documents.
    max_documents: Option<u32>,
    /// After so many requests.
    max_requests: Option<u32>,
    /// After so many documents with RDF.
    max_relevant: Option<u32>,
    /// So many hops from the seeds.
    max_depth: Option<u16>,
    /// So many documents of each pay-level domain.
    max_per_pld: Option<u32>,
    /// So many documents of each hop.
    max_per_hop: Option<u32>,
    /// So many documents of each pay-level domain and hop.
    max_per_pld_hop: Option<u32>,
    /// So many pay-level domains in each hop.
    max_plds: Option<u32>,
    /// When fewer pay-level domains are left in a hop.
    min_plds: Option<u32>,
}

impl NewCrawl {
    /// The same, as the fleet takes it.
    pub(super) fn into_order(self, caller: &Caller) -> Result<Order, Problem> {
        self.check_together()?;
        let settings = self.all_settings()?;
        let instance =
            |InstanceData { name, media_type, content }| Instance { name, media_type, content: content.into_bytes() };
        Ok(Order {
            name: self.name,
            user: caller.name.clone(),
            has_quota: caller.role != Role::Admin,
            seeds: self.seeds,
            texts: self.texts,
            template: self.template,
            values: self.values.into_iter().collect(),
            instances: self.instances.into_iter().map(instance).collect(),
            roles: self.roles,
            resolve_literals: self.resolve_literals,
            with_subjects: self.with_subjects,
            settings,
            warc: self.warc,
            properties: self.properties,
            ..Order::default()
        })
    }

    /// Refuses what says something about nothing: it would be passed over.
    fn check_together(&self) -> Result<(), Problem> {
        let is_of_instances = !self.roles.is_empty() || !self.properties.is_empty();
        let lonely = if !self.values.is_empty() && self.template.is_none() {
            "`values` are those of a `template`, and there is none"
        } else if is_of_instances && self.instances.is_empty() {
            "`roles` and `properties` are those of `instances`, and there are none"
        } else {
            return Ok(());
        };
        Err(Problem::new(Code::Invalid, lonely))
    }

    /// Settings as they are written, with what has a place of its own among them.
    fn all_settings(&self) -> Result<Table, Problem> {
        let unreadable = |error: toml::ser::Error| Problem::new(Code::Invalid, format!("settings: {error}"));
        let mut settings = Table::try_from(&self.settings).map_err(unreadable)?;
        let Limits { max_documents, max_requests, max_relevant, max_depth, max_per_pld, .. } = self.limits;
        let Limits { max_per_hop, max_per_pld_hop, max_plds, min_plds, .. } = self.limits;
        let limits = [
            ("max_documents", max_documents),
            ("max_requests", max_requests),
            ("max_relevant", max_relevant),
            ("max_depth", max_depth.map(u32::from)),
            ("max_per_pld", max_per_pld),
            ("max_per_hop", max_per_hop),
            ("max_per_pld_hop", max_per_pld_hop),
            ("max_plds", max_plds),
            ("min_plds", min_plds),
        ];
        let limits = limits.into_iter().filter_map(|(key, limit)| Some((key, toml::Value::from(limit?))));
        let strategy = self.strategy.as_deref().map(|strategy| ("strategy", toml::Value::from(strategy)));
        for (key, value) in limits.chain(strategy) {
            let section = settings.entry("crawl").or_insert_with(|| Table::new().into());
            let crawl = section.as_table_mut().expect("sections are tables");
            if crawl.insert(key.to_owned(), value).is_some() {
                return Err(Problem::new(Code::Invalid, format!("crawl.{key} is said twice")));
            }
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn limits_and_strategy_are_settings() {
        let check = |asked: Value, expected: &str| {
            let wanted: NewCrawl = serde_json::from_value(asked).unwrap();
            assert_eq!(wanted.all_settings().unwrap().to_string(), expected);
        };

        check(json!({}), "");
        check(
            json!({"limits": {"max_depth": 2}, "strategy": "bfs", "settings": {"crawl": {"stay": true}}}),
            "[crawl]\nmax_depth = 2\nstay = true\nstrategy = \"bfs\"\n",
        );
    }

    #[test]
    fn what_says_something_about_nothing_is_refused() {
        let check = |asked: Value| serde_json::from_value::<NewCrawl>(asked).unwrap().check_together().is_ok();

        assert!(check(json!({"seeds": ["http://e.example/"]})));
        assert!(check(json!({"template": "style", "values": {"style": ["Art Deco"]}})));
        assert!(!check(json!({"values": {"style": ["Art Deco"]}})));
        assert!(!check(json!({"roles": ["places"]})));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let check = |settings: Value| {
            let wanted = json!({"limits": {"max_depth": 2}, "settings": settings});
            let wanted: NewCrawl = serde_json::from_value(wanted).unwrap();
            assert_eq!(wanted.all_settings().unwrap_err().code(), Code::Invalid);
        };

        check(json!({"crawl": {"max_depth": 3}}));
        check(json!({"crawl": {"stay": null}}));
        check(json!({"crawl": {"max_requests": u64::MAX}}));
    }
}
