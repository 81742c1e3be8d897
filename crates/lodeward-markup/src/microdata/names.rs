//! From names of properties to predicates (section 6.4).

use std::borrow::Cow;

use foldhash::{HashMap, HashMapExt};
use oxiri::Iri;
use oxrdf::{NamedNode, NamedNodeRef};

use super::registry::{Registry, Vocabulary};
use crate::iri::{Base, escaped};

/// Where the names of an item's properties belong: a number that [`Names`]
/// gives. Items without a type have that of the item around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Scope(usize);

impl Scope {
    /// No type: names are fragments of the document.
    pub(super) const DOCUMENT: Self = Self(0);
}

/// The scopes of a page.
#[derive(Debug)]
pub(super) struct Names<'r> {
    registry: &'r Registry,
    scopes: Vec<Known<'r>>,
    by_prefix: HashMap<String, Scope>,
    predicate: String,
}

#[derive(Debug)]
struct Known<'r> {
    /// What names are put behind.
    prefix: String,
    vocabulary: Option<&'r Vocabulary>,
}

impl<'r> Names<'r> {
    pub(super) fn new(base: &Base, registry: &'r Registry) -> Self {
        let document = Known { prefix: format!("{}#", base.as_str()), vocabulary: None };
        Self { registry, scopes: vec![document], by_prefix: HashMap::new(), predicate: String::new() }
    }

    /// The scope of an item of this type (section 6.3, steps 6 to 8).
    pub(super) fn scope(&mut self, item_type: &str) -> Scope {
        let vocabulary = self.registry.vocabulary(item_type);
        let prefix = vocabulary.map_or_else(|| stripped(item_type), |it| &it.prefix);
        if let Some(scope) = self.by_prefix.get(prefix) {
            return *scope;
        }
        let scope = Scope(self.scopes.len());
        self.by_prefix.insert(prefix.to_owned(), scope);
        let separator = if prefix.ends_with(['/', '#']) { "" } else { "#" };
        self.scopes.push(Known { prefix: format!("{prefix}{separator}"), vocabulary });
        scope
    }

    /// The predicate of a name, if it is an IRI.
    pub(super) fn predicate(&mut self, name: &str, scope: Scope) -> Option<NamedNodeRef<'_>> {
        self.predicate.clear();
        if let Some(iri) = absolute(name) {
            self.predicate.push_str(&iri);
        } else {
            self.predicate.push_str(&self.scopes[scope.0].prefix);
            self.predicate.push_str(&escaped(name));
            // Most names are words, which are right behind any prefix.
            if !is_word(name) && Iri::parse(self.predicate.as_str()).is_err() {
                return None;
            }
        }
        Some(NamedNodeRef::new_unchecked(&self.predicate))
    }

    /// The predicates that a name also stands for (section 4).
    pub(super) fn implied_by(&self, name: &str, scope: Scope) -> &'r [NamedNode] {
        self.scopes[scope.0].vocabulary.map_or(&[], |it| it.implied_by(name))
    }
}

/// The IRI that is written here, if it is absolute.
pub(super) fn absolute(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(':') {
        return None;
    }
    let iri = escaped(text);
    Iri::parse(&*iri).is_ok().then_some(iri)
}

fn is_word(name: &str) -> bool {
    name.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_' | b'.'))
}

/// An absolute IRI up to its `#`, or to the last `/` of its path. One without
/// either is its own vocabulary.
fn stripped(iri: &str) -> &str {
    if let Some(at) = iri.find('#') {
        return &iri[..=at];
    }
    let path_end = iri.find('?').unwrap_or(iri.len());
    let path_length = Iri::parse(iri).map_or(0, |it| it.path().len());
    match iri[path_end - path_length..path_end].rfind('/') {
        Some(at) => &iri[..=path_end - path_length + at],
        None => &iri[..path_end],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_predicates_in_the_vocabulary_of_the_type() {
        let (base, registry) = (Base::new("http://a.org/doc").unwrap(), Registry::default());
        let mut names = Names::new(&base, &registry);
        let mut check = |item_type: &str, name: &str, predicate: Option<&str>| {
            let scope = names.scope(item_type);
            assert_eq!(names.predicate(name, scope).map(NamedNodeRef::as_str), predicate, "{item_type} {name}");
        };
        check("http://schema.org/Person/Teacher", "name", Some("http://schema.org/name"));
        check("http://microformats.org/profile/hcard", "fn", Some("http://microformats.org/profile/hcard#fn"));
        check("http://foo/bar", "baz", Some("http://foo/baz"));
        check("http://foo#bar", "baz", Some("http://foo#baz"));
        check("http://foo/a/b?c=d/e", "baz", Some("http://foo/a/baz"));
        check("http://foo", "baz", Some("http://foo#baz"));
        check("urn:x:y", "baz", Some("urn:x:y#baz"));
        check("http://foo/bar", "http://b.org/c", Some("http://b.org/c"));
        check("http://foo/bar", "größe{x}", Some("http://foo/größe%7Bx%7D"));
        check("http://foo#bar", "a#b", None);
        assert_eq!(names.predicate("x", Scope::DOCUMENT).unwrap().as_str(), "http://a.org/doc#x");
    }
}
