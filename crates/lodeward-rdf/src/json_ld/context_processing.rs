//! Context processing
//! ([JSON-LD 1.1 API, section 4.1](https://www.w3.org/TR/json-ld11-api/#context-processing-algorithm)).
//!
//! Contexts are the part of JSON-LD in which a short text can require unlimited work: contexts that
//! refer to each other, thousands of terms copied for each of thousands of nodes, terms that are
//! defined by other terms without end. So every copy is charged to a [`ContextBudget`] that grows
//! with the documents of a page, and results are cached.

use std::sync::Arc;

use foldhash::HashMap;
use oxiri::Iri;

use super::active_context::{ActiveContext, TermDefinition};
use super::context_settings::{is_schema_org, is_setting};
use super::contexts::ContextLoader;
use super::error::{JsonLdError, LIMIT_EXCEEDED, LOADING_CONTEXT_FAILED, fail};
use super::json::{self, JsonObject, JsonValue};
use super::term_definition::define_all;
use super::{JsonLdOptions, JsonLdVersion};

/// The maximum depth of remote contexts that refer to remote contexts.
const MAX_REMOTE_DEPTH: usize = 10;
/// The maximum number of remote contexts that are cached from one document to the next.
const MAX_CACHED_REMOTES: usize = 32;
/// The maximum depth of nested contexts, local or remote, because the stack is limited. Normal
/// documents have up to four levels.
const MAX_NESTED_CONTEXTS: usize = 64;
/// The maximum length of a chain of previous contexts.
const MAX_GENERATIONS: usize = 256;
/// The cost of copying a term, in bytes.
const TERM_COST_BYTES: usize = 32;
/// The cost of loading a remote context.
const LOAD_COST_BYTES: usize = 64 << 10;
/// The cost of defining terms, per byte of the context. Defining a term costs more than copying it.
pub(super) const COST_PER_CONTEXT_BYTE: usize = 4;

/// The remaining cost that the documents of a page may cause, in bytes.
#[derive(Debug)]
pub(super) struct ContextBudget(usize);

impl ContextBudget {
    const INITIAL_BYTES: usize = 16 << 20;
    const BYTES_PER_DOCUMENT_BYTE: usize = 32;

    /// Increases the budget for more bytes of a document.
    pub(super) fn grow(&mut self, document_bytes: usize) {
        self.0 = self.0.saturating_add(document_bytes.saturating_mul(Self::BYTES_PER_DOCUMENT_BYTE));
    }

    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), JsonLdError> {
        self.0 =
            self.0.checked_sub(bytes).ok_or_else(|| JsonLdError::limit_exceeded("contexts exceed the work limit"))?;
        Ok(())
    }
}

/// How a context is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ContextUse {
    /// Whether protected terms can be redefined.
    pub(super) is_override: bool,
    /// Whether the context also applies to nodes inside the current node.
    pub(super) is_propagated: bool,
    /// Whether the context is used now. False if it is only validated at its definition: then a
    /// remote context that refers to itself is skipped, not followed up to the maximum depth.
    pub(super) is_used: bool,
}

impl ContextUse {
    pub(super) const DEFAULT: Self = Self { is_override: false, is_propagated: true, is_used: true };
}

/// A loaded remote context.
struct RemoteContext {
    context: JsonValue<'static>,
    bytes: usize,
}

/// State that is kept between the documents of a page.
pub(super) struct ContextMemory {
    budget: ContextBudget,
    /// The initial context of documents with this base.
    pub(super) initial: Option<(String, Arc<ActiveContext>)>,
    cache: KnownContexts,
}

impl ContextMemory {
    pub(super) fn new() -> Self {
        Self { budget: ContextBudget(ContextBudget::INITIAL_BYTES), initial: None, cache: KnownContexts::default() }
    }

    /// Ends a document, and keeps the cached contexts that the next document can use.
    pub(super) fn end_document(&mut self) {
        let Some((_, initial)) = self.initial.as_ref().filter(|_| self.cache.remotes.len() <= MAX_CACHED_REMOTES)
        else {
            self.cache = KnownContexts::default();
            return;
        };
        let initial = Arc::as_ptr(initial).cast();
        let applied = std::mem::take(&mut self.cache.applied);
        self.cache.applied = applied.into_iter().filter(|((before, ..), _)| *before == initial).collect();
    }
}

/// Cached results of context processing.
#[derive(Default)]
struct KnownContexts {
    /// Remote contexts, or why they are not available.
    remotes: HashMap<String, Result<Arc<RemoteContext>, JsonLdError>>,
    /// The results of applying a context to another. An entry holds references to both, so that
    /// their pointers in the key stay valid.
    applied: HashMap<AppliedKey, AppliedContext>,
}

/// Pointers to a context and to the one that is applied to it.
type AppliedKey = (*const (), *const (), ContextUse);

/// Maximum number of cached results. A document can have a new context in every node.
const MAX_APPLIED_CONTEXTS: usize = 1_024;

impl KnownContexts {
    fn remember(&mut self, key: AppliedKey, applied: AppliedContext) {
        if self.applied.len() >= MAX_APPLIED_CONTEXTS {
            self.applied.clear();
        }
        self.applied.insert(key, applied);
    }
}

/// Processes contexts for one document.
pub(super) struct ContextProcessor<'a> {
    pub(super) options: &'a JsonLdOptions,
    pub(super) budget: &'a mut ContextBudget,
    contexts: &'a dyn ContextLoader,
    cache: &'a mut KnownContexts,
    /// The current depth of nested contexts.
    nested: usize,
    /// Descriptions of the repairs that were made in contexts.
    pub(super) repairs: Vec<&'static str>,
}

struct AppliedContext {
    #[expect(dead_code, reason = "holding these references keeps the pointers in the cache key valid")]
    before: (Arc<ActiveContext>, ContextSource),
    after: Arc<ActiveContext>,
}

/// The source of a cached context.
#[expect(dead_code, reason = "holding these references keeps the pointers in the cache key valid")]
enum ContextSource {
    Remote(Arc<RemoteContext>),
    Term(Arc<TermDefinition>),
}

impl<'a> ContextProcessor<'a> {
    pub(super) fn new(
        options: &'a JsonLdOptions,
        contexts: &'a dyn ContextLoader,
        memory: &'a mut ContextMemory,
    ) -> Self {
        let ContextMemory { budget, cache, .. } = memory;
        Self { options, budget, contexts, cache, nested: 0, repairs: Vec::new() }
    }

    pub(super) fn is_1_0(&self) -> bool {
        self.options.mode == JsonLdVersion::JsonLd10
    }

    /// Applies the scoped context of a term.
    pub(super) fn apply_scoped_context(
        &mut self,
        active: &Arc<ActiveContext>,
        term: &Arc<TermDefinition>,
        usage: ContextUse,
    ) -> Result<Arc<ActiveContext>, JsonLdError> {
        let Some(context) = &term.context else { return Ok(Arc::clone(active)) };
        let key = (Arc::as_ptr(active).cast(), Arc::as_ptr(term).cast(), usage);
        if let Some(applied) = self.cache.applied.get(&key) {
            return Ok(Arc::clone(&applied.after));
        }
        let base = term.context_base.as_deref();
        let after = self.process(active, context, base, usage, &mut Vec::new())?;
        let before = (Arc::clone(active), ContextSource::Term(Arc::clone(term)));
        self.cache.remember(key, AppliedContext { before, after: Arc::clone(&after) });
        Ok(after)
    }

    /// Applies the local context of a document or node.
    pub(super) fn apply_local_context(
        &mut self,
        active: &Arc<ActiveContext>,
        context: &JsonValue<'_>,
        base: Option<&str>,
    ) -> Result<Arc<ActiveContext>, JsonLdError> {
        self.process(active, context, base, ContextUse::DEFAULT, &mut Vec::new())
    }

    pub(super) fn process(
        &mut self,
        active: &Arc<ActiveContext>,
        context: &JsonValue<'_>,
        base: Option<&str>,
        usage: ContextUse,
        remotes: &mut Vec<String>,
    ) -> Result<Arc<ActiveContext>, JsonLdError> {
        if self.nested >= MAX_NESTED_CONTEXTS {
            return fail("context overflow", "contexts are nested too deep");
        }
        self.nested += 1;
        let result = self.process_each(active, context, base, usage, remotes);
        self.nested -= 1;
        result
    }

    fn process_each(
        &mut self,
        active: &Arc<ActiveContext>,
        context: &JsonValue<'_>,
        base: Option<&str>,
        mut usage: ContextUse,
        remotes: &mut Vec<String>,
    ) -> Result<Arc<ActiveContext>, JsonLdError> {
        if let JsonValue::Object(object) = context
            && let Some(JsonValue::Bool(is_propagated)) = object.get("@propagate")
        {
            usage.is_propagated = *is_propagated;
        }
        let mut result = Arc::clone(active);
        if !usage.is_propagated && result.previous.is_none() {
            set_previous(&mut result, Arc::clone(active))?;
        }
        for context in context.elements() {
            // Even an empty context is charged, because processing it takes time.
            self.budget.spend(TERM_COST_BYTES)?;
            match context {
                JsonValue::Null => result = nullify(active, &result, usage)?,
                JsonValue::String(url) => result = self.process_remote(&result, url, base, usage, remotes)?,
                JsonValue::Object(object) => result = self.process_object(result, object, base, usage, remotes)?,
                _ => return fail("invalid local context", "it must be a URL, an object or null"),
            }
        }
        Ok(result)
    }

    fn process_remote(
        &mut self,
        active: &Arc<ActiveContext>,
        url: &str,
        base: Option<&str>,
        usage: ContextUse,
        remotes: &mut Vec<String>,
    ) -> Result<Arc<ActiveContext>, JsonLdError> {
        let url = self.resolve_context_url(url, base)?;
        if !usage.is_used && remotes.contains(&url) {
            return Ok(Arc::clone(active));
        }
        if remotes.len() >= MAX_REMOTE_DEPTH {
            return fail("context overflow", format!("<{url}> is nested in too many remote contexts"));
        }
        let remote = self.load_cached(&url)?;
        let key = (Arc::as_ptr(active).cast(), Arc::as_ptr(&remote).cast(), usage);
        if let Some(applied) = self.cache.applied.get(&key) {
            return Ok(Arc::clone(&applied.after));
        }
        self.budget.spend(remote.bytes * COST_PER_CONTEXT_BYTE)?;
        let inside = ContextUse { is_override: false, is_propagated: true, ..usage };
        remotes.push(url);
        let after = self.process(active, &remote.context, remotes.last().cloned().as_deref(), inside, remotes)?;
        remotes.pop();
        if usage.is_used {
            let before = (Arc::clone(active), ContextSource::Remote(remote));
            self.cache.remember(key, AppliedContext { before, after: Arc::clone(&after) });
        }
        Ok(after)
    }

    fn resolve_context_url(&mut self, url: &str, base: Option<&str>) -> Result<String, JsonLdError> {
        if self.options.repair && is_schema_org(url.trim().trim_start_matches('/')) {
            self.add_repair("context URL without scheme");
            return Ok(SCHEMA_ORG.to_owned());
        }
        let url = if self.options.repair { url.trim() } else { url };
        resolve_reference(url, base, LOADING_CONTEXT_FAILED)
    }

    pub(super) fn add_repair(&mut self, what: &'static str) {
        if !self.repairs.contains(&what) {
            self.repairs.push(what);
        }
    }

    fn load_cached(&mut self, url: &str) -> Result<Arc<RemoteContext>, JsonLdError> {
        if let Some(remote) = self.cache.remotes.get(url) {
            return remote.clone();
        }
        self.budget.spend(LOAD_COST_BYTES)?;
        let remote = self.load_remote(url);
        self.cache.remotes.insert(url.to_owned(), remote.clone());
        remote
    }

    fn load_remote(&self, url: &str) -> Result<Arc<RemoteContext>, JsonLdError> {
        let failed = |detail: String| JsonLdError::new(LOADING_CONTEXT_FAILED, format!("<{url}>: {detail}"));
        let bytes = self.contexts.load(url).map_err(failed)?;
        if bytes.len() > self.options.max_context_bytes {
            return Err(failed(format!("context is longer than {} bytes", self.options.max_context_bytes)));
        }
        let text = std::str::from_utf8(&bytes).map_err(|error| failed(error.to_string()))?;
        let text = text.trim_start_matches('\u{feff}');
        let value = json::parse(text, self.options.max_depth()).map_err(|error| failed(error.message.to_owned()))?;
        let JsonValue::Object(JsonObject(entries)) = value else {
            return fail("invalid remote context", format!("<{url}> is not an object"));
        };
        let Some((_, context)) = entries.into_iter().find(|(key, _)| key == "@context") else {
            return fail("invalid remote context", format!("<{url}> has no @context"));
        };
        Ok(Arc::new(RemoteContext { context: context.into_owned(), bytes: bytes.len() }))
    }

    fn process_object(
        &mut self,
        mut result: Arc<ActiveContext>,
        object: &JsonObject<'_>,
        base: Option<&str>,
        usage: ContextUse,
        remotes: &mut Vec<String>,
    ) -> Result<Arc<ActiveContext>, JsonLdError> {
        let imported;
        let mut entries: HashMap<&str, &JsonValue<'_>> = object.iter().collect();
        if let Some(import) = object.get("@import") {
            imported = self.load_import(import, base)?;
            if let JsonValue::Object(imported) = &imported.context {
                for (key, value) in imported.iter() {
                    entries.entry(key).or_insert(value);
                }
            }
        }
        self.check_version(&entries)?;
        self.set_defaults(&mut result, &entries, remotes)?;
        let is_protected = self.parse_flag(&entries, "@protected", "invalid @protected value")?;
        if entries.keys().all(|key| is_setting(key)) {
            return Ok(result);
        }
        self.unshare_terms(&mut result)?;
        define_all(self, result, &entries, base, is_protected, usage, remotes)
    }

    /// Copies the term map if it is shared with another context.
    fn unshare_terms(&mut self, result: &mut Arc<ActiveContext>) -> Result<(), JsonLdError> {
        let count = result.terms.len();
        self.budget.spend(count.saturating_mul(TERM_COST_BYTES))?;
        Arc::make_mut(&mut Arc::make_mut(result).terms);
        Ok(())
    }

    fn load_import(&mut self, import: &JsonValue<'_>, base: Option<&str>) -> Result<Arc<RemoteContext>, JsonLdError> {
        if self.is_1_0() {
            return fail("invalid context entry", "@import requires JSON-LD 1.1");
        }
        let Some(url) = import.as_str() else { return fail("invalid @import value", "not a string") };
        let url = resolve_reference(url, base, "invalid @import value")?;
        let remote = self.load_cached(&url)?;
        self.budget.spend(remote.bytes * COST_PER_CONTEXT_BYTE)?;
        match &remote.context {
            JsonValue::Object(imported) if imported.get("@import").is_some() => {
                fail("invalid context entry", format!("imported context <{url}> contains @import"))
            }
            JsonValue::Object(_) => Ok(remote),
            _ => fail("invalid remote context", format!("imported context <{url}> is not an object")),
        }
    }
}

const SCHEMA_ORG: &str = "http://schema.org/";

fn set_previous(result: &mut Arc<ActiveContext>, previous: Arc<ActiveContext>) -> Result<(), JsonLdError> {
    let generation = previous.generation + 1;
    if generation > MAX_GENERATIONS {
        return fail(LIMIT_EXCEEDED, "too many nested contexts are not propagated");
    }
    let result = Arc::make_mut(result);
    (result.previous, result.generation) = (Some(previous), generation);
    Ok(())
}

fn nullify(
    active: &Arc<ActiveContext>,
    result: &Arc<ActiveContext>,
    usage: ContextUse,
) -> Result<Arc<ActiveContext>, JsonLdError> {
    if !usage.is_override && active.terms.values().any(|term| term.is_protected) {
        return fail("invalid context nullification", "the context has protected terms");
    }
    let mut empty = Arc::new(ActiveContext::new(active.document_base.clone()));
    if !usage.is_propagated {
        set_previous(&mut empty, Arc::clone(result))?;
    }
    Ok(empty)
}

fn resolve_reference(url: &str, base: Option<&str>, code: &'static str) -> Result<String, JsonLdError> {
    let iri = match base.and_then(|base| Iri::parse(base).ok()) {
        Some(base) => base.resolve(url).map(Iri::into_inner),
        None => Iri::parse(url).map(|iri| iri.into_inner().to_owned()),
    };
    iri.or_else(|error| fail(code, format!("<{url}>: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_cached_contexts_is_limited() {
        let mut known = KnownContexts::default();
        for _ in 0..5 * MAX_APPLIED_CONTEXTS {
            let (active, term) = (Arc::<ActiveContext>::default(), Arc::<TermDefinition>::default());
            let key = (Arc::as_ptr(&active).cast(), Arc::as_ptr(&term).cast(), ContextUse::DEFAULT);
            let before = (Arc::clone(&active), ContextSource::Term(term));
            known.remember(key, AppliedContext { before, after: active });

            assert!(known.applied.len() <= MAX_APPLIED_CONTEXTS && known.applied.contains_key(&key));
        }
    }
}
