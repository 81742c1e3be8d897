//! How much a page may make of itself.
//!
//! Values nest: with a `property` on each of a thousand nested elements, the
//! innermost text is part of a thousand literals. Names are long only once and
//! used often; a pattern is copied wherever it is asked for. Each of these
//! makes more from a page than it has bytes, and all of them together may make
//! this much: a fixed amount, and from there on a multiple of the page. What
//! would be beyond it is left out, and told as an excess.

use crate::tree::{Data, NodeId, Tree};

/// What any page may make, in bytes.
const BYTES_MIN: usize = 16 << 20;

/// What a page may make more than that, as a multiple of its size.
const TIMES_PAGE: usize = 16;

/// What looking at a node costs, in bytes.
const NODE_BYTES: usize = 4;

pub(super) struct Budget<'a> {
    tree: &'a Tree,
    left: usize,
    /// The page was measured: not before it matters.
    is_extended: bool,
    is_spent: bool,
}

impl<'a> Budget<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        Self { tree, left: BYTES_MIN, is_extended: false, is_spent: false }
    }

    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// Spends, if there is enough; from the first time there is not, nothing
    /// can be spent.
    pub(super) fn spend(&mut self, bytes: usize) -> Option<()> {
        if self.left < bytes {
            self.extend();
        }
        match self.left.checked_sub(bytes) {
            Some(left) if !self.is_spent => self.left = left,
            _ => self.is_spent = true,
        }
        (!self.is_spent).then_some(())
    }

    /// How much one literal may have.
    pub(super) fn left(&mut self) -> usize {
        if self.left < BYTES_MIN / 2 {
            self.extend();
        }
        self.left
    }

    pub(super) fn exhaust(&mut self) {
        self.is_spent = true;
    }

    fn extend(&mut self) {
        if !self.is_extended {
            self.is_extended = true;
            self.left = self.left.saturating_add(page_bytes(self.tree).saturating_mul(TIMES_PAGE));
        }
    }

    /// The text in a node and below it.
    pub(super) fn text(&mut self, top: NodeId) -> Option<String> {
        let tree = self.tree;
        // Nearly always, this is all there is.
        if let Some(only) = tree.first_child(top)
            && let (Data::Text(text), None) = (tree.data(only), tree.next_sibling(only))
        {
            self.spend(text.len())?;
            return Some(text.to_string());
        }
        let mut text = String::new();
        for node in tree.descendants(top) {
            if let Data::Text(piece) = tree.data(node) {
                self.spend(piece.len())?;
                text.push_str(piece);
            }
            self.spend(NODE_BYTES)?;
        }
        Some(text)
    }
}

fn page_bytes(tree: &Tree) -> usize {
    let bytes = tree.descendants(Tree::ROOT).map(|node| match tree.data(node) {
        Data::Text(text) => text.len(),
        Data::Element(element) => {
            let attributes = element.attributes.iter();
            element.name.local.len() * 2 + attributes.map(|it| it.name.local.len() + it.value.len() + 4).sum::<usize>()
        }
        _ => 0,
    });
    bytes.sum()
}
