//! Serializing a part of a tree as HTML or XML.
//!
//! Literals of the datatypes `rdf:HTML` and `rdf:XMLLiteral` contain markup. Both serializers stop
//! at a limit: literals can be nested, and each level would serialize its content again.

use std::collections::HashSet;

use html5ever::{Namespace, ns};

use super::{NodeData, NodeId, PageTree, TreeElement};

/// The output would exceed the limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SerializeLimit;

/// A step of the traversal below a node.
enum SerializeStep {
    Enter(NodeId),
    Leave(NodeId),
}

impl PageTree {
    /// The content of a node, by the fragment serialization of HTML.
    pub(crate) fn inner_html(&self, top: NodeId, max_bytes: usize) -> Result<String, SerializeLimit> {
        let mut html = String::new();
        self.for_each_step(top, |step| {
            match step {
                SerializeStep::Enter(node) => self.enter_html(node, &mut html),
                SerializeStep::Leave(node) => {
                    if let Some(element) = self.element(node)
                        && !is_void(element)
                    {
                        html.extend(["</", qualified_name(element, &mut String::new()), ">"]);
                    }
                }
            }
            if html.len() > max_bytes { Err(SerializeLimit) } else { Ok(()) }
        })?;
        Ok(html)
    }

    /// The content of a node, as canonical XML without reordering: with end tags for empty
    /// elements, and minimal escaping.
    ///
    /// Top-level elements declare their own namespace, and then the `namespaces`, so that the
    /// result is self-contained.
    pub(crate) fn inner_xml(
        &self,
        top: NodeId,
        namespaces: &[(&str, &str)],
        max_bytes: usize,
    ) -> Result<String, SerializeLimit> {
        let mut writer = XmlWriter { xml: String::new(), namespaces, defaults: vec![ns!()] };
        self.for_each_step(top, |step| {
            match step {
                SerializeStep::Enter(node) => writer.enter(self.data(node)),
                SerializeStep::Leave(node) => writer.leave(self.data(node)),
            }
            if writer.xml.len() > max_bytes { Err(SerializeLimit) } else { Ok(()) }
        })?;
        Ok(writer.xml)
    }

    fn for_each_step(
        &self,
        top: NodeId,
        mut act: impl FnMut(SerializeStep) -> Result<(), SerializeLimit>,
    ) -> Result<(), SerializeLimit> {
        let Some(mut node) = self.first_child(top) else { return Ok(()) };
        loop {
            act(SerializeStep::Enter(node))?;
            if let Some(child) = self.first_child(node) {
                node = child;
                continue;
            }
            loop {
                act(SerializeStep::Leave(node))?;
                if let Some(next) = self.next_sibling(node) {
                    node = next;
                    break;
                }
                match self.parent(node) {
                    Some(parent) if parent != top => node = parent,
                    _ => return Ok(()),
                }
            }
        }
    }

    fn enter_html(&self, node: NodeId, html: &mut String) {
        match self.data(node) {
            NodeData::Element(element) => {
                html.push('<');
                let mut name = String::new();
                html.push_str(qualified_name(element, &mut name));
                for attribute in &element.attributes {
                    html.push(' ');
                    if let Some(prefix) = &attribute.name.prefix {
                        html.extend([prefix, ":"]);
                    }
                    html.extend([&attribute.name.local, "=\""]);
                    escape(&attribute.value, &[('&', "&amp;"), ('\u{a0}', "&nbsp;"), ('"', "&quot;")], html);
                    html.push('"');
                }
                html.push('>');
            }
            NodeData::Text(text) => {
                let parent = self.parent(node).and_then(|parent| self.element(parent));
                if parent.is_some_and(is_raw) {
                    html.push_str(text);
                } else {
                    escape(text, &[('&', "&amp;"), ('\u{a0}', "&nbsp;"), ('<', "&lt;"), ('>', "&gt;")], html);
                }
            }
            NodeData::Comment(text) => html.extend(["<!--", text, "-->"]),
            NodeData::Instruction { target, data } => html.extend(["<?", target, " ", data, ">"]),
            NodeData::Document | NodeData::Doctype(_) => {}
        }
    }
}

struct XmlWriter<'a> {
    xml: String,
    namespaces: &'a [(&'a str, &'a str)],
    /// The default namespace outside of all elements, then that of each open element.
    defaults: Vec<Namespace>,
}

impl XmlWriter<'_> {
    fn enter(&mut self, data: &NodeData) {
        match data {
            NodeData::Element(element) => self.start_tag(element),
            NodeData::Text(text) => {
                escape(text, &[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('\r', "&#xD;")], &mut self.xml);
            }
            // XML comments cannot contain two hyphens.
            NodeData::Comment(text) if !text.contains("--") => self.xml.extend(["<!--", text, "-->"]),
            NodeData::Instruction { target, data } => self.xml.extend(["<?", target, " ", data, "?>"]),
            _ => {}
        }
    }

    fn leave(&mut self, data: &NodeData) {
        if let NodeData::Element(element) = data {
            self.defaults.pop();
            self.xml.extend(["</", qualified_name(element, &mut String::new()), ">"]);
        }
    }

    fn start_tag(&mut self, element: &TreeElement) {
        self.xml.push('<');
        self.xml.push_str(qualified_name(element, &mut String::new()));
        let is_top = self.defaults.len() == 1;
        for attribute in &element.attributes {
            let is_default =
                attribute.name.ns == ns!(xmlns) && attribute.name.prefix.is_none() || &*attribute.name.local == "xmlns";
            let is_declaration = attribute.name.ns == ns!(xmlns) || attribute.name.local.starts_with("xmlns:");
            if is_default || (is_declaration && is_top) || !is_xml_name(&attribute.name.local) {
                continue;
            }
            let prefix = attribute.name.prefix.as_deref().unwrap_or_default();
            self.attribute(prefix, &attribute.name.local, &attribute.value);
        }
        let mut default = self.defaults.last().cloned().unwrap_or(ns!());
        if element.name.prefix.is_none() && element.name.ns != default {
            default = element.name.ns.clone();
            self.attribute("", "xmlns", &default);
        }
        self.defaults.push(default);
        if is_top {
            self.declare(element);
        }
        self.xml.push('>');
    }

    /// Declares the prefixes in scope, and those that the element itself declares.
    fn declare(&mut self, element: &TreeElement) {
        let mut own = Vec::new();
        for attribute in &element.attributes {
            let name = &attribute.name;
            let prefix = match &name.prefix {
                Some(_) if name.ns == ns!(xmlns) => Some(&*name.local),
                _ => name.local.strip_prefix("xmlns:"),
            };
            own.extend(prefix.map(|prefix| (prefix, &*attribute.value)));
        }
        let own_prefixes: HashSet<&str> = own.iter().map(|(prefix, _)| *prefix).collect();
        for (prefix, iri) in self.namespaces {
            if !own_prefixes.contains(prefix) {
                self.attribute("xmlns", prefix, iri);
            }
        }
        for (prefix, iri) in own {
            self.attribute("xmlns", prefix, iri);
        }
    }

    fn attribute(&mut self, prefix: &str, local: &str, value: &str) {
        self.xml.extend([" ", prefix, if prefix.is_empty() { "" } else { ":" }, local, "=\""]);
        let escapes =
            [('&', "&amp;"), ('<', "&lt;"), ('"', "&quot;"), ('\t', "&#x9;"), ('\n', "&#xA;"), ('\r', "&#xD;")];
        escape(value, &escapes, &mut self.xml);
        self.xml.push('"');
    }
}

fn qualified_name<'a>(element: &'a TreeElement, space: &'a mut String) -> &'a str {
    match &element.name.prefix {
        None => &element.name.local,
        Some(prefix) => {
            space.extend([prefix, ":", &element.name.local]);
            space
        }
    }
}

/// Whether XML allows this name; HTML allows more.
pub(crate) fn is_xml_name(name: &str) -> bool {
    let is_start = |c: char| c.is_alphabetic() || c == '_';
    name.starts_with(is_start)
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '\u{b7}'))
}

fn is_void(element: &TreeElement) -> bool {
    let void = [
        "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
        "meta", "param", "source", "track", "wbr",
    ];
    element.name.ns == ns!(html) && void.contains(&&*element.name.local)
}

/// Whether text in this element is not escaped.
fn is_raw(element: &TreeElement) -> bool {
    let raw = ["style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext"];
    element.name.ns == ns!(html) && raw.contains(&&*element.name.local)
}

fn escape(text: &str, escapes: &[(char, &str)], into: &mut String) {
    let mut from = 0;
    for (at, c) in text.char_indices() {
        if let Some((_, escaped)) = escapes.iter().find(|(it, _)| *it == c) {
            into.extend([&text[from..at], escaped]);
            from = at + c.len_utf8();
        }
    }
    into.push_str(&text[from..]);
}

#[cfg(test)]
mod tests {
    use super::super::{from_html, from_xml};
    use super::*;

    fn find(tree: &PageTree, name: &str) -> NodeId {
        let mut nodes = tree.descendants(PageTree::ROOT);
        nodes.find(|node| tree.element(*node).is_some_and(|element| &*element.name.local == name)).unwrap()
    }

    #[test]
    fn html_is_serialized_as_in_browsers() {
        // Pages that contain `datatype` keep all attributes.
        let tree = from_html(
            "<!--datatype--><main>a &amp; b<br><img alt='&quot;'><style>a > b</style><svg><a/>&nbsp;</svg></main>c",
        );

        let html = tree.inner_html(find(&tree, "main"), 1000);

        let expected = "a &amp; b<br><img alt=\"&quot;\"><style>a > b</style><svg><a></a>&nbsp;</svg>";
        assert_eq!(html.unwrap(), expected);
        assert_eq!(tree.inner_html(find(&tree, "main"), 20), Err(SerializeLimit));
    }

    #[test]
    fn xml_is_serialized_with_its_namespaces() {
        let tree = from_html("<!--datatype--><main>a &lt; b<br class='x'><p @click=y><svg></svg></p></main>");
        let xml = tree.inner_xml(find(&tree, "main"), &[("p", "http://p/")], 1000);
        let expected = concat!(
            r#"a &lt; b<br class="x" xmlns="http://www.w3.org/1999/xhtml" xmlns:p="http://p/"></br>"#,
            r#"<p xmlns="http://www.w3.org/1999/xhtml" xmlns:p="http://p/"><svg xmlns="http://www.w3.org/2000/svg"></svg></p>"#,
        );
        assert_eq!(xml.unwrap(), expected);

        let tree = from_xml("<m:a xmlns:m='m:' xmlns='d:'><m:b m:c='1'><e/></m:b><f xmlns=''/></m:a>");
        let xml = tree.inner_xml(find(&tree, "a"), &[("m", "m:")], 1000);
        assert_eq!(xml.unwrap(), r#"<m:b m:c="1" xmlns:m="m:"><e xmlns="d:"></e></m:b><f xmlns:m="m:"></f>"#);
    }
}
