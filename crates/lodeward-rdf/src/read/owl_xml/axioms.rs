//! Axioms and annotations, as statements.

use oxrdf::vocab::{rdf, rdfs};
use oxrdf::{NamedNode, NamedNodeRef, NamedOrBlankNode, Term};

use super::super::xml::XmlElement;
use super::{OwlMapping, owl};

/// The main statements of an axiom, by which its annotations are attached (section 2.3).
enum AxiomShape {
    /// Each of these statements is annotated with a node of its own.
    Statements(Vec<(NamedOrBlankNode, NamedNode, Term)>),
    /// The axiom has a node, which has the annotations.
    Node(NamedOrBlankNode),
}

impl OwlMapping<'_> {
    /// Translates an axiom with its annotations.
    pub(super) fn axiom(&mut self, element: &XmlElement) -> Result<(), String> {
        let is_annotation = |child: &&XmlElement| child.name == "Annotation";
        let annotations: Vec<&XmlElement> = element.children.iter().filter(is_annotation).collect();
        let parts: Vec<&XmlElement> = element.children.iter().filter(|child| child.name != "Annotation").collect();
        match self.axiom_shape(element.name.as_str(), &parts)? {
            AxiomShape::Node(node) => self.annotations(&annotations, &node),
            AxiomShape::Statements(statements) => {
                for (subject, predicate, object) in statements {
                    self.add(subject.clone(), &predicate, object.clone());
                    if !annotations.is_empty() {
                        let node = self.reification(owl::AXIOM, subject, predicate, object);
                        self.annotations(&annotations, &node)?;
                    }
                }
                Ok(())
            }
        }
    }

    fn axiom_shape(&mut self, name: &str, parts: &[&XmlElement]) -> Result<AxiomShape, String> {
        if let Some((predicate, class)) = set_axiom(name) {
            return self.set_axiom(parts, predicate, class);
        }
        if let Some(class) = characteristic(name) {
            let [property] = exactly(parts)?;
            let subject = self.subject(property)?;
            return Ok(single(subject, rdf::TYPE, class.into_owned()));
        }
        if let Some(predicate) = binary_predicate(name) {
            let [subject, object] = exactly(parts)?;
            let (subject, object) = (self.subject(subject)?, self.term(object)?);
            return Ok(single(subject, predicate, object));
        }
        match name {
            "Declaration" => self.declaration(parts),
            "SubObjectPropertyOf" => self.sub_property(parts),
            "DisjointUnion" | "HasKey" => {
                let predicate = if name == "HasKey" { owl::HAS_KEY } else { owl::DISJOINT_UNION_OF };
                let [subject, members @ ..] = parts else { return Err("no class".to_owned()) };
                let subject = self.subject(subject)?;
                let members = self.terms(members.iter().copied())?;
                let list = self.list(members);
                Ok(single(subject, predicate, list))
            }
            "ClassAssertion" => {
                let [class, individual] = exactly(parts)?;
                let (class, individual) = (self.term(class)?, self.subject(individual)?);
                Ok(single(individual, rdf::TYPE, class))
            }
            "ObjectPropertyAssertion" | "DataPropertyAssertion" | "AnnotationAssertion" => self.assertion(parts),
            "NegativeObjectPropertyAssertion" => self.negative_assertion(parts, owl::TARGET_INDIVIDUAL),
            "NegativeDataPropertyAssertion" => self.negative_assertion(parts, owl::TARGET_VALUE),
            "DLSafeRule" => Err("SWRL rules are not read".to_owned()),
            _ => Err("not part of OWL 2".to_owned()),
        }
    }

    fn declaration(&mut self, parts: &[&XmlElement]) -> Result<AxiomShape, String> {
        let [entity] = exactly(parts)?;
        let class = match entity.name.as_str() {
            "Class" => owl::CLASS,
            "Datatype" => rdfs::DATATYPE,
            "ObjectProperty" => owl::OBJECT_PROPERTY,
            "DataProperty" => owl::DATATYPE_PROPERTY,
            "AnnotationProperty" => owl::ANNOTATION_PROPERTY,
            "NamedIndividual" => owl::NAMED_INDIVIDUAL,
            other => return Err(format!("`{other}` cannot be declared")),
        };
        let subject = self.subject(entity)?;
        Ok(single(subject, rdf::TYPE, class.into_owned()))
    }

    /// An axiom about any number of expressions: a chain of statements, or for disjointness of three and more, a node
    /// with its members.
    fn set_axiom(
        &mut self,
        parts: &[&XmlElement],
        predicate: NamedNodeRef<'_>,
        class: Option<NamedNodeRef<'_>>,
    ) -> Result<AxiomShape, String> {
        let terms = self.terms(parts.iter().copied())?;
        if let Some(class) = class.filter(|_| terms.len() != 2) {
            let node = self.new_node();
            self.add(node.clone(), rdf::TYPE, class);
            let members = self.list(terms);
            self.add(node.clone(), owl::MEMBERS, members);
            return Ok(AxiomShape::Node(node.into()));
        }
        let mut statements = Vec::new();
        for pair in terms.windows(2) {
            let subject = match &pair[0] {
                Term::NamedNode(node) => node.clone().into(),
                Term::BlankNode(node) => node.clone().into(),
                Term::Literal(literal) => return Err(format!("{literal} is not a subject")),
            };
            statements.push((subject, predicate.into_owned(), pair[1].clone()));
        }
        Ok(AxiomShape::Statements(statements))
    }

    fn sub_property(&mut self, parts: &[&XmlElement]) -> Result<AxiomShape, String> {
        let [sub, super_property] = exactly(parts)?;
        if sub.name != "ObjectPropertyChain" && sub.name != "PropertyChain" {
            let (sub, super_property) = (self.subject(sub)?, self.term(super_property)?);
            return Ok(single(sub, rdfs::SUB_PROPERTY_OF, super_property));
        }
        let subject = self.subject(super_property)?;
        let chain = self.terms(&sub.children)?;
        let chain = self.list(chain);
        Ok(single(subject, owl::PROPERTY_CHAIN_AXIOM, chain))
    }

    fn assertion(&mut self, parts: &[&XmlElement]) -> Result<AxiomShape, String> {
        let [property, source, target] = exactly(parts)?;
        if let "ObjectInverseOf" | "InverseObjectProperty" = property.name.as_str()
            && let [inverse] = property.children.as_slice()
        {
            let (property, target) = (self.property(inverse)?, self.subject(target)?);
            return Ok(AxiomShape::Statements(vec![(target, property, self.term(source)?)]));
        }
        let (property, source) = (self.property(property)?, self.subject(source)?);
        Ok(AxiomShape::Statements(vec![(source, property, self.term(target)?)]))
    }

    fn negative_assertion(&mut self, parts: &[&XmlElement], target: NamedNodeRef<'_>) -> Result<AxiomShape, String> {
        let [property, source, value] = exactly(parts)?;
        let (property, source, value) = (self.term(property)?, self.term(source)?, self.term(value)?);
        let node = self.new_node();
        self.add(node.clone(), rdf::TYPE, owl::NEGATIVE_PROPERTY_ASSERTION);
        self.add(node.clone(), owl::SOURCE_INDIVIDUAL, source);
        self.add(node.clone(), owl::ASSERTION_PROPERTY, property);
        self.add(node.clone(), target, value);
        Ok(AxiomShape::Node(node.into()))
    }

    /// A property that is a name.
    fn property(&mut self, element: &XmlElement) -> Result<NamedNode, String> {
        match self.term(element)? {
            Term::NamedNode(node) => Ok(node),
            other => Err(format!("{other} is not a property")),
        }
    }

    fn annotations(&mut self, annotations: &[&XmlElement], node: &NamedOrBlankNode) -> Result<(), String> {
        annotations.iter().try_for_each(|annotation| self.annotation(annotation, node))
    }

    /// Translates an annotation of a node, and its own annotations (section 2.2).
    pub(super) fn annotation(&mut self, element: &XmlElement, node: &NamedOrBlankNode) -> Result<(), String> {
        // Annotations are nested as deep as the document is, which is bounded.
        let own: Vec<&XmlElement> = element.children.iter().filter(|child| child.name == "Annotation").collect();
        let parts: Vec<&XmlElement> = element.children.iter().filter(|child| child.name != "Annotation").collect();
        let [property, value] = exactly(&parts)?;
        let (property, value) = (self.property(property)?, self.term(value)?);
        self.add(node.clone(), &property, value.clone());
        if own.is_empty() {
            return Ok(());
        }
        let reified = self.reification(owl::ANNOTATION, node.clone(), property, value);
        self.annotations(&own, &reified)
    }

    /// A node for a statement that is annotated.
    fn reification(
        &mut self,
        class: NamedNodeRef<'_>,
        subject: NamedOrBlankNode,
        predicate: NamedNode,
        object: Term,
    ) -> NamedOrBlankNode {
        let node = self.new_node();
        self.add(node.clone(), rdf::TYPE, class);
        self.add(node.clone(), owl::ANNOTATED_SOURCE, Term::from(subject));
        self.add(node.clone(), owl::ANNOTATED_PROPERTY, predicate);
        self.add(node.clone(), owl::ANNOTATED_TARGET, object);
        node.into()
    }
}

fn single(subject: NamedOrBlankNode, predicate: NamedNodeRef<'_>, object: impl Into<Term>) -> AxiomShape {
    AxiomShape::Statements(vec![(subject, predicate.into_owned(), object.into())])
}

fn exactly<'e, const N: usize>(parts: &[&'e XmlElement]) -> Result<[&'e XmlElement; N], String> {
    parts.try_into().map_err(|_| format!("{} parts instead of {N}", parts.len()))
}

/// The predicate of an axiom about a set, and the class of its node if the axiom has one for more than two members.
fn set_axiom(name: &str) -> Option<(NamedNodeRef<'static>, Option<NamedNodeRef<'static>>)> {
    Some(match name {
        "EquivalentClasses" => (owl::EQUIVALENT_CLASS, None),
        "DisjointClasses" => (owl::DISJOINT_WITH, Some(owl::ALL_DISJOINT_CLASSES)),
        "EquivalentObjectProperties" | "EquivalentDataProperties" => (owl::EQUIVALENT_PROPERTY, None),
        "DisjointObjectProperties" | "DisjointDataProperties" => {
            (owl::PROPERTY_DISJOINT_WITH, Some(owl::ALL_DISJOINT_PROPERTIES))
        }
        "SameIndividual" => (owl::SAME_AS, None),
        "DifferentIndividuals" => (owl::DIFFERENT_FROM, Some(owl::ALL_DIFFERENT)),
        _ => return None,
    })
}

/// The class of properties with a characteristic.
fn characteristic(name: &str) -> Option<NamedNodeRef<'static>> {
    Some(match name {
        "FunctionalObjectProperty" | "FunctionalDataProperty" => owl::FUNCTIONAL_PROPERTY,
        "InverseFunctionalObjectProperty" => owl::INVERSE_FUNCTIONAL_PROPERTY,
        "ReflexiveObjectProperty" => owl::REFLEXIVE_PROPERTY,
        "IrreflexiveObjectProperty" => owl::IRREFLEXIVE_PROPERTY,
        "SymmetricObjectProperty" => owl::SYMMETRIC_PROPERTY,
        "AsymmetricObjectProperty" => owl::ASYMMETRIC_PROPERTY,
        "TransitiveObjectProperty" => owl::TRANSITIVE_PROPERTY,
        _ => return None,
    })
}

/// The predicate of an axiom that is one statement about its two parts.
fn binary_predicate(name: &str) -> Option<NamedNodeRef<'static>> {
    Some(match name {
        "SubClassOf" => rdfs::SUB_CLASS_OF,
        "SubDataPropertyOf" | "SubAnnotationPropertyOf" => rdfs::SUB_PROPERTY_OF,
        "ObjectPropertyDomain" | "DataPropertyDomain" | "AnnotationPropertyDomain" => rdfs::DOMAIN,
        "ObjectPropertyRange" | "DataPropertyRange" | "AnnotationPropertyRange" => rdfs::RANGE,
        "InverseObjectProperties" => owl::INVERSE_OF,
        "DatatypeDefinition" => owl::EQUIVALENT_CLASS,
        _ => return None,
    })
}
