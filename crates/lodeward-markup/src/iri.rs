//! Resolving what authors write where an IRI belongs.

use std::borrow::Cow;

use oxiri::Iri;

/// What relative references are resolved against, by RFC 3986.
#[derive(Clone, Debug)]
pub(crate) struct Base(Iri<String>);

impl Base {
    /// A base, if this is an absolute IRI. Its fragment is no part of it.
    pub(crate) fn new(iri: &str) -> Option<Self> {
        let iri = iri.split_once('#').map_or(iri, |(iri, _)| iri);
        Iri::parse(escaped(iri).into_owned()).ok().map(Self)
    }

    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The absolute IRI a reference stands for. White space around it is no
    /// part of it; characters that no IRI may have, such as spaces inside, are
    /// percent-encoded, as browsers do. `None` if that does not help either.
    pub(crate) fn resolve(&self, reference: &str) -> Option<String> {
        let reference = reference.trim_matches([' ', '\t', '\n', '\r', '\x0c']);
        self.0.resolve(&escaped(reference)).ok().map(Iri::into_inner)
    }
}

/// Percent-encodes what no IRI may have.
pub(crate) fn escaped(reference: &str) -> Cow<'_, str> {
    let is_forbidden =
        |c: char| matches!(c, '\0'..=' ' | '<' | '>' | '"' | '{' | '}' | '|' | '\\' | '^' | '`' | '\x7f');
    if !reference.contains(is_forbidden) {
        return Cow::Borrowed(reference);
    }
    let mut text = String::with_capacity(reference.len() + 16);
    for c in reference.chars() {
        match c {
            // Browsers drop these, wherever they are.
            '\t' | '\n' | '\r' => {}
            c if is_forbidden(c) => text.push_str(&format!("%{:02X}", u32::from(c))),
            c => text.push(c),
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_and_mended() {
        let base = Base::new("http://a.org/b/c.html?d#e").unwrap();
        let check = |reference: &str, iri: &str| assert_eq!(base.resolve(reference).as_deref(), Some(iri));

        check("photo.jpg", "http://a.org/b/photo.jpg");
        check("", "http://a.org/b/c.html?d");
        check("#x", "http://a.org/b/c.html?d#x");
        check(" two words|x ", "http://a.org/b/two%20words%7Cx");
        check("mailto:a@b.org", "mailto:a@b.org");
        assert_eq!(base.resolve("http://[not-an-address/"), None);
        assert!(Base::new("not absolute").is_none());
    }
}
