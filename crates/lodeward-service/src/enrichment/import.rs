//! Imports: instance data in the archive, with owner and applied rules.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::Arc;

use bytes::Bytes;
use lodeward::model::Uri;
use lodeward_app::import::{GraphImportError, ImportContent, ImportPayload, import_into_graph, remove_graphs};
use lodeward_app::settings::Config;
use oxrdf::{NamedNode, Quad};
use serde::{Deserialize, Serialize};

use super::rule_run::{RuleOutcome, RuleRun, RuleTrigger, apply_rule};
use super::{EnrichmentStore, RuleRecord};
use crate::jobs::MAX_UNPACKED_BYTES;
use crate::jobs::events::{ImportedEvent, JobEventKind};
use crate::json_store::ItemName;
use crate::problem::{Problem, ProblemCode};
use crate::role::Caller;

/// An import, as stored on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportRecord {
    /// Name of the import.
    pub(crate) name: ItemName,
    /// Named graph that contains the statements of the import.
    pub(crate) graph: String,
    /// User that owns the import.
    pub(crate) owner: String,
    /// When the data was last sent, in milliseconds since the Unix epoch.
    pub(crate) imported_at_ms: u64,
    /// Number of statements.
    pub(crate) statements: u64,
    /// Digest of the statements, independent of their order.
    pub(crate) digest: String,
    /// For each rule, the last crawl that it started.
    #[serde(default)]
    pub(crate) crawls: BTreeMap<String, RuleStartedCrawl>,
}

/// A crawl started by a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RuleStartedCrawl {
    /// ID of the crawl.
    pub(crate) crawl: u32,
    /// Digest of the rule and of the statements.
    pub(crate) fingerprint: String,
}

/// A request to import data.
pub(crate) struct ImportRequest {
    /// Name of the import.
    pub(crate) name: ItemName,
    /// `Content-Type` of the request.
    pub(crate) content_type: Option<String>,
    /// Body of the request: the data.
    pub(crate) body: Bytes,
}

/// The crawls that rules have started now.
fn started_crawls(runs: &[RuleRun]) -> Vec<u32> {
    let started = runs.iter().filter(|run| run.outcome == RuleOutcome::Started);
    started.filter_map(|run| run.crawl).collect()
}

/// The result of an import.
pub(crate) struct ImportResult {
    /// The stored import.
    pub(crate) import: ImportRecord,
    /// Whether the import is new: no import of this name existed before.
    pub(crate) is_new: bool,
    /// The results of the rules that match.
    pub(crate) rule_runs: Vec<RuleRun>,
}

impl EnrichmentStore {
    /// Imports data and applies the matching rules. Completes even if the client
    /// disconnects.
    pub(crate) async fn import(
        self: &Arc<Self>,
        caller: Caller,
        request: ImportRequest,
    ) -> Result<ImportResult, Problem> {
        let slot = self.waiting.try_acquire().ok_or_else(|| Problem::busy("too many imports are waiting", 30))?;
        let store = Arc::clone(self);
        let importing = tokio::spawn(async move {
            let result = store.import_locked(&caller, request).await;
            drop(slot);
            result
        });
        importing.await.unwrap_or_else(|error| Err(Problem::internal(&error)))
    }

    /// The statements of an import as N-Triples, up to the maximum size of instance data. Blocks.
    pub(crate) fn statements(&self, import: &ImportRecord) -> Result<Vec<u8>, Problem> {
        let graph = NamedNode::new(import.graph.as_str()).map_err(|error| Problem::internal(&error))?;
        let mut content = Vec::new();
        for quad in self.archive.snapshot().quads(None, None, None, Some(graph.as_ref().into())) {
            let Quad { subject, predicate, object, .. } = quad.map_err(|error| Problem::internal(&error))?;
            writeln!(content, "{subject} {predicate} {object} .")?;
            if content.len() as u64 > MAX_UNPACKED_BYTES {
                let detail = format!("the import `{}` is too large for seeds", import.name.as_str());
                return Err(Problem::new(ProblemCode::Unprocessable, detail));
            }
        }
        Ok(content)
    }

    async fn import_locked(self: &Arc<Self>, caller: &Caller, request: ImportRequest) -> Result<ImportResult, Problem> {
        let _turn = self.import_lock.lock().await;
        let ImportRequest { name, content_type, body } = request;
        let (store, importer, data) = (Arc::clone(self), caller.clone(), body.clone());
        let declared = content_type.clone();
        let work = tokio::task::spawn_blocking(move || store.store(&importer, name, declared, &data));
        let StoredImport { mut import, is_new, read: content, rules } =
            work.await.expect("importing does not panic")?;
        let trigger = RuleTrigger { content_type, body, content };
        let mut rule_runs = Vec::new();
        for (rule, record) in rules {
            let run = apply_rule(self, caller, &mut import, (&rule, &record.rule), &trigger).await;
            rule_runs.push(run);
        }
        let event = ImportedEvent {
            name: import.name.as_str().to_owned(),
            statements: import.statements,
            crawls: started_crawls(&rule_runs),
        };
        self.jobs.hub().publish(None, JobEventKind::Imported(Arc::new(event)));
        Ok(ImportResult { import, is_new, rule_runs })
    }

    /// Stores the data in the archive, and finds the matching rules.
    fn store(
        &self,
        caller: &Caller,
        name: ItemName,
        content_type: Option<String>,
        body: &Bytes,
    ) -> Result<StoredImport, Problem> {
        let before = self.imports.get(&name)?;
        if let Some(before) = &before {
            caller.require_owner(&format!("import `{}`", name.as_str()), Some(&before.owner))?;
        }
        self.imports.check_capacity(&name)?;
        let config = &self.settings.current().config;
        let mut rules = self.rules.read_valid(self.rules.names()?);
        let properties: BTreeSet<&str> = rules.iter().flat_map(|(_, record)| record.rule.value_properties()).collect();
        let graph = import_graph(config, &name);
        let base = import_base(config, &name);
        let payload = ImportPayload { base, content_type, body, max_unpacked_bytes: MAX_UNPACKED_BYTES };
        let read =
            import_into_graph(&self.archive, &graph, payload, &properties).map_err(|error| import_problem(&error))?;
        if let Some(former) = before.as_ref().filter(|before| before.graph != graph.as_str()) {
            // `store.graph_base_iri` has changed. The old graph is removed before the record names
            // the new one: after an interruption, the old graph is removed when the data is
            // imported again or the import is deleted.
            remove_graphs(&self.archive, &[NamedNode::new_unchecked(&former.graph)])
                .map_err(|error| Problem::internal(&error))?;
        }
        let is_new = before.is_none();
        let (owner, crawls) =
            before.map_or_else(|| (caller.name.clone(), BTreeMap::new()), |old| (old.owner, old.crawls));
        let import = ImportRecord {
            name,
            graph: graph.into_string(),
            owner,
            imported_at_ms: (self.now)(),
            statements: read.statements,
            digest: format!("{:032x}", read.digest),
            crawls,
        };
        self.imports.put(&import.name, &import)?;
        rules.retain(|(_, record)| record.matches(&import, &read.types));
        Ok(StoredImport { import, is_new, read, rules })
    }

    /// Removes an import and its graph.
    pub(crate) async fn delete(self: &Arc<Self>, caller: &Caller, name: ItemName) -> Result<(), Problem> {
        let _turn = self.import_lock.lock().await;
        let (store, caller) = (Arc::clone(self), caller.clone());
        let work = tokio::task::spawn_blocking(move || {
            let import = store.imports.get(&name)?.ok_or_else(|| unknown_import(&name))?;
            caller.require_owner(&format!("import `{}`", name.as_str()), Some(&import.owner))?;
            let graphs =
                [NamedNode::new_unchecked(&import.graph), import_graph(&store.settings.current().config, &import.name)];
            // The record is removed last, so that the deletion can be repeated after an interruption.
            remove_graphs(&store.archive, &graphs).map_err(|error| Problem::internal(&error))?;
            Ok(store.imports.remove(&name)?)
        });
        work.await.expect("deleting an import does not panic")
    }
}

/// An import in the archive, and the rules to apply.
struct StoredImport {
    import: ImportRecord,
    is_new: bool,
    read: ImportContent,
    rules: Vec<(ItemName, RuleRecord)>,
}

/// The problem for an unknown import.
pub(crate) fn unknown_import(name: &ItemName) -> Problem {
    Problem::new(ProblemCode::NotFound, format!("no such import: `{}`", name.as_str()))
}

fn import_problem(error: &GraphImportError) -> Problem {
    let (code, hint) = match error {
        GraphImportError::TooLarge => (ProblemCode::ContentTooLarge, "nothing was imported; split the data"),
        GraphImportError::Fault(_) | GraphImportError::Empty => {
            (ProblemCode::Unprocessable, "nothing was imported; fix the data and send it again")
        }
        _ => return Problem::internal(error),
    };
    Problem::new(code, error.to_string()).hint(hint)
}

/// The graph of an import. An import cannot write into any other graph.
fn import_graph(config: &Config, name: &ItemName) -> NamedNode {
    NamedNode::new_unchecked(format!("{}import/{}", config.store.graph_base_iri, name.as_str()))
}

/// The base IRI of an import: its URL.
fn import_base(config: &Config, name: &ItemName) -> Uri {
    let service = config.service.public_url.clone().unwrap_or_else(|| format!("http://{}", config.service.listen));
    let url = |service: &str| format!("{}/api/v1/imports/{}", service.trim_end_matches('/'), name.as_str());
    Uri::parse(&url(&service)).unwrap_or_else(|_| Uri::parse(&url("http://localhost")).expect("the URL is valid"))
}
