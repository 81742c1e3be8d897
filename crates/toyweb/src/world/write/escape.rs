//! Escapes text for each syntax.

/// Appends `text`; bytes for which `replacement` returns a string are replaced with it.
fn push_replacing(text: &str, out: &mut String, replacement: impl Fn(u8) -> Option<&'static str>) {
    let mut start = 0;
    for (index, byte) in text.bytes().enumerate() {
        // All replaced characters are ASCII, so this is a character boundary.
        if let Some(replacement) = replacement(byte) {
            out.push_str(&text[start..index]);
            out.push_str(replacement);
            start = index + 1;
        }
    }
    out.push_str(&text[start..]);
}

/// Escapes a string in `"` for Turtle, TriG, N-Triples and N-Quads.
pub(super) fn turtle(text: &str, out: &mut String) {
    push_replacing(text, out, |byte| match byte {
        b'"' => Some("\\\""),
        b'\\' => Some("\\\\"),
        b'\n' => Some("\\n"),
        b'\r' => Some("\\r"),
        _ => None,
    });
}

/// Escapes a string in `"""` for Turtle and TriG; line feeds are kept.
pub(super) fn turtle_long(text: &str, out: &mut String) {
    push_replacing(text, out, |byte| match byte {
        b'"' => Some("\\\""),
        b'\\' => Some("\\\\"),
        b'\r' => Some("\\r"),
        _ => None,
    });
}

/// Escapes text and attribute values in `"` for XML and HTML.
pub(super) fn markup(text: &str, out: &mut String) {
    push_replacing(text, out, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'"' => Some("&quot;"),
        b'\r' => Some("&#13;"),
        _ => None,
    });
}

/// Escapes a string in `"` for JSON, also inside a script element.
pub(super) fn json(text: &str, out: &mut String) {
    push_replacing(text, out, |byte| match byte {
        b'"' => Some("\\\""),
        b'\\' => Some("\\\\"),
        b'\n' => Some("\\n"),
        b'\r' => Some("\\r"),
        b'\t' => Some("\\t"),
        b'<' => Some("\\u003c"),
        _ => None,
    });
}
