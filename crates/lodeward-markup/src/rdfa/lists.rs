//! Collecting elements with `inlist` into lists.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::names::NameResolver;
use super::statement::{RdfaObject, RdfaResource, RdfaStatement};

const FIRST: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#first";
const REST: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#rest";
const NIL: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#nil";

/// The lists of a subject: a list mapping (section 7.5, step 8), with its subject.
pub(super) struct ListMapping {
    subject: RdfaResource,
    by_predicate: BTreeMap<Rc<str>, Vec<RdfaObject>>,
}

impl ListMapping {
    pub(super) fn new(subject: RdfaResource) -> Self {
        Self { subject, by_predicate: BTreeMap::new() }
    }

    /// The list of a predicate, which is created if needed.
    pub(super) fn list_mut(&mut self, predicate: &Rc<str>) -> &mut Vec<RdfaObject> {
        self.by_predicate.entry(Rc::clone(predicate)).or_default()
    }

    /// Writes the lists (section 7.5, step 14).
    pub(super) fn emit(self, statements: &mut Vec<RdfaStatement>, names: &mut NameResolver<'_>) {
        if self.subject == RdfaResource::Unresolvable {
            return;
        }
        let (first, rest): (Rc<str>, Rc<str>) = (FIRST.into(), REST.into());
        for (predicate, items) in self.by_predicate {
            let mut link = (self.subject.clone(), predicate);
            for item in items {
                if names.budget.spend(item.len() + FIRST.len() + REST.len()).is_none() {
                    return;
                }
                let node = names.blanks.new_node();
                let (subject, predicate) = std::mem::replace(&mut link, (node.clone(), Rc::clone(&rest)));
                statements.push(RdfaStatement { subject, predicate, object: node.clone().into() });
                statements.push(RdfaStatement { subject: node, predicate: Rc::clone(&first), object: item });
            }
            let (subject, predicate) = link;
            statements.push(RdfaStatement { subject, predicate, object: RdfaResource::Iri(NIL.into()).into() });
        }
    }
}
