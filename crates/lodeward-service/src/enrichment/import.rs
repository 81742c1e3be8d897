//! Instance data in the archive.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use http::header::RETRY_AFTER;
use lodeward::config::Config;
use lodeward::model::Uri;
use oxrdf::NamedNode;
use serde::{Deserialize, Serialize};

use super::begin::{Did, Trigger, follow};
use super::drawer::Name;
use super::read::{Read, Sent, into_graph, remove_graphs};
use super::{Enrichment, RuleRecord};
use crate::problem::{Code, Problem};
use crate::role::Caller;
use crate::service::Service;

/// An import, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Import {
    /// What it is called by.
    pub(crate) name: Name,
    /// The named graph that its statements are in.
    pub(crate) graph: String,
    /// To whom it belongs.
    pub(crate) owner: String,
    /// When it was sent last, in milliseconds since the Unix epoch.
    pub(crate) imported_at_ms: u64,
    /// How many statements it has.
    pub(crate) statements: u64,
    /// The same for the same statements.
    pub(crate) digest: String,
    /// By rule: the last crawl that it has begun.
    #[serde(default)]
    pub(crate) begun: BTreeMap<String, Begun>,
}

/// A crawl that a rule has begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Begun {
    /// Its number.
    pub(crate) crawl: u32,
    /// The same for the same rule and the same statements.
    pub(crate) fingerprint: String,
}

/// Something that somebody wants imported.
pub(crate) struct Put {
    /// What to call it by.
    pub(crate) name: Name,
    /// What it is said to be.
    pub(crate) content_type: Option<String>,
    /// What it is.
    pub(crate) body: Bytes,
}

/// What became of it.
pub(crate) struct Imported {
    /// The import.
    pub(crate) import: Import,
    /// Whether there was none of this name before.
    pub(crate) is_new: bool,
    /// What each rule did that is for it.
    pub(crate) did: Vec<Did>,
}

impl Enrichment {
    /// Imports something, and follows the rules that are for it: also when whoever
    /// asked has gone.
    pub(crate) async fn import(service: Arc<Service>, caller: Caller, put: Put) -> Result<Imported, Problem> {
        let waiting = Arc::clone(&service.enrichment.waiting);
        let place = waiting.try_acquire_owned().map_err(|_| {
            Problem::new(Code::Unavailable, "too many imports wait for their turn")
                .hint("send it again when some are done")
                .with(RETRY_AFTER, HeaderValue::from_static("30"))
        })?;
        let importing = tokio::spawn(async move {
            let imported = service.enrichment.import_in_turn(&service, &caller, put).await;
            drop(place);
            imported
        });
        importing.await.unwrap_or_else(|error| Err(Problem::internal(&error)))
    }

    async fn import_in_turn(&self, service: &Arc<Service>, caller: &Caller, put: Put) -> Result<Imported, Problem> {
        let _turn = self.turn.lock().await;
        let Put { name, content_type, body } = put;
        let (served, asking, sent) = (Arc::clone(service), caller.clone(), body.clone());
        let declared = content_type.clone();
        let work = tokio::task::spawn_blocking(move || served.enrichment.put(&served, &asking, name, declared, &sent));
        let Stored { mut import, is_new, read, rules } = work.await.expect("importing does not panic")?;
        let trigger = Trigger { content_type, body, read };
        let mut did = Vec::new();
        for (rule, record) in rules {
            let done = follow(service, caller, &mut import, (&rule, &record.rule), &trigger).await;
            did.push(done);
        }
        Ok(Imported { import, is_new, did })
    }

    /// Puts it into the archive, and finds the rules that are for it.
    fn put(
        &self,
        service: &Service,
        caller: &Caller,
        name: Name,
        content_type: Option<String>,
        body: &Bytes,
    ) -> Result<Stored, Problem> {
        let before = self.imports.get(&name)?;
        if let Some(before) = &before {
            caller.must_own(&format!("import `{}`", name.as_str()), Some(&before.owner))?;
        }
        self.imports.check_room(&name)?;
        let config = &service.settings.now().config;
        let mut rules = self.rules.readable(self.rules.names()?);
        let properties: BTreeSet<&str> = rules.iter().flat_map(|(_, record)| record.rule.placed()).collect();
        let graph = graph(config, &name);
        let sent = Sent { base: base(config, &name), content_type, body };
        let read = into_graph(&service.archive, &graph, sent, &properties)?;
        if let Some(former) = before.as_ref().filter(|before| before.graph != graph.as_str()) {
            // It had another name once. It goes before the record tells the new one:
            // cut short, whoever sends it again, or deletes it, sees to what is left.
            remove_graphs(&service.archive, &[NamedNode::new_unchecked(&former.graph)])?;
        }
        let is_new = before.is_none();
        let (owner, begun) = before.map_or_else(|| (caller.name.clone(), BTreeMap::new()), |b| (b.owner, b.begun));
        let import = Import {
            name,
            graph: graph.into_string(),
            owner,
            imported_at_ms: (service.now)(),
            statements: read.statements,
            digest: format!("{:032x}", read.digest),
            begun,
        };
        self.imports.put(&import.name, &import)?;
        rules.retain(|(_, record)| record.is_for(&import, &read.types));
        Ok(Stored { import, is_new, read, rules })
    }

    /// Removes an import, and its graph.
    pub(crate) async fn delete(&self, service: &Arc<Service>, caller: &Caller, name: Name) -> Result<(), Problem> {
        let _turn = self.turn.lock().await;
        let (service, caller) = (Arc::clone(service), caller.clone());
        let work = tokio::task::spawn_blocking(move || {
            let imports = &service.enrichment.imports;
            let import = imports.get(&name)?.ok_or_else(|| unknown(&name))?;
            caller.must_own(&format!("import `{}`", name.as_str()), Some(&import.owner))?;
            let graphs = [NamedNode::new_unchecked(&import.graph), graph(&service.settings.now().config, &import.name)];
            // The record goes last: cut short, it can be deleted again.
            remove_graphs(&service.archive, &graphs)?;
            Ok(imports.remove(&name)?)
        });
        work.await.expect("deleting does not panic")
    }
}

/// What is in the archive, and what is to be done about it.
struct Stored {
    import: Import,
    is_new: bool,
    read: Read,
    rules: Vec<(Name, RuleRecord)>,
}

/// That there is no such import.
pub(crate) fn unknown(name: &Name) -> Problem {
    Problem::new(Code::NotFound, format!("there is no import `{}`", name.as_str()))
}

/// The graph of an import: nobody can write into any other by importing.
fn graph(config: &Config, name: &Name) -> NamedNode {
    NamedNode::new_unchecked(format!("{}import/{}", config.store.base, name.as_str()))
}

/// What references are relative to: the address of the import.
fn base(config: &Config, name: &Name) -> Uri {
    let service = config.service.public_url.clone().unwrap_or_else(|| format!("http://{}", config.service.listen));
    let address = |service: &str| format!("{}/api/v1/imports/{}", service.trim_end_matches('/'), name.as_str());
    Uri::parse(&address(&service)).unwrap_or_else(|_| Uri::parse(&address("http://localhost")).expect("it is a URI"))
}
