//! Resolving what authors write where an IRI belongs.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use oxiri::Iri;

use crate::iri_resolve::resolve;

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

    /// What `<base href>` makes of this; the same if there is none that helps.
    pub(crate) fn with_href(&self, href: Option<&str>) -> Self {
        let own = href.and_then(|href| self.resolve(href)).and_then(|iri| Self::new(&iri));
        own.unwrap_or_else(|| self.clone())
    }

    /// The absolute IRI a reference stands for. White space around it is no
    /// part of it; characters that no IRI may have, such as spaces inside, are
    /// percent-encoded, as browsers do. `None` if that does not help either.
    pub(crate) fn resolve(&self, reference: &str) -> Option<String> {
        let reference = reference.trim_matches([' ', '\t', '\n', '\r', '\x0c']);
        resolve(&self.0, &escaped(reference)).ok()
    }
}

/// Percent-encodes what no IRI may have where it stands, such as a space, `|`,
/// or a `%` that is no escape: URLs allow more than IRIs do.
#[must_use]
pub fn escaped(reference: &str) -> Cow<'_, str> {
    if !reference.bytes().any(|byte| byte <= b' ' || is_forbidden(byte) || matches!(byte, b'%' | b'[' | b']')) {
        return Cow::Borrowed(reference);
    }
    let bytes = reference.as_bytes();
    let authority = authority(reference);
    let is_escape = |at: usize| bytes.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
    let mut text = String::with_capacity(reference.len() + 16);
    for (at, c) in reference.char_indices() {
        let is_wrong = match c {
            // Browsers drop these, wherever they are.
            '\t' | '\n' | '\r' => continue,
            '%' => !is_escape(at),
            // The address of a host may be in brackets.
            '[' | ']' => !authority.contains(&at),
            c => u8::try_from(c).is_ok_and(|byte| byte <= b' ' || is_forbidden(byte)),
        };
        if is_wrong {
            let _ = write!(text, "%{:02X}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
}

fn is_forbidden(byte: u8) -> bool {
    matches!(byte, b'<' | b'>' | b'"' | b'{' | b'}' | b'|' | b'\\' | b'^' | b'`' | 0x7f)
}

/// Where the authority of a reference is, if it has one.
fn authority(reference: &str) -> Range<usize> {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    };
    let start = match reference.find("//") {
        Some(0) => 2,
        Some(at) if reference[..at].strip_suffix(':').is_some_and(is_scheme) => at + 2,
        _ => return 0..0,
    };
    let len = reference[start..].find(['/', '?', '#']).unwrap_or(reference.len() - start);
    start..start + len
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
        check("/s?f[]=1", "http://a.org/s?f%5B%5D=1");
        check("50%-off%20x%", "http://a.org/b/50%25-off%20x%25");
        check("http://[::1]/a[0]", "http://[::1]/a%5B0%5D");
        check("//[::1]?x=//[y]", "http://[::1]?x=//%5By%5D");
        assert_eq!(base.resolve("http://[not-an-address/"), None);
        assert!(Base::new("not absolute").is_none());
    }
}
