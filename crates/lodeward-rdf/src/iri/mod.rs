//! Resolving and escaping the references that authors write.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use oxiri::Iri;

mod resolve;

pub(crate) use resolve::resolve;

/// The base of relative references (RFC 3986).
#[derive(Clone, Debug)]
pub struct BaseIri(Iri<String>);

impl BaseIri {
    /// Parses a base, if it is an absolute IRI. The fragment is removed.
    #[must_use]
    pub fn new(iri: &str) -> Option<Self> {
        let iri = iri.split_once('#').map_or(iri, |(iri, _)| iri);
        Iri::parse(percent_encode(iri).into_owned()).ok().map(Self)
    }

    /// The base as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The base after a `<base href>`; unchanged if the `href` is missing or invalid.
    #[must_use]
    pub fn with_href(&self, href: Option<&str>) -> Self {
        let base = href.and_then(|href| self.resolve(href)).and_then(|iri| Self::new(&iri));
        base.unwrap_or_else(|| self.clone())
    }

    /// Resolves a reference. Surrounding white space is removed, and characters that are invalid in
    /// IRIs, such as spaces, are percent-encoded, as in browsers. `None` if the result is still
    /// invalid.
    #[must_use]
    pub fn resolve(&self, reference: &str) -> Option<String> {
        let reference = reference.trim_matches([' ', '\t', '\n', '\r', '\x0c']);
        resolve(&self.0, &percent_encode(reference)).ok()
    }
}

/// Percent-encodes characters that are invalid in an IRI at their position, such as a space, `|`,
/// or a `%` that starts no escape: URLs allow more characters than IRIs.
#[must_use]
pub fn percent_encode(reference: &str) -> Cow<'_, str> {
    if !reference.bytes().any(|byte| byte <= b' ' || is_forbidden(byte) || matches!(byte, b'%' | b'[' | b']')) {
        return Cow::Borrowed(reference);
    }
    let bytes = reference.as_bytes();
    let authority = authority_range(reference);
    let is_escape = |at: usize| bytes.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
    let mut text = String::with_capacity(reference.len() + 16);
    for (at, c) in reference.char_indices() {
        let is_invalid = match c {
            // Browsers remove these characters.
            '\t' | '\n' | '\r' => continue,
            '%' => !is_escape(at),
            // An IPv6 address of a host is in brackets.
            '[' | ']' => !authority.contains(&at),
            c => u8::try_from(c).is_ok_and(|byte| byte <= b' ' || is_forbidden(byte)),
        };
        if is_invalid {
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

/// The byte range of the authority of a reference, if it has one.
fn authority_range(reference: &str) -> Range<usize> {
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
    fn references_are_resolved_and_escaped() {
        let base = BaseIri::new("http://a.org/b/c.html?d#e").unwrap();
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
        assert!(BaseIri::new("not absolute").is_none());
    }
}
