//! Converting property names to predicates (section 6.4).

use std::borrow::Cow;

use foldhash::{HashMap, HashMapExt};
use oxiri::Iri;
use oxrdf::{NamedNode, NamedNodeRef};

use super::registry::{RegisteredVocabulary, VocabularyRegistry};
use lodeward_rdf::iri::{BaseIri, percent_encode};

/// The index of a scope of property names in [`PropertyNames`]. An item without a type has the
/// scope of the item around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NameScope(usize);

impl NameScope {
    /// The scope of items without a type: a property name is a fragment of the page URL.
    pub(super) const DOCUMENT: Self = Self(0);
}

/// The name scopes of a page.
#[derive(Debug)]
pub(super) struct PropertyNames<'r> {
    registry: &'r VocabularyRegistry,
    scopes: Vec<KnownScope<'r>>,
    by_prefix: HashMap<String, NameScope>,
    predicate: String,
}

#[derive(Debug)]
struct KnownScope<'r> {
    /// The prefix that makes a property name a predicate.
    prefix: String,
    vocabulary: Option<&'r RegisteredVocabulary>,
}

impl<'r> PropertyNames<'r> {
    pub(super) fn new(base: &BaseIri, registry: &'r VocabularyRegistry) -> Self {
        let document = KnownScope { prefix: format!("{}#", base.as_str()), vocabulary: None };
        Self { registry, scopes: vec![document], by_prefix: HashMap::new(), predicate: String::new() }
    }

    /// The scope of an item with this type (section 6.3, steps 6 to 8).
    pub(super) fn scope(&mut self, item_type: &str) -> NameScope {
        let vocabulary = self.registry.vocabulary(item_type);
        let prefix = vocabulary.map_or_else(|| vocabulary_prefix(item_type), |it| &it.prefix);
        if let Some(scope) = self.by_prefix.get(prefix) {
            return *scope;
        }
        let scope = NameScope(self.scopes.len());
        self.by_prefix.insert(prefix.to_owned(), scope);
        let separator = if prefix.ends_with(['/', '#']) { "" } else { "#" };
        self.scopes.push(KnownScope { prefix: format!("{prefix}{separator}"), vocabulary });
        scope
    }

    /// The predicate of a property name; `None` if the predicate is not a valid IRI.
    pub(super) fn predicate(&mut self, name: &str, scope: NameScope) -> Option<NamedNodeRef<'_>> {
        self.predicate.clear();
        if let Some(iri) = parse_absolute(name) {
            self.predicate.push_str(&iri);
        } else {
            self.predicate.push_str(&self.scopes[scope.0].prefix);
            self.predicate.push_str(&percent_encode(name));
            // Most names are simple words, which are valid after any prefix.
            if !is_word(name) && Iri::parse(self.predicate.as_str()).is_err() {
                return None;
            }
        }
        Some(NamedNodeRef::new_unchecked(&self.predicate))
    }

    /// The predicates that a name implies (section 4).
    pub(super) fn implied_predicates(&self, name: &str, scope: NameScope) -> &'r [NamedNode] {
        self.scopes[scope.0].vocabulary.map_or(&[], |it| it.implied_properties(name))
    }
}

/// The text as an IRI, if it is an absolute IRI.
pub(super) fn parse_absolute(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(':') {
        return None;
    }
    let iri = percent_encode(text);
    Iri::parse(&*iri).is_ok().then_some(iri)
}

fn is_word(name: &str) -> bool {
    name.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_' | b'.'))
}

/// An absolute IRI up to its `#`, or up to the last `/` of its path. An IRI without either is its
/// own prefix.
fn vocabulary_prefix(iri: &str) -> &str {
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
        let (base, registry) = (BaseIri::new("http://a.org/doc").unwrap(), VocabularyRegistry::default());
        let mut names = PropertyNames::new(&base, &registry);
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
        assert_eq!(names.predicate("x", NameScope::DOCUMENT).unwrap().as_str(), "http://a.org/doc#x");
    }
}
