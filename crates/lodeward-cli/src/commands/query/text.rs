//! The text of a query, and where in it something is wrong.

use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use lodeward_archive::sparql::SyntaxError;

use crate::arguments::Query;
use crate::failure::Usage;

/// A query as it was given.
pub(super) struct Text {
    /// What it is called in messages.
    pub(super) name: String,
    pub(super) sparql: String,
}

impl Text {
    pub(super) fn of(arguments: &Query) -> anyhow::Result<Self> {
        let is_input = |name: &Path| name == Path::new("-");
        match (&arguments.file, &arguments.sparql) {
            (Some(file), _) if !is_input(file) => {
                let unreadable =
                    |error| Usage { message: format!("cannot read {}: {error}", file.display()), hint: None };
                let sparql = std::fs::read_to_string(file).map_err(unreadable)?;
                Ok(Self { name: file.display().to_string(), sparql })
            }
            (None, Some(sparql)) if sparql != "-" => Ok(Self { name: "this".to_owned(), sparql: sparql.clone() }),
            _ => {
                let mut sparql = String::new();
                std::io::stdin().lock().read_to_string(&mut sparql).context("cannot read standard input")?;
                Ok(Self { name: "standard input".to_owned(), sparql })
            }
        }
    }

    /// The line in which an error is, with a mark under its place; begins with
    /// a line feed. Nothing if the place is not known.
    pub(super) fn shown(&self, error: &SyntaxError) -> String {
        let (Some(number), Some(column)) = (error.line, error.column) else { return String::new() };
        let column = column.saturating_sub(letters_read(&error.message));
        // Past the end of the text is after its last line.
        let lines: Vec<&str> = self.sparql.split('\n').collect();
        let Some(line) = lines.get(number.saturating_sub(1)) else { return String::new() };
        // A tab stays a tab, so that the mark is where the eye expects it.
        let before = line.chars().take(column.saturating_sub(1));
        let indent: String = before.map(|character| if character == '\t' { '\t' } else { ' ' }).collect();
        let margin = " ".repeat(number.to_string().len());
        format!("\n {margin} |\n {number} | {line}\n {margin} | {indent}^")
    }
}

/// Letters that the parser had read when it noticed an error: where it expects
/// a keyword, it reads as many as that has and compares them then. The shortest
/// of several was expected furthest into the text.
fn letters_read(message: &str) -> usize {
    let Some(expected) = message.strip_prefix("expected ") else { return 0 };
    let words = expected.strip_prefix("one of ").unwrap_or(expected).split(", ");
    let letters = |word: &str| if word.bytes().all(|byte| byte.is_ascii_uppercase()) { word.len() } else { 0 };
    words.map(letters).min().unwrap_or(0)
}

/// The first words of a message: what a parser expected may fill a screen.
pub(super) fn in_short(message: &str) -> String {
    const CHARACTERS_MAX: usize = 160;
    // Told among everything else that might have followed.
    if message.contains("Prefix not found") {
        return "a prefix is not declared".to_owned();
    }
    // Of all the words that might begin one, only the longest is told.
    match message {
        "expected CONSTRUCT" => return "expected SELECT, ASK, CONSTRUCT or DESCRIBE".to_owned(),
        "expected VERSION" => return "expected INSERT, DELETE, LOAD, CLEAR, DROP or another update".to_owned(),
        _ => {}
    }
    let line = message.lines().next().unwrap_or_default();
    let short: String = line.chars().take(CHARACTERS_MAX).collect();
    if short.len() < message.len() { format!("{short} …") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(sparql: &str, line: usize, column: usize) -> String {
        let text = Text { name: "this".to_owned(), sparql: sparql.to_owned() };
        let error = SyntaxError { line: Some(line), column: Some(column), message: String::new(), hint: None };
        text.shown(&error)
    }

    #[test]
    fn a_mark_is_under_the_place_of_an_error() {
        assert_eq!(shown("SELECT *\n{ ?ä ?b }\n", 2, 8), "\n   |\n 2 | { ?ä ?b }\n   |        ^");
        assert_eq!(shown("ASK\t{", 1, 6), "\n   |\n 1 | ASK\t{\n   |    \t ^");
    }

    #[test]
    fn a_message_is_cut_to_what_can_be_read() {
        assert_eq!(in_short("expected OPTIONAL"), "expected OPTIONAL");
        assert_eq!(in_short("expected CONSTRUCT"), "expected SELECT, ASK, CONSTRUCT or DESCRIBE");
        assert_eq!(in_short("expected one of Prefix not found, ['%']"), "a prefix is not declared");
        assert_eq!(in_short(&"ä".repeat(200)).chars().count(), 162);
    }

    #[test]
    fn a_mark_is_under_the_beginning_of_what_should_be_a_keyword() {
        let text = Text { name: "this".to_owned(), sparql: "ASK { FILTR(1) }".to_owned() };
        let message = "expected OPTIONAL".to_owned();
        let error = SyntaxError { line: Some(1), column: Some(15), message, hint: None };

        assert_eq!(text.shown(&error), "\n   |\n 1 | ASK { FILTR(1) }\n   |       ^");
        assert_eq!(letters_read("expected one of OFFSET, OPTIONAL"), 6);
        assert_eq!(letters_read("expected one of OFFSET, [_]"), 0);
    }

    #[test]
    fn an_error_at_the_end_or_nowhere_is_survived() {
        assert_eq!(shown("ASK {", 1, 6), "\n   |\n 1 | ASK {\n   |      ^");
        assert_eq!(shown("ASK {", 7, 1), "");
        assert_eq!(shown("", 1, 1), "\n   |\n 1 | \n   | ^");
    }
}
