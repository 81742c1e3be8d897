//! φ of eq. 12: the distance of a query and the label of an entity as strings.

use foldhash::HashSet;

use crate::numbers::real;
use crate::text::words;

/// Maximum number of characters that are compared.
const MAX_CHARS: usize = 256;

/// A distance from 0 (equal) to 1. The paper names none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StringDistance {
    /// Number of edits (Levenshtein), divided by the length of the longer string.
    #[default]
    Edits,
    /// Share of words that only one of both has (1 − Jaccard).
    Words,
}

impl StringDistance {
    /// Distance of two texts after folding.
    pub(super) fn of(self, one: &str, other: &str) -> f64 {
        let (one, other) = (words(one), words(other));
        match self {
            Self::Edits => edits(&one.join(" "), &other.join(" ")),
            Self::Words => {
                let (one, other): (HashSet<String>, HashSet<String>) =
                    (one.into_iter().collect(), other.into_iter().collect());
                let common = one.intersection(&other).count();
                let all = one.len() + other.len() - common;
                if all == 0 { 0.0 } else { 1.0 - real(common) / real(all) }
            }
        }
    }
}

fn edits(one: &str, other: &str) -> f64 {
    let one: Vec<char> = one.chars().take(MAX_CHARS).collect();
    let other: Vec<char> = other.chars().take(MAX_CHARS).collect();
    let longest = one.len().max(other.len());
    if longest == 0 {
        return 0.0;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, left) in one.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (to, right) in other.iter().enumerate() {
            let changed = diagonal + usize::from(left != right);
            diagonal = row[to + 1];
            row[to + 1] = changed.min(row[to] + 1).min(diagonal + 1);
        }
    }
    real(row[other.len()]) / real(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_shares_of_the_longer_text() {
        let check = |distance: StringDistance, one: &str, other: &str, expected: f64| {
            let found = distance.of(one, other);
            assert!((found - expected).abs() < 1e-9, "{distance:?} {one}, {other}: {found}");
        };

        check(StringDistance::Edits, "kitten", "Sitting", 3.0 / 7.0);
        check(StringDistance::Edits, "Paris", "paris", 0.0);
        check(StringDistance::Edits, "", "abc", 1.0);
        check(StringDistance::Words, "harry potter movie", "Harry Potter", 1.0 / 3.0);
        check(StringDistance::Words, "", "", 0.0);
    }
}
