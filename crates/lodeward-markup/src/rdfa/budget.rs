//! The limit of the output of a page.
//!
//! Values can be nested: with a `property` on each of a thousand nested elements, the innermost
//! text is part of a thousand literals. A long name can be used many times, and a pattern can be
//! copied many times. Each of these makes more output than the page has bytes. The total output is
//! limited by a fixed amount plus a multiple of the page's size. Output beyond the limit is omitted
//! and reported as a fault.

use crate::tree::{NodeData, NodeId, PageTree};

/// The fixed part of the output limit, in bytes.
const MIN_BYTES: usize = 16 << 20;

/// The part of the output limit that depends on the page: this multiple of its size.
const PAGE_SIZE_FACTOR: usize = 16;

/// The cost of visiting a node, in bytes.
const NODE_COST_BYTES: usize = 4;

pub(super) struct RdfaBudget<'a> {
    tree: &'a PageTree,
    left: usize,
    /// Whether the size of the page was added; it is measured only when needed.
    is_extended: bool,
    is_exhausted: bool,
}

impl<'a> RdfaBudget<'a> {
    pub(super) fn new(tree: &'a PageTree) -> Self {
        Self { tree, left: MIN_BYTES, is_extended: false, is_exhausted: false }
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// Spends from the budget, if there is enough. After the first failure, nothing can be spent.
    pub(super) fn spend(&mut self, bytes: usize) -> Option<()> {
        if self.left < bytes {
            self.extend();
        }
        match self.left.checked_sub(bytes) {
            Some(left) if !self.is_exhausted => self.left = left,
            _ => self.is_exhausted = true,
        }
        (!self.is_exhausted).then_some(())
    }

    /// The maximum size of the next literal.
    pub(super) fn remaining(&mut self) -> usize {
        if self.left < MIN_BYTES / 2 {
            self.extend();
        }
        self.left
    }

    pub(super) fn exhaust(&mut self) {
        self.is_exhausted = true;
    }

    fn extend(&mut self) {
        if !self.is_extended {
            self.is_extended = true;
            self.left = self.left.saturating_add(page_bytes(self.tree).saturating_mul(PAGE_SIZE_FACTOR));
        }
    }

    /// The text of a node and its descendants.
    pub(super) fn text(&mut self, top: NodeId) -> Option<String> {
        let tree = self.tree;
        // The most common case: a single text node.
        if let Some(only) = tree.first_child(top)
            && let (NodeData::Text(text), None) = (tree.data(only), tree.next_sibling(only))
        {
            self.spend(text.len())?;
            return Some(text.to_string());
        }
        let mut text = String::new();
        for node in tree.descendants(top) {
            if let NodeData::Text(piece) = tree.data(node) {
                self.spend(piece.len())?;
                text.push_str(piece);
            }
            self.spend(NODE_COST_BYTES)?;
        }
        Some(text)
    }
}

fn page_bytes(tree: &PageTree) -> usize {
    let bytes = tree.descendants(PageTree::ROOT).map(|node| match tree.data(node) {
        NodeData::Text(text) => text.len(),
        NodeData::Element(element) => {
            let attributes = element.attributes.iter();
            element.name.local.len() * 2 + attributes.map(|it| it.name.local.len() + it.value.len() + 4).sum::<usize>()
        }
        _ => 0,
    });
    bytes.sum()
}
