//! Labels of blank nodes that are unique to a document.
//!
//! The parsers give unlabelled nodes random names, and labelled nodes the names chosen by the
//! author, which other documents use as well. Labels are derived from the document and the order of
//! appearance, so they are the same in every run; or they are new, if a document is read only once.

use std::collections::HashMap;
use std::fmt::Write;

use oxrdf::{BlankNode, BlankNodeRef, GraphName, NamedOrBlankNode, Quad, Term};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128, xxh3_128_with_seed};

/// Replaces the blank nodes of a statement.
fn rename_nodes(quad: &mut Quad, mut rename: impl FnMut(&BlankNode) -> BlankNode) {
    if let NamedOrBlankNode::BlankNode(node) = &mut quad.subject {
        *node = rename(node);
    }
    if let Term::BlankNode(node) = &mut quad.object {
        *node = rename(node);
    }
    if let GraphName::BlankNode(node) = &mut quad.graph_name {
        *node = rename(node);
    }
}

/// A label for the node that a document names so. Names of letters and digits stay readable; others, which may be
/// invalid in RDF, are hashed.
pub(crate) fn label_from_text(name: &str) -> String {
    const MAX_READABLE_BYTES: usize = 64;
    let is_readable = name.len() <= MAX_READABLE_BYTES && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_readable { format!("n{name}") } else { format!("h{:032x}", xxh3_128(name.as_bytes())) }
}

/// Replaces the blank nodes of a document by new ones.
#[derive(Default)]
pub struct FreshBlankNodes(HashMap<BlankNode, BlankNode>);

impl FreshBlankNodes {
    /// Replaces the blank nodes of a statement.
    pub fn rename(&mut self, quad: &mut Quad) {
        rename_nodes(quad, |node| self.0.entry(node.clone()).or_default().clone());
    }
}

/// Numbers nodes in the order of their appearance, up to a maximum.
struct NodeNumbers {
    numbers: HashMap<u128, u64, foldhash::fast::RandomState>,
    next: u64,
    max: usize,
}

impl NodeNumbers {
    fn new(max: usize) -> Self {
        Self { numbers: HashMap::default(), next: 0, max }
    }

    /// The number of the node with this key; `None` beyond the maximum.
    fn number(&mut self, key: u128) -> Option<u64> {
        match self.numbers.get(&key) {
            Some(number) => Some(*number),
            None if self.numbers.len() < self.max => {
                self.numbers.insert(key, self.next);
                self.next += 1;
                Some(self.next - 1)
            }
            None => None,
        }
    }

    /// Starts a new scope: the same keys are other nodes from here on.
    fn begin_scope(&mut self) {
        /// A table above this capacity is not reused: clearing takes time proportional to its
        /// capacity, and a dump has many small files.
        const MAX_REUSED_CAPACITY: usize = 1 << 12;
        if self.numbers.capacity() > MAX_REUSED_CAPACITY {
            self.numbers = HashMap::default();
        } else {
            self.numbers.clear();
        }
    }
}

/// The labels of harvested documents: a hash of the document and the order of appearance.
pub struct BlankNodeLabels {
    prefix: u64,
    numbers: NodeNumbers,
    scope: u64,
}

impl BlankNodeLabels {
    /// Maximum number of numbered nodes in a document. Beyond it a label is a hash of the parser's
    /// name: still unique, but for unlabelled nodes no longer the same in every run. Only dumps are
    /// that large. The number fits into a hash table of 2^20 slots; one more would double it.
    const MAX_NUMBERED_NODES: usize = 7 << 17;

    /// The labels of the document with this URL.
    #[must_use]
    pub fn for_document(url: &str) -> Self {
        let numbers = NodeNumbers::new(Self::MAX_NUMBERED_NODES);
        Self { prefix: xxh3_64(url.as_bytes()), numbers, scope: 0 }
    }

    /// Starts a new scope: the labels seen so far denote other nodes from here on, as in the next
    /// script of a page.
    pub fn begin_scope(&mut self) {
        self.numbers.begin_scope();
        self.scope += 1;
    }

    /// Writes the label of a node into `label`, replacing its content.
    pub fn write_label(&mut self, node: BlankNodeRef<'_>, label: &mut String) {
        // 128 bits, so that two nodes of a document never collide.
        let key = node.unique_id().unwrap_or_else(|| xxh3_128(node.as_str().as_bytes()));
        label.clear();
        // The letters `b`, `n` and `h` distinguish the two forms of label from each other, and from plain hexadecimal,
        // which oxrdf would read as one of its own numeric labels.
        let written = match self.numbers.number(key) {
            Some(number) => write!(label, "b{:016x}n{number}", self.prefix),
            None => write!(label, "b{:016x}h{:032x}", self.prefix, key.wrapping_add(u128::from(self.scope))),
        };
        written.expect("writing to a string cannot fail");
    }
}

/// The blank nodes of an imported file: hashes of the file and of the label of each node. In
/// formats that allow nodes without a label, the order of first occurrence is used instead of the
/// label. The same file gives the same nodes, so importing it again adds nothing.
pub struct FileBlankNodes {
    file: u64,
    /// `None` if every node has a label.
    numbers: Option<NodeNumbers>,
}

impl FileBlankNodes {
    /// Maximum number of numbered nodes per file. Further nodes are named by the label of the
    /// parser: still unique, but nodes without a label get other names in every run.
    const MAX_NUMBERED_NODES: usize = 1_000_000;

    /// Names nodes by their label, for formats in which every node has one.
    #[must_use]
    pub fn hashed(file: u64) -> Self {
        Self { file, numbers: None }
    }

    /// Names nodes by their order, for formats in which nodes may have no label.
    #[must_use]
    pub fn numbered(file: u64) -> Self {
        Self { file, numbers: Some(NodeNumbers::new(Self::MAX_NUMBERED_NODES)) }
    }

    /// Starts a new scope: the same label now means another node.
    pub fn begin_scope(&mut self) {
        if let Some(numbers) = &mut self.numbers {
            numbers.begin_scope();
        }
    }

    /// Replaces the blank nodes of a statement.
    pub fn rename(&mut self, quad: &mut Quad) {
        rename_nodes(quad, |node| self.name(node));
    }

    /// The name of the node with this label, for formats in which every node has one.
    pub(crate) fn hashed_name(&self, label: &[u8]) -> BlankNode {
        BlankNode::new_from_unique_id(xxh3_128_with_seed(label, self.file))
    }

    fn name(&mut self, node: &BlankNode) -> BlankNode {
        let label = node.as_str().as_bytes();
        let Some(numbers) = &mut self.numbers else { return self.hashed_name(label) };
        let key = xxh3_128(label);
        let id = numbers.number(key).map_or(key, u128::from);
        self.hashed_name(&id.to_le_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(document: &str, nodes: &[&BlankNode]) -> Vec<String> {
        let mut blanks = BlankNodeLabels::for_document(document);
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
        let mut blanks = BlankNodeLabels::for_document("http://a.org/");
        blanks.numbers.max = 1;
        let mut label = |name: &str| {
            let mut label = String::new();
            blanks.write_label(BlankNode::new(name).unwrap().as_ref(), &mut label);
            label
        };

        let (first, second, third, second_again) = (label("one"), label("two"), label("three"), label("two"));

        assert_ne!(first, second);
        assert_ne!(second, third);
        assert_eq!(second, second_again);
        assert_eq!(blanks.numbers.numbers.len(), 1);
    }

    #[test]
    fn same_label_in_another_scope_is_another_node() {
        for max in [0, 1, BlankNodeLabels::MAX_NUMBERED_NODES] {
            let mut blanks = BlankNodeLabels::for_document("http://a.org/");
            blanks.numbers.max = max;
            let (mut before, mut after) = (String::new(), String::new());

            blanks.write_label(BlankNode::new("x").unwrap().as_ref(), &mut before);
            blanks.begin_scope();
            blanks.write_label(BlankNode::new("x").unwrap().as_ref(), &mut after);

            assert_ne!(before, after);
        }
    }

    fn named(mut nodes: FileBlankNodes, labels: &[&str]) -> Vec<String> {
        labels.iter().map(|label| nodes.name(&BlankNode::new(*label).unwrap()).to_string()).collect()
    }

    #[test]
    fn a_label_names_one_node_per_file() {
        for of in [FileBlankNodes::hashed, FileBlankNodes::numbered] {
            let first = named(of(1), &["a", "b", "a"]);

            assert_eq!(first[0], first[2]);
            assert_ne!(first[0], first[1]);
            assert_eq!(first, named(of(1), &["a", "b", "a"]));
            assert_ne!(first, named(of(2), &["a", "b", "a"]));
        }
    }

    #[test]
    fn nodes_are_numbered_in_order_whatever_their_labels() {
        assert_eq!(named(FileBlankNodes::numbered(1), &["x", "y"]), named(FileBlankNodes::numbered(1), &["p", "q"]));
    }

    #[test]
    fn a_label_names_another_node_in_a_new_scope() {
        let mut nodes = FileBlankNodes::numbered(1);
        let node = BlankNode::new("x").unwrap();

        let before = nodes.name(&node);
        nodes.begin_scope();

        assert_ne!(nodes.name(&node), before);
    }
}
