//! Context processing: from what a document says of its terms to what they
//! mean, by [JSON-LD 1.1 API, section 4.1](https://www.w3.org/TR/json-ld11-api/#context-processing-algorithm).
//!
//! Contexts are the part of JSON-LD where a short text can ask for endless
//! work: contexts that name each other, thousands of terms copied for each of
//! thousands of nodes, terms that are defined by terms without end. So every
//! copy is paid for from a [`Budget`] that grows with the document, and what
//! was done once is remembered.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};
use oxiri::Iri;

use super::active::{Active, Dir, Term, has_keyword_form, has_scheme};
use super::contexts::Contexts;
use super::define::{define_all, is_setting};
use super::error::{EXCESS, Error, LOADING_CONTEXT_FAILED, fail};
use super::json::{self, Json, Object};
use super::resolve::resolve;
use super::{Mode, Options};

/// Contexts that name contexts that name contexts.
const REMOTE_DEPTH_MAX: usize = 10;
/// Contexts that wait for the one in force to be over.
const GENERATIONS_MAX: usize = 256;
/// What copying a term is worth, in bytes.
const TERM_BYTES: usize = 32;
/// What defining terms is worth, for each byte of the context: more than
/// copying bytes.
pub(super) const PER_CONTEXT_BYTE: usize = 4;

/// What a document may cost, in bytes that are made for it.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Budget {
    const START: usize = 64 << 20;
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

/// Reads contexts, for one document.
pub(super) struct Processor<'a> {
    pub(super) options: &'a Options,
    pub(super) budget: Budget,
    contexts: &'a dyn Contexts,
    remotes: HashMap<String, Arc<Remote>>,
    /// What became of a context when it was taken up in another. Holds both, so
    /// that their addresses stay theirs.
    taken_up: HashMap<(*const (), *const (), Manner), TakenUp>,
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
    pub(super) fn new(options: &'a Options, contexts: &'a dyn Contexts) -> Self {
        let budget = Budget(Budget::START);
        Self { options, budget, contexts, remotes: HashMap::new(), taken_up: HashMap::new(), repairs: Vec::new() }
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
        if let Some(taken_up) = self.taken_up.get(&key) {
            return Ok(Arc::clone(&taken_up.after));
        }
        let base = term.context_base.as_deref();
        let after = self.process(active, context, base, manner, &mut Vec::new())?;
        let before = (Arc::clone(active), Source::Term(Arc::clone(term)));
        self.taken_up.insert(key, TakenUp { before, after: Arc::clone(&after) });
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
        if let Some(taken_up) = self.taken_up.get(&key) {
            return Ok(Arc::clone(&taken_up.after));
        }
        self.budget.spend(remote.bytes * PER_CONTEXT_BYTE)?;
        let inside = Manner { is_override: false, is_propagated: true, ..manner };
        remotes.push(address);
        let after = self.process(active, &remote.context, remotes.last().cloned().as_deref(), inside, remotes)?;
        remotes.pop();
        if manner.is_used {
            let before = (Arc::clone(active), Source::Remote(remote));
            self.taken_up.insert(key, TakenUp { before, after: Arc::clone(&after) });
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

    fn repaired(&mut self, what: &'static str) {
        if !self.repairs.contains(&what) {
            self.repairs.push(what);
        }
    }

    fn load(&mut self, address: &str) -> Result<Arc<Remote>, Error> {
        if let Some(remote) = self.remotes.get(address) {
            return Ok(Arc::clone(remote));
        }
        let failed = |detail: String| Error::new(LOADING_CONTEXT_FAILED, format!("<{address}>: {detail}"));
        let bytes = self.contexts.load(address).map_err(failed)?;
        if bytes.len() > self.options.context_bytes_max {
            return Err(failed(format!("longer than {} bytes", self.options.context_bytes_max)));
        }
        let text = std::str::from_utf8(&bytes).map_err(|error| failed(error.to_string()))?;
        let text = text.trim_start_matches('\u{feff}');
        let value = json::parse(text, self.options.depth_max).map_err(|error| failed(error.what.to_owned()))?;
        let Json::Object(Object(entries)) = value else {
            return fail("invalid remote context", format!("<{address}> is no object"));
        };
        let Some((_, context)) = entries.into_iter().find(|(key, _)| key == "@context") else {
            return fail("invalid remote context", format!("<{address}> has no @context"));
        };
        let remote = Arc::new(Remote { context: context.into_owned(), bytes: bytes.len() });
        self.remotes.insert(address.to_owned(), Arc::clone(&remote));
        Ok(remote)
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

    fn check_version(&self, entries: &HashMap<&str, &Json<'_>>) -> Result<(), Error> {
        match entries.get("@version") {
            None => Ok(()),
            Some(Json::Number(version)) if version == "1.1" && self.is_1_0() => {
                fail("processing mode conflict", "@version 1.1 is not of JSON-LD 1.0")
            }
            Some(Json::Number(version)) if version == "1.1" => Ok(()),
            Some(_) => fail("invalid @version value", "not 1.1"),
        }
    }

    fn flag(&self, entries: &HashMap<&str, &Json<'_>>, name: &'static str, code: &'static str) -> Result<bool, Error> {
        match entries.get(name) {
            None => Ok(false),
            Some(_) if self.is_1_0() => fail("invalid context entry", format!("{name} is of JSON-LD 1.1")),
            Some(Json::Bool(flag)) => Ok(*flag),
            Some(_) => fail(code, "neither true nor false"),
        }
    }

    /// What is said of all terms: base, vocabulary, language and direction.
    fn set_defaults(
        &mut self,
        result: &mut Arc<Active>,
        entries: &HashMap<&str, &Json<'_>>,
        remotes: &[String],
    ) -> Result<(), Error> {
        // The base of a context elsewhere is not that of the document.
        if let Some(base) = entries.get("@base").filter(|_| remotes.is_empty()) {
            self.set_base(result, base)?;
        }
        if let Some(vocab) = entries.get("@vocab") {
            self.set_vocab(result, vocab)?;
        }
        match entries.get("@language") {
            None => {}
            Some(Json::Null) => Arc::make_mut(result).language = None,
            Some(Json::String(language)) => Arc::make_mut(result).language = Some((&**language).into()),
            Some(_) => return fail("invalid default language", "neither a string nor null"),
        }
        match entries.get("@direction") {
            None => {}
            Some(_) if self.is_1_0() => return fail("invalid context entry", "@direction is of JSON-LD 1.1"),
            Some(value) => Arc::make_mut(result).direction = direction(value)?,
        }
        self.flag(entries, "@propagate", "invalid @propagate value").map(|_| ())
    }

    fn set_base(&mut self, result: &mut Arc<Active>, value: &Json<'_>) -> Result<(), Error> {
        let base = match value {
            Json::Null => None,
            Json::String(reference) => {
                let base = match &result.base {
                    // One that is no IRI makes none of what is relative to it.
                    _ if has_scheme(reference) => Iri::parse_unchecked(reference.to_string()),
                    Some(base) => Iri::parse_unchecked(
                        resolve(base, reference).or_else(|error| fail("invalid base IRI", error.to_string()))?,
                    ),
                    None => return fail("invalid base IRI", format!("`{reference}` is relative to nothing")),
                };
                self.budget.spend(base.as_str().len())?;
                Some(Arc::new(base))
            }
            _ => return fail("invalid base IRI", "neither a string nor null"),
        };
        Arc::make_mut(result).base = base;
        Ok(())
    }

    fn set_vocab(&mut self, result: &mut Arc<Active>, value: &Json<'_>) -> Result<(), Error> {
        let vocab = match value {
            Json::Null => None,
            Json::String(vocab) => {
                if self.is_1_0() && !has_scheme(vocab) && !vocab.starts_with("_:") {
                    return fail("invalid vocab mapping", format!("`{vocab}` is no absolute IRI"));
                }
                let is_open = self.options.repair && vocab.split_once("://").is_some_and(|(_, it)| is_schema_org(it));
                let vocab = if is_open && !vocab.ends_with('/') {
                    self.repaired("a vocabulary without slash");
                    &format!("{vocab}/")
                } else {
                    &**vocab
                };
                let iri = result.expand(vocab, true, true).filter(|iri| !has_keyword_form(iri));
                let Some(iri) = iri else { return fail("invalid vocab mapping", format!("`{vocab}` is no IRI")) };
                self.budget.spend(iri.len())?;
                Some(iri)
            }
            _ => return fail("invalid vocab mapping", "neither a string nor null"),
        };
        Arc::make_mut(result).vocab = vocab;
        Ok(())
    }
}

const SCHEMA_ORG: &str = "http://schema.org/";

/// Whether this is the address of schema.org but for its scheme: written so,
/// there is nothing else that it can mean.
fn is_schema_org(address: &str) -> bool {
    matches!(address.trim_end_matches('/'), "schema.org" | "www.schema.org")
}

pub(super) fn direction(value: &Json<'_>) -> Result<Option<Dir>, Error> {
    match value {
        Json::Null => Ok(None),
        Json::String(name) if let Some(direction) = Dir::new(name) => Ok(Some(direction)),
        _ => fail("invalid base direction", "neither ltr nor rtl nor null"),
    }
}

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
