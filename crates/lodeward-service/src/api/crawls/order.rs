//! The body of a request for a crawl.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toml::Table;
use utoipa::ToSchema;

use super::limits::CrawlLimits;
use crate::api::settings::RequestedSettings;
use crate::blocking::run_blocking;
use crate::jobs::{CrawlOrder, InstanceFile, JobError, overlaid};
use crate::json_store::ItemName;
use crate::problem::{Problem, ProblemCode, truncate_echo};
use crate::role::{Caller, Role};
use crate::state::Service;

/// The maximum number of imports in a request.
const MAX_IMPORTS: usize = 100;

/// A request for a crawl. It needs at least one seed: from `seeds`, `labels`, a `template` or
/// `instances`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(example = json!({"name": "cologne", "seeds": ["http://dbpedia.org/resource/Cologne"], "limits": {"max_documents": 100}}))]
pub(crate) struct NewCrawl {
    /// Name: unique, at most 100 bytes, no control characters. Default `crawl N`.
    #[schema(min_length = 1, max_length = 100)]
    name: Option<String>,
    /// URIs of seeds.
    seeds: Vec<String>,
    /// Names of entities, which are looked up among the labels of the archive.
    pub(super) labels: Vec<String>,
    /// Name of a template.
    template: Option<String>,
    /// Values of the placeholders of the template.
    values: BTreeMap<String, Vec<String>>,
    /// Files with instance data (RDF) from which seeds are extracted.
    instances: Vec<InstanceDataBody>,
    /// Names of imports (`PUT /api/v1/imports/{name}`) from which seeds are extracted, like from `instances`.
    #[schema(max_items = 100)]
    imports: Vec<String>,
    /// ID of a crawl whose seeds, settings and recording are used, unless this request has others.
    #[schema(minimum = 1)]
    like: Option<u32>,
    /// Roles of the properties whose values become seeds. Default: the usual roles.
    pub(super) roles: Vec<String>,
    /// Further properties whose values become seeds. If no roles are given, only these properties
    /// are used.
    properties: Vec<String>,
    /// Whether literal values are looked up among labels.
    resolve_literals: bool,
    /// Whether the described entities are seeds, too.
    include_subjects: bool,
    /// Strategy: `learned` (default), `focus`, `bfs` or another one.
    strategy: Option<String>,
    /// Limits of the crawl.
    limits: CrawlLimits,
    /// Other settings, by section and key, as in `lodeward.toml`: `{"crawl": {"stay":
    /// "domain"}}`. Only settings about what is crawled are allowed.
    settings: RequestedSettings,
    /// Whether responses are recorded as WARC.
    record_warc: bool,
}

/// A file with instance data.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = InstanceData)]
struct InstanceDataBody {
    /// File name; its extension may identify the format.
    name: String,
    /// Media type, such as `text/turtle`.
    #[serde(default)]
    media_type: Option<String>,
    /// Content of the file.
    content: String,
}

impl NewCrawl {
    /// Converts the request into an order.
    pub(super) fn into_order(self, caller: &Caller) -> Result<CrawlOrder, Problem> {
        self.check_combinations()?;
        let settings = self.merged_settings()?;
        let instance = |InstanceDataBody { name, media_type, content }| InstanceFile {
            name,
            media_type,
            content: content.into_bytes(),
        };
        Ok(CrawlOrder {
            name: self.name,
            user: caller.name.clone(),
            has_quota: caller.role != Role::Admin,
            seeds: self.seeds,
            labels: self.labels,
            template: self.template,
            values: self.values.into_iter().collect(),
            instances: self.instances.into_iter().map(instance).collect(),
            roles: self.roles,
            resolve_literals: self.resolve_literals,
            include_subjects: self.include_subjects,
            settings,
            record_warc: self.record_warc,
            properties: self.properties,
            ..CrawlOrder::default()
        })
    }

    /// Whether the request names any seeds itself.
    fn has_seeds(&self) -> bool {
        let lists = [&self.seeds, &self.labels, &self.imports];
        lists.iter().any(|list| !list.is_empty()) || self.template.is_some() || !self.instances.is_empty()
    }

    /// Rejects fields that would have no effect.
    fn check_combinations(&self) -> Result<(), Problem> {
        let selects_values = !self.roles.is_empty() || !self.properties.is_empty();
        let problem = if !self.values.is_empty() && self.template.is_none() {
            "`values` needs a `template`"
        } else if selects_values && self.instances.is_empty() && self.imports.is_empty() {
            "`roles` and `properties` need `instances` or `imports`"
        } else {
            return Ok(());
        };
        Err(Problem::new(ProblemCode::Unprocessable, problem))
    }

    /// The settings of the request, including its limits and strategy.
    fn merged_settings(&self) -> Result<Table, Problem> {
        let invalid =
            |error: toml::ser::Error| Problem::new(ProblemCode::Unprocessable, format!("invalid settings: {error}"));
        let mut settings = Table::try_from(&self.settings).map_err(invalid)?;
        for (section, key, limit) in self.limits.settings() {
            insert_once(&mut settings, section, key, toml::Value::try_from(limit).map_err(invalid)?)?;
        }
        if let Some(strategy) = &self.strategy {
            insert_once(&mut settings, "crawl", "strategy", strategy.as_str().into())?;
        }
        Ok(settings)
    }

    /// The settings that fields other than `settings` set: their keys, and the places of the fields.
    pub(super) fn setting_places(&self) -> Vec<(String, String)> {
        let place = |(section, key, _): (&str, &str, u64)| {
            let at = if section == "crawl" { format!("/limits/{key}") } else { format!("/limits/hops/{key}") };
            (format!("{section}.{key}"), at)
        };
        let strategy = self.strategy.iter().map(|_| ("crawl.strategy".to_owned(), "/strategy".to_owned()));
        self.limits.settings().map(place).chain(strategy).collect()
    }
}

/// Converts a request into an order: reads the imports and the crawl that it names.
pub(super) async fn complete_order(
    service: &Arc<Service>,
    caller: &Caller,
    mut request: NewCrawl,
) -> Result<CrawlOrder, Problem> {
    let (imports, like) = (std::mem::take(&mut request.imports), request.like.take());
    let has_seeds = request.has_seeds() || !imports.is_empty();
    let selects_values = !request.roles.is_empty() || !request.properties.is_empty();
    let service = Arc::clone(service);
    let caller = caller.clone();
    run_blocking(move || {
        let files = read_imports(&service, &imports)?;
        // The imports are instance data, so roles and properties have an effect.
        let mut order = if selects_values && !files.is_empty() {
            let (roles, properties) = (std::mem::take(&mut request.roles), std::mem::take(&mut request.properties));
            CrawlOrder { roles, properties, ..request.into_order(&caller)? }
        } else {
            request.into_order(&caller)?
        };
        order.instances.extend(files);
        if let Some(id) = like {
            let unknown = |error: JobError| match error {
                JobError::Unknown(_) => Problem::new(ProblemCode::Unprocessable, error.to_string()).at("/like"),
                error => error.into(),
            };
            let (seeds, settings, record_warc) = service.jobs.order_like(id).map_err(unknown)?;
            if !has_seeds {
                order.seeds = seeds;
            }
            order.settings = overlaid(settings, &order.settings);
            order.record_warc |= record_warc;
        }
        Ok(order)
    })
    .await
}

/// The statements of imports, as N-Triples. Blocks.
fn read_imports(service: &Service, names: &[String]) -> Result<Vec<InstanceFile>, Problem> {
    if names.len() > MAX_IMPORTS {
        let detail = format!("too many imports: {}, at most {MAX_IMPORTS} are allowed", names.len());
        return Err(Problem::new(ProblemCode::Unprocessable, detail).at("/imports"));
    }
    let mut files = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let unknown = || {
            let problem = Problem::new(ProblemCode::Unprocessable, format!("no import `{}`", truncate_echo(name)));
            problem.hint("GET /api/v1/imports lists the imports").at(format!("/imports/{index}"))
        };
        let item = ItemName::try_from(name.clone()).map_err(|_| unknown())?;
        let import = service.enrichment.imports.get(&item)?.ok_or_else(unknown)?;
        let content = service.enrichment.statements(&import)?;
        files.push(InstanceFile { name: name.clone(), media_type: Some("application/n-triples".to_owned()), content });
    }
    Ok(files)
}

/// Adds a setting. Fails if `settings` in the request contains the same key.
fn insert_once(settings: &mut Table, section: &str, key: &str, value: toml::Value) -> Result<(), Problem> {
    let mut table = settings;
    for name in section.split('.') {
        let entry = table.entry(name).or_insert_with(|| Table::new().into());
        let not_a_table = || {
            Problem::new(
                ProblemCode::Unprocessable,
                format!("invalid settings: `{section}` must be a section (an object), not a value"),
            )
        };
        table = entry.as_table_mut().ok_or_else(not_a_table)?;
    }
    if table.insert(key.to_owned(), value).is_some() {
        return Err(Problem::new(ProblemCode::Unprocessable, format!("{section}.{key} is set twice")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn limits_and_strategy_become_settings() {
        let check = |request: Value, expected: &str| {
            let request: NewCrawl = serde_json::from_value(request).unwrap();
            assert_eq!(request.merged_settings().unwrap().to_string(), expected);
        };

        check(json!({}), "");
        check(
            json!({"limits": {"max_depth": 2}, "strategy": "bfs", "settings": {"crawl": {"stay": "domain"}}}),
            "[crawl]\nmax_depth = 2\nstay = \"domain\"\nstrategy = \"bfs\"\n",
        );
        check(
            json!({"limits": {"max_rdf_documents": 9, "hops": {"max_domains": 3}}}),
            "[crawl]\nmax_rdf_documents = 9\n\n[crawl.hops]\nmax_domains = 3\n",
        );
    }

    #[test]
    fn fields_without_effect_are_rejected() {
        let check = |request: Value| serde_json::from_value::<NewCrawl>(request).unwrap().check_combinations().is_ok();

        assert!(check(json!({"seeds": ["http://e.example/"]})));
        assert!(check(json!({"template": "style", "values": {"style": ["Art Deco"]}})));
        assert!(!check(json!({"values": {"style": ["Art Deco"]}})));
        assert!(!check(json!({"roles": ["places"]})));
    }

    #[test]
    fn invalid_settings_are_rejected() {
        let check = |settings: Value| {
            let request = json!({"limits": {"max_depth": 2, "hops": {"max_domains": 3}}, "settings": settings});
            let request: NewCrawl = serde_json::from_value(request).unwrap();
            assert_eq!(request.merged_settings().unwrap_err().code(), ProblemCode::Unprocessable);
        };

        check(json!({"crawl": {"max_depth": 3}}));
        check(json!({"crawl": {"hops": {"max_domains": 4}}}));
        check(json!({"crawl": {"hops": 4}}));
        check(json!({"crawl": {"stay": null}}));
        check(json!({"crawl": {"max_requests": u64::MAX}}));
    }
}
