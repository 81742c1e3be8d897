//! Context processing: from what a document says of its terms to what they
//! mean, by [JSON-LD 1.1 API, section 4.1](https://www.w3.org/TR/json-ld11-api/#context-processing-algorithm).
//!
//! Contexts are the part of JSON-LD where a short text can ask for endless
//! work: contexts that name each other, thousands of terms copied for each of
//! thousands of nodes, terms that are defined by terms without end. So every
//! copy is paid for from a [`Budget`] that grows with the documents of
//! a page, and what was done once is remembered.

use std::sync::Arc;

use foldhash::HashMap;
use oxiri::Iri;

use super::active::{Active, Term};
use super::contexts::Contexts;
use super::define::define_all;
use super::error::{EXCESS, Error, LOADING_CONTEXT_FAILED, fail};
use super::json::{self, Json, Object};
use super::settings::{is_schema_org, is_setting};
use super::{Mode, Options};

/// Contexts that name contexts that name contexts.
const REMOTE_DEPTH_MAX: usize = 10;
/// Contexts from elsewhere that are remembered from one document to the next.
const REMOTES_MAX: usize = 32;
/// Contexts within contexts, in the same place or elsewhere: the stack has an
/// end. What people write is four levels deep.
const NESTED_MAX: usize = 64;
/// Contexts that wait for the one in force to be over.
const GENERATIONS_MAX: usize = 256;
/// What copying a term is worth, in bytes.
const TERM_BYTES: usize = 32;
/// What asking for a context elsewhere is worth.
const LOAD_BYTES: usize = 64 << 10;
/// What defining terms is worth, for each byte of the context: more than
/// copying bytes.
pub(super) const PER_CONTEXT_BYTE: usize = 4;

/// What the documents of a page may cost, in bytes that are made for them.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Budget {
    const START: usize = 16 << 20;
    const PER_BYTE: usize = 32;

    /// More of the document was read.
    pub(super) fn grow(&mut self, document_bytes: usize) {
        self.0 = self.0.saturating_add(document_bytes.saturating_mul(Self::PER_BYTE));
    }

    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), Error> {
        self.0 = self.0.checked_sub(bytes).ok_or_else(|| Error::excess("its contexts ask for too much work"))?;
        Ok(())
    }
}

/// How a context is taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Manner {
    /// Protected terms may be defined anew.
    pub(super) is_override: bool,
    /// It is also in force in the nodes inside.
    pub(super) is_propagated: bool,
    /// Contexts that are being read already are read again, and so found to be
    /// endless. Not so where a context is only checked ahead of its use.
    pub(super) is_used: bool,
}

impl Manner {
    pub(super) const PLAIN: Self = Self { is_override: false, is_propagated: true, is_used: true };
}

/// A context from elsewhere.
struct Remote {
    context: Json<'static>,
    bytes: usize,
}

/// What is remembered from one document of a page to the next.
pub(super) struct Memory {
    budget: Budget,
    /// What terms mean before a document with this base says so.
    pub(super) initial: Option<(String, Arc<Active>)>,
    known: Known,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self { budget: Budget(Budget::START), initial: None, known: Known::default() }
    }

    /// A document is over: what the next may begin with stays.
    pub(super) fn settle(&mut self) {
        let Some((_, initial)) = self.initial.as_ref().filter(|_| self.known.remotes.len() <= REMOTES_MAX) else {
            self.known = Known::default();
            return;
        };
        let initial = Arc::as_ptr(initial).cast();
        let taken_up = std::mem::take(&mut self.known.taken_up);
        self.known.taken_up = taken_up.into_iter().filter(|((before, ..), _)| *before == initial).collect();
    }
}

/// What was found out of contexts.
#[derive(Default)]
struct Known {
    /// Those from elsewhere, and why there are none.
    remotes: HashMap<String, Result<Arc<Remote>, Error>>,
    /// What became of a context when it was taken up in another. Holds both, so
    /// that their addresses stay theirs.
    taken_up: HashMap<(*const (), *const (), Manner), TakenUp>,
}

/// Reads contexts, for one document.
pub(super) struct Processor<'a> {
    pub(super) options: &'a Options,
    pub(super) budget: &'a mut Budget,
    contexts: &'a dyn Contexts,
    known: &'a mut Known,
    /// How many contexts are being read, each within another.
    nested: usize,
    /// What was not right and taken for what was meant.
    pub(super) repairs: Vec<&'static str>,
}

struct TakenUp {
    #[expect(dead_code, reason = "what has its address in the key stays where it is")]
    before: (Arc<Active>, Source),
    after: Arc<Active>,
}

/// What a context that is remembered was found in.
#[expect(dead_code, reason = "what has its address in the key stays where it is")]
enum Source {
    Remote(Arc<Remote>),
    Term(Arc<Term>),
}

impl<'a> Processor<'a> {
    pub(super) fn new(options: &'a Options, contexts: &'a dyn Contexts, memory: &'a mut Memory) -> Self {
        let Memory { budget, known, .. } = memory;
        Self { options, budget, contexts, known, nested: 0, repairs: Vec::new() }
    }

    pub(super) fn is_1_0(&self) -> bool {
        self.options.mode == Mode::JsonLd10
    }

    /// The context of a term, taken up in another.
    pub(super) fn scoped(
        &mut self,
        active: &Arc<Active>,
        term: &Arc<Term>,
        manner: Manner,
    ) -> Result<Arc<Active>, Error> {
        let Some(context) = &term.context else { return Ok(Arc::clone(active)) };
        let key = (Arc::as_ptr(active).cast(), Arc::as_ptr(term).cast(), manner);
        if let Some(taken_up) = self.known.taken_up.get(&key) {
            return Ok(Arc::clone(&taken_up.after));
        }
        let base = term.context_base.as_deref();
        let after = self.process(active, context, base, manner, &mut Vec::new())?;
        let before = (Arc::clone(active), Source::Term(Arc::clone(term)));
        self.known.taken_up.insert(key, TakenUp { before, after: Arc::clone(&after) });
        Ok(after)
    }

    /// The context that a document has, taken up in the one in force.
    pub(super) fn local(
        &mut self,
        active: &Arc<Active>,
        context: &Json<'_>,
        base: Option<&str>,
    ) -> Result<Arc<Active>, Error> {
        self.process(active, context, base, Manner::PLAIN, &mut Vec::new())
    }

    pub(super) fn process(
        &mut self,
        active: &Arc<Active>,
        context: &Json<'_>,
        base: Option<&str>,
        manner: Manner,
        remotes: &mut Vec<String>,
    ) -> Result<Arc<Active>, Error> {
        if self.nested >= NESTED_MAX {
            return fail("context overflow", "contexts within contexts without end");
        }
        self.nested += 1;
        let result = self.each(active, context, base, manner, remotes);
        self.nested -= 1;
        result
    }

    fn each(
        &mut self,
        active: &Arc<Active>,
        context: &Json<'_>,
        base: Option<&str>,
        mut manner: Manner,
        remotes: &mut Vec<String>,
    ) -> Result<Arc<Active>, Error> {
        if let Json::Object(object) = context
            && let Some(Json::Bool(is_propagated)) = object.get("@propagate")
        {
            manner.is_propagated = *is_propagated;
        }
        let mut result = Arc::clone(active);
        if !manner.is_propagated && result.previous.is_none() {
            set_previous(&mut result, Arc::clone(active))?;
        }
        for context in context.elements() {
            // Even nothing takes time, if there is enough of it.
            self.budget.spend(TERM_BYTES)?;
            match context {
                Json::Null => result = nullified(active, &result, manner)?,
                Json::String(address) => result = self.remote(&result, address, base, manner, remotes)?,
                Json::Object(object) => result = self.object(result, object, base, manner, remotes)?,
                _ => return fail("invalid local context", "neither an address nor an object nor null"),
            }
        }
        Ok(result)
    }

    fn remote(
        &mut self,
        active: &Arc<Active>,
        address: &str,
        base: Option<&str>,
        manner: Manner,
        remotes: &mut Vec<String>,
    ) -> Result<Arc<Active>, Error> {
        let address = self.address(address, base)?;
        if !manner.is_used && remotes.contains(&address) {
            return Ok(Arc::clone(active));
        }
        if remotes.len() >= REMOTE_DEPTH_MAX {
            return fail("context overflow", format!("<{address}> is named by contexts without end"));
        }
        let remote = self.load(&address)?;
        let key = (Arc::as_ptr(active).cast(), Arc::as_ptr(&remote).cast(), manner);
        if let Some(taken_up) = self.known.taken_up.get(&key) {
            return Ok(Arc::clone(&taken_up.after));
        }
        self.budget.spend(remote.bytes * PER_CONTEXT_BYTE)?;
        let inside = Manner { is_override: false, is_propagated: true, ..manner };
        remotes.push(address);
        let after = self.process(active, &remote.context, remotes.last().cloned().as_deref(), inside, remotes)?;
        remotes.pop();
        if manner.is_used {
            let before = (Arc::clone(active), Source::Remote(remote));
            self.known.taken_up.insert(key, TakenUp { before, after: Arc::clone(&after) });
        }
        Ok(after)
    }

    fn address(&mut self, address: &str, base: Option<&str>) -> Result<String, Error> {
        if self.options.repair && is_schema_org(address.trim().trim_start_matches('/')) {
            self.repaired("a context without scheme");
            return Ok(SCHEMA_ORG.to_owned());
        }
        let address = if self.options.repair { address.trim() } else { address };
        resolved(address, base, LOADING_CONTEXT_FAILED)
    }

    pub(super) fn repaired(&mut self, what: &'static str) {
        if !self.repairs.contains(&what) {
            self.repairs.push(what);
        }
    }

    fn load(&mut self, address: &str) -> Result<Arc<Remote>, Error> {
        if let Some(remote) = self.known.remotes.get(address) {
            return remote.clone();
        }
        self.budget.spend(LOAD_BYTES)?;
        let remote = self.loaded(address);
        self.known.remotes.insert(address.to_owned(), remote.clone());
        remote
    }

    fn loaded(&self, address: &str) -> Result<Arc<Remote>, Error> {
        let failed = |detail: String| Error::new(LOADING_CONTEXT_FAILED, format!("<{address}>: {detail}"));
        let bytes = self.contexts.load(address).map_err(failed)?;
        if bytes.len() > self.options.context_bytes_max {
            return Err(failed(format!("longer than {} bytes", self.options.context_bytes_max)));
        }
        let text = std::str::from_utf8(&bytes).map_err(|error| failed(error.to_string()))?;
        let text = text.trim_start_matches('\u{feff}');
        let value = json::parse(text, self.options.depth()).map_err(|error| failed(error.what.to_owned()))?;
        let Json::Object(Object(entries)) = value else {
            return fail("invalid remote context", format!("<{address}> is no object"));
        };
        let Some((_, context)) = entries.into_iter().find(|(key, _)| key == "@context") else {
            return fail("invalid remote context", format!("<{address}> has no @context"));
        };
        Ok(Arc::new(Remote { context: context.into_owned(), bytes: bytes.len() }))
    }

    fn object(
        &mut self,
        mut result: Arc<Active>,
        object: &Object<'_>,
        base: Option<&str>,
        manner: Manner,
        remotes: &mut Vec<String>,
    ) -> Result<Arc<Active>, Error> {
        let imported;
        let mut entries: HashMap<&str, &Json<'_>> = object.iter().collect();
        if let Some(import) = object.get("@import") {
            imported = self.import(import, base)?;
            if let Json::Object(imported) = &imported.context {
                for (key, value) in imported.iter() {
                    entries.entry(key).or_insert(value);
                }
            }
        }
        self.check_version(&entries)?;
        self.set_defaults(&mut result, &entries, remotes)?;
        let is_protected = self.flag(&entries, "@protected", "invalid @protected value")?;
        if entries.keys().all(|key| is_setting(key)) {
            return Ok(result);
        }
        self.own_terms(&mut result)?;
        define_all(self, result, &entries, base, is_protected, manner, remotes)
    }

    /// Makes sure that terms can be defined without another context seeing it.
    fn own_terms(&mut self, result: &mut Arc<Active>) -> Result<(), Error> {
        let count = result.terms.len();
        self.budget.spend(count.saturating_mul(TERM_BYTES))?;
        Arc::make_mut(&mut Arc::make_mut(result).terms);
        Ok(())
    }

    fn import(&mut self, import: &Json<'_>, base: Option<&str>) -> Result<Arc<Remote>, Error> {
        if self.is_1_0() {
            return fail("invalid context entry", "@import is of JSON-LD 1.1");
        }
        let Some(address) = import.as_str() else { return fail("invalid @import value", "not a string") };
        let address = resolved(address, base, "invalid @import value")?;
        let remote = self.load(&address)?;
        self.budget.spend(remote.bytes * PER_CONTEXT_BYTE)?;
        match &remote.context {
            Json::Object(imported) if imported.get("@import").is_some() => {
                fail("invalid context entry", format!("<{address}> is imported and imports"))
            }
            Json::Object(_) => Ok(remote),
            _ => fail("invalid remote context", format!("<{address}> is imported and no object")),
        }
    }
}

const SCHEMA_ORG: &str = "http://schema.org/";

fn set_previous(result: &mut Arc<Active>, previous: Arc<Active>) -> Result<(), Error> {
    let generation = previous.generation + 1;
    if generation > GENERATIONS_MAX {
        return fail(EXCESS, "too many contexts wait for another to be over");
    }
    let result = Arc::make_mut(result);
    (result.previous, result.generation) = (Some(previous), generation);
    Ok(())
}

fn nullified(active: &Arc<Active>, result: &Arc<Active>, manner: Manner) -> Result<Arc<Active>, Error> {
    if !manner.is_override && active.terms.values().any(|term| term.is_protected) {
        return fail("invalid context nullification", "there are protected terms");
    }
    let mut empty = Arc::new(Active::new(active.document_base.clone()));
    if !manner.is_propagated {
        set_previous(&mut empty, Arc::clone(result))?;
    }
    Ok(empty)
}

fn resolved(address: &str, base: Option<&str>, code: &'static str) -> Result<String, Error> {
    let iri = match base.and_then(|base| Iri::parse(base).ok()) {
        Some(base) => base.resolve(address).map(Iri::into_inner),
        None => Iri::parse(address).map(|iri| iri.into_inner().to_owned()),
    };
    iri.or_else(|error| fail(code, format!("<{address}>: {error}")))
}
