//! Resolving relative references as in
//! [RFC 3986, section 5.2](https://www.rfc-editor.org/rfc/rfc3986#section-5.2).

use std::borrow::Cow;

use oxiri::{Iri, IriParseError};

/// The absolute IRI of a reference.
pub(crate) fn resolve(base: &Iri<String>, reference: &str) -> Result<String, IriParseError> {
    // oxiri removes dot segments of the reference, but treats dot segments of the base as normal
    // segments. The dot segments of the base are kept only if the reference has no path.
    if reference.is_empty() || reference.starts_with(['?', '#']) {
        return base.resolve(reference).map(Iri::into_inner);
    }
    let iri = if base.path().contains("/.") {
        Iri::parse_unchecked(base_directory(base)).resolve(reference)?
    } else {
        base.resolve(reference)?
    };
    Ok(if iri.path().contains("/.") { normalize_path(&iri) } else { iri.into_inner() })
}

fn normalize_path(iri: &Iri<String>) -> String {
    let (before, after) = split_around_path(iri);
    [before, &remove_dot_segments(iri.path()), after].concat()
}

/// The part of a base to which relative paths are appended.
fn base_directory(base: &Iri<String>) -> String {
    let directory = base.path().rfind('/').map_or("", |at| &base.path()[..=at]);
    [split_around_path(base).0, &remove_dot_segments(directory)].concat()
}

fn split_around_path(iri: &Iri<String>) -> (&str, &str) {
    let at = iri.path().as_ptr() as usize - iri.as_str().as_ptr() as usize;
    (&iri.as_str()[..at], &iri.as_str()[at + iri.path().len()..])
}

/// Removes `.` and `..` from a path.
fn remove_dot_segments(path: &str) -> Cow<'_, str> {
    let Some(path) = path.strip_prefix('/') else { return Cow::Borrowed(path) };
    let mut resolved = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        match segment {
            "." | ".." => {
                if segment == ".." {
                    resolved.pop();
                }
                if segments.peek().is_none() {
                    resolved.push("");
                }
            }
            segment => resolved.push(segment),
        }
    }
    Cow::Owned(format!("/{}", resolved.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_segments_of_base_and_reference_are_removed() {
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
