//! Assigns blank node labels that are unique to a document and the same in every run.
//!
//! The parsers give unlabelled nodes random names, and labelled nodes the names chosen by the author, which other
//! documents use as well. Here a label consists of a hash of the document and the order of appearance.

use std::collections::HashMap;
use std::fmt::Write;

use oxrdf::BlankNodeRef;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::model::Uri;

/// Maximum number of numbered nodes in a document. Beyond it a label is a hash of the parser's name: still unique, but
/// for unlabelled nodes no longer the same in every run. Only dumps are that large. The number fits into a hash table
/// of 2^20 slots; one more would double it.
const MAX_NUMBERED_NODES: usize = 7 << 17;
/// A table above this capacity is not reused for the next scope: clearing takes time proportional to its capacity, and
/// a dump has many small files.
const MAX_REUSED_CAPACITY: usize = 1 << 12;

pub(super) struct BlankNodeLabels {
    prefix: u64,
    numbers: HashMap<u128, u64, foldhash::fast::RandomState>,
    next: u64,
    scope: u64,
    max_numbered: usize,
}

impl BlankNodeLabels {
    pub(super) fn for_document(document: &Uri) -> Self {
        let prefix = xxh3_64(document.as_str().as_bytes());
        Self { prefix, numbers: HashMap::default(), next: 0, scope: 0, max_numbered: MAX_NUMBERED_NODES }
    }

    /// Starts a new scope: the labels seen so far denote other nodes from here on, as in the next script of a page.
    pub(super) fn begin_scope(&mut self) {
        if self.numbers.capacity() > MAX_REUSED_CAPACITY {
            self.numbers = HashMap::default();
        } else {
            self.numbers.clear();
        }
        self.scope += 1;
    }

    /// Writes the label of a node into `label`, replacing its content.
    pub(super) fn write_label(&mut self, node: BlankNodeRef<'_>, label: &mut String) {
        // 128 bits, so that two nodes of a document never collide.
        let key = node.unique_id().unwrap_or_else(|| xxh3_128(node.as_str().as_bytes()));
        let number = match self.numbers.get(&key) {
            Some(number) => Some(*number),
            None if self.numbers.len() < self.max_numbered => {
                self.numbers.insert(key, self.next);
                self.next += 1;
                Some(self.next - 1)
            }
            None => None,
        };
        label.clear();
        // The letters `b`, `n` and `h` distinguish the two forms of label from each other, and from plain hexadecimal,
        // which oxrdf would read as one of its own numeric labels.
        let written = match number {
            Some(number) => write!(label, "b{:016x}n{number}", self.prefix),
            None => write!(label, "b{:016x}h{:032x}", self.prefix, key.wrapping_add(u128::from(self.scope))),
        };
        written.expect("writing to a string cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use oxrdf::BlankNode;

    use super::*;

    fn labels(document: &str, nodes: &[&BlankNode]) -> Vec<String> {
        let mut blanks = BlankNodeLabels::for_document(&Uri::parse(document).unwrap());
        let label = |node: &&BlankNode| {
            let mut label = String::new();
            blanks.write_label(node.as_ref(), &mut label);
            label
        };
        nodes.iter().map(label).collect()
    }

    #[test]
    fn label_depends_on_document_and_order_of_appearance() {
        let named = BlankNode::new("x").unwrap();

        let first = labels("http://a.org/", &[&BlankNode::default(), &named, &named]);
        let repeated = labels("http://a.org/", &[&BlankNode::default(), &named, &named]);
        let other = labels("http://b.org/", &[&named]);

        assert_eq!(first, repeated);
        assert_eq!(first[1], first[2]);
        assert!(first[0].ends_with("n0") && first[1].ends_with("n1"), "{first:?}");
        assert_ne!(first[1].split('n').next(), other[0].split('n').next());
    }

    #[test]
    fn labels_stay_unique_and_memory_bounded_beyond_the_limit() {
        let mut blanks = BlankNodeLabels::for_document(&Uri::parse("http://a.org/").unwrap());
        blanks.max_numbered = 1;
        let mut label = |name: &str| {
            let mut label = String::new();
            blanks.write_label(BlankNode::new(name).unwrap().as_ref(), &mut label);
            label
        };

        let (first, second, third, second_again) = (label("one"), label("two"), label("three"), label("two"));

        assert_ne!(first, second);
        assert_ne!(second, third);
        assert_eq!(second, second_again);
        assert_eq!(blanks.numbers.len(), 1);
    }

    #[test]
    fn same_label_in_another_scope_is_another_node() {
        for max_numbered in [0, 1, MAX_NUMBERED_NODES] {
            let mut blanks = BlankNodeLabels::for_document(&Uri::parse("http://a.org/").unwrap());
            blanks.max_numbered = max_numbered;
            let (mut before, mut after) = (String::new(), String::new());

            blanks.write_label(BlankNode::new("x").unwrap().as_ref(), &mut before);
            blanks.begin_scope();
            blanks.write_label(BlankNode::new("x").unwrap().as_ref(), &mut after);

            assert_ne!(before, after);
        }
    }
}
