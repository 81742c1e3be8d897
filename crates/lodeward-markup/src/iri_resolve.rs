//! Relative references, resolved to the letter of
//! [RFC 3986, section 5.2](https://www.rfc-editor.org/rfc/rfc3986#section-5.2).

use std::borrow::Cow;

use oxiri::{Iri, IriParseError};

/// The absolute IRI that a reference stands for.
pub(crate) fn resolve(base: &Iri<String>, reference: &str) -> Result<String, IriParseError> {
    // oxiri follows the dots of a path, but counts those of the base as
    // segments. They stay only where the reference has no path of its own.
    if reference.is_empty() || reference.starts_with(['?', '#']) {
        return base.resolve(reference).map(Iri::into_inner);
    }
    let iri = if base.path().contains("/.") {
        Iri::parse_unchecked(folder(base)).resolve(reference)?
    } else {
        base.resolve(reference)?
    };
    Ok(if iri.path().contains("/.") { with_plain_path(&iri) } else { iri.into_inner() })
}

fn with_plain_path(iri: &Iri<String>) -> String {
    let (before, after) = around_path(iri);
    [before, &without_dots(iri.path()), after].concat()
}

/// The part of a base that relative paths go on from.
fn folder(base: &Iri<String>) -> String {
    let folder = base.path().rfind('/').map_or("", |at| &base.path()[..=at]);
    [around_path(base).0, &without_dots(folder)].concat()
}

fn around_path(iri: &Iri<String>) -> (&str, &str) {
    let at = iri.path().as_ptr() as usize - iri.as_str().as_ptr() as usize;
    (&iri.as_str()[..at], &iri.as_str()[at + iri.path().len()..])
}

/// A path in which `.` and `..` are followed.
fn without_dots(path: &str) -> Cow<'_, str> {
    let Some(path) = path.strip_prefix('/') else { return Cow::Borrowed(path) };
    let mut kept = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        match segment {
            "." | ".." => {
                if segment == ".." {
                    kept.pop();
                }
                if segments.peek().is_none() {
                    kept.push("");
                }
            }
            segment => kept.push(segment),
        }
    }
    Cow::Owned(format!("/{}", kept.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_followed_wherever_they_are() {
        let check = |base: &str, reference: &str, expected: &str| {
            assert_eq!(resolve(&Iri::parse(base.to_owned()).unwrap(), reference).unwrap(), expected);
        };

        check("http://a/bb/ccc/../d;p?q", "g", "http://a/bb/g");
        check("http://a/bb/ccc/./d;p?q", "../g", "http://a/bb/g");
        check("http://a/bb/ccc/..", "g", "http://a/bb/ccc/g");
        check("http://a/bb/ccc/../d;p?q", "?y", "http://a/bb/ccc/../d;p?y");
        check("http://a/bb/ccc/./d;p?q", "#s", "http://a/bb/ccc/./d;p?q#s");
        check("http://a/b", "//e.org/.././f/../../g?a/../b#c/./d", "http://e.org/g?a/../b#c/./d");
        check("http://a/b/c", "x/..", "http://a/b/");
        check("http://a/b/c", "./.x/y./..z", "http://a/b/.x/y./..z");
        check("urn:a:b", "urn:c:/./d", "urn:c:/./d");
    }
}
