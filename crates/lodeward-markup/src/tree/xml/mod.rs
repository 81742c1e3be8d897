//! Parsing XHTML, SVG and other XML into a tree.
//!
//! `xml5ever` drops namespace declarations, from which `RDFa` takes its prefixes, and searches all
//! open scopes for each name. So this module has its own parser: it handles namespaces as the
//! recommendation requires, in one pass. Markup that is not well-formed is repaired, and recorded
//! in [`PageTree::is_malformed`].

mod entities;
mod namespaces;
mod tag;

use std::collections::HashMap;

use html5ever::tendril::StrTendril;
use lodeward_rdf::xml_doctype::XmlDoctype;
use memchr::{memchr, memmem};

use self::entities::EntityDecoder;
use self::namespaces::Namespaces;
use self::tag::StartTagError;
use super::html::max_nodes;
use super::{NodeData, NodeId, PageTree, TreeDoctype, TreeElement};

/// Parses XML, and repairs markup that is not well-formed. A document with too many nodes is
/// truncated.
pub(crate) fn from_xml(document: &str) -> PageTree {
    let mut parser = XmlParser {
        rest: document.strip_prefix('\u{feff}').unwrap_or(document),
        tree: PageTree::new(),
        open: Vec::new(),
        open_by_name: HashMap::default(),
        namespaces: Namespaces::default(),
        entities: EntityDecoder::new(document.len()),
        may_have_doctype: true,
        has_root: false,
    };
    let max_nodes = max_nodes(document.len());
    while !parser.rest.is_empty() {
        if parser.tree.nodes.len() >= max_nodes {
            parser.tree.is_truncated = true;
            return parser.tree;
        }
        parser.advance();
    }
    parser.tree.is_malformed |= !parser.open.is_empty() || !parser.has_root;
    parser.tree.is_truncated |= parser.entities.is_limited();
    parser.tree
}

struct XmlParser<'a> {
    rest: &'a str,
    tree: PageTree,
    open: Vec<OpenXmlElement<'a>>,
    /// The number of open elements by name, so that an unmatched end tag does not search all of
    /// them.
    open_by_name: HashMap<&'a str, usize, foldhash::fast::RandomState>,
    namespaces: Namespaces,
    entities: EntityDecoder,
    /// Whether a document type can follow: none has been parsed yet. The end of an unterminated one
    /// is searched only once.
    may_have_doctype: bool,
    /// Whether the tree has a root element; avoids a search among the nodes before it.
    has_root: bool,
}

struct OpenXmlElement<'a> {
    name: &'a str,
    node: NodeId,
}

impl<'a> XmlParser<'a> {
    /// Parses text up to the next tag, or one piece of markup.
    fn advance(&mut self) {
        let rest = self.rest;
        if !rest.starts_with('<') {
            let end = memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
            self.take_text(end);
        } else if let Some(inside) = rest.strip_prefix("<!--") {
            let text = self.take_until(inside, "-->");
            self.append(NodeData::Comment(normalise_newlines(text)));
        } else if let Some(inside) = rest.strip_prefix("<![CDATA[") {
            let text = self.take_until(inside, "]]>");
            self.append_text(normalise_newlines(text));
        } else if let Some(inside) = rest.strip_prefix("<?") {
            let text = self.take_until(inside, "?>");
            self.processing_instruction(text);
        } else if rest.starts_with("<!") {
            self.doctype();
        } else if rest.starts_with("</") {
            self.end_tag();
        } else {
            self.start_tag_or_text();
        }
    }

    fn start_tag_or_text(&mut self) {
        let rest = self.rest;
        let end = match tag::XmlStartTag::parse(rest) {
            Ok((start, rest)) => {
                self.rest = rest;
                return self.start_tag(&start);
            }
            Err(StartTagError::MissingName) => memchr(b'<', &rest.as_bytes()[1..]).map_or(rest.len(), |end| end + 1),
            // Everything up to the end was scanned, and every `<` in it is inside quotes. Trying to
            // parse a tag at each `<` would take quadratic time.
            Err(StartTagError::MissingEnd) => rest.len(),
        };
        self.tree.is_malformed = true;
        self.take_text(end);
    }

    /// Takes the text before `end`, and skips `end`.
    fn take_until(&mut self, inside: &'a str, end: &str) -> &'a str {
        match memmem::find(inside.as_bytes(), end.as_bytes()) {
            Some(at) => {
                self.rest = &inside[at + end.len()..];
                &inside[..at]
            }
            None => {
                self.tree.is_malformed = true;
                self.rest = "";
                inside
            }
        }
    }

    fn take_text(&mut self, end: usize) {
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        let text = normalise_newlines(text);
        self.append_text(match self.entities.decode(&text) {
            Some(decoded) => StrTendril::from(decoded),
            None => text,
        });
    }

    fn append_text(&mut self, text: StrTendril) {
        match self.open.last() {
            Some(open) => self.tree.insert_text(text, open.node, None),
            None => self.tree.is_malformed |= !text.trim().is_empty(),
        }
    }

    fn append(&mut self, data: NodeData) -> NodeId {
        let parent = self.open.last().map_or(PageTree::ROOT, |open| open.node);
        let node = self.tree.add(data);
        self.tree.insert(node, parent, None);
        node
    }

    fn processing_instruction(&mut self, text: &str) {
        let (target, data) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        if !target.eq_ignore_ascii_case("xml") {
            self.append(NodeData::Instruction { target: target.into(), data: data.trim_start().into() });
        }
    }

    /// Parses the document type, whose internal subset can declare entities.
    fn doctype(&mut self) {
        let is_first = std::mem::take(&mut self.may_have_doctype);
        let Some(doctype) = is_first.then(|| XmlDoctype::parse(self.rest)).flatten() else {
            self.tree.is_malformed = true;
            let text = self.rest;
            self.take_until(text, ">");
            return;
        };
        self.rest = doctype.rest;
        self.entities.declare(doctype.entities);
        self.append(NodeData::Doctype(TreeDoctype { public_id: StrTendril::from(doctype.public_id) }));
    }

    fn start_tag(&mut self, start: &tag::XmlStartTag<'a>) {
        self.tree.is_malformed |= start.is_malformed || (self.open.is_empty() && self.has_root);
        self.has_root = true;
        self.namespaces.enter(start, &self.entities);
        let name = self.namespaces.element_name(start.name);
        let attributes = self.namespaces.attributes(start, &self.entities);
        let element = TreeElement { name, attributes, template: None, is_integration_point: false };
        let is_idle_base = element.is_html("base") && element.attribute("href").is_none();
        let node = self.append(NodeData::Element(element));
        if is_idle_base {
            // A `<base>` without `href` has no effect, and `base_href` would climb from it to the
            // root.
            self.tree.bases.pop();
        }
        if start.is_empty {
            self.namespaces.leave();
            return;
        }
        self.open.push(OpenXmlElement { name: start.name, node });
        *self.open_by_name.entry(start.name).or_default() += 1;
    }

    /// Closes the innermost element with this name, and all elements in it.
    fn end_tag(&mut self) {
        let inside = &self.rest[2..];
        let name = self.take_until(inside, ">").trim();
        if self.open_by_name.get(name).is_none_or(|count| *count == 0) {
            self.tree.is_malformed = true;
            return;
        }
        while let Some(open) = self.open.pop() {
            self.namespaces.leave();
            if let Some(count) = self.open_by_name.get_mut(open.name) {
                *count -= 1;
            }
            if open.name == name {
                return;
            }
            self.tree.is_malformed = true;
        }
    }
}

/// Normalizes line ends to line feeds (XML 1.0, section 2.11).
fn normalise_newlines(text: &str) -> StrTendril {
    if memchr(b'\r', text.as_bytes()).is_none() {
        return text.into();
    }
    text.replace("\r\n", "\n").replace('\r', "\n").into()
}

#[cfg(test)]
mod tests {
    use super::super::html::MAX_NODES;
    use super::*;

    fn outline(document: &str) -> String {
        let tree = from_xml(document);
        let mut outline = String::new();
        for node in tree.descendants(PageTree::ROOT) {
            match tree.data(node) {
                NodeData::Element(element) => {
                    outline.extend(["<{", &element.name.ns, "}", &element.name.local]);
                    for attribute in &element.attributes {
                        let name = &attribute.name;
                        outline.extend([" {", &name.ns, "}", &name.local, "=", &attribute.value]);
                    }
                    outline += ">";
                }
                NodeData::Text(text) => outline += text,
                _ => {}
            }
        }
        if tree.is_malformed { outline + "!" } else { outline }
    }

    #[test]
    fn well_formed_documents_are_parsed() {
        let check = |document: &str, expected: &str| assert_eq!(outline(document), expected, "{document}");

        check("<a b='1' c=\"&lt;&#65;\n\"/>", "<{}a {}b=1 {}c=<A >");
        check("<?xml version='1.0'?>\n<!DOCTYPE a><a>x<![CDATA[<y>]]>&amp;<!-- - --></a>\n", "<{}a>x<y>&");
        check(
            "<a xmlns='n:'><p:b xmlns:p='m:' p:c='' d=''/></a>",
            "<{n:}a {http://www.w3.org/2000/xmlns/}xmlns=n:><{m:}b {http://www.w3.org/2000/xmlns/}p=m: {m:}c= {}d=>",
        );
        check("<a xml:lang='de'/>", "<{}a {http://www.w3.org/XML/1998/namespace}lang=de>");
        check(
            "<!DOCTYPE s [<!ENTITY n 'http://n/'><!ENTITY m '&n;m'>]><s xmlns='&n;'>&m;&nbsp;</s>",
            "<{http://n/}s {http://www.w3.org/2000/xmlns/}xmlns=http://n/>http://n/m\u{a0}",
        );
    }

    #[test]
    fn malformed_documents_are_repaired_and_marked() {
        let check = |document: &str, expected: &str| assert_eq!(outline(document), expected, "{document}");

        check("<a><b>x</a>", "<{}a><{}b>x!");
        check("<a>1 < 2</a>", "<{}a>1 < 2!");
        check("<a></b></a>", "<{}a>!");
        check("<a b=c d/>", "<{}a {}b=c {}d=>!");
        check("<a b='1' b='2'/>", "<{}a {}b=1>!");
        check("<svg><body which is not closed</svg>", "<{}svg><{}body {}which= {}is= {}not= {}closed=>!");
        check("<a", "!");
        check("<a>1<b c='2' d", "<{}a>1<b c='2' d!");
        check("<a>1<b c='2>3</b>4</a>", "<{}a>1<{}b {}c=2>34!");
        check("<a>1<b c='2<d>3</d></b>4</a>", "<{}a>1<{}b {}c=2><{}d>34!");
        check("", "!");
    }

    #[test]
    fn entity_expansion_is_limited() {
        let mut document = "<!DOCTYPE a [<!ENTITY e0 'ha'>".to_owned();
        document.extend((1..100).map(|level| format!("<!ENTITY e{level} '&e{0};&e{0};'>", level - 1)));
        document += "]><a>&e99;&e3;</a>";

        let tree = from_xml(&document);
        let text = tree.text(PageTree::ROOT);

        assert!(text.ends_with("hahahahahahahaha") && text.len() < 1 << 17);
        assert!(tree.is_truncated);
    }

    #[test]
    fn repeated_use_of_an_entity_is_limited() {
        let document = |uses: usize| {
            format!("<!DOCTYPE a [<!ENTITY e '{}'>]><a b='&e;'>{}</a>", "x".repeat(10_000), "&e;".repeat(uses))
        };

        let (small, large) = (from_xml(&document(5)), from_xml(&document(5_000)));

        assert!(!small.is_truncated && small.text(PageTree::ROOT).len() == 50_000);
        assert!(large.is_truncated && large.text(PageTree::ROOT).len() < 200_000);
    }

    /// A parser that rescans the text at each `<` would need hours for these.
    #[test]
    fn parsing_takes_linear_time() {
        let xhtml = "<x xmlns='http://www.w3.org/1999/xhtml'>";
        for (before, again, after) in [
            ("<x><a b=\"", "<a\" b=\"", ""),
            ("<x><a b=\"", "<a\" b=\"", "\""),
            ("<x>", "<a b='", ""),
            ("<x>", "<a b=\"'", ""),
            ("<x>", "<a b=\"", ">'"),
            ("<x>", "<a b", ""),
            ("<x>", "<a ", ""),
            ("<x>", "<", ""),
            ("<x>", "<1", ""),
            ("<x>", "<a b=", ""),
            ("<x a", "=", ""),
            ("<x a", " = ", ""),
            ("<x ", "a ", ">"),
            ("<x ", "/", ""),
            ("<x>", "<!--", ""),
            ("<x>", "<!---->", ""),
            ("<x>", "<![CDATA[", ""),
            ("<x>", "<![CDATA[]]>", ""),
            ("<x>", "<?", ""),
            ("<x>", "<?a?>", ""),
            ("<x>", "<!", ""),
            ("<x>", "<!>", ""),
            ("<x>", "</", ""),
            ("<x>", "</x ", ""),
            ("<x>", "</y>", ""),
            ("<x>", "&", ""),
            ("<x>", "&a", ""),
            ("<x>", "&a;", ""),
            ("<x a='", "&", "'/>"),
            ("", "<!DOCTYPE x [", ""),
            ("", "<!DOCTYPE x '", ""),
            ("<!DOCTYPE x [", "<!ENTITY a '", ""),
            ("<!DOCTYPE x [", "<!ENTITY a 'b'>", ""),
            ("<!DOCTYPE x [", "<!ENTITY a \"'", ""),
            ("<!DOCTYPE x [", "<!ENTITY % '", ""),
            ("<!DOCTYPE x [", "<!--", ""),
            ("<!DOCTYPE x [", "<?", ""),
            ("<!DOCTYPE x [", "<!ELEMENT '>", ""),
            ("<!DOCTYPE x [", "%a;", ""),
            ("<!DOCTYPE x PUBLIC ", "'", ""),
            (xhtml, "<base>", ""),
            ("", "<a xmlns:a='b'>", ""),
        ] {
            let document = format!("{before}{}{after}", again.repeat((1 << 20) / again.len()));

            let tree = from_xml(&document);

            assert!(tree.nodes.len() <= document.len() / 2 + 4096, "{before}{again}");
            assert_eq!(tree.base_href(), None);
        }
        let comments_and_roots = "<!---->".repeat(100_000) + &"<a/>".repeat(100_000);
        assert_eq!(from_xml(&comments_and_roots).nodes.len(), 200_001);
    }

    #[test]
    fn the_number_of_nodes_is_limited() {
        let document = format!("<x>{}</x>", "<a/>".repeat(MAX_NODES));

        let tree = from_xml(&document);

        assert!(tree.is_truncated && !tree.is_malformed);
        assert_eq!(tree.nodes.len(), MAX_NODES);
        assert!(!from_xml("<x><a/></x>").is_truncated);
    }

    #[test]
    fn deep_elements_and_unmatched_end_tags_take_linear_time() {
        let document = "<a>".repeat(100_000) + &"</b>".repeat(100_000);

        let tree = from_xml(&document);

        assert_eq!(tree.descendants(PageTree::ROOT).count(), 100_001);
    }
}
