//! Reads OWL/XML, the XML serialization of OWL 2, as RDF.
//!
//! The axioms of an ontology are read one after another, and each is translated by the [mapping to RDF graphs] (second
//! edition, section 2, table 1): `axioms` has the axioms and annotations, `expressions` the classes, data ranges,
//! properties, individuals and literals in them. An axiom with an error is a fault, and the others are read. The
//! elements are those of the [XML serialization] (second edition, section 3).
//!
//! SWRL rules (`DLSafeRule`), which some tools write, are not part of OWL 2 and are reported.
//!
//! [mapping to RDF graphs]: https://www.w3.org/TR/owl2-mapping-to-rdf/
//! [XML serialization]: https://www.w3.org/TR/owl2-xml-serialization/

mod axioms;
mod expressions;
mod names;
mod vocabulary;

use oxrdf::vocab::rdf;
use oxrdf::{BlankNode, GraphName, NamedNodeRef, NamedOrBlankNode, Quad, Term};

use self::names::{IriPrefixes, attribute_iri, element_iri};
use self::vocabulary as owl;
use super::xml::{XmlElement, XmlElementReader, XmlItem, XmlReadError};
use crate::sink::{QuadSink, RdfFault, RdfFaultKind};

/// Reads a document.
pub(super) fn read(reader: &mut XmlElementReader<'_>, sink: &mut dyn QuadSink) -> Result<(), XmlReadError> {
    let root = loop {
        match reader.next_item()? {
            Some(XmlItem::Start(root)) => break root,
            Some(_) => {}
            None => return Err(XmlReadError::Syntax("the document has no element".to_owned())),
        }
    };
    if root.name != "Ontology" {
        return Err(XmlReadError::Syntax(format!("the root element is `{}`, not `Ontology`", root.name)));
    }
    let mut mapping = OwlMapping { prefixes: IriPrefixes::default(), nodes: 0, sink };
    let mut ontology = OntologyStart { root, node: None };
    while let Some(item) = reader.next_item()? {
        let XmlItem::Start(start) = item else { continue };
        let element = reader.read_content(start)?;
        if let Err(detail) = mapping.read_child(&element, &mut ontology) {
            mapping.sink.fault(RdfFault::new(RdfFaultKind::Syntax, format!("{}: {detail}", element.name)));
        }
        if !mapping.sink.is_open() {
            return Ok(());
        }
    }
    if let Err(detail) = ontology.node(&mut mapping) {
        mapping.sink.fault(RdfFault::new(RdfFaultKind::Syntax, detail));
    }
    Ok(())
}

/// The ontology, whose header is written after its prefixes are known.
struct OntologyStart {
    root: XmlElement,
    node: Option<NamedOrBlankNode>,
}

impl OntologyStart {
    /// The node of the ontology. At first use, its header is written.
    fn node(&mut self, mapping: &mut OwlMapping<'_>) -> Result<NamedOrBlankNode, String> {
        if let Some(node) = &self.node {
            return Ok(node.clone());
        }
        let root = &self.root;
        let iri = root.attribute("ontologyIRI").map(|iri| attribute_iri(root, iri)).transpose()?;
        let node = iri.map_or_else(|| mapping.new_node().into(), NamedOrBlankNode::from);
        self.node = Some(node.clone());
        mapping.add(node.clone(), rdf::TYPE, owl::ONTOLOGY);
        if let Some(version) = root.attribute("versionIRI") {
            mapping.add(node.clone(), owl::VERSION_IRI, attribute_iri(root, version)?);
        }
        Ok(node)
    }
}

/// The translation of an ontology.
struct OwlMapping<'s> {
    prefixes: IriPrefixes,
    /// Number of blank nodes made so far.
    nodes: u64,
    sink: &'s mut dyn QuadSink,
}

impl OwlMapping<'_> {
    /// Reads a child of the ontology.
    fn read_child(&mut self, element: &XmlElement, ontology: &mut OntologyStart) -> Result<(), String> {
        match element.name.as_str() {
            "Prefix" => {
                let (Some(name), Some(iri)) = (element.attribute("name"), element.attribute("IRI")) else {
                    return Err("attribute `name` or `IRI` is missing".to_owned());
                };
                self.prefixes.insert(name, iri);
                Ok(())
            }
            "Import" => {
                let node = ontology.node(self)?;
                self.add(node, owl::IMPORTS, element_iri(element)?);
                Ok(())
            }
            "Annotation" => {
                let node = ontology.node(self)?;
                self.annotation(element, &node)
            }
            _ => {
                ontology.node(self)?;
                self.axiom(element)
            }
        }
    }

    fn new_node(&mut self) -> BlankNode {
        self.nodes += 1;
        BlankNode::new_unchecked(format!("g{}", self.nodes))
    }

    fn add<'p>(
        &mut self,
        subject: impl Into<NamedOrBlankNode>,
        predicate: impl Into<NamedNodeRef<'p>>,
        object: impl Into<Term>,
    ) {
        self.sink.owned_quad(Quad::new(subject, predicate.into().into_owned(), object, GraphName::DefaultGraph));
    }

    /// Writes a list. Returns its first node.
    fn list(&mut self, terms: Vec<Term>) -> Term {
        let mut rest = Term::from(rdf::NIL.into_owned());
        for term in terms.into_iter().rev() {
            let node = self.new_node();
            self.add(node.clone(), rdf::FIRST, term);
            self.add(node.clone(), rdf::REST, rest);
            rest = node.into();
        }
        rest
    }
}

#[cfg(test)]
mod tests;
