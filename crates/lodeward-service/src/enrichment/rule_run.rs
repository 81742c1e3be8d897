//! Applies a rule to an import: starts a crawl, at most once for the same data.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use lodeward_app::import::ImportContent;
use serde::Serialize;
use utoipa::ToSchema;
use xxhash_rust::xxh3::xxh3_128;

use super::EnrichmentStore;
use super::import::{ImportRecord, RuleStartedCrawl};
use super::rule::ImportRule;
use crate::jobs::{CrawlOrder, InstanceFile};
use crate::json_store::ItemName;
use crate::problem::{Problem, ProblemCode};
use crate::role::{Caller, Role};

/// The result of applying a rule to an import.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct RuleRun {
    /// Name of the rule.
    pub(crate) rule: ItemName,
    /// Whether the rule started a crawl.
    pub(crate) outcome: RuleOutcome,
    /// ID of the crawl that the rule started for this data, now or earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) crawl: Option<u32>,
    /// Why the rule failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) problem: Option<String>,
    /// Problem code of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) code: Option<ProblemCode>,
}

/// Whether a rule started a crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RuleOutcome {
    /// A crawl was started.
    Started,
    /// No crawl was started, because neither the rule nor the data has changed since its last crawl.
    Unchanged,
    /// The rule failed.
    Failed,
}

/// The imported data to which rules are applied.
pub(super) struct RuleTrigger {
    pub(super) content_type: Option<String>,
    pub(super) body: Bytes,
    pub(super) content: ImportContent,
}

/// Applies a rule to an import. An error is part of the result, and does not affect the
/// import.
pub(super) async fn apply_rule(
    store: &Arc<EnrichmentStore>,
    caller: &Caller,
    import: &mut ImportRecord,
    (name, rule): (&ItemName, &ImportRule),
    trigger: &RuleTrigger,
) -> RuleRun {
    let fingerprint = fingerprint(import, rule);
    if let Some(started) = import.crawls.get(name.as_str()).filter(|started| started.fingerprint == fingerprint) {
        let crawl = Some(started.crawl);
        return RuleRun { rule: name.clone(), outcome: RuleOutcome::Unchanged, crawl, problem: None, code: None };
    }
    match start_crawl(store, caller, import, (name, rule), trigger, &fingerprint).await {
        Ok((outcome, crawl)) => RuleRun { rule: name.clone(), outcome, crawl: Some(crawl), problem: None, code: None },
        Err(problem) => {
            let (code, detail) = (Some(problem.code()), Some(problem.detail().to_owned()));
            RuleRun { rule: name.clone(), outcome: RuleOutcome::Failed, crawl: None, problem: detail, code }
        }
    }
}

async fn start_crawl(
    store: &Arc<EnrichmentStore>,
    caller: &Caller,
    import: &mut ImportRecord,
    (name, rule): (&ItemName, &ImportRule),
    trigger: &RuleTrigger,
    fingerprint: &str,
) -> Result<(RuleOutcome, u32), Problem> {
    let crawl_name = format!("{} by {} {}", import.name.as_str(), name.as_str(), &fingerprint[..12]);
    let is_same = |view: &crate::jobs::JobView| view.name == crawl_name && view.user.as_ref() == Some(&import.owner);
    // If the process was killed before the import recorded its crawl, the crawl is found by its name.
    let (outcome, crawl) = match store.jobs.list().into_iter().find(is_same) {
        Some(view) => (RuleOutcome::Unchanged, view.id),
        None => {
            let order = crawl_order(caller, import, rule, trigger, crawl_name)?;
            (RuleOutcome::Started, store.jobs.create(order).await?.0.id)
        }
    };
    import.crawls.insert(name.as_str().to_owned(), RuleStartedCrawl { crawl, fingerprint: fingerprint.to_owned() });
    let (record, store) = (import.clone(), Arc::clone(store));
    let storing = tokio::task::spawn_blocking(move || store.imports.put(&record.name, &record));
    storing.await.expect("storing an import does not panic")?;
    Ok((outcome, crawl))
}

/// The order for the crawl that a rule starts.
fn crawl_order(
    caller: &Caller,
    import: &ImportRecord,
    rule: &ImportRule,
    trigger: &RuleTrigger,
    name: String,
) -> Result<CrawlOrder, Problem> {
    let instance = || InstanceFile {
        name: import.name.as_str().to_owned(),
        media_type: trigger.content_type.clone(),
        content: trigger.body.to_vec(),
    };
    let values_of = |properties: &Vec<String>| -> Vec<String> {
        let values = properties.iter().filter_map(|property| trigger.content.values.get(property)).flatten();
        values.cloned().collect::<BTreeSet<String>>().into_iter().collect()
    };
    let values = rule.values.iter().map(|(placeholder, properties)| (placeholder.clone(), values_of(properties)));
    Ok(CrawlOrder {
        name: Some(name),
        user: import.owner.clone(),
        has_quota: caller.role != Role::Admin,
        template: rule.template.clone(),
        values: values.filter(|(_, values)| !values.is_empty()).collect(),
        instances: rule.extracts_seeds().then(instance).into_iter().collect(),
        roles: rule.roles.clone(),
        properties: rule.properties.clone(),
        resolve_literals: rule.resolve_literals,
        include_subjects: rule.include_subjects,
        settings: rule.settings_table()?,
        ..CrawlOrder::default()
    })
}

/// A digest of the statements and of the rule.
fn fingerprint(import: &ImportRecord, rule: &ImportRule) -> String {
    let rule = serde_json::to_string(rule).expect("a rule can be serialized");
    format!("{:032x}", xxh3_128(format!("{} {rule}", import.digest).as_bytes()))
}
