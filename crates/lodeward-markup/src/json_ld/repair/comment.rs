//! Comments, which JSON does not have.

const MARKS: [&str; 4] = ["<!--", "-->", "<![CDATA[", "]]>"];

/// Whether a comment begins here, without looking for its end.
pub(super) fn is_comment(text: &str) -> bool {
    text.starts_with('#')
        || text.starts_with("//")
        || text.starts_with("/*")
        || MARKS.iter().any(|mark| text.starts_with(mark))
}

/// How long the comment is that the text begins with. The marks of comments
/// and sections of HTML are comments, but not what is between them.
pub(super) fn comment_len(text: &str) -> Option<usize> {
    if let Some(mark) = MARKS.iter().find(|mark| text.starts_with(**mark)) {
        return Some(mark.len());
    }
    if let Some(inside) = text.strip_prefix("/*") {
        return Some(inside.find("*/").map_or(text.len(), |at| at + 4));
    }
    if text.starts_with('#') {
        return Some(text.find(['\n', '\r']).unwrap_or(text.len()));
    }
    if let Some(inside) = text.strip_prefix("//") {
        // What a line that is commented out for scripts has to say to HTML.
        let marks = inside.trim_start_matches([' ', '\t']);
        if MARKS.iter().any(|mark| marks.starts_with(mark)) {
            return Some(text.len() - marks.len());
        }
        return Some(text.find(['\n', '\r']).unwrap_or(text.len()));
    }
    None
}
