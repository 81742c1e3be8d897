//! What people read in a file: pages, comments and messages.

use crate::TextFile;
use crate::rust_lexer::{PieceKind, code_only, line_of, pieces};
use crate::test_code::{is_named_as_test, test_ranges};

/// A stretch of text that reads on over line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Passage {
    first_line: usize,
    /// The text without comment markers; its line breaks are those of the file.
    pub(super) text: String,
}

impl Passage {
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.first_line - 1 + line_of(&self.text, offset)
    }
}

/// The passages of a file; none if it is data.
pub(super) fn passages_of(file: &TextFile) -> Vec<Passage> {
    if file.path.starts_with("eval/results/") {
        return Vec::new();
    }
    if file.has_extension("rs") {
        return rust_passages(file);
    }
    let is_text = ["md", "toml", "sh", "py", "yml", "service"].iter().any(|extension| file.has_extension(extension))
        || matches!(file.file_name(), "Makefile" | "Containerfile" | ".gitignore" | ".containerignore")
        || file.path == ".ci/run";
    if is_text { vec![Passage { first_line: 1, text: without_markers(&file.text, &['#', '>']) }] } else { Vec::new() }
}

/// Blanks the markers at the start of lines, so that a phrase reads on.
fn without_markers(text: &str, markers: &[char]) -> String {
    let lines: Vec<_> = text.split('\n').map(|line| line.trim_start().trim_start_matches(markers)).collect();
    lines.join("\n")
}

fn rust_passages(file: &TextFile) -> Vec<Passage> {
    let source = &file.text;
    let is_test_file = is_named_as_test(&file.path);
    let tests = test_ranges(&code_only(source));
    let is_test = |offset: usize| is_test_file || tests.iter().any(|range| range.contains(&offset));
    let mut passages: Vec<Passage> = Vec::new();
    let mut last_comment: Option<(usize, &str)> = None;
    for piece in pieces(source) {
        let raw = &source[piece.range.clone()];
        let text = match piece.kind {
            PieceKind::Comment => {
                let marker = comment_marker(raw);
                let text = without_markers(raw, &['/', '!', '*']);
                let continues = last_comment.is_some_and(|(end, last_marker)| {
                    last_marker == marker && marker.starts_with("//") && is_line_break(&source[end..piece.range.start])
                });
                last_comment = Some((piece.range.end, marker));
                if continues && let Some(passage) = passages.last_mut() {
                    passage.text.push('\n');
                    passage.text.push_str(&text);
                    continue;
                }
                text
            }
            PieceKind::Str | PieceKind::RawStr if is_test(piece.range.start) && is_data(raw) => continue,
            PieceKind::Str => unescaped(raw),
            PieceKind::RawStr => raw.to_owned(),
            PieceKind::Char => continue,
        };
        passages.push(Passage { first_line: line_of(source, piece.range.start), text });
    }
    passages
}

fn comment_marker(comment: &str) -> &str {
    let length = comment.find(|next: char| !matches!(next, '/' | '!' | '*')).unwrap_or(comment.len());
    &comment[..length]
}

fn is_line_break(between: &str) -> bool {
    between.trim().is_empty() && between.matches('\n').count() == 1
}

/// Whether a literal of a test is a document rather than a message: it has markup,
/// an IRI or a statement in it.
fn is_data(literal: &str) -> bool {
    literal.contains("</") || literal.contains("://") || literal.contains("@prefix") || literal.contains("\\\"@")
}

/// The text of a string literal: escapes become what they stand for, so that a
/// word behind `\n` is a word. Only the line breaks of the source remain.
fn unescaped(literal: &str) -> String {
    let mut text = String::with_capacity(literal.len());
    let mut characters = literal.chars();
    while let Some(character) = characters.next() {
        match (character == '\\').then(|| characters.next()) {
            None => text.push(character),
            Some(Some('n' | 't' | 'r' | '0')) => text.push(' '),
            Some(Some(escaped)) => text.push(escaped),
            Some(None) => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(path: &str, text: &str) -> Vec<(usize, String)> {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        passages_of(&TextFile::new(path, text))
            .iter()
            .map(|passage| (passage.first_line, words(&passage.text)))
            .collect()
    }

    #[test]
    fn comment_lines_read_on() {
        let source = "/// One\n/// two.\nfn f() {} // three\n\n// four\n/* five\n * six */\n";
        let expected = [(1, "One two."), (3, "three"), (5, "four"), (6, "five six */")];
        assert_eq!(texts("crates/a/src/lib.rs", source), expected.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn strings_are_unescaped() {
        let source = "f(\"one\\ntwo \\\n   three\", r\"four\");";
        let expected = [(1, "one two three"), (2, "four")];
        assert_eq!(texts("crates/a/src/lib.rs", source), expected.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn documents_in_tests_are_data_and_messages_are_not() {
        let source = "assert!(a, \"message\"); let page = \"<p>text</p>\";";
        assert_eq!(texts("crates/a/tests/it/main.rs", source), [(1, "message".to_owned())]);
        assert_eq!(texts("crates/a/src/lib.rs", source).len(), 2);
    }

    #[test]
    fn results_and_unknown_kinds_of_files_are_data() {
        assert_eq!(texts("eval/results/speed.md", "text"), []);
        assert_eq!(texts("crates/a/src/list.txt", "text"), []);
    }
}
