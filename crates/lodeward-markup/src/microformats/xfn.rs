//! Relationships between people by links (XFN 1.1).

use oxrdf::vocab::rdf;
use oxrdf::{BlankNode, GraphNameRef, NamedNode, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use crate::sink::{EmbeddedSyntax, PageSink};
use crate::tree::PageTree;
use lodeward_rdf::iri::BaseIri;

const NAMESPACE: &str = "http://vocab.sindice.com/xfn#";
const RELATIONS: [&str; 17] = [
    "contact",
    "acquaintance",
    "friend",
    "met",
    "co-worker",
    "colleague",
    "co-resident",
    "neighbor",
    "child",
    "parent",
    "sibling",
    "spouse",
    "kin",
    "muse",
    "crush",
    "date",
    "sweetheart",
];

/// Reads the relationships of the person whose page this is. `nodes` is the number of blank nodes so far.
pub(super) fn read(tree: &PageTree, page: &BaseIri, base: &BaseIri, nodes: &mut usize, sink: &mut dyn PageSink) {
    let mut writer = RelationWriter { page: NamedNode::new_unchecked(page.as_str()), person: None, nodes, sink };
    for node in tree.descendants(PageTree::ROOT) {
        let Some(element) = tree.element(node).filter(|element| &*element.name.local == "a") else { continue };
        let (Some(rel), Some(href)) = (element.attribute("rel"), element.attribute("href")) else { continue };
        let Some(target) = base.resolve(href) else { continue };
        let words: Vec<String> = rel.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
        writer.read_link(&words, &NamedNode::new_unchecked(target));
    }
}

struct RelationWriter<'s> {
    page: NamedNode,
    /// The person whose page this is.
    person: Option<BlankNode>,
    nodes: &'s mut usize,
    sink: &'s mut dyn PageSink,
}

impl RelationWriter<'_> {
    fn read_link(&mut self, words: &[String], target: &NamedNode) {
        let relations: Vec<&str> = RELATIONS.into_iter().filter(|name| words.iter().any(|word| word == name)).collect();
        if words.iter().any(|word| word == "me") {
            // No person is in a relationship with themselves: such a link is ignored.
            if relations.is_empty() {
                let person = self.person();
                self.add(&person, "mePage", target);
                self.add_hyperlink("me", target);
            }
            return;
        }
        if relations.is_empty() {
            return;
        }
        let (person, other) = (self.person(), self.new_person(target));
        for relation in relations {
            let predicate = format!("{NAMESPACE}{relation}");
            self.write(person.as_ref().into(), &predicate, other.as_ref().into());
            self.add_hyperlink(relation, target);
        }
    }

    fn person(&mut self) -> BlankNode {
        if let Some(person) = &self.person {
            return person.clone();
        }
        let page = self.page.clone();
        let person = self.new_person(&page);
        self.person = Some(person.clone());
        person
    }

    fn new_person(&mut self, page: &NamedNode) -> BlankNode {
        let person = BlankNode::new_unchecked(format!("u{}", *self.nodes));
        *self.nodes += 1;
        let class = NamedNodeRef::new_unchecked("http://xmlns.com/foaf/0.1/Person");
        self.write(person.as_ref().into(), rdf::TYPE.as_str(), class.into());
        self.add(&person, "mePage", page);
        person
    }

    fn add(&mut self, person: &BlankNode, name: &str, target: &NamedNode) {
        self.write(person.as_ref().into(), &format!("{NAMESPACE}{name}"), target.as_ref().into());
    }

    fn add_hyperlink(&mut self, relation: &str, target: &NamedNode) {
        let page = self.page.clone();
        self.write(page.as_ref().into(), &format!("{NAMESPACE}{relation}-hyperlink"), target.as_ref().into());
    }

    fn write(&mut self, subject: NamedOrBlankNodeRef<'_>, predicate: &str, object: TermRef<'_>) {
        let predicate = NamedNodeRef::new_unchecked(predicate);
        let quad = QuadRef { subject, predicate, object, graph_name: GraphNameRef::DefaultGraph };
        self.sink.quad(EmbeddedSyntax::Microformats, quad);
    }
}
