//! Lists that elements with `inlist` are gathered in.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::names::Names;
use super::statement::{Object, Resource, Statement};

const FIRST: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#first";
const REST: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#rest";
const NIL: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#nil";

/// The lists of a subject: a list mapping (section 7.5, step 8), which knows
/// whose it is.
pub(super) struct Lists {
    subject: Resource,
    by_predicate: BTreeMap<Rc<str>, Vec<Object>>,
}

impl Lists {
    pub(super) fn of(subject: Resource) -> Self {
        Self { subject, by_predicate: BTreeMap::new() }
    }

    /// The list for a predicate, which there is from now on.
    pub(super) fn list(&mut self, predicate: &Rc<str>) -> &mut Vec<Object> {
        self.by_predicate.entry(Rc::clone(predicate)).or_default()
    }

    /// States the lists: section 7.5, step 14.
    pub(super) fn state(self, statements: &mut Vec<Statement>, names: &mut Names<'_>) {
        if self.subject == Resource::Unresolvable {
            return;
        }
        let (first, rest): (Rc<str>, Rc<str>) = (FIRST.into(), REST.into());
        for (predicate, items) in self.by_predicate {
            let mut link = (self.subject.clone(), predicate);
            for item in items {
                if names.budget.spend(item.len() + FIRST.len() + REST.len()).is_none() {
                    return;
                }
                let node = names.blanks.fresh();
                let (subject, predicate) = std::mem::replace(&mut link, (node.clone(), Rc::clone(&rest)));
                statements.push(Statement { subject, predicate, object: node.clone().into() });
                statements.push(Statement { subject: node, predicate: Rc::clone(&first), object: item });
            }
            let (subject, predicate) = link;
            statements.push(Statement { subject, predicate, object: Resource::Iri(NIL.into()).into() });
        }
    }
}
