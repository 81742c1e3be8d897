//! Escaping text for each syntax.

/// Pushes `text`, with some characters replaced.
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

/// For Turtle, TriG, N-Triples and N-Quads, between `"`.
pub(super) fn turtle(text: &str, out: &mut String) {
    push_replacing(text, out, |byte| match byte {
        b'"' => Some("\\\""),
        b'\\' => Some("\\\\"),
        b'\n' => Some("\\n"),
        b'\r' => Some("\\r"),
        _ => None,
    });
}

/// For Turtle and TriG, between `"""`, where a line feed may stay.
pub(super) fn turtle_long(text: &str, out: &mut String) {
    push_replacing(text, out, |byte| match byte {
        b'"' => Some("\\\""),
        b'\\' => Some("\\\\"),
        b'\r' => Some("\\r"),
        _ => None,
    });
}

/// For XML and HTML, in text and between `"`.
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

/// For JSON, between `"`; safe inside a script element.
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
