//! Trees of XHTML, SVG and other XML.
//!
//! `xml5ever` drops namespace declarations, which are what `RDFa` takes its
//! prefixes from, and looks through all open scopes for each name. So this is
//! a parser of our own: namespaces as the recommendation has them, one pass,
//! and what is not well-formed is mended and noted in [`Tree::is_malformed`].

mod entities;
mod namespaces;
mod tag;

use std::collections::HashMap;

use html5ever::tendril::StrTendril;
use memchr::{memchr, memmem};

use self::entities::Entities;
use self::namespaces::Namespaces;
use self::tag::NoTag;
use super::html::nodes_max;
use super::{Data, Doctype, Element, NodeId, Tree};

/// Parses XML, and mends what is not well-formed. A document with too many
/// nodes is read up to there.
pub(crate) fn from_xml(document: &str) -> Tree {
    let mut parser = Parser {
        rest: document.strip_prefix('\u{feff}').unwrap_or(document),
        tree: Tree::new(),
        open: Vec::new(),
        open_by_name: HashMap::default(),
        namespaces: Namespaces::default(),
        entities: Entities::new(document.len()),
        may_have_doctype: true,
        has_root: false,
    };
    let nodes_max = nodes_max(document.len());
    while !parser.rest.is_empty() {
        if parser.tree.nodes.len() >= nodes_max {
            parser.tree.is_cut = true;
            return parser.tree;
        }
        parser.advance();
    }
    parser.tree.is_malformed |= !parser.open.is_empty() || !parser.has_root;
    parser.tree
}

struct Parser<'a> {
    rest: &'a str,
    tree: Tree,
    open: Vec<Open<'a>>,
    /// How many elements of a name are open: an end tag that nothing waits for
    /// must not cost a look at all of them.
    open_by_name: HashMap<&'a str, usize, foldhash::fast::RandomState>,
    namespaces: Namespaces,
    entities: Entities,
    /// None was tried yet. One that does not end is looked for once.
    may_have_doctype: bool,
    /// Some element was there: not to be looked for among all that precedes it.
    has_root: bool,
}

struct Open<'a> {
    name: &'a str,
    node: NodeId,
}

impl<'a> Parser<'a> {
    /// Reads text up to the next tag, or one piece of markup.
    fn advance(&mut self) {
        let rest = self.rest;
        if !rest.starts_with('<') {
            let end = memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
            self.take_text(end);
        } else if let Some(inside) = rest.strip_prefix("<!--") {
            let text = self.until(inside, "-->");
            self.append(Data::Comment(newlines(text)));
        } else if let Some(inside) = rest.strip_prefix("<![CDATA[") {
            let text = self.until(inside, "]]>");
            self.append_text(newlines(text));
        } else if let Some(inside) = rest.strip_prefix("<?") {
            let text = self.until(inside, "?>");
            self.instruction(text);
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
        let end = match tag::Start::parse(rest) {
            Ok((start, rest)) => {
                self.rest = rest;
                return self.start_tag(&start);
            }
            Err(NoTag::Nameless) => memchr(b'<', &rest.as_bytes()[1..]).map_or(rest.len(), |end| end + 1),
            // All that follows was looked at, and every `<` in it is inside
            // quotes. To begin again at each of them would take forever.
            Err(NoTag::Endless) => rest.len(),
        };
        self.tree.is_malformed = true;
        self.take_text(end);
    }

    /// What is before `end`, which is left out, too.
    fn until(&mut self, inside: &'a str, end: &str) -> &'a str {
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
        let text = newlines(text);
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

    fn append(&mut self, data: Data) -> NodeId {
        let parent = self.open.last().map_or(Tree::ROOT, |open| open.node);
        let node = self.tree.add(data);
        self.tree.insert(node, parent, None);
        node
    }

    fn instruction(&mut self, text: &str) {
        let (target, data) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        if !target.eq_ignore_ascii_case("xml") {
            self.append(Data::Instruction { target: target.into(), data: data.trim_start().into() });
        }
    }

    /// The document type, whose internal subset may declare entities.
    fn doctype(&mut self) {
        let is_first = std::mem::take(&mut self.may_have_doctype);
        let Some((public_id, rest)) = is_first.then(|| entities::doctype(self.rest, &mut self.entities)).flatten()
        else {
            self.tree.is_malformed = true;
            let text = self.rest;
            self.until(text, ">");
            return;
        };
        self.rest = rest;
        self.append(Data::Doctype(Doctype { public_id: StrTendril::from(public_id) }));
    }

    fn start_tag(&mut self, start: &tag::Start<'a>) {
        self.tree.is_malformed |= start.is_malformed || (self.open.is_empty() && self.has_root);
        self.has_root = true;
        self.namespaces.enter(start, &self.entities);
        let name = self.namespaces.element(start.name);
        let attributes = self.namespaces.attributes(start, &self.entities);
        let element = Element { name, attributes, template: None, is_integration_point: false };
        let is_idle_base = element.is_html("base") && element.attribute("href").is_none();
        let node = self.append(Data::Element(element));
        if is_idle_base {
            // Whoever asks for the base climbs from each: these may be deep.
            self.tree.bases.pop();
        }
        if start.is_empty {
            self.namespaces.leave();
            return;
        }
        self.open.push(Open { name: start.name, node });
        *self.open_by_name.entry(start.name).or_default() += 1;
    }

    /// Closes the innermost element of that name, and all in it.
    fn end_tag(&mut self) {
        let inside = &self.rest[2..];
        let name = self.until(inside, ">").trim();
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

/// Line ends are line feeds, whatever they were (XML 1.0, section 2.11).
fn newlines(text: &str) -> StrTendril {
    if memchr(b'\r', text.as_bytes()).is_none() {
        return text.into();
    }
    text.replace("\r\n", "\n").replace('\r', "\n").into()
}

#[cfg(test)]
mod tests {
    use super::super::html::NODES_MAX;
    use super::*;

    fn outline(document: &str) -> String {
        let tree = from_xml(document);
        let mut outline = String::new();
        for node in tree.descendants(Tree::ROOT) {
            match tree.data(node) {
                Data::Element(element) => {
                    outline.extend(["<{", &element.name.ns, "}", &element.name.local]);
                    for attribute in &element.attributes {
                        let name = &attribute.name;
                        outline.extend([" {", &name.ns, "}", &name.local, "=", &attribute.value]);
                    }
                    outline += ">";
                }
                Data::Text(text) => outline += text,
                _ => {}
            }
        }
        if tree.is_malformed { outline + "!" } else { outline }
    }

    #[test]
    fn documents_become_trees() {
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
    fn what_is_not_well_formed_is_mended_and_noted() {
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
    fn entities_do_not_explode() {
        let mut document = "<!DOCTYPE a [<!ENTITY e0 'ha'>".to_owned();
        document.extend((1..100).map(|level| format!("<!ENTITY e{level} '&e{0};&e{0};'>", level - 1)));
        document += "]><a>&e99;&e3;</a>";

        let text = from_xml(&document).text(Tree::ROOT);

        assert!(text.ends_with("hahahahahahahaha") && text.len() < 1 << 17);
    }

    /// A parser that looks at anything twice for each `<` needs hours for these.
    #[test]
    fn nothing_is_looked_at_again_and_again() {
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
    fn a_document_has_so_many_nodes_at_most() {
        let document = format!("<x>{}</x>", "<a/>".repeat(NODES_MAX));

        let tree = from_xml(&document);

        assert!(tree.is_cut && !tree.is_malformed);
        assert_eq!(tree.nodes.len(), NODES_MAX);
        assert!(!from_xml("<x><a/></x>").is_cut);
    }

    #[test]
    fn depth_and_unmatched_ends_cost_nothing_more() {
        let document = "<a>".repeat(100_000) + &"</b>".repeat(100_000);

        let tree = from_xml(&document);

        assert_eq!(tree.descendants(Tree::ROOT).count(), 100_001);
    }
}
