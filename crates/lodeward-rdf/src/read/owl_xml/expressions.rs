//! Classes, data ranges, properties, individuals and literals, as nodes and the statements about them.

use oxrdf::vocab::{rdf, rdfs, xsd};
use oxrdf::{BlankNode, Literal, NamedNode, NamedNodeRef, NamedOrBlankNode, Term};

use super::super::xml::XmlElement;
use super::names::{attribute_iri, is_plain};
use super::{OwlMapping, owl};
use crate::blank_nodes::label_from_text;

impl OwlMapping<'_> {
    /// The node of a class expression, data range, property, individual, literal or IRI.
    pub(super) fn term(&mut self, element: &XmlElement) -> Result<Term, String> {
        match element.name.as_str() {
            "Class" | "Datatype" | "ObjectProperty" | "DataProperty" | "AnnotationProperty" | "NamedIndividual" => {
                Ok(self.prefixes.entity_iri(element)?.into())
            }
            "IRI" | "AbbreviatedIRI" => Ok(self.prefixes.content_iri(element)?.into()),
            "AnonymousIndividual" => {
                let label = element.attribute("nodeID").ok_or("`AnonymousIndividual` has no `nodeID`")?;
                Ok(BlankNode::new_unchecked(label_from_text(label.trim_start_matches("_:"))).into())
            }
            "Literal" => Ok(literal(element)?.into()),
            "ObjectInverseOf" | "InverseObjectProperty" => {
                let property = self.only_child(element)?;
                let node = self.new_node();
                self.add(node.clone(), owl::INVERSE_OF, property);
                Ok(node.into())
            }
            "DatatypeRestriction" => self.datatype_restriction(element),
            _ => self.expression(element),
        }
    }

    /// The node of an expression that is the subject of a statement.
    pub(super) fn subject(&mut self, element: &XmlElement) -> Result<NamedOrBlankNode, String> {
        match self.term(element)? {
            Term::NamedNode(node) => Ok(node.into()),
            Term::BlankNode(node) => Ok(node.into()),
            Term::Literal(literal) => Err(format!("{literal} is not a subject")),
        }
    }

    pub(super) fn terms<'e>(
        &mut self,
        elements: impl IntoIterator<Item = &'e XmlElement>,
    ) -> Result<Vec<Term>, String> {
        elements.into_iter().map(|element| self.term(element)).collect()
    }

    fn only_child(&mut self, element: &XmlElement) -> Result<Term, String> {
        match element.children.as_slice() {
            [child] => self.term(child),
            children => Err(format!("`{}` has {} elements instead of one", element.name, children.len())),
        }
    }

    /// The node of a class expression or data range that is not a name.
    fn expression(&mut self, element: &XmlElement) -> Result<Term, String> {
        let (class, datatype) = (owl::CLASS, rdfs::DATATYPE);
        match element.name.as_str() {
            "ObjectIntersectionOf" => self.set(element, class, owl::INTERSECTION_OF),
            "ObjectUnionOf" => self.set(element, class, owl::UNION_OF),
            "ObjectOneOf" => self.set(element, class, owl::ONE_OF),
            "DataIntersectionOf" => self.set(element, datatype, owl::INTERSECTION_OF),
            "DataUnionOf" => self.set(element, datatype, owl::UNION_OF),
            "DataOneOf" => self.set(element, datatype, owl::ONE_OF),
            "ObjectComplementOf" => self.complement(element, class, owl::COMPLEMENT_OF),
            "DataComplementOf" => self.complement(element, datatype, owl::DATATYPE_COMPLEMENT_OF),
            "ObjectSomeValuesFrom" | "DataSomeValuesFrom" => self.restriction(element, owl::SOME_VALUES_FROM),
            "ObjectAllValuesFrom" | "DataAllValuesFrom" => self.restriction(element, owl::ALL_VALUES_FROM),
            "ObjectHasValue" | "DataHasValue" => self.restriction(element, owl::HAS_VALUE),
            "ObjectHasSelf" => {
                let property = self.only_child(element)?;
                let node = self.restriction_node(owl::ON_PROPERTY, property);
                self.add(node.clone(), owl::HAS_SELF, Literal::new_typed_literal("true", xsd::BOOLEAN));
                Ok(node.into())
            }
            "ObjectMinCardinality" | "DataMinCardinality" => {
                self.cardinality(element, owl::MIN_CARDINALITY, owl::MIN_QUALIFIED_CARDINALITY)
            }
            "ObjectMaxCardinality" | "DataMaxCardinality" => {
                self.cardinality(element, owl::MAX_CARDINALITY, owl::MAX_QUALIFIED_CARDINALITY)
            }
            "ObjectExactCardinality" | "DataExactCardinality" => {
                self.cardinality(element, owl::CARDINALITY, owl::QUALIFIED_CARDINALITY)
            }
            other => Err(format!("`{other}` is not part of OWL 2")),
        }
    }

    fn set(
        &mut self,
        element: &XmlElement,
        class: NamedNodeRef<'_>,
        predicate: NamedNodeRef<'_>,
    ) -> Result<Term, String> {
        let terms = self.terms(&element.children)?;
        let node = self.new_node();
        self.add(node.clone(), rdf::TYPE, class);
        let list = self.list(terms);
        self.add(node.clone(), predicate, list);
        Ok(node.into())
    }

    fn complement(
        &mut self,
        element: &XmlElement,
        class: NamedNodeRef<'_>,
        predicate: NamedNodeRef<'_>,
    ) -> Result<Term, String> {
        let operand = self.only_child(element)?;
        let node = self.new_node();
        self.add(node.clone(), rdf::TYPE, class);
        self.add(node.clone(), predicate, operand);
        Ok(node.into())
    }

    fn restriction_node(&mut self, predicate: NamedNodeRef<'_>, property: Term) -> BlankNode {
        let node = self.new_node();
        self.add(node.clone(), rdf::TYPE, owl::RESTRICTION);
        self.add(node.clone(), predicate, property);
        node
    }

    /// A restriction on one property, or on several if they are data properties.
    fn restriction(&mut self, element: &XmlElement, predicate: NamedNodeRef<'_>) -> Result<Term, String> {
        let mut terms = self.terms(&element.children)?;
        let (Some(value), false) = (terms.pop(), terms.is_empty()) else {
            return Err(format!("`{}` needs a property and a value", element.name));
        };
        let node = if terms.len() == 1 {
            self.restriction_node(owl::ON_PROPERTY, terms.remove(0))
        } else {
            let properties = self.list(terms);
            self.restriction_node(owl::ON_PROPERTIES, properties)
        };
        self.add(node.clone(), predicate, value);
        Ok(node.into())
    }

    fn cardinality(
        &mut self,
        element: &XmlElement,
        plain: NamedNodeRef<'_>,
        qualified: NamedNodeRef<'_>,
    ) -> Result<Term, String> {
        let number = element.attribute("cardinality").ok_or_else(|| format!("`{}` has no number", element.name))?;
        let number = Literal::new_typed_literal(number.trim(), xsd::NON_NEGATIVE_INTEGER);
        let mut terms = self.terms(&element.children)?.into_iter();
        let property = terms.next().ok_or_else(|| format!("`{}` has no property", element.name))?;
        let node = self.restriction_node(owl::ON_PROPERTY, property);
        match terms.next() {
            None => self.add(node.clone(), plain, number),
            Some(range) => {
                let is_object = element.name.starts_with("Object");
                self.add(node.clone(), qualified, number);
                self.add(node.clone(), if is_object { owl::ON_CLASS } else { owl::ON_DATA_RANGE }, range);
            }
        }
        Ok(node.into())
    }

    fn datatype_restriction(&mut self, element: &XmlElement) -> Result<Term, String> {
        let [datatype, facets @ ..] = element.children.as_slice() else {
            return Err("`DatatypeRestriction` has no datatype".to_owned());
        };
        let datatype = self.term(datatype)?;
        let mut nodes = Vec::new();
        for restriction in facets {
            let facet = restriction.attribute("facet").ok_or("`FacetRestriction` has no facet")?;
            let facet = attribute_iri(restriction, facet)?;
            let value = self.only_child(restriction)?;
            let node = self.new_node();
            self.add(node.clone(), &facet, value);
            nodes.push(node.into());
        }
        let node = self.new_node();
        self.add(node.clone(), rdf::TYPE, rdfs::DATATYPE);
        self.add(node.clone(), owl::ON_DATATYPE, datatype);
        let facets = self.list(nodes);
        self.add(node.clone(), owl::WITH_RESTRICTIONS, facets);
        Ok(node.into())
    }
}

/// A literal. `xml:lang` counts only without another datatype.
fn literal(element: &XmlElement) -> Result<Literal, String> {
    let datatype: Option<NamedNode> = match element.attribute("datatypeIRI") {
        Some(iri) => Some(attribute_iri(element, iri)?),
        None => None,
    };
    let text = element.text.as_str();
    match (datatype.filter(|datatype| !is_plain(datatype.as_ref())), &element.language) {
        (Some(datatype), language) if datatype != rdf::LANG_STRING || language.is_none() => {
            Ok(Literal::new_typed_literal(text, datatype))
        }
        (_, Some(language)) => {
            let literal = Literal::new_language_tagged_literal(text, &**language);
            literal.map_err(|error| format!("language tag `{language}`: {error}"))
        }
        (_, None) => Ok(Literal::new_simple_literal(text)),
    }
}
