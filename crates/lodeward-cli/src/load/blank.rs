//! Blank nodes belong to their file.
//!
//! Two files that both speak of `_:b0` mean two nodes. So a node is named anew,
//! by its file and by its label or, where it has none, by the order in which it
//! appeared; the same file gives the same names, and loading it again adds
//! nothing.

use std::collections::HashMap;

use oxrdf::{BlankNode, GraphName, NamedOrBlankNode, Quad, Term};
use xxhash_rust::xxh3::{xxh3_128, xxh3_128_with_seed};

/// Nodes of one file that are numbered. Beyond, they are named by what the
/// parser calls them: still unique, but nodes without a label get other names
/// in every run.
const NUMBERED_MAX: usize = 1_000_000;

pub(super) struct BlankNodes {
    file: u64,
    naming: Naming,
}

enum Naming {
    /// By their labels: every node has one.
    Hashed,
    /// By the order in which they appear.
    Numbered { numbers: HashMap<u128, u64>, next: u64 },
}

impl BlankNodes {
    /// Of a file in a syntax in which every node has a label.
    pub(super) fn hashed(file: u64) -> Self {
        Self { file, naming: Naming::Hashed }
    }

    /// Of a file in which nodes may have none.
    pub(super) fn numbered(file: u64) -> Self {
        Self { file, naming: Naming::Numbered { numbers: HashMap::new(), next: 0 } }
    }

    /// Labels from here on mean other nodes.
    pub(super) fn begin_scope(&mut self) {
        if let Naming::Numbered { numbers, .. } = &mut self.naming {
            numbers.clear();
        }
    }

    /// Names the blank nodes of a statement anew.
    pub(super) fn rename(&mut self, quad: &mut Quad) {
        if let NamedOrBlankNode::BlankNode(node) = &mut quad.subject {
            *node = self.name(node);
        }
        if let Term::BlankNode(node) = &mut quad.object {
            *node = self.name(node);
        }
        if let GraphName::BlankNode(node) = &mut quad.graph_name {
            *node = self.name(node);
        }
    }

    /// The name of the node with this label, where every node has one.
    pub(super) fn hashed_name(&self, label: &[u8]) -> BlankNode {
        BlankNode::new_from_unique_id(xxh3_128_with_seed(label, self.file))
    }

    fn name(&mut self, node: &BlankNode) -> BlankNode {
        let label = node.as_str().as_bytes();
        let id = match &mut self.naming {
            Naming::Hashed => return self.hashed_name(label),
            Naming::Numbered { numbers, next } => {
                let label = xxh3_128(label);
                let number = match numbers.get(&label) {
                    Some(number) => u128::from(*number),
                    None if numbers.len() < NUMBERED_MAX => {
                        numbers.insert(label, *next);
                        *next += 1;
                        u128::from(*next - 1)
                    }
                    None => label,
                };
                xxh3_128_with_seed(&number.to_le_bytes(), self.file)
            }
        };
        BlankNode::new_from_unique_id(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(mut nodes: BlankNodes, labels: &[&str]) -> Vec<String> {
        labels.iter().map(|label| nodes.name(&BlankNode::new(*label).unwrap()).to_string()).collect()
    }

    #[test]
    fn the_same_label_is_the_same_node_in_one_file_and_another_in_the_next() {
        for of in [BlankNodes::hashed, BlankNodes::numbered] {
            let first = named(of(1), &["a", "b", "a"]);

            assert_eq!(first[0], first[2]);
            assert_ne!(first[0], first[1]);
            assert_eq!(first, named(of(1), &["a", "b", "a"]));
            assert_ne!(first, named(of(2), &["a", "b", "a"]));
        }
    }

    #[test]
    fn nodes_are_numbered_as_they_appear_whatever_they_are_called() {
        assert_eq!(named(BlankNodes::numbered(1), &["x", "y"]), named(BlankNodes::numbered(1), &["p", "q"]));
    }

    #[test]
    fn a_label_in_another_scope_is_another_node() {
        let mut nodes = BlankNodes::numbered(1);
        let node = BlankNode::new("x").unwrap();

        let before = nodes.name(&node);
        nodes.begin_scope();

        assert_ne!(nodes.name(&node), before);
    }
}
