//! Resolving names and references to IRIs and blank nodes.

use std::rc::Rc;

use oxiri::Iri;

use super::budget::RdfaBudget;
use super::context;
use super::prefixes::{Prefixes, to_lower};
use super::report::{ProcessorNotice, ProcessorReport};
use super::rules::RdfaRules;
use super::statement::{PageBlankNodes, RdfaResource};
use lodeward_rdf::iri::{BaseIri, percent_encode};

/// The settings that determine what a name resolves to, apart from prefixes.
#[derive(Clone)]
pub(super) struct RdfaScope {
    pub(super) base: Rc<BaseIri>,
    pub(super) language: Option<Rc<str>>,
    pub(super) vocabulary: Option<Rc<str>>,
}

/// The use of a name: `RDFa` 1.0 has terms only for links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameUse {
    Link,
    Other,
}

/// Resolves the names of a page.
pub(super) struct NameResolver<'a> {
    pub(super) rules: RdfaRules,
    pub(super) prefixes: Prefixes,
    pub(super) blanks: PageBlankNodes,
    pub(super) report: ProcessorReport,
    pub(super) budget: RdfaBudget<'a>,
    /// The URL of the page, independent of `<base>`.
    pub(super) document: &'a BaseIri,
}

impl NameResolver<'_> {
    /// Resolves an IRI, as in `href` and `src`.
    pub(super) fn iri(&mut self, reference: &str, scope: &RdfaScope) -> RdfaResource {
        let Some(iri) = scope.base.resolve(reference) else {
            self.report.add(ProcessorNotice::Iri, reference, "is not an IRI");
            return RdfaResource::Unresolvable;
        };
        match self.budget.spend(iri.len()) {
            Some(()) => RdfaResource::Iri(iri.into()),
            None => RdfaResource::Unresolvable,
        }
    }

    /// Resolves a safe CURIE, a CURIE or an IRI, as in `about` and `resource` (section 7.4.2). An
    /// invalid CURIE in brackets is ignored.
    pub(super) fn resource(&mut self, value: &str, scope: &RdfaScope) -> Option<RdfaResource> {
        let trimmed = value.trim_ascii();
        if let Some(inside) = trimmed.strip_prefix('[').and_then(|value| value.strip_suffix(']')) {
            let found = self.curie(inside);
            if found.is_none() && !inside.is_empty() {
                self.report.add(ProcessorNotice::Curie, trimmed, "is not a CURIE with a known prefix");
            }
            return found;
        }
        if !self.rules.is_rdfa_1_0()
            && let Some(found) = self.curie(trimmed)
        {
            return Some(found);
        }
        Some(self.iri(trimmed, scope))
    }

    /// Resolves a term, a CURIE or an absolute IRI, as in `property`, `rel`, `rev`, `typeof` and
    /// `datatype` (section 7.4.3).
    pub(super) fn name(&mut self, name: &str, usage: NameUse, scope: &RdfaScope) -> Option<RdfaResource> {
        if self.rules.is_rdfa_1_0() {
            return self.rdfa_1_0_name(name, usage);
        }
        if is_term(name) {
            return self.term(name, scope);
        }
        if let Some(found) = self.curie(name) {
            return Some(found);
        }
        match Iri::parse(percent_encode(name).into_owned()) {
            Ok(iri) => {
                self.budget.spend(iri.len())?;
                Some(RdfaResource::Iri(iri.into_inner().into()))
            }
            Err(_) => {
                self.report.add(ProcessorNotice::Term, name, "is not a term, CURIE or absolute IRI");
                None
            }
        }
    }

    /// Resolves a name to a predicate or datatype, which cannot be a blank node.
    pub(super) fn predicate(&mut self, name: &str, usage: NameUse, scope: &RdfaScope) -> Option<Rc<str>> {
        match self.name(name, usage, scope)? {
            RdfaResource::Iri(iri) => Some(iri),
            RdfaResource::Blank(_) | RdfaResource::Unresolvable => None,
        }
    }

    /// `RDFa` 1.0, section 5.4: only link types and CURIEs.
    fn rdfa_1_0_name(&mut self, name: &str, usage: NameUse) -> Option<RdfaResource> {
        if usage == NameUse::Link
            && let Some((namespace, term)) = context::link_type(name)
        {
            return self.join(namespace, term);
        }
        self.curie(name)
    }

    fn term(&mut self, name: &str, scope: &RdfaScope) -> Option<RdfaResource> {
        if let Some(vocabulary) = &scope.vocabulary {
            return self.join(vocabulary, name);
        }
        let Some((namespace, term)) = context::term(name, self.rules.has_link_types()) else {
            self.report.add(ProcessorNotice::Term, name, "is not a known term");
            return None;
        };
        self.join(namespace, term)
    }

    /// Resolves a CURIE; `None` if it is not a CURIE, or its prefix is unknown.
    pub(super) fn curie(&mut self, text: &str) -> Option<RdfaResource> {
        let (prefix, reference) = text.split_once(':')?;
        match prefix {
            "_" => return Some(self.blanks.named(reference)),
            "" => return self.join(context::XHV, reference),
            // Otherwise `http://` would be a CURIE in pages that declare the prefix `http`.
            _ if reference.starts_with("//") => return None,
            _ => {}
        }
        if let Some(namespace) = self.prefixes.find(prefix) {
            let namespace = Rc::clone(namespace);
            return self.join(&namespace, reference);
        }
        if self.rules.is_rdfa_1_0() {
            return None;
        }
        let namespace = context::prefix(&to_lower(prefix))?;
        self.join(namespace, reference)
    }

    pub(super) fn join(&mut self, namespace: &str, local: &str) -> Option<RdfaResource> {
        self.budget.spend(namespace.len() + local.len())?;
        let joined = [namespace, local].concat();
        // An absolute IRI is used as it is, because resolving would remove its dot segments. A
        // relative namespace is resolved against the URL of the page, not against `<base>`, as
        // consumers of the statement do.
        match Iri::parse(joined.as_str()) {
            Ok(_) => Some(RdfaResource::Iri(joined.into())),
            Err(_) => match self.document.resolve(&joined) {
                Some(iri) => Some(RdfaResource::Iri(iri.into())),
                None => {
                    self.report.add(ProcessorNotice::Curie, &joined, "is not an IRI");
                    Some(RdfaResource::Unresolvable)
                }
            },
        }
    }
}

/// Whether a name has the form of a term (section 7.4.3): without colon, slashes allowed.
pub(super) fn is_term(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '\u{b7}') || !c.is_ascii())
}
