//! Similarity of two URLs: LDCOC's similarity features (Definition 15).
//!
//! The similarity of two texts is 1 − d / m, where d is their Levenshtein distance and m the length
//! of the longer one, in bytes. Only a comparison with a threshold is needed, so most pairs are
//! decided by their lengths, by their common prefix and suffix, or before all bytes are read.
//!
//! The distance is computed by Myers' bit-parallel algorithm ("A fast bit-vector algorithm for
//! approximate string matching based on dynamic programming", JACM 1999) in Hyyrö's form for
//! distances: 64 cells of the table in one step. Two URLs of 2,048 bytes take at most 65,536 steps.

/// Compares texts. Its memory is reused for the next comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct Similarity {
    /// For each byte, its positions in the pattern; 64 positions per word.
    positions: Vec<[u64; 256]>,
    blocks: Vec<LevenshteinBlock>,
}

/// Vertical differences of 64 cells: where the table rises, and where it falls.
#[derive(Clone, Copy, Debug)]
struct LevenshteinBlock {
    rises: u64,
    falls: u64,
}

impl Similarity {
    /// Whether the similarity of two texts is above a threshold between 0 and 1.
    pub(crate) fn is_above(&mut self, threshold: f64, one: &str, other: &str) -> bool {
        let longest = one.len().max(other.len());
        // 1 − d/m > t, where d is whole: d < (1 − t)·m.
        #[expect(clippy::cast_precision_loss, reason = "the length of a URL is far below 2^52")]
        let bound = (1.0 - threshold) * longest as f64;
        let (one, other) = trim_common(one.as_bytes(), other.as_bytes());
        let at_least = one.len().abs_diff(other.len());
        let at_most = one.len().max(other.len());
        if is_within(at_most, bound) {
            return true;
        }
        is_within(at_least, bound) && self.distance_is_within(bound, one, other)
    }

    fn distance_is_within(&mut self, bound: f64, pattern: &[u8], text: &[u8]) -> bool {
        if pattern.is_empty() || text.is_empty() {
            return is_within(pattern.len().max(text.len()), bound);
        }
        self.prepare(pattern);
        let mut distance = pattern.len();
        let mut within = true;
        for (index, &byte) in text.iter().enumerate() {
            distance = self.step(pattern.len(), byte, distance);
            // Each remaining byte can reduce the distance by one.
            let left = text.len() - index - 1;
            if !is_within(distance.saturating_sub(left), bound) {
                within = false;
                break;
            }
        }
        self.clear(pattern);
        within && is_within(distance, bound)
    }

    fn prepare(&mut self, pattern: &[u8]) {
        let blocks = pattern.len().div_ceil(64);
        if self.positions.len() < blocks {
            self.positions.resize(blocks, [0; 256]);
        }
        self.blocks.clear();
        self.blocks.resize(blocks, LevenshteinBlock { rises: u64::MAX, falls: 0 });
        for (index, &byte) in pattern.iter().enumerate() {
            self.positions[index / 64][usize::from(byte)] |= 1 << (index % 64);
        }
    }

    /// Resets the table, which is faster than allocating a new one.
    fn clear(&mut self, pattern: &[u8]) {
        for (index, &byte) in pattern.iter().enumerate() {
            self.positions[index / 64][usize::from(byte)] = 0;
        }
    }

    /// Computes the column of the table for one byte of the text. Returns the last cell of that column.
    fn step(&mut self, pattern_len: usize, byte: u8, mut distance: usize) -> usize {
        // The first row of the table counts the bytes of the text, so it rises by one in each column.
        let (mut rise_in, mut fall_in) = (1_u64, 0_u64);
        let last = 1_u64 << ((pattern_len - 1) % 64);
        let last_block = self.blocks.len() - 1;
        for (index, block) in self.blocks.iter_mut().enumerate() {
            let equal = self.positions[index][usize::from(byte)];
            let vertical = equal | block.falls;
            let equal = equal | fall_in;
            let horizontal = (((equal & block.rises).wrapping_add(block.rises)) ^ block.rises) | equal;
            let rises = block.falls | !(horizontal | block.rises);
            let falls = block.rises & horizontal;
            if index == last_block {
                distance += usize::from(rises & last != 0);
                distance -= usize::from(falls & last != 0);
            }
            let (shifted_rises, shifted_falls) = (rises << 1 | rise_in, falls << 1 | fall_in);
            (rise_in, fall_in) = (rises >> 63, falls >> 63);
            block.rises = shifted_falls | !(vertical | shifted_rises);
            block.falls = shifted_rises & vertical;
        }
        distance
    }
}

#[expect(clippy::cast_precision_loss, reason = "the length of a URL is far below 2^52")]
fn is_within(distance: usize, bound: f64) -> bool {
    (distance as f64) < bound
}

/// Removes the common prefix and suffix, which do not change the distance.
fn trim_common<'a>(one: &'a [u8], other: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let begin = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let (one, other) = (&one[begin..], &other[begin..]);
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    (&one[..one.len() - end], &other[..other.len() - end])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive_distance(one: &[u8], other: &[u8]) -> usize {
        let mut row: Vec<usize> = (0..=other.len()).collect();
        for (i, a) in one.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, b) in other.iter().enumerate() {
                let cost = diagonal + usize::from(a != b);
                diagonal = row[j + 1];
                row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
            }
        }
        row[other.len()]
    }

    #[expect(clippy::cast_precision_loss, reason = "short texts")]
    fn naive(threshold: f64, one: &str, other: &str) -> bool {
        let longest = one.len().max(other.len());
        (naive_distance(one.as_bytes(), other.as_bytes()) as f64) < (1.0 - threshold) * longest as f64
    }

    #[test]
    fn urls_that_differ_in_a_number_are_similar() {
        let mut similarity = Similarity::default();
        let mut check =
            |one: &str, other: &str, is_similar| assert_eq!(similarity.is_above(0.8, one, other), is_similar, "{one}");

        check("http://a.example/people/17", "http://a.example/people/18", true);
        check("http://a.example/people/17", "http://b.example/about.html", false);
        check("http://a.example/", "http://a.example/", true);
        check("abcde", "abcdf", false);
        check("abcdef", "abcdeg", true);
        check("kitten", "sitting", false);
    }

    #[test]
    fn long_urls_are_compared_in_full() {
        let mut similarity = Similarity::default();
        let one = "ab".repeat(1_024);
        let shifted = format!("b{}", &one[..2_047]);
        let turned = "ba".repeat(512) + &"cd".repeat(512);

        assert!(similarity.is_above(0.8, &one, &shifted));
        assert!(!similarity.is_above(0.8, &one, &turned));
        assert_eq!(naive_distance(one.as_bytes(), shifted.as_bytes()), 2);
    }

    proptest! {
        #[test]
        fn the_result_matches_the_plain_algorithm(
            one in "[ab/.]{0,200}", other in "[ab/.]{0,200}", begin in "[a-c]{0,80}", threshold in 0.0..1.0_f64
        ) {
            let mut similarity = Similarity::default();
            let (one, other) = (format!("{begin}{one}"), format!("{begin}{other}"));

            // Twice, to check that the table is reset.
            for _ in 0..2 {
                prop_assert_eq!(similarity.is_above(threshold, &one, &other), naive(threshold, &one, &other));
            }
        }

        #[test]
        fn a_few_changes_are_counted_exactly(
            text in "[a-d]{1,300}", changes in prop::collection::vec((0..300_usize, "[a-e]"), 0..20)
        ) {
            let mut changed = text.clone().into_bytes();
            for (position, byte) in changes {
                let position = position % changed.len().max(1);
                match byte.as_bytes()[0] {
                    b'a' if changed.len() > 1 => drop(changed.remove(position)),
                    b'b' => changed.insert(position, b'x'),
                    byte => if let Some(existing) = changed.get_mut(position) { *existing = byte },
                }
            }
            let changed = String::from_utf8(changed).unwrap();
            let mut similarity = Similarity::default();

            for threshold in [0.5, 0.8, 0.9, 0.95, 0.99] {
                prop_assert_eq!(similarity.is_above(threshold, &text, &changed), naive(threshold, &text, &changed));
            }
        }
    }
}
