//! Names of blank nodes, unique per file.
//!
//! `_:b0` in two files means two nodes. So a node is renamed to a hash of its file and its label.
//! In formats that allow nodes without a label, the order of first occurrence is used instead of
//! the label. The same file gives the same names, so importing it again adds nothing.

use std::collections::HashMap;

use oxrdf::{BlankNode, GraphName, NamedOrBlankNode, Quad, Term};
use xxhash_rust::xxh3::{xxh3_128, xxh3_128_with_seed};

/// Maximum number of numbered nodes per file. Further nodes are named by the label of the parser: still
/// unique, but nodes without a label get other names in every run.
const MAX_NUMBERED: usize = 1_000_000;

pub(super) struct BlankNodes {
    file: u64,
    naming: BlankNodeNaming,
}

enum BlankNodeNaming {
    /// Nodes are named by their label: every node has one.
    Hashed,
    /// Nodes are named by the order of their first occurrence.
    Numbered { numbers: HashMap<u128, u64>, next: u64 },
}

impl BlankNodes {
    /// Names nodes by their label, for formats in which every node has one.
    pub(super) fn hashed(file: u64) -> Self {
        Self { file, naming: BlankNodeNaming::Hashed }
    }

    /// Names nodes by their order, for formats in which nodes may have no label.
    pub(super) fn numbered(file: u64) -> Self {
        Self { file, naming: BlankNodeNaming::Numbered { numbers: HashMap::new(), next: 0 } }
    }

    /// Starts a new scope: the same label now means another node.
    pub(super) fn begin_scope(&mut self) {
        if let BlankNodeNaming::Numbered { numbers, .. } = &mut self.naming {
            numbers.clear();
        }
    }

    /// Renames the blank nodes of a statement.
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

    /// The name of the node with this label, for formats in which every node has one.
    pub(super) fn hashed_name(&self, label: &[u8]) -> BlankNode {
        BlankNode::new_from_unique_id(xxh3_128_with_seed(label, self.file))
    }

    fn name(&mut self, node: &BlankNode) -> BlankNode {
        let label = node.as_str().as_bytes();
        let id = match &mut self.naming {
            BlankNodeNaming::Hashed => return self.hashed_name(label),
            BlankNodeNaming::Numbered { numbers, next } => {
                let label = xxh3_128(label);
                let number = match numbers.get(&label) {
                    Some(number) => u128::from(*number),
                    None if numbers.len() < MAX_NUMBERED => {
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
    fn a_label_names_one_node_per_file() {
        for of in [BlankNodes::hashed, BlankNodes::numbered] {
            let first = named(of(1), &["a", "b", "a"]);

            assert_eq!(first[0], first[2]);
            assert_ne!(first[0], first[1]);
            assert_eq!(first, named(of(1), &["a", "b", "a"]));
            assert_ne!(first, named(of(2), &["a", "b", "a"]));
        }
    }

    #[test]
    fn nodes_are_numbered_in_order_whatever_their_labels() {
        assert_eq!(named(BlankNodes::numbered(1), &["x", "y"]), named(BlankNodes::numbered(1), &["p", "q"]));
    }

    #[test]
    fn a_label_names_another_node_in_a_new_scope() {
        let mut nodes = BlankNodes::numbered(1);
        let node = BlankNode::new("x").unwrap();

        let before = nodes.name(&node);
        nodes.begin_scope();

        assert_ne!(nodes.name(&node), before);
    }
}
