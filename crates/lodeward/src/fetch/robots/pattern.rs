//! Path patterns: a prefix, with `*` for anything and a final `$` for the end.

use std::borrow::Cow;

/// A pattern, normalised like the paths it is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathPattern(Box<[u8]>);

impl PathPattern {
    pub(super) fn new(text: &[u8]) -> Self {
        Self(normalise_pattern(text))
    }

    /// The length that decides precedence, wildcards included.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the pattern matches a path. Each piece between two wildcards is searched once, at its leftmost position:
    /// if any choice leads to a match, the leftmost does. So there is no backtracking, and matching takes one search
    /// through the path.
    pub(super) fn matches(&self, path: &[u8]) -> bool {
        let (pattern, to_the_end) = match self.0.strip_suffix(b"$") {
            Some(pattern) => (pattern, true),
            None => (&*self.0, false),
        };
        let mut pieces = pattern.split(|&byte| byte == b'*');
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = path.strip_prefix(first) else { return false };
        let mut last = None;
        for piece in pieces {
            if let Some(piece) = last.replace(piece) {
                let Some(start) = memchr::memmem::find(rest, piece) else { return false };
                rest = &rest[start + piece.len()..];
            }
        }
        match (last, to_the_end) {
            (None, true) => rest.is_empty(),
            (None, false) => true,
            (Some(piece), true) => rest.ends_with(piece),
            (Some(piece), false) => memchr::memmem::find(rest, piece).is_some(),
        }
    }
}

/// `Allow: /dir/index.html` also allows `/dir/`, the usual URL of the page (a rule of Google's parser).
pub(super) fn directory_of_index(path: &[u8]) -> Option<PathPattern> {
    let slash = memchr::memrchr(b'/', path)?;
    path[slash..].starts_with(b"/index.htm").then(|| PathPattern::new(&[&path[..=slash], b"$"].concat()))
}

/// Decodes percent-encoded unreserved characters, and writes other percent-encoded bytes with upper-case digits (RFC 9309
/// §2.2.2, RFC 3986 §2.3). Reserved characters stay as they are: `%2F` is not a slash, `%2A` is not a wildcard. Nothing
/// is decoded twice.
pub(super) fn normalise_path(path: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'%', path).is_none() {
        return Cow::Borrowed(path);
    }
    let mut normal = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&byte, tail)) = rest.split_first() {
        let Some(decoded) = decode_octet(rest) else {
            normal.push(byte);
            rest = tail;
            continue;
        };
        if is_unreserved(decoded) {
            normal.push(decoded);
        } else {
            normal.extend(rest[..3].to_ascii_uppercase());
        }
        rest = &rest[3..];
    }
    Cow::Owned(normal)
}

/// The byte that a text encodes at its start, such as `%7E`.
fn decode_octet(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = *text else { return None };
    let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Normalises a pattern like a path, and also percent-encodes non-ASCII characters. Paths need no such encoding: those
/// of a [`crate::model::Uri`] are ASCII, and Google's tests expect other paths unchanged.
fn normalise_pattern(text: &[u8]) -> Box<[u8]> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut normal = Vec::with_capacity(text.len());
    for &byte in &*normalise_path(text) {
        if byte.is_ascii() {
            normal.push(byte);
        } else {
            normal.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
    }
    normal.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, path: &str, expected: bool) {
        let path = normalise_path(path.as_bytes());
        assert_eq!(PathPattern::new(pattern.as_bytes()).matches(&path), expected, "{pattern} {path:?}");
    }

    #[test]
    fn asterisk_matches_anything_and_dollar_matches_the_end() {
        check("/fish", "/fish.html", true);
        check("/fish", "/Fish", false);
        check("/fish*", "/fish", true);
        check("/*.php", "/a/b.php?c", true);
        check("/*.php$", "/a/b.php?c", false);
        check("/*.php$", "/a.php/b.php", true);
        check("/fish$", "/fishes", false);
        check("/a*b*c$", "/abcbc", true);
        check("/a*bc*bc$", "/abc", false);
        check("*", "/x", true);
        check("*$", "/x", true);
        check("$", "/x", false);
        check("/a$b", "/a$bc", true);
    }

    #[test]
    fn equivalent_encodings_match() {
        check("/\u{30c4}", "/%E3%83%84", true);
        check("/%e3%83%84", "/%E3%83%84", true);
        check("/%e3%83%84", "/%e3%83%84", true);
        check("/~joe", "/%7Ejoe", true);
        check("/%7ejoe", "/~joe", true);
        check("/%62%61%7A", "/baz", true);
        check("/a%2Db%2Ec%5F", "/a-b.c_", true);
        check("/%C3%A9", "/\u{e9}", false);
        check("/%zz", "/%zz", true);
        check("/%", "/%", true);
    }

    #[test]
    fn encoded_reserved_characters_stay_encoded() {
        check("/a%2fb", "/a%2Fb", true);
        check("/a%2Fb", "/a/b", false);
        check("/a/b", "/a%2Fb", false);
        check("/a%2Ab", "/axb", false);
        check("/a%2Ab", "/a%2ab", true);
        check("/a%24", "/a", false);
        check("/a%3Fb", "/a?b", false);
        check("/%257E", "/%7E", false);
        check("/%257E", "/~", false);
        check("/%257e", "/%257e", true);
        check("/%7", "/%7", true);
    }

    #[test]
    fn matching_time_does_not_grow_with_wildcards() {
        let pattern = "/".to_owned() + &"*a".repeat(8_000) + "*b$";
        let path = "/".to_owned() + &"a".repeat(16_000);

        check(&pattern, &path, false);
    }
}
