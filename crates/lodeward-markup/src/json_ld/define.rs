//! What a context says of a single term, by
//! [JSON-LD 1.1 API, section 4.2](https://www.w3.org/TR/json-ld11-api/#create-term-definition).

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use super::active::{Active, Coercion, Container, Own, Term, has_keyword_form, has_scheme, is_keyword, split_compact};
use super::error::{EXCESS, Error, LOADING_CONTEXT_FAILED, fail};
use super::json::{Json, Object};
use super::process::{Manner, PER_CONTEXT_BYTE, Processor};
use super::settings::{direction, is_setting};

/// Terms that are defined by terms that are defined by terms.
const TERMS_DEPTH_MAX: usize = 64;

/// Defines all terms of a context, in a map that is not shared.
pub(super) fn define_all(
    processor: &mut Processor<'_>,
    active: Arc<Active>,
    entries: &HashMap<&str, &Json<'_>>,
    base: Option<&str>,
    is_protected: bool,
    manner: Manner,
    remotes: &mut Vec<String>,
) -> Result<Arc<Active>, Error> {
    let mut definer = Definer { processor, active, entries, states: HashMap::new(), base, manner, remotes, depth: 0 };
    for name in entries.keys().filter(|name| !is_setting(name)) {
        definer.define(name, is_protected)?;
    }
    Ok(definer.active)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Begun,
    Done,
}

struct Definer<'d, 'p> {
    processor: &'d mut Processor<'p>,
    active: Arc<Active>,
    entries: &'d HashMap<&'d str, &'d Json<'d>>,
    states: HashMap<&'d str, State>,
    base: Option<&'d str>,
    manner: Manner,
    remotes: &'d mut Vec<String>,
    depth: usize,
}

impl<'d> Definer<'d, '_> {
    /// Defines a term, and first those that it is defined by.
    fn define(&mut self, name: &str, is_protected: bool) -> Result<(), Error> {
        let Some((&name, &value)) = self.entries.get_key_value(name) else { return Ok(()) };
        match self.states.get(name) {
            Some(State::Done) => return Ok(()),
            Some(State::Begun) => return fail("cyclic IRI mapping", format!("`{name}` is defined by itself")),
            None => {}
        }
        if name.is_empty() {
            return fail("invalid term definition", "a term without a name");
        }
        self.states.insert(name, State::Begun);
        self.check_name(name, value)?;
        if name != "@type" && has_keyword_form(name) {
            return Ok(());
        }
        if self.depth >= TERMS_DEPTH_MAX {
            return fail(EXCESS, format!("`{name}` is defined by terms without end"));
        }
        self.depth += 1;
        let previous = Arc::make_mut(&mut Arc::make_mut(&mut self.active).terms).remove(name);
        let term = self.term(name, value, is_protected)?;
        self.depth -= 1;
        let Some(term) = term else { return Ok(()) };
        let term = self.unless_protected(name, term, previous)?;
        Arc::make_mut(&mut Arc::make_mut(&mut self.active).terms).insert(name.into(), term);
        self.states.insert(name, State::Done);
        Ok(())
    }

    /// Keywords cannot be defined, but for the container of `@type`.
    fn check_name(&self, name: &str, value: &Json<'_>) -> Result<(), Error> {
        let redefined = || fail("keyword redefinition", format!("`{name}` is a keyword"));
        if name != "@type" {
            return if is_keyword(name) { redefined() } else { Ok(()) };
        }
        let is_set = |value: &Json<'_>| value.elements().iter().all(|element| element.as_str() == Some("@set"));
        let is_allowed = |(key, value): (&str, &Json<'_>)| key == "@protected" || key == "@container" && is_set(value);
        match value {
            Json::Object(object) if object.len() > 0 && object.iter().all(is_allowed) && !self.processor.is_1_0() => {
                Ok(())
            }
            _ => redefined(),
        }
    }

    fn unless_protected(&self, name: &str, term: Term, previous: Option<Arc<Term>>) -> Result<Arc<Term>, Error> {
        match previous {
            Some(previous) if previous.is_protected && !self.manner.is_override => {
                if previous.means(&term) {
                    Ok(previous)
                } else {
                    fail("protected term redefinition", format!("`{name}` is protected"))
                }
            }
            _ => Ok(Arc::new(term)),
        }
    }

    /// What the value says of the term. `None` if that is nothing at all.
    fn term(&mut self, name: &'d str, value: &Json<'_>, is_protected: bool) -> Result<Option<Term>, Error> {
        let mut term = Term { is_protected, ..Term::default() };
        let expanded;
        let (definition, is_simple) = match value {
            Json::Object(definition) => (definition, false),
            Json::Null | Json::String(_) => {
                expanded = Object(vec![("@id".into(), value.clone())]);
                (&expanded, true)
            }
            _ => return fail("invalid term definition", format!("`{name}` is neither a string, an object nor null")),
        };
        self.check_keys(name, definition)?;
        if let Some(value) = definition.get("@protected") {
            let Json::Bool(is_protected) = value else {
                return fail("invalid @protected value", format!("of `{name}`: neither true nor false"));
            };
            term.is_protected = *is_protected;
        }
        if let Some(value) = definition.get("@type") {
            term.coercion = Some(self.coercion(name, value)?);
        }
        let is_defined = if let Some(value) = definition.get("@reverse") {
            self.set_reverse(name, value, definition, &mut term)?
        } else {
            self.set_iri(name, definition, is_simple, &mut term)?
        };
        if !is_defined {
            return Ok(None);
        }
        let bytes = name.len() + term.iri.as_ref().map_or(0, |iri| iri.len());
        self.processor.budget.spend(bytes * PER_CONTEXT_BYTE)?;
        self.set_container(name, definition, &mut term)?;
        self.set_rest(name, definition, &mut term)?;
        self.set_context(name, definition, &mut term)?;
        Ok(Some(term))
    }

    fn check_keys(&self, name: &str, definition: &Object<'_>) -> Result<(), Error> {
        for (key, _) in definition.iter() {
            let is_known = match key {
                "@id" | "@reverse" | "@container" | "@language" | "@type" => true,
                "@context" | "@direction" | "@index" | "@nest" | "@prefix" | "@protected" => !self.processor.is_1_0(),
                _ => false,
            };
            if !is_known {
                return fail("invalid term definition", format!("`{name}` has a `{key}`"));
            }
        }
        Ok(())
    }

    fn coercion(&mut self, name: &str, value: &Json<'_>) -> Result<Coercion, Error> {
        let invalid = |detail: &str| fail("invalid type mapping", format!("`{name}` has {detail}"));
        let Some(value) = value.as_str() else { return invalid("a type that is no string") };
        let Some(iri) = self.word(value)? else { return invalid("a type that is no IRI") };
        match &*iri {
            "@id" => Ok(Coercion::Id),
            "@vocab" => Ok(Coercion::Vocab),
            "@json" | "@none" if self.processor.is_1_0() => invalid("a type of JSON-LD 1.1"),
            "@json" => Ok(Coercion::Json),
            "@none" => Ok(Coercion::None),
            other if has_scheme(other) && !other.contains(' ') => Ok(Coercion::Datatype(iri)),
            _ => invalid("a type that is no IRI"),
        }
    }

    /// IRI expansion within the context that is being read.
    fn word(&mut self, value: &str) -> Result<Option<Arc<str>>, Error> {
        if !has_keyword_form(value) {
            self.define_if_here(value)?;
            if let Some((prefix, suffix)) = split_compact(value)
                && prefix != "_"
                && !suffix.starts_with("//")
            {
                self.define_if_here(prefix)?;
            }
        }
        let iri = self.active.word(value);
        self.processor.budget.spend(iri.as_ref().map_or(0, |iri| iri.len()))?;
        Ok(iri)
    }

    fn define_if_here(&mut self, name: &str) -> Result<(), Error> {
        if self.states.get(name) == Some(&State::Done) { Ok(()) } else { self.define(name, false) }
    }

    fn set_reverse(
        &mut self,
        name: &str,
        value: &Json<'_>,
        definition: &Object<'_>,
        term: &mut Term,
    ) -> Result<bool, Error> {
        if definition.get("@id").is_some() || definition.get("@nest").is_some() {
            return fail("invalid reverse property", format!("`{name}` has both @reverse and @id or @nest"));
        }
        let Some(value) = value.as_str() else {
            return fail("invalid IRI mapping", format!("`{name}` is the reverse of no string"));
        };
        if has_keyword_form(value) {
            return Ok(false);
        }
        term.iri = self.word(value)?.filter(|iri| has_scheme(iri) || iri.starts_with("_:"));
        if term.iri.is_none() {
            return fail("invalid IRI mapping", format!("`{name}` is the reverse of no IRI"));
        }
        match definition.get("@container") {
            None | Some(Json::Null) => {}
            Some(container) if let Some("@set" | "@index") = container.as_str() => {}
            Some(_) => return fail("invalid reverse property", format!("`{name}` has no such container")),
        }
        term.is_reverse = true;
        Ok(true)
    }

    fn set_iri(
        &mut self,
        name: &'d str,
        definition: &Object<'_>,
        is_simple: bool,
        term: &mut Term,
    ) -> Result<bool, Error> {
        match definition.get("@id") {
            Some(Json::Null) => return Ok(true),
            Some(Json::String(id)) if id != name => return self.set_id(name, id, is_simple, term),
            None | Some(Json::String(_)) => {}
            Some(_) => return fail("invalid IRI mapping", format!("`{name}` has an @id that is no string")),
        }
        if let Some((prefix, suffix)) = split_compact(name) {
            self.define_if_here(prefix)?;
            term.iri = match self.active.term(prefix) {
                Some(prefix) => prefix.iri.as_deref().map(|iri| [iri, suffix].concat().into()),
                None => Some(name.into()),
            };
        } else if name.contains('/') {
            term.iri = self.active.word(name).filter(|iri| has_scheme(iri));
        } else if name == "@type" {
            term.iri = Some(name.into());
        } else {
            term.iri = self.active.vocab.as_deref().map(|vocab| [vocab, name].concat().into());
        }
        if term.iri.is_none() {
            return fail("invalid IRI mapping", format!("`{name}` stands for no IRI"));
        }
        Ok(true)
    }

    fn set_id(&mut self, name: &'d str, id: &str, is_simple: bool, term: &mut Term) -> Result<bool, Error> {
        if has_keyword_form(id) && !is_keyword(id) {
            return Ok(false);
        }
        let iri = self.word(id)?.filter(|iri| is_keyword(iri) || iri.contains(':'));
        let Some(iri) = iri else {
            return fail("invalid IRI mapping", format!("`{name}` stands for no IRI: `{id}`"));
        };
        if &*iri == "@context" {
            return fail("invalid keyword alias", format!("`{name}` stands for @context"));
        }
        let has_inner_colon = name.get(1..name.len() - 1).is_some_and(|inside| inside.contains(':'));
        if has_inner_colon || name.contains('/') {
            self.states.insert(name, State::Done);
            if self.word(name)?.as_ref() != Some(&iri) {
                return fail("invalid IRI mapping", format!("`{name}` stands for another IRI: `{iri}`"));
            }
        }
        let is_separated = iri.ends_with([':', '/', '?', '#', '[', ']', '@']) || iri.starts_with("_:");
        term.is_prefix = is_simple && is_separated && !name.contains([':', '/']);
        term.iri = Some(iri);
        Ok(true)
    }

    fn set_container(&self, name: &str, definition: &Object<'_>, term: &mut Term) -> Result<(), Error> {
        let invalid = || fail("invalid container mapping", format!("`{name}` has no such container"));
        let Some(value) = definition.get("@container") else { return Ok(()) };
        if term.is_reverse && *value == Json::Null {
            return Ok(());
        }
        let mut container = Container::default();
        for element in value.elements() {
            let Some(one) = element.as_str().and_then(Container::named) else { return invalid() };
            container = container.with(one);
        }
        let is_old = matches!(value, Json::String(_))
            && !container.has(Container::GRAPH.with(Container::ID).with(Container::TYPE));
        if !is_possible(container) || self.processor.is_1_0() && !is_old {
            return invalid();
        }
        term.container = container;
        if container.has(Container::TYPE) {
            match &term.coercion {
                None => term.coercion = Some(Coercion::Id),
                Some(Coercion::Id | Coercion::Vocab) => {}
                Some(_) => return fail("invalid type mapping", format!("`{name}` is a map of types")),
            }
        }
        Ok(())
    }

    fn set_rest(&mut self, name: &str, definition: &Object<'_>, term: &mut Term) -> Result<(), Error> {
        if let Some(value) = definition.get("@index") {
            let index = value.as_str().filter(|_| term.container.has(Container::INDEX));
            let iri = index.map(|index| self.word(index)).transpose()?.flatten();
            if !iri.is_some_and(|iri| has_scheme(&iri)) {
                return fail("invalid term definition", format!("`{name}` has no such @index"));
            }
            term.index = index.map(Into::into);
        }
        let is_typed = definition.get("@type").is_some();
        match definition.get("@language").filter(|_| !is_typed) {
            None => {}
            Some(Json::Null) => term.language = Own::This(None),
            Some(Json::String(language)) => term.language = Own::This(Some((&**language).into())),
            Some(_) => return fail("invalid language mapping", format!("`{name}` has no such @language")),
        }
        if let Some(value) = definition.get("@direction").filter(|_| !is_typed) {
            term.direction = Own::This(direction(value)?);
        }
        if let Some(value) = definition.get("@nest") {
            let Some(nest) = value.as_str().filter(|nest| !is_keyword(nest) || *nest == "@nest") else {
                return fail("invalid @nest value", format!("`{name}` has no such @nest"));
            };
            term.nest = Some(nest.into());
        }
        Self::set_prefix(name, definition, term)
    }

    fn set_prefix(name: &str, definition: &Object<'_>, term: &mut Term) -> Result<(), Error> {
        let Some(value) = definition.get("@prefix") else { return Ok(()) };
        if name.contains([':', '/']) {
            return fail("invalid term definition", format!("`{name}` cannot be a prefix"));
        }
        let Json::Bool(is_prefix) = value else {
            return fail("invalid @prefix value", format!("of `{name}`: neither true nor false"));
        };
        if *is_prefix && term.iri.as_deref().is_some_and(is_keyword) {
            return fail("invalid term definition", format!("`{name}` is a keyword and cannot be a prefix"));
        }
        term.is_prefix = *is_prefix;
        Ok(())
    }

    /// A context for what is below a term is read when it is met. Whether it
    /// can be read is found out here.
    fn set_context(&mut self, name: &str, definition: &Object<'_>, term: &mut Term) -> Result<(), Error> {
        let Some(context) = definition.get("@context") else { return Ok(()) };
        let manner = Manner { is_override: true, is_propagated: true, is_used: false };
        let checked = self.processor.process(&self.active, context, self.base, manner, self.remotes);
        checked.map_err(|error| match error.code {
            EXCESS | LOADING_CONTEXT_FAILED => error,
            code => Error::new("invalid scoped context", format!("of `{name}`: {code}: {}", error.detail)),
        })?;
        term.context = Some(Arc::new(context.clone().into_owned()));
        term.context_base = self.base.map(Into::into);
        Ok(())
    }
}

/// Whether containers of these kinds can be one.
fn is_possible(container: Container) -> bool {
    let alone = [Container::INDEX, Container::ID, Container::GRAPH, Container::TYPE, Container::LANGUAGE];
    let graphs = [Container::GRAPH.with(Container::ID), Container::GRAPH.with(Container::INDEX)];
    let rest = container.without(Container::SET);
    container == Container::LIST || container == Container::SET || alone.contains(&rest) || graphs.contains(&rest)
}
