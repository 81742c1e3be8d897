//! Labels for blank nodes that are unique to a document and always the same.
//!
//! The parsers give unlabelled nodes random names, and labelled ones the names
//! the author chose, which other documents use as well. Here a node is named
//! after its document and the order in which it appeared.

use std::collections::HashMap;
use std::fmt::Write;

use oxrdf::BlankNodeRef;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::model::Uri;

/// Nodes of one document that are numbered. Beyond, a label is a hash of what
/// the parser called the node: still unique, but for unlabelled nodes no longer
/// the same in every run. Only dumps are that large. As many as fit into a hash
/// table of 2^20 slots: one more would double it.
const NUMBERED_MAX: usize = 7 << 17;
/// A table that has grown beyond this is not kept for the next scope: to empty
/// it would take as long as it is large, and a dump has many small files.
const KEPT_MAX: usize = 1 << 12;

pub(super) struct BlankNodes {
    prefix: u64,
    numbers: HashMap<u128, u64, foldhash::fast::RandomState>,
    next: u64,
    scope: u64,
    numbered_max: usize,
}

impl BlankNodes {
    pub(super) fn of_document(document: &Uri) -> Self {
        let prefix = xxh3_64(document.as_str().as_bytes());
        Self { prefix, numbers: HashMap::default(), next: 0, scope: 0, numbered_max: NUMBERED_MAX }
    }

    /// Labels seen so far mean other nodes from here on, as in the next of
    /// several scripts of one page.
    pub(super) fn begin_scope(&mut self) {
        if self.numbers.capacity() > KEPT_MAX {
            self.numbers = HashMap::default();
        } else {
            self.numbers.clear();
        }
        self.scope += 1;
    }

    /// Writes the label of a node into `label`, replacing what was there.
    pub(super) fn label(&mut self, node: BlankNodeRef<'_>, label: &mut String) {
        // 128 bits, so that two nodes of one document are never taken for one.
        let key = node.unique_id().unwrap_or_else(|| xxh3_128(node.as_str().as_bytes()));
        let number = match self.numbers.get(&key) {
            Some(number) => Some(*number),
            None if self.numbers.len() < self.numbered_max => {
                self.numbers.insert(key, self.next);
                self.next += 1;
                Some(self.next - 1)
            }
            None => None,
        };
        label.clear();
        // The letters keep the two forms apart, and both from plain hexadecimal,
        // which oxrdf would take for one of its own numbers.
        let written = match number {
            Some(number) => write!(label, "b{:016x}n{number}", self.prefix),
            None => write!(label, "b{:016x}h{:032x}", self.prefix, key.wrapping_add(u128::from(self.scope))),
        };
        written.expect("a string can be written to");
    }
}

#[cfg(test)]
mod tests {
    use oxrdf::BlankNode;

    use super::*;

    fn labels(document: &str, nodes: &[&BlankNode]) -> Vec<String> {
        let mut blanks = BlankNodes::of_document(&Uri::parse(document).unwrap());
        let label = |node: &&BlankNode| {
            let mut label = String::new();
            blanks.label(node.as_ref(), &mut label);
            label
        };
        nodes.iter().map(label).collect()
    }

    #[test]
    fn a_label_tells_the_document_and_the_order_of_appearance() {
        let named = BlankNode::new("x").unwrap();

        let first = labels("http://a.org/", &[&BlankNode::default(), &named, &named]);
        let again = labels("http://a.org/", &[&BlankNode::default(), &named, &named]);
        let other = labels("http://b.org/", &[&named]);

        assert_eq!(first, again);
        assert_eq!(first[1], first[2]);
        assert!(first[0].ends_with("n0") && first[1].ends_with("n1"), "{first:?}");
        assert_ne!(first[1].split('n').next(), other[0].split('n').next());
    }

    #[test]
    fn past_the_bound_labels_are_still_unique_and_memory_does_not_grow() {
        let mut blanks = BlankNodes::of_document(&Uri::parse("http://a.org/").unwrap());
        blanks.numbered_max = 1;
        let mut label = |name: &str| {
            let mut label = String::new();
            blanks.label(BlankNode::new(name).unwrap().as_ref(), &mut label);
            label
        };

        let (first, second, third, second_again) = (label("one"), label("two"), label("three"), label("two"));

        assert_ne!(first, second);
        assert_ne!(second, third);
        assert_eq!(second, second_again);
        assert_eq!(blanks.numbers.len(), 1);
    }

    #[test]
    fn the_same_label_in_another_scope_is_another_node() {
        for numbered_max in [0, 1, NUMBERED_MAX] {
            let mut blanks = BlankNodes::of_document(&Uri::parse("http://a.org/").unwrap());
            blanks.numbered_max = numbered_max;
            let (mut before, mut after) = (String::new(), String::new());

            blanks.label(BlankNode::new("x").unwrap().as_ref(), &mut before);
            blanks.begin_scope();
            blanks.label(BlankNode::new("x").unwrap().as_ref(), &mut after);

            assert_ne!(before, after);
        }
    }
}
