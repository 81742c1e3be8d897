//! Where raw text ends.

use memchr::{memchr, memchr2};

/// The sorts of text in which tags do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Raw {
    /// Character references count: `<title>`, `<textarea>`.
    Rcdata,
    /// Nothing counts but the end: `<style>`, `<iframe>` and the like.
    Text,
    /// As `Text`, but comments may hide the end.
    Script,
    /// There is no end: `<plaintext>`.
    Plain,
}

impl Raw {
    /// What an HTML element of this name holds, if it is raw text.
    pub(crate) fn of_element(name: &str) -> Option<Self> {
        match name {
            "title" | "textarea" => Some(Self::Rcdata),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => Some(Self::Text),
            "script" => Some(Self::Script),
            "plaintext" => Some(Self::Plain),
            _ => None,
        }
    }

    /// The length of the raw text at the start of `text`, which ends before
    /// the end tag of this name.
    pub(super) fn end(self, text: &[u8], name: &str) -> usize {
        match self {
            Self::Plain => text.len(),
            Self::Script => end_of_script(text, name),
            Self::Rcdata | Self::Text => end_of_text(text, name),
        }
    }
}

fn end_of_text(text: &[u8], name: &str) -> usize {
    let mut at = 0;
    while let Some(found) = memchr(b'<', &text[at..]) {
        at += found;
        if is_tag(&text[at..], b"</", name) {
            return at;
        }
        at += 1;
    }
    text.len()
}

/// How deep in what the standard calls escapes a script is: `<!--` opens one,
/// and `<script` in it a second.
enum Escape {
    None,
    Single,
    Double,
}

fn end_of_script(text: &[u8], name: &str) -> usize {
    let mut escape = Escape::None;
    let mut at = 0;
    loop {
        let found = match escape {
            Escape::None => memchr(b'<', &text[at..]),
            Escape::Single | Escape::Double => memchr2(b'<', b'-', &text[at..]),
        };
        let Some(found) = found else { return text.len() };
        at += found;
        let rest = &text[at..];
        let is_end = is_tag(rest, b"</", name);
        match escape {
            Escape::None | Escape::Single if is_end => return at,
            Escape::None if rest.starts_with(b"<!--") => {
                escape = Escape::Single;
                // `<!-->` opens and closes, so the dashes are looked at again.
                at += b"<!".len();
                continue;
            }
            Escape::Single if is_tag(rest, b"<", "script") => escape = Escape::Double,
            Escape::Double if is_tag(rest, b"</", "script") => escape = Escape::Single,
            Escape::Single | Escape::Double if rest.starts_with(b"-->") => escape = Escape::None,
            _ => {}
        }
        at += 1;
    }
}

/// Whether a tag of this name, in any case, begins here.
fn is_tag(text: &[u8], opening: &[u8], name: &str) -> bool {
    let Some(rest) = text.strip_prefix(opening) else { return false };
    rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        && matches!(rest.get(name.len()), Some(b'\t' | b'\n' | b'\x0c' | b' ' | b'/' | b'>'))
}
