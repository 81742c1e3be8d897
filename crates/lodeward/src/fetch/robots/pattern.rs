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

/// Writes percent-encoded bytes with upper-case digits. Encoded and plain forms of a character stay different.
pub(super) fn normalise_path(path: &[u8]) -> Cow<'_, [u8]> {
    let mut normal = Cow::Borrowed(path);
    for start in memchr::memchr_iter(b'%', path) {
        if let Some([b'%', high, low]) = path.get(start..start + 3)
            && high.is_ascii_hexdigit()
            && low.is_ascii_hexdigit()
            && (high.is_ascii_lowercase() || low.is_ascii_lowercase())
        {
            normal.to_mut()[start + 1..start + 3].make_ascii_uppercase();
        }
    }
    normal
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
        assert_eq!(PathPattern::new(pattern.as_bytes()).matches(path.as_bytes()), expected, "{pattern} {path}");
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
        check("/%zz", "/%zz", true);
        check("/%", "/%", true);
    }

    #[test]
    fn matching_time_does_not_grow_with_wildcards() {
        let pattern = "/".to_owned() + &"*a".repeat(8_000) + "*b$";
        let path = "/".to_owned() + &"a".repeat(16_000);

        check(&pattern, &path, false);
    }
}
