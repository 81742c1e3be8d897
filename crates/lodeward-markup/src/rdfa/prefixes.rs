//! The prefixes that a page declares.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// The prefixes in scope. Each has a stack of what it stands for, and a log
/// tells what to take back at the end of an element: whatever the number of
/// prefixes and the depth of elements, an element costs what it declares, and
/// a lookup one look.
#[derive(Default)]
pub(super) struct Prefixes {
    by_name: HashMap<Rc<str>, Vec<Mapping>, foldhash::fast::RandomState>,
    declared: Vec<Rc<str>>,
}

struct Mapping {
    /// The prefix as it is written. XML cares, `RDFa` does not.
    written: Rc<str>,
    iri: Rc<str>,
}

impl Prefixes {
    /// What to give to [`back_to`](Self::back_to) to undo what follows.
    pub(super) fn mark(&self) -> usize {
        self.declared.len()
    }

    pub(super) fn declare(&mut self, written: &str, iri: &str) {
        let name: Rc<str> = lower(written).into();
        let mapping = Mapping { written: written.into(), iri: iri.into() };
        self.by_name.entry(Rc::clone(&name)).or_default().push(mapping);
        self.declared.push(name);
    }

    pub(super) fn back_to(&mut self, mark: usize) {
        for name in self.declared.drain(mark..) {
            if let Some(mappings) = self.by_name.get_mut(&name) {
                mappings.pop();
            }
        }
    }

    pub(super) fn find(&self, prefix: &str) -> Option<&Rc<str>> {
        if self.declared.is_empty() {
            return None;
        }
        self.by_name.get(&*lower(prefix))?.last().map(|mapping| &mapping.iri)
    }

    /// What [`all`](Self::all) costs.
    pub(super) fn weight(&self) -> usize {
        self.by_name.len() * size_of::<Mapping>()
    }

    /// All prefixes in scope and their IRIs, by name.
    pub(super) fn all(&self) -> Vec<(Rc<str>, Rc<str>)> {
        let last = self.by_name.values().filter_map(|mappings| mappings.last());
        let mut all: Vec<_> = last.map(|it| (Rc::clone(&it.written), Rc::clone(&it.iri))).collect();
        all.sort();
        all
    }
}

/// Prefixes are the same whatever their case (section 7.5, step 3).
pub(super) fn lower(prefix: &str) -> Cow<'_, str> {
    if prefix.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        Cow::Borrowed(prefix)
    } else {
        Cow::Owned(prefix.to_lowercase())
    }
}
