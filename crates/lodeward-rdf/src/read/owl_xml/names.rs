//! The IRIs of OWL/XML: full, relative or abbreviated.

use std::collections::HashMap;

use oxrdf::{NamedNode, NamedNodeRef};

use super::super::xml::XmlElement;

/// The prefixes of an ontology.
pub(super) struct IriPrefixes(HashMap<String, String>);

impl Default for IriPrefixes {
    /// The prefixes that need no declaration.
    fn default() -> Self {
        let standard = [
            ("owl", "http://www.w3.org/2002/07/owl#"),
            ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
            ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
            ("xsd", "http://www.w3.org/2001/XMLSchema#"),
            ("xml", "http://www.w3.org/XML/1998/namespace"),
        ];
        Self(standard.map(|(name, iri)| (name.to_owned(), iri.to_owned())).into())
    }
}

impl IriPrefixes {
    pub(super) fn insert(&mut self, name: &str, iri: &str) {
        self.0.insert(name.trim_end_matches(':').to_owned(), iri.to_owned());
    }

    /// Expands `prefix:name`.
    fn expand(&self, text: &str) -> Result<NamedNode, String> {
        let (prefix, name) = text.split_once(':').ok_or_else(|| format!("`{text}` has no prefix"))?;
        let start = self.0.get(prefix).ok_or_else(|| format!("prefix `{prefix}:` is not declared"))?;
        let iri = format!("{start}{name}");
        NamedNode::new(&iri).map_err(|error| format!("`{iri}` is not an absolute IRI: {error}"))
    }

    /// The IRI of an entity: the attribute `IRI` or `abbreviatedIRI`.
    pub(super) fn entity_iri(&self, element: &XmlElement) -> Result<NamedNode, String> {
        match (element.attribute("IRI"), element.attribute("abbreviatedIRI")) {
            (Some(iri), _) => attribute_iri(element, iri),
            (None, Some(text)) => self.expand(text),
            (None, None) => Err(format!("`{}` has no IRI", element.name)),
        }
    }

    /// The IRI in an element `IRI` or `AbbreviatedIRI`.
    pub(super) fn content_iri(&self, element: &XmlElement) -> Result<NamedNode, String> {
        if element.name == "AbbreviatedIRI" { self.expand(element.text.trim()) } else { element_iri(element) }
    }
}

/// Resolves the value of an attribute of an element.
pub(super) fn attribute_iri(element: &XmlElement, value: &str) -> Result<NamedNode, String> {
    let resolved = element.resolve(value).ok_or_else(|| format!("`{value}` is not an absolute IRI"))?;
    Ok(NamedNode::new_unchecked(resolved))
}

/// The IRI that is the text of an element.
pub(super) fn element_iri(element: &XmlElement) -> Result<NamedNode, String> {
    attribute_iri(element, &element.text)
}

/// Whether an IRI is `rdf:PlainLiteral`, which RDF writes without a datatype.
pub(super) fn is_plain(datatype: NamedNodeRef<'_>) -> bool {
    datatype.as_str() == "http://www.w3.org/1999/02/22-rdf-syntax-ns#PlainLiteral"
}
