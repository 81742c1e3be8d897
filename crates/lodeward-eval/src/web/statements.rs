//! Packed statements, for strategies that use the content of documents.

use oxrdf::vocab::xsd;
use oxrdf::{BlankNodeRef, GraphNameRef, LiteralRef, NamedNodeRef, NamedOrBlankNodeRef, Quad, QuadRef, TermRef};

use super::packed::{LinkPacker, StringPool};

/// The prefix of blank nodes.
const BLANK_PREFIX: &str = "_:";

/// A statement as numbers of strings, without its graph: trials store nothing.
pub(super) struct PackedStatement {
    subject: u32,
    predicate: u32,
    object: PackedObject,
}

enum PackedObject {
    Resource(u32),
    Plain(u32),
    InLanguage { value: u32, language: u32 },
    Typed { value: u32, datatype: u32 },
}

impl PackedStatement {
    pub(super) fn pack(quad: &Quad, packer: &mut LinkPacker) -> Self {
        let object = match quad.object.as_ref() {
            TermRef::NamedNode(iri) => PackedObject::Resource(packer.intern(iri.as_str())),
            TermRef::BlankNode(_) => PackedObject::Resource(packer.intern(&quad.object.to_string())),
            TermRef::Literal(literal) => {
                let value = packer.intern(literal.value());
                match literal.language() {
                    Some(language) => PackedObject::InLanguage { value, language: packer.intern(language) },
                    None if literal.datatype() == xsd::STRING => PackedObject::Plain(value),
                    None => PackedObject::Typed { value, datatype: packer.intern(literal.datatype().as_str()) },
                }
            }
        };
        let subject = match quad.subject.as_ref() {
            NamedOrBlankNodeRef::NamedNode(iri) => packer.intern(iri.as_str()),
            blank @ NamedOrBlankNodeRef::BlankNode(_) => packer.intern(&blank.to_string()),
        };
        Self { subject, predicate: packer.intern(quad.predicate.as_str()), object }
    }

    pub(super) fn unpack<'a>(&self, strings: &'a StringPool) -> QuadRef<'a> {
        let object: TermRef<'a> = match self.object {
            PackedObject::Resource(text) => parse_resource(strings.text(text)).into(),
            PackedObject::Plain(value) => LiteralRef::new_simple_literal(strings.text(value)).into(),
            PackedObject::InLanguage { value, language } => {
                LiteralRef::new_language_tagged_literal_unchecked(strings.text(value), strings.text(language)).into()
            }
            PackedObject::Typed { value, datatype } => {
                let datatype = NamedNodeRef::new_unchecked(strings.text(datatype));
                LiteralRef::new_typed_literal(strings.text(value), datatype).into()
            }
        };
        QuadRef {
            subject: parse_resource(strings.text(self.subject)),
            predicate: NamedNodeRef::new_unchecked(strings.text(self.predicate)),
            object,
            graph_name: GraphNameRef::DefaultGraph,
        }
    }
}

fn parse_resource(text: &str) -> NamedOrBlankNodeRef<'_> {
    match text.strip_prefix(BLANK_PREFIX) {
        Some(label) => BlankNodeRef::new_unchecked(label).into(),
        None => NamedNodeRef::new_unchecked(text).into(),
    }
}

#[cfg(test)]
mod tests {
    use oxrdf::{BlankNode, GraphName, Literal, NamedNode, Term};

    use super::*;

    #[test]
    fn statements_survive_packing() {
        let iri = |text: &str| NamedNode::new_unchecked(text);
        let objects: [Term; 5] = [
            iri("http://a.example/o").into(),
            BlankNode::new_unchecked("b1").into(),
            Literal::new_simple_literal("town").into(),
            Literal::new_language_tagged_literal_unchecked("Stadt", "de").into(),
            Literal::new_typed_literal("7", xsd::INTEGER).into(),
        ];
        let subjects =
            [iri("http://a.example/s").into(), oxrdf::NamedOrBlankNode::from(BlankNode::new_unchecked("b0"))];
        let mut packer = LinkPacker::default();
        for subject in subjects {
            for object in &objects {
                let quad =
                    Quad::new(subject.clone(), iri("http://a.example/p"), object.clone(), GraphName::DefaultGraph);
                let packed = PackedStatement::pack(&quad, &mut packer);
                assert_eq!(packed.unpack(&packer.clone().finish().0), quad.as_ref());
            }
        }
    }
}
