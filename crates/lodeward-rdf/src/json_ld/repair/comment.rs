//! Detecting comments, which JSON does not have.

const HTML_MARKS: [&str; 4] = ["<!--", "-->", "<![CDATA[", "]]>"];

/// Whether a comment begins here, without searching for its end.
pub(super) fn is_comment(text: &str) -> bool {
    text.starts_with('#')
        || text.starts_with("//")
        || text.starts_with("/*")
        || HTML_MARKS.iter().any(|mark| text.starts_with(mark))
}

/// The length of the comment at the beginning of the text. The delimiters of HTML comments and
/// CDATA sections are treated as comments, but the text between them is not.
pub(super) fn comment_len(text: &str) -> Option<usize> {
    if let Some(mark) = HTML_MARKS.iter().find(|mark| text.starts_with(**mark)) {
        return Some(mark.len());
    }
    if let Some(inside) = text.strip_prefix("/*") {
        return Some(inside.find("*/").map_or(text.len(), |at| at + 4));
    }
    if text.starts_with('#') {
        return Some(text.find(['\n', '\r']).unwrap_or(text.len()));
    }
    if let Some(inside) = text.strip_prefix("//") {
        // Before an HTML delimiter, only the `//` is a comment: it hides the delimiter from
        // scripts.
        let marks = inside.trim_start_matches([' ', '\t']);
        if HTML_MARKS.iter().any(|mark| marks.starts_with(mark)) {
            return Some(text.len() - marks.len());
        }
        return Some(text.find(['\n', '\r']).unwrap_or(text.len()));
    }
    None
}
