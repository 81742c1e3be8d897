//! One violation of a rule: where it is and what is wrong.

use std::fmt;
use std::fmt::Write as _;

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Path of the file, relative to the root of the repository.
    pub path: String,
    /// Line, counted from 1.
    pub line: usize,
    /// What is wrong, and what to do instead.
    pub message: String,
}

impl Finding {
    /// A violation at a line of a file.
    #[must_use]
    pub fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// The findings as lines of text, with their number at the end: the message of a
/// failing test.
#[must_use]
pub fn report(rule: &str, findings: &[Finding]) -> String {
    let mut text = format!("{rule}:\n");
    for finding in findings {
        let _ = writeln!(text, "  {finding}");
    }
    let _ = write!(text, "{rule}: {} findings", findings.len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_names_file_line_and_number() {
        let text = report("links", &[Finding::new("docs/a.md", 3, "no such file: b.md")]);
        assert_eq!(text, "links:\n  docs/a.md:3: no such file: b.md\nlinks: 1 findings");
    }
}
