//! The values of properties: texts, dates and URLs of elements.

use oxrdf::{NamedNode, Term};

use crate::tree::{NodeData, NodeId, PageTree, TreeElement};
use lodeward_rdf::iri::BaseIri;

/// Maximum length of all texts of a page.
const MAX_TEXT_BYTES: usize = 4 << 20;

/// Reads values, up to a maximum length in total.
pub(super) struct ValueReader<'t> {
    tree: &'t PageTree,
    base: &'t BaseIri,
    remaining: usize,
}

impl<'t> ValueReader<'t> {
    pub(super) fn new(tree: &'t PageTree, base: &'t BaseIri) -> Self {
        Self { tree, base, remaining: MAX_TEXT_BYTES }
    }

    /// Whether the maximum was reached.
    pub(super) fn is_exhausted(&self) -> bool {
        self.remaining == 0
    }

    /// The text of an element: that of its parts with the class `value`, or the title of an abbreviation, or the
    /// alternative of an image, or its content. White space is collapsed.
    pub(super) fn text(&mut self, node: NodeId) -> Option<String> {
        let element = self.tree.element(node)?;
        let attribute = match &*element.name.local {
            "abbr" => element.attribute("title"),
            "img" | "area" => element.attribute("alt"),
            "data" | "input" => element.attribute("value"),
            _ => None,
        };
        let text = match attribute {
            Some(text) => text.to_owned(),
            None => self.value_parts(node).unwrap_or_else(|| self.content(node)),
        };
        let text = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then_some(text)
    }

    /// The date of an element: its attribute `datetime`, or else its text.
    pub(super) fn date(&mut self, node: NodeId) -> Option<String> {
        let machine_readable = self.tree.element(node)?.attribute("datetime");
        machine_readable.map(|date| date.trim().to_owned()).or_else(|| self.text(node))
    }

    /// The URL of an element, resolved; or its text, if it has none.
    pub(super) fn url(&mut self, node: NodeId) -> Option<Term> {
        let reference = own_reference(self.tree.element(node)?).map(str::to_owned);
        let reference = reference.or_else(|| self.text(node))?;
        self.base.resolve(&reference).map(|iri| NamedNode::new_unchecked(iri).into())
    }

    /// The URL of an element itself, resolved.
    pub(super) fn own_url(&self, node: NodeId) -> Option<Term> {
        let reference = own_reference(self.tree.element(node)?)?;
        self.base.resolve(reference).map(|iri| NamedNode::new_unchecked(iri).into())
    }

    /// The address of an element as an IRI with this scheme, without a query such as `?subject=`.
    pub(super) fn link(&mut self, node: NodeId, scheme: &str) -> Option<Term> {
        let reference = own_reference(self.tree.element(node)?).map(str::to_owned);
        let reference = reference.filter(|reference| reference.contains(':')).or_else(|| self.text(node))?;
        let address = reference.split('?').next().unwrap_or_default();
        let address = address.rsplit_once(':').map_or(address, |(_, address)| address);
        let address: String = address.split_ascii_whitespace().collect();
        if address.is_empty() {
            return None;
        }
        NamedNode::new(format!("{scheme}{address}")).ok().map(Into::into)
    }

    /// The texts of the parts with the class `value`, joined.
    fn value_parts(&mut self, node: NodeId) -> Option<String> {
        let tree = self.tree;
        let is_part = |part: &NodeId| *part != node && tree.element(*part).is_some_and(|it| has_class(it, "value"));
        let parts: Vec<NodeId> = tree.descendants(node).filter(is_part).take(100).collect();
        if parts.is_empty() {
            return None;
        }
        let texts: Vec<String> = parts.into_iter().map(|part| self.part_text(part)).collect();
        Some(texts.concat())
    }

    fn part_text(&mut self, part: NodeId) -> String {
        let title = self.tree.element(part).filter(|it| &*it.name.local == "abbr").and_then(|it| it.attribute("title"));
        title.map_or_else(|| self.content(part), str::to_owned).trim().to_owned()
    }

    fn content(&mut self, top: NodeId) -> String {
        let mut text = String::new();
        for node in self.tree.descendants(top) {
            let NodeData::Text(piece) = self.tree.data(node) else { continue };
            if piece.len() > self.remaining {
                self.remaining = 0;
                break;
            }
            self.remaining -= piece.len();
            text.push_str(piece);
        }
        text
    }
}

fn own_reference(element: &TreeElement) -> Option<&str> {
    let name = match &*element.name.local {
        "img" | "audio" | "video" | "source" | "iframe" | "embed" => "src",
        "object" => "data",
        // Of links; authors also write `href` on other elements.
        _ => "href",
    };
    element.attribute(name)
}

fn has_class(element: &TreeElement, name: &str) -> bool {
    element.attribute("class").is_some_and(|classes| classes.split_ascii_whitespace().any(|class| class == name))
}
