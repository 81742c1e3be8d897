//! From what authors write to IRIs and blank nodes.

use std::rc::Rc;

use oxiri::Iri;

use super::budget::Budget;
use super::context;
use super::prefixes::{Prefixes, lower};
use super::report::{Notice, Report};
use super::rules::Rules;
use super::statement::{Blanks, Resource};
use crate::iri::{Base, escaped};

/// What the meaning of a name depends on, besides prefixes.
#[derive(Clone)]
pub(super) struct Scope {
    pub(super) base: Rc<Base>,
    pub(super) language: Option<Rc<str>>,
    pub(super) vocabulary: Option<Rc<str>>,
}

/// What a name is for: `RDFa` 1.0 has terms for links only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Link,
    Other,
}

/// What names are made with.
pub(super) struct Names<'a> {
    pub(super) rules: Rules,
    pub(super) prefixes: Prefixes,
    pub(super) blanks: Blanks,
    pub(super) report: Report,
    pub(super) budget: Budget<'a>,
    /// Where the page was found, whatever its `<base>`.
    pub(super) document: &'a Base,
}

impl Names<'_> {
    /// An IRI: what `href` and `src` have.
    pub(super) fn iri(&mut self, reference: &str, scope: &Scope) -> Resource {
        let Some(iri) = scope.base.resolve(reference) else {
            self.report.tell(Notice::Iri, reference, "is no IRI");
            return Resource::Unresolvable;
        };
        match self.budget.spend(iri.len()) {
            Some(()) => Resource::Iri(iri.into()),
            None => Resource::Unresolvable,
        }
    }

    /// A safe CURIE, a CURIE or an IRI: what `about` and `resource` have
    /// (section 7.4.2). What is in brackets and no CURIE is as if it were not
    /// there at all.
    pub(super) fn resource(&mut self, value: &str, scope: &Scope) -> Option<Resource> {
        let trimmed = value.trim_ascii();
        if let Some(inside) = trimmed.strip_prefix('[').and_then(|value| value.strip_suffix(']')) {
            let found = self.curie(inside);
            if found.is_none() && !inside.is_empty() {
                self.report.tell(Notice::Curie, trimmed, "is no CURIE with a known prefix");
            }
            return found;
        }
        if !self.rules.is_old()
            && let Some(found) = self.curie(trimmed)
        {
            return Some(found);
        }
        Some(self.iri(trimmed, scope))
    }

    /// A term, a CURIE or an absolute IRI: what `property`, `rel`, `rev`,
    /// `typeof` and `datatype` have (section 7.4.3).
    pub(super) fn name(&mut self, name: &str, usage: Use, scope: &Scope) -> Option<Resource> {
        if self.rules.is_old() {
            return self.old_name(name, usage);
        }
        if is_term(name) {
            return self.term(name, scope);
        }
        if let Some(found) = self.curie(name) {
            return Some(found);
        }
        match Iri::parse(escaped(name).into_owned()) {
            Ok(iri) => {
                self.budget.spend(iri.len())?;
                Some(Resource::Iri(iri.into_inner().into()))
            }
            Err(_) => {
                self.report.tell(Notice::Term, name, "is no term, CURIE or absolute IRI");
                None
            }
        }
    }

    /// A name that may be a predicate or datatype, which no blank node may.
    pub(super) fn predicate(&mut self, name: &str, usage: Use, scope: &Scope) -> Option<Rc<str>> {
        match self.name(name, usage, scope)? {
            Resource::Iri(iri) => Some(iri),
            Resource::Blank(_) | Resource::Unresolvable => None,
        }
    }

    /// `RDFa` 1.0, section 5.4: link types or CURIEs, and nothing else.
    fn old_name(&mut self, name: &str, usage: Use) -> Option<Resource> {
        if usage == Use::Link
            && let Some((namespace, term)) = context::link_type(name)
        {
            return self.joined(namespace, term);
        }
        self.curie(name)
    }

    fn term(&mut self, name: &str, scope: &Scope) -> Option<Resource> {
        if let Some(vocabulary) = &scope.vocabulary {
            return self.joined(vocabulary, name);
        }
        let Some((namespace, term)) = context::term(name, self.rules.has_link_types()) else {
            self.report.tell(Notice::Term, name, "is no term that is known");
            return None;
        };
        self.joined(namespace, term)
    }

    /// What a CURIE stands for, which may be no IRI; `None` if it is not one,
    /// or has a prefix that is not known.
    pub(super) fn curie(&mut self, text: &str) -> Option<Resource> {
        let (prefix, reference) = text.split_once(':')?;
        match prefix {
            "_" => return Some(self.blanks.named(reference)),
            "" => return self.joined(context::XHV, reference),
            // Else `http://` would be a CURIE for whoever calls a prefix so.
            _ if reference.starts_with("//") => return None,
            _ => {}
        }
        if let Some(namespace) = self.prefixes.find(prefix) {
            let namespace = Rc::clone(namespace);
            return self.joined(&namespace, reference);
        }
        if self.rules.is_old() {
            return None;
        }
        let namespace = context::prefix(&lower(prefix))?;
        self.joined(namespace, reference)
    }

    pub(super) fn joined(&mut self, namespace: &str, local: &str) -> Option<Resource> {
        self.budget.spend(namespace.len() + local.len())?;
        let joined = [namespace, local].concat();
        // As it is, if possible: to resolve it would take dots out of it. If
        // the namespace was relative, whoever reads the statement would take
        // it as relative to where it was found: not to `<base>`.
        match Iri::parse(joined.as_str()) {
            Ok(_) => Some(Resource::Iri(joined.into())),
            Err(_) => match self.document.resolve(&joined) {
                Some(iri) => Some(Resource::Iri(iri.into())),
                None => {
                    self.report.tell(Notice::Curie, &joined, "is no IRI");
                    Some(Resource::Unresolvable)
                }
            },
        }
    }
}

/// Whether this has the form of a term (section 7.4.3): a name without colon,
/// in which there may be slashes.
pub(super) fn is_term(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '\u{b7}') || !c.is_ascii())
}
