//! The allow-list: quotations that need a forbidden word.

use std::ops::Range;

/// A quotation that may stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The file with the quotation.
    pub path: String,
    /// The quoted text, or `*` for every forbidden word of the file.
    pub quotation: String,
    /// Why it stays.
    pub reason: String,
}

impl Allowance {
    /// Whether a match at this range of the text lies in the quotation.
    pub(crate) fn covers(&self, text: &str, found: Range<usize>) -> bool {
        self.quotation == "*"
            || text
                .match_indices(&self.quotation)
                .any(|(start, quoted)| start <= found.start && found.end <= start + quoted.len())
    }
}

/// Reads the allow-list: a line for each quotation, `path | quoted text | reason`;
/// empty lines and lines with `#` are skipped.
///
/// # Errors
/// A line without all three parts, with its number.
pub fn parse_allowances(text: &str) -> Result<Vec<Allowance>, String> {
    let is_entry = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    text.lines()
        .enumerate()
        .filter(|(_, line)| is_entry(line))
        .map(|(index, line)| {
            let mut parts = line.split(" | ").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty());
            match (parts.next(), parts.next(), parts.next(), parts.next()) {
                (Some(path), Some(quotation), Some(reason), None) => Ok(Allowance { path, quotation, reason }),
                _ => Err(format!("line {}: expected `path | quoted text | reason`, got `{line}`", index + 1)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_three_parts() {
        let list = parse_allowances("# Quotations\n\ndocs/a.md | anew | title of a paper\n");
        let expected =
            Allowance { path: "docs/a.md".into(), quotation: "anew".into(), reason: "title of a paper".into() };
        assert_eq!(list, Ok(vec![expected]));
    }

    #[test]
    fn an_entry_without_reason_is_an_error() {
        let error = parse_allowances("\ndocs/a.md | anew\n").unwrap_err();
        assert!(error.starts_with("line 2: "), "{error}");
    }
}
