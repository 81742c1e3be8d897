//! The text of a query, and excerpts that show the position of an error.

use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use lodeward_archive::sparql::QuerySyntaxError;

use serde::{Deserialize, Serialize};

use crate::args::QueryArgs;
use crate::errors::UsageError;

/// The text of a query and its source.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::commands) struct QuerySource {
    /// The name of the file, or `standard input`; empty for an argument.
    pub(super) name: String,
    pub(super) sparql: String,
}

impl QuerySource {
    /// Whether the text may contain `lodeward:search`, which needs an index that is up to date.
    pub(super) fn may_search(&self) -> bool {
        self.sparql.contains("search")
    }

    pub(super) fn from_args(arguments: &QueryArgs) -> anyhow::Result<Self> {
        let is_input = |name: &Path| name == Path::new("-");
        match (&arguments.file, &arguments.sparql) {
            (Some(file), _) if !is_input(file) => {
                let unreadable =
                    |error| UsageError { message: format!("cannot read {}: {error}", file.display()), hint: None };
                let sparql = std::fs::read_to_string(file).map_err(unreadable)?;
                Ok(Self { name: file.display().to_string(), sparql })
            }
            (None, Some(sparql)) if sparql != "-" => Ok(Self { name: String::new(), sparql: sparql.clone() }),
            _ => {
                let mut sparql = String::new();
                std::io::stdin().lock().read_to_string(&mut sparql).context("cannot read standard input")?;
                Ok(Self { name: "standard input".to_owned(), sparql })
            }
        }
    }

    /// The hint for a query that is the name of a file.
    pub(super) fn file_hint(&self) -> Option<String> {
        let name = self.sparql.trim();
        let is_name = self.name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "{}?".contains(c));
        let path = Path::new(name);
        let is_query_file =
            path.extension().is_some_and(|extension| ["rq", "ru", "sparql"].iter().any(|known| extension == *known));
        (is_name && (is_query_file || path.is_file())).then(|| format!("read the query from the file: --file {name}"))
    }

    /// The line of an error with a caret under its position, after a line feed; empty if the
    /// position is unknown.
    pub(super) fn error_excerpt(&self, error: &QuerySyntaxError) -> String {
        let (Some(number), Some(column)) = (error.line, error.column) else { return String::new() };
        let column = column.saturating_sub(letters_read(&error.message));
        // An error past the end is after the last line.
        let lines: Vec<&str> = self.sparql.split('\n').collect();
        let Some(line) = lines.get(number.saturating_sub(1)) else { return String::new() };
        // Tabs are kept, so that the caret is aligned.
        let before = line.chars().take(column.saturating_sub(1));
        let indent: String = before.map(|character| if character == '\t' { '\t' } else { ' ' }).collect();
        let margin = " ".repeat(number.to_string().len());
        format!("\n {margin} |\n {number} | {line}\n {margin} | {indent}^")
    }
}

/// How far the parser had read past the start of an error: where it expects a keyword, it reads as
/// many letters as the keyword has before it compares. If it expects several keywords, it reads as
/// many letters as the shortest has.
fn letters_read(message: &str) -> usize {
    let Some(expected) = message.strip_prefix("expected ") else { return 0 };
    let words = expected.strip_prefix("one of ").unwrap_or(expected).split(", ");
    let letters = |word: &str| if word.bytes().all(|byte| byte.is_ascii_uppercase()) { word.len() } else { 0 };
    words.map(letters).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(sparql: &str, line: usize, column: usize) -> String {
        let text = QuerySource { name: String::new(), sparql: sparql.to_owned() };
        let error = QuerySyntaxError { line: Some(line), column: Some(column), message: String::new(), hint: None };
        text.error_excerpt(&error)
    }

    #[test]
    fn the_caret_is_under_the_position_of_the_error() {
        assert_eq!(shown("SELECT *\n{ ?ä ?b }\n", 2, 8), "\n   |\n 2 | { ?ä ?b }\n   |        ^");
        assert_eq!(shown("ASK\t{", 1, 6), "\n   |\n 1 | ASK\t{\n   |    \t ^");
    }

    #[test]
    fn the_caret_is_under_the_start_of_an_expected_keyword() {
        let text = QuerySource { name: String::new(), sparql: "ASK { FILTR(1) }".to_owned() };
        let message = "expected OPTIONAL".to_owned();
        let error = QuerySyntaxError { line: Some(1), column: Some(15), message, hint: None };

        assert_eq!(text.error_excerpt(&error), "\n   |\n 1 | ASK { FILTR(1) }\n   |       ^");
        assert_eq!(letters_read("expected one of OFFSET, OPTIONAL"), 6);
        assert_eq!(letters_read("expected one of OFFSET, [_]"), 0);
    }

    #[test]
    fn the_name_of_a_file_is_recognised() {
        let check = |name: &str, sparql: &str, expected: Option<&str>| {
            let text = QuerySource { name: name.to_owned(), sparql: sparql.to_owned() };
            assert_eq!(text.file_hint().as_deref(), expected, "{sparql}");
        };

        check("", "places.rq", Some("read the query from the file: --file places.rq"));
        check("", "Cargo.toml", Some("read the query from the file: --file Cargo.toml"));
        check("", "missing.txt", None);
        check("", "ASK{}", None);
        check("a.rq", "b.rq", None);
    }

    #[test]
    fn an_error_position_past_the_end_is_handled() {
        assert_eq!(shown("ASK {", 1, 6), "\n   |\n 1 | ASK {\n   |      ^");
        assert_eq!(shown("ASK {", 7, 1), "");
        assert_eq!(shown("", 1, 1), "\n   |\n 1 | \n   | ^");
    }
}
