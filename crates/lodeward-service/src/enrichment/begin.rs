//! From an import and a rule to a crawl.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use utoipa::ToSchema;
use xxhash_rust::xxh3::xxh3_128;

use super::drawer::Name;
use super::import::{Begun, Import};
use super::read::Read;
use super::rule::Rule;
use crate::fleet::{Instance, Order};
use crate::problem::{Code, Problem};
use crate::role::{Caller, Role};
use crate::service::Service;

/// What a rule did about an import.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Enrichment)]
pub(crate) struct Did {
    /// Which rule.
    pub(crate) rule: Name,
    /// What it did.
    pub(crate) outcome: Outcome,
    /// The crawl that it has begun, now or before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) crawl: Option<u32>,
    /// Why it could not be followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) problem: Option<String>,
    /// The kind of that problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) code: Option<Code>,
}

/// What a rule did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    /// A crawl has begun.
    Begun,
    /// Nothing: neither the rule nor the data have changed since it has begun one.
    Unchanged,
    /// It could not be followed.
    Failed,
}

/// What was imported, and what is in it.
pub(super) struct Trigger {
    pub(super) content_type: Option<String>,
    pub(super) body: Bytes,
    pub(super) read: Read,
}

/// Follows a rule for an import. What goes wrong is told, and changes nothing about
/// the import.
pub(super) async fn follow(
    service: &Arc<Service>,
    caller: &Caller,
    import: &mut Import,
    (name, rule): (&Name, &Rule),
    trigger: &Trigger,
) -> Did {
    let fingerprint = fingerprint(import, rule);
    if let Some(begun) = import.begun.get(name.as_str()).filter(|begun| begun.fingerprint == fingerprint) {
        let crawl = Some(begun.crawl);
        return Did { rule: name.clone(), outcome: Outcome::Unchanged, crawl, problem: None, code: None };
    }
    match begin(service, caller, import, (name, rule), trigger, &fingerprint).await {
        Ok((outcome, crawl)) => Did { rule: name.clone(), outcome, crawl: Some(crawl), problem: None, code: None },
        Err(problem) => {
            let (code, detail) = (Some(problem.code()), Some(problem.detail().to_owned()));
            Did { rule: name.clone(), outcome: Outcome::Failed, crawl: None, problem: detail, code }
        }
    }
}

async fn begin(
    service: &Arc<Service>,
    caller: &Caller,
    import: &mut Import,
    (name, rule): (&Name, &Rule),
    trigger: &Trigger,
    fingerprint: &str,
) -> Result<(Outcome, u32), Problem> {
    let crawl_name = format!("{} by {} {}", import.name.as_str(), name.as_str(), &fingerprint[..12]);
    let is_it = |view: &crate::fleet::View| view.name == crawl_name && view.user.as_ref() == Some(&import.owner);
    // Somebody may have killed us before it could be noted.
    let (outcome, crawl) = match service.fleet.list().into_iter().find(is_it) {
        Some(view) => (Outcome::Unchanged, view.id),
        None => {
            let order = order(caller, import, rule, trigger, crawl_name)?;
            (Outcome::Begun, service.fleet.create(order).await?.0.id)
        }
    };
    import.begun.insert(name.as_str().to_owned(), Begun { crawl, fingerprint: fingerprint.to_owned() });
    let (kept, service) = (import.clone(), Arc::clone(service));
    let keeping = tokio::task::spawn_blocking(move || service.enrichment.imports.put(&kept.name, &kept));
    keeping.await.expect("keeping does not panic")?;
    Ok((outcome, crawl))
}

/// The crawl that a rule wants.
fn order(caller: &Caller, import: &Import, rule: &Rule, trigger: &Trigger, name: String) -> Result<Order, Problem> {
    let instance = || Instance {
        name: import.name.as_str().to_owned(),
        media_type: trigger.content_type.clone(),
        content: trigger.body.to_vec(),
    };
    let values_of = |properties: &Vec<String>| -> Vec<String> {
        let values = properties.iter().filter_map(|property| trigger.read.values.get(property)).flatten();
        values.cloned().collect::<BTreeSet<String>>().into_iter().collect()
    };
    let values = rule.values.iter().map(|(placeholder, properties)| (placeholder.clone(), values_of(properties)));
    Ok(Order {
        name: Some(name),
        user: import.owner.clone(),
        has_quota: caller.role != Role::Admin,
        template: rule.template.clone(),
        values: values.filter(|(_, values)| !values.is_empty()).collect(),
        instances: rule.takes_seeds().then(instance).into_iter().collect(),
        roles: rule.roles.clone(),
        properties: rule.properties.clone(),
        resolve_literals: rule.resolve_literals,
        with_subjects: rule.with_subjects,
        settings: rule.table()?,
        ..Order::default()
    })
}

/// The same for the same statements and the same rule.
fn fingerprint(import: &Import, rule: &Rule) -> String {
    let rule = serde_json::to_string(rule).expect("a rule is plain data");
    format!("{:032x}", xxh3_128(format!("{} {rule}", import.digest).as_bytes()))
}
