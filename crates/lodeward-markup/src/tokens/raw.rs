//! Finding the end of raw text.

use memchr::{memchr, memchr2};

/// The kinds of text that contain no tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RawTextKind {
    /// Text with character references, in `<title>` and `<textarea>`.
    Rcdata,
    /// Text without character references, in `<style>`, `<iframe>` and similar elements.
    Text,
    /// Like `Text`, but `<!--` can hide the end tag.
    Script,
    /// Text up to the end of the page, after `<plaintext>`.
    Plain,
}

impl RawTextKind {
    /// The kind of raw text in this HTML element, if any.
    pub(crate) fn from_element(name: &str) -> Option<Self> {
        match name {
            "title" | "textarea" => Some(Self::Rcdata),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => Some(Self::Text),
            "script" => Some(Self::Script),
            "plaintext" => Some(Self::Plain),
            _ => None,
        }
    }

    /// The length of the raw text at the start of `text`, up to the end tag with this name.
    pub(super) fn find_end(self, text: &[u8], name: &str) -> usize {
        match self {
            Self::Plain => text.len(),
            Self::Script => find_script_end(text, name),
            Self::Rcdata | Self::Text => find_text_end(text, name),
        }
    }
}

fn find_text_end(text: &[u8], name: &str) -> usize {
    let mut at = 0;
    while let Some(found) = memchr(b'<', &text[at..]) {
        at += found;
        if starts_tag(&text[at..], b"</", name) {
            return at;
        }
        at += 1;
    }
    text.len()
}

/// The escape state of a script, as the standard defines it: `<!--` starts an escape, and `<script`
/// inside it a second one.
enum ScriptEscape {
    None,
    Single,
    Double,
}

fn find_script_end(text: &[u8], name: &str) -> usize {
    let mut escape = ScriptEscape::None;
    let mut at = 0;
    loop {
        let found = match escape {
            ScriptEscape::None => memchr(b'<', &text[at..]),
            ScriptEscape::Single | ScriptEscape::Double => memchr2(b'<', b'-', &text[at..]),
        };
        let Some(found) = found else { return text.len() };
        at += found;
        let rest = &text[at..];
        let is_end = starts_tag(rest, b"</", name);
        match escape {
            ScriptEscape::None | ScriptEscape::Single if is_end => return at,
            ScriptEscape::None if rest.starts_with(b"<!--") => {
                escape = ScriptEscape::Single;
                // `<!-->` starts and ends an escape, so the dashes are scanned again.
                at += b"<!".len();
                continue;
            }
            ScriptEscape::Single if starts_tag(rest, b"<", "script") => escape = ScriptEscape::Double,
            ScriptEscape::Double if starts_tag(rest, b"</", "script") => escape = ScriptEscape::Single,
            ScriptEscape::Single | ScriptEscape::Double if rest.starts_with(b"-->") => escape = ScriptEscape::None,
            _ => {}
        }
        at += 1;
    }
}

/// Whether a tag with this name begins here, ignoring case.
fn starts_tag(text: &[u8], opening: &[u8], name: &str) -> bool {
    let Some(rest) = text.strip_prefix(opening) else { return false };
    rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        && matches!(rest.get(name.len()), Some(b'\t' | b'\n' | b'\x0c' | b' ' | b'/' | b'>'))
}
