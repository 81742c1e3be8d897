//! The prefixes that a page declares.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// The prefixes in scope. Each prefix has a stack of IRIs, and a log records what to undo at the
/// end of an element. So an element costs only what it declares, and a lookup is independent of the
/// number of prefixes and the depth.
#[derive(Default)]
pub(super) struct Prefixes {
    by_name: HashMap<Rc<str>, Vec<PrefixMapping>, foldhash::fast::RandomState>,
    declared: Vec<Rc<str>>,
}

struct PrefixMapping {
    /// The prefix as written; XML is case-sensitive, `RDFa` is not.
    written: Rc<str>,
    iri: Rc<str>,
}

impl Prefixes {
    /// The mark to pass to [`rollback`](Self::rollback) to undo later declarations.
    pub(super) fn mark(&self) -> usize {
        self.declared.len()
    }

    pub(super) fn declare(&mut self, written: &str, iri: &str) {
        let name: Rc<str> = to_lower(written).into();
        let mapping = PrefixMapping { written: written.into(), iri: iri.into() };
        self.by_name.entry(Rc::clone(&name)).or_default().push(mapping);
        self.declared.push(name);
    }

    pub(super) fn rollback(&mut self, mark: usize) {
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
        self.by_name.get(&*to_lower(prefix))?.last().map(|mapping| &mapping.iri)
    }

    /// The cost of calling [`all`](Self::all), in bytes.
    pub(super) fn cost(&self) -> usize {
        self.by_name.len() * size_of::<PrefixMapping>()
    }

    /// All prefixes in scope with their IRIs, sorted by name.
    pub(super) fn all(&self) -> Vec<(Rc<str>, Rc<str>)> {
        let last = self.by_name.values().filter_map(|mappings| mappings.last());
        let mut all: Vec<_> = last.map(|it| (Rc::clone(&it.written), Rc::clone(&it.iri))).collect();
        all.sort();
        all
    }
}

/// Converts a prefix to lower case: prefixes are case-insensitive (section 7.5, step 3).
pub(super) fn to_lower(prefix: &str) -> Cow<'_, str> {
    if prefix.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        Cow::Borrowed(prefix)
    } else {
        Cow::Owned(prefix.to_lowercase())
    }
}
