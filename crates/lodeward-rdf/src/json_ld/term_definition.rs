//! Defining a single term
//! ([JSON-LD 1.1 API, section 4.2](https://www.w3.org/TR/json-ld11-api/#create-term-definition)).

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use super::active_context::{
    ActiveContext, Coercion, ContainerMapping, TermDefinition, TermOverride, has_keyword_form, has_scheme, is_keyword,
    split_compact_iri,
};
use super::context_processing::{COST_PER_CONTEXT_BYTE, ContextProcessor, ContextUse};
use super::context_settings::{is_setting, parse_direction};
use super::error::{JsonLdError, LIMIT_EXCEEDED, LOADING_CONTEXT_FAILED, fail};
use super::json::{JsonObject, JsonValue};

/// The maximum depth of terms that are defined by other terms.
const MAX_TERM_DEPTH: usize = 64;

/// Defines all terms of a context. The term map must not be shared.
pub(super) fn define_all(
    processor: &mut ContextProcessor<'_>,
    active: Arc<ActiveContext>,
    entries: &HashMap<&str, &JsonValue<'_>>,
    base: Option<&str>,
    is_protected: bool,
    usage: ContextUse,
    remotes: &mut Vec<String>,
) -> Result<Arc<ActiveContext>, JsonLdError> {
    let mut definer = Definer { processor, active, entries, states: HashMap::new(), base, usage, remotes, depth: 0 };
    for name in entries.keys().filter(|name| !is_setting(name)) {
        definer.define(name, is_protected)?;
    }
    Ok(definer.active)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DefinitionState {
    Started,
    Done,
}

struct Definer<'d, 'p> {
    processor: &'d mut ContextProcessor<'p>,
    active: Arc<ActiveContext>,
    entries: &'d HashMap<&'d str, &'d JsonValue<'d>>,
    states: HashMap<&'d str, DefinitionState>,
    base: Option<&'d str>,
    usage: ContextUse,
    remotes: &'d mut Vec<String>,
    depth: usize,
}

impl<'d> Definer<'d, '_> {
    /// Defines a term, after the terms that its definition uses.
    fn define(&mut self, name: &str, is_protected: bool) -> Result<(), JsonLdError> {
        let Some((&name, &value)) = self.entries.get_key_value(name) else { return Ok(()) };
        match self.states.get(name) {
            Some(DefinitionState::Done) => return Ok(()),
            Some(DefinitionState::Started) => {
                return fail("cyclic IRI mapping", format!("the definition of `{name}` refers to itself"));
            }
            None => {}
        }
        if name.is_empty() {
            return fail("invalid term definition", "the term is empty");
        }
        self.states.insert(name, DefinitionState::Started);
        self.check_name(name, value)?;
        if name != "@type" && has_keyword_form(name) {
            return Ok(());
        }
        if self.depth >= MAX_TERM_DEPTH {
            return fail(LIMIT_EXCEEDED, format!("the definition of `{name}` refers to too many other terms"));
        }
        self.depth += 1;
        let previous = Arc::make_mut(&mut Arc::make_mut(&mut self.active).terms).remove(name);
        let term = self.build_term(name, value, is_protected)?;
        self.depth -= 1;
        let Some(term) = term else { return Ok(()) };
        let term = self.check_protected(name, term, previous)?;
        Arc::make_mut(&mut Arc::make_mut(&mut self.active).terms).insert(name.into(), term);
        self.states.insert(name, DefinitionState::Done);
        Ok(())
    }

    /// Checks that the name is not a keyword, except for the container of `@type`.
    fn check_name(&self, name: &str, value: &JsonValue<'_>) -> Result<(), JsonLdError> {
        let redefined = || fail("keyword redefinition", format!("`{name}` is a keyword"));
        if name != "@type" {
            return if is_keyword(name) { redefined() } else { Ok(()) };
        }
        let is_set = |value: &JsonValue<'_>| value.elements().iter().all(|element| element.as_str() == Some("@set"));
        let is_allowed =
            |(key, value): (&str, &JsonValue<'_>)| key == "@protected" || key == "@container" && is_set(value);
        match value {
            JsonValue::Object(object)
                if object.len() > 0 && object.iter().all(is_allowed) && !self.processor.is_1_0() =>
            {
                Ok(())
            }
            _ => redefined(),
        }
    }

    fn check_protected(
        &self,
        name: &str,
        term: TermDefinition,
        previous: Option<Arc<TermDefinition>>,
    ) -> Result<Arc<TermDefinition>, JsonLdError> {
        match previous {
            Some(previous) if previous.is_protected && !self.usage.is_override => {
                if previous.is_equivalent(&term) {
                    Ok(previous)
                } else {
                    fail("protected term redefinition", format!("`{name}` is a protected term"))
                }
            }
            _ => Ok(Arc::new(term)),
        }
    }

    /// Builds the definition of a term. `None` if the term is ignored.
    fn build_term(
        &mut self,
        name: &'d str,
        value: &JsonValue<'_>,
        is_protected: bool,
    ) -> Result<Option<TermDefinition>, JsonLdError> {
        let mut term = TermDefinition { is_protected, ..TermDefinition::default() };
        let expanded;
        let (definition, is_simple) = match value {
            JsonValue::Object(definition) => (definition, false),
            JsonValue::Null | JsonValue::String(_) => {
                expanded = JsonObject(vec![("@id".into(), value.clone())]);
                (&expanded, true)
            }
            _ => return fail("invalid term definition", format!("`{name}` must be a string, an object or null")),
        };
        self.check_keys(name, definition)?;
        if let Some(value) = definition.get("@protected") {
            let JsonValue::Bool(is_protected) = value else {
                return fail("invalid @protected value", format!("@protected of `{name}` must be true or false"));
            };
            term.is_protected = *is_protected;
        }
        if let Some(value) = definition.get("@type") {
            term.coercion = Some(self.parse_coercion(name, value)?);
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
        self.processor.budget.spend(bytes * COST_PER_CONTEXT_BYTE)?;
        self.set_container(name, definition, &mut term)?;
        self.set_other_keys(name, definition, &mut term)?;
        self.set_context(name, definition, &mut term)?;
        Ok(Some(term))
    }

    fn check_keys(&self, name: &str, definition: &JsonObject<'_>) -> Result<(), JsonLdError> {
        for (key, _) in definition.iter() {
            let is_known = match key {
                "@id" | "@reverse" | "@container" | "@language" | "@type" => true,
                "@context" | "@direction" | "@index" | "@nest" | "@prefix" | "@protected" => !self.processor.is_1_0(),
                _ => false,
            };
            if !is_known {
                return fail("invalid term definition", format!("`{name}` has the invalid key `{key}`"));
            }
        }
        Ok(())
    }

    fn parse_coercion(&mut self, name: &str, value: &JsonValue<'_>) -> Result<Coercion, JsonLdError> {
        let invalid = |detail: &str| fail("invalid type mapping", format!("`{name}` has {detail}"));
        let Some(value) = value.as_str() else { return invalid("a type that is not a string") };
        let Some(iri) = self.expand_vocab(value)? else { return invalid("a type that is not an IRI") };
        match &*iri {
            "@id" => Ok(Coercion::Id),
            "@vocab" => Ok(Coercion::Vocab),
            "@json" | "@none" if self.processor.is_1_0() => invalid("a type that requires JSON-LD 1.1"),
            "@json" => Ok(Coercion::Json),
            "@none" => Ok(Coercion::None),
            other if has_scheme(other) && !other.contains(' ') => Ok(Coercion::Datatype(iri)),
            _ => invalid("a type that is not an IRI"),
        }
    }

    /// IRI expansion within the context that is being processed.
    fn expand_vocab(&mut self, value: &str) -> Result<Option<Arc<str>>, JsonLdError> {
        if !has_keyword_form(value) {
            self.ensure_defined(value)?;
            if let Some((prefix, suffix)) = split_compact_iri(value)
                && prefix != "_"
                && !suffix.starts_with("//")
            {
                self.ensure_defined(prefix)?;
            }
        }
        let iri = self.active.expand_vocab(value);
        self.processor.budget.spend(iri.as_ref().map_or(0, |iri| iri.len()))?;
        Ok(iri)
    }

    fn ensure_defined(&mut self, name: &str) -> Result<(), JsonLdError> {
        if self.states.get(name) == Some(&DefinitionState::Done) { Ok(()) } else { self.define(name, false) }
    }

    fn set_reverse(
        &mut self,
        name: &str,
        value: &JsonValue<'_>,
        definition: &JsonObject<'_>,
        term: &mut TermDefinition,
    ) -> Result<bool, JsonLdError> {
        if definition.get("@id").is_some() || definition.get("@nest").is_some() {
            return fail("invalid reverse property", format!("`{name}` has both @reverse and @id or @nest"));
        }
        let Some(value) = value.as_str() else {
            return fail("invalid IRI mapping", format!("the @reverse of `{name}` is not a string"));
        };
        if has_keyword_form(value) {
            return Ok(false);
        }
        term.iri = self.expand_vocab(value)?.filter(|iri| has_scheme(iri) || iri.starts_with("_:"));
        if term.iri.is_none() {
            return fail("invalid IRI mapping", format!("the @reverse of `{name}` is not an IRI"));
        }
        match definition.get("@container") {
            None | Some(JsonValue::Null) => {}
            Some(container) if let Some("@set" | "@index") = container.as_str() => {}
            Some(_) => return fail("invalid reverse property", format!("`{name}` has an invalid container")),
        }
        term.is_reverse = true;
        Ok(true)
    }

    fn set_iri(
        &mut self,
        name: &'d str,
        definition: &JsonObject<'_>,
        is_simple: bool,
        term: &mut TermDefinition,
    ) -> Result<bool, JsonLdError> {
        match definition.get("@id") {
            Some(JsonValue::Null) => return Ok(true),
            Some(JsonValue::String(id)) if id != name => return self.set_id(name, id, is_simple, term),
            None | Some(JsonValue::String(_)) => {}
            Some(_) => return fail("invalid IRI mapping", format!("the @id of `{name}` is not a string")),
        }
        if let Some((prefix, suffix)) = split_compact_iri(name) {
            self.ensure_defined(prefix)?;
            term.iri = match self.active.term(prefix) {
                Some(prefix) => prefix.iri.as_deref().map(|iri| [iri, suffix].concat().into()),
                None => Some(name.into()),
            };
        } else if name.contains('/') {
            term.iri = self.active.expand_vocab(name).filter(|iri| has_scheme(iri));
        } else if name == "@type" {
            term.iri = Some(name.into());
        } else {
            term.iri = self.active.vocab.as_deref().map(|vocab| [vocab, name].concat().into());
        }
        if term.iri.is_none() {
            return fail("invalid IRI mapping", format!("`{name}` does not expand to an IRI"));
        }
        Ok(true)
    }

    fn set_id(
        &mut self,
        name: &'d str,
        id: &str,
        is_simple: bool,
        term: &mut TermDefinition,
    ) -> Result<bool, JsonLdError> {
        if has_keyword_form(id) && !is_keyword(id) {
            return Ok(false);
        }
        let iri = self.expand_vocab(id)?.filter(|iri| is_keyword(iri) || iri.contains(':'));
        let Some(iri) = iri else {
            return fail("invalid IRI mapping", format!("the @id `{id}` of `{name}` does not expand to an IRI"));
        };
        if &*iri == "@context" {
            return fail("invalid keyword alias", format!("`{name}` is an alias of @context"));
        }
        let has_inner_colon = name.get(1..name.len() - 1).is_some_and(|inside| inside.contains(':'));
        if has_inner_colon || name.contains('/') {
            self.states.insert(name, DefinitionState::Done);
            if self.expand_vocab(name)?.as_ref() != Some(&iri) {
                return fail("invalid IRI mapping", format!("`{name}` expands to an IRI other than `{iri}`"));
            }
        }
        let is_separated = iri.ends_with([':', '/', '?', '#', '[', ']', '@']) || iri.starts_with("_:");
        term.is_prefix = is_simple && is_separated && !name.contains([':', '/']);
        term.iri = Some(iri);
        Ok(true)
    }

    fn set_container(
        &self,
        name: &str,
        definition: &JsonObject<'_>,
        term: &mut TermDefinition,
    ) -> Result<(), JsonLdError> {
        let invalid = || fail("invalid container mapping", format!("`{name}` has an invalid container"));
        let Some(value) = definition.get("@container") else { return Ok(()) };
        if term.is_reverse && *value == JsonValue::Null {
            return Ok(());
        }
        let mut container = ContainerMapping::default();
        for element in value.elements() {
            let Some(one) = element.as_str().and_then(ContainerMapping::from_keyword) else { return invalid() };
            container = container.with(one);
        }
        let is_old = matches!(value, JsonValue::String(_))
            && !container.intersects(ContainerMapping::GRAPH.with(ContainerMapping::ID).with(ContainerMapping::TYPE));
        if !is_valid_container(container) || self.processor.is_1_0() && !is_old {
            return invalid();
        }
        term.container = container;
        if container.intersects(ContainerMapping::TYPE) {
            match &term.coercion {
                None => term.coercion = Some(Coercion::Id),
                Some(Coercion::Id | Coercion::Vocab) => {}
                Some(_) => return fail("invalid type mapping", format!("type map `{name}` requires @id or @vocab")),
            }
        }
        Ok(())
    }

    fn set_other_keys(
        &mut self,
        name: &str,
        definition: &JsonObject<'_>,
        term: &mut TermDefinition,
    ) -> Result<(), JsonLdError> {
        if let Some(value) = definition.get("@index") {
            let index = value.as_str().filter(|_| term.container.intersects(ContainerMapping::INDEX));
            let iri = index.map(|index| self.expand_vocab(index)).transpose()?.flatten();
            if !iri.is_some_and(|iri| has_scheme(&iri)) {
                return fail("invalid term definition", format!("`{name}` has an invalid @index"));
            }
            term.index = index.map(Into::into);
        }
        let is_typed = definition.get("@type").is_some();
        match definition.get("@language").filter(|_| !is_typed) {
            None => {}
            Some(JsonValue::Null) => term.language = TermOverride::Value(None),
            Some(JsonValue::String(language)) => term.language = TermOverride::Value(Some((&**language).into())),
            Some(_) => return fail("invalid language mapping", format!("`{name}` has an invalid @language")),
        }
        if let Some(value) = definition.get("@direction").filter(|_| !is_typed) {
            term.direction = TermOverride::Value(parse_direction(value)?);
        }
        if let Some(value) = definition.get("@nest") {
            let Some(nest) = value.as_str().filter(|nest| !is_keyword(nest) || *nest == "@nest") else {
                return fail("invalid @nest value", format!("`{name}` has an invalid @nest"));
            };
            term.nest = Some(nest.into());
        }
        Self::set_prefix(name, definition, term)
    }

    fn set_prefix(name: &str, definition: &JsonObject<'_>, term: &mut TermDefinition) -> Result<(), JsonLdError> {
        let Some(value) = definition.get("@prefix") else { return Ok(()) };
        if name.contains([':', '/']) {
            return fail("invalid term definition", format!("`{name}` cannot be a prefix"));
        }
        let JsonValue::Bool(is_prefix) = value else {
            return fail("invalid @prefix value", format!("@prefix of `{name}` must be true or false"));
        };
        if *is_prefix && term.iri.as_deref().is_some_and(is_keyword) {
            return fail("invalid term definition", format!("`{name}` is a keyword and cannot be a prefix"));
        }
        term.is_prefix = *is_prefix;
        Ok(())
    }

    /// Stores the scoped context of a term, which is only validated here and is applied when the
    /// term is used.
    fn set_context(
        &mut self,
        name: &str,
        definition: &JsonObject<'_>,
        term: &mut TermDefinition,
    ) -> Result<(), JsonLdError> {
        let Some(context) = definition.get("@context") else { return Ok(()) };
        let usage = ContextUse { is_override: true, is_propagated: true, is_used: false };
        let checked = self.processor.process(&self.active, context, self.base, usage, self.remotes);
        checked.map_err(|error| match error.code {
            LIMIT_EXCEEDED | LOADING_CONTEXT_FAILED => error,
            code => JsonLdError::new("invalid scoped context", format!("in `{name}`: {code}: {}", error.detail)),
        })?;
        term.context = Some(Arc::new(context.clone().into_owned()));
        term.context_base = self.base.map(Into::into);
        Ok(())
    }
}

/// Whether this combination of containers is valid.
fn is_valid_container(container: ContainerMapping) -> bool {
    let alone = [
        ContainerMapping::INDEX,
        ContainerMapping::ID,
        ContainerMapping::GRAPH,
        ContainerMapping::TYPE,
        ContainerMapping::LANGUAGE,
    ];
    let graphs =
        [ContainerMapping::GRAPH.with(ContainerMapping::ID), ContainerMapping::GRAPH.with(ContainerMapping::INDEX)];
    let rest = container.without(ContainerMapping::SET);
    container == ContainerMapping::LIST
        || container == ContainerMapping::SET
        || alone.contains(&rest)
        || graphs.contains(&rest)
}
