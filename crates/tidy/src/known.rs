//! Violations that are known and not yet repaired.
//!
//! The list is exact: a violation that it does not name fails the test, and so does
//! an entry that no longer occurs. It can only shrink.

use crate::Finding;

/// The list, for messages.
const LIST: &str = "crates/tidy/known_violations.txt";

/// A violation of a rule with a key that stays the same when lines move.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Rule, place and offence, as a line of the list.
    pub key: String,
    /// Where it is and what is wrong.
    pub finding: Finding,
}

/// The violations of a rule that the list does not name, and the entries of the
/// rule that no violation matches. The first word of a key names its rule.
#[must_use]
pub fn unknown(rule: &str, violations: Vec<Violation>, list: &str) -> Vec<Finding> {
    let entries: Vec<(usize, &str)> = list
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| line.split(' ').next() == Some(rule))
        .collect();
    let stale: Vec<Finding> = entries
        .iter()
        .filter(|(_, entry)| !violations.iter().any(|violation| violation.key == *entry))
        .map(|(line, entry)| Finding::new(LIST, *line, format!("no longer occurs, remove the line: `{entry}`")))
        .collect();
    let is_new = |violation: &Violation| !entries.iter().any(|(_, entry)| violation.key == *entry);
    violations.into_iter().filter(is_new).map(|violation| violation.finding).chain(stale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_exact() {
        let violation = |key: &str| Violation { key: key.to_owned(), finding: Finding::new("a.rs", 1, key) };
        let list = "# known\ncycle a: b c\ncycle a: d e\nother a: b c\n";

        let found = unknown("cycle", vec![violation("cycle a: b c"), violation("cycle a: f g")], list);

        let found: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "a.rs:1: cycle a: f g",
                "crates/tidy/known_violations.txt:3: no longer occurs, remove the line: `cycle a: d e`"
            ]
        );
    }
}
