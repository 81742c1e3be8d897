//! Vocabulary expansion (`RDFa` Core 1.1, section 10).

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use oxrdf::{NamedOrBlankNode, Term, Triple};

use super::VocabularySource;
use super::names::NameResolver;
use super::report::ProcessorNotice;
use super::statement::{RDF_TYPE, RdfaObject, RdfaResource, RdfaStatement};

const USES_VOCABULARY: &str = "http://www.w3.org/ns/rdfa#usesVocabulary";

/// The maximum number of vocabularies of a page.
const MAX_VOCABULARIES: usize = 64;

/// The direct superclasses and superproperties.
#[derive(Default)]
struct Generalisations {
    classes: HashMap<Rc<str>, Vec<Rc<str>>>,
    properties: HashMap<Rc<str>, Vec<Rc<str>>>,
}

/// Adds the statements that follow from the page's vocabularies, by the rules `prp-spo1`,
/// `prp-eqp1`, `prp-eqp2`, `cax-sco`, `cax-eqc1` and `cax-eqc2` of OWL 2 RL. The statements of the
/// vocabularies themselves are not added.
pub(super) fn expand(
    statements: &mut Vec<RdfaStatement>,
    vocabularies: &dyn VocabularySource,
    names: &mut NameResolver<'_>,
) {
    let mut generalisations = Generalisations::default();
    for vocabulary in used_vocabularies(statements) {
        match vocabularies.triples(&vocabulary) {
            Some(triples) => triples.iter().for_each(|triple| generalisations.add(triple)),
            None => names.report.add(ProcessorNotice::Vocabulary, &vocabulary, "is a vocabulary that is not available"),
        }
    }
    let mut known: HashSet<RdfaStatement> = statements.iter().cloned().collect();
    let mut at = 0;
    // Added statements are processed as well, which makes the rules transitive.
    while let Some(statement) = statements.get(at).cloned() {
        for more in generalisations.infer(&statement) {
            if known.contains(&more) {
                continue;
            }
            if names.budget.spend(more.len()).is_none() {
                return;
            }
            known.insert(more.clone());
            statements.push(more);
        }
        at += 1;
    }
}

fn used_vocabularies(statements: &[RdfaStatement]) -> Vec<Rc<str>> {
    let mut used = Vec::new();
    for statement in statements.iter().filter(|statement| *statement.predicate == *USES_VOCABULARY) {
        if let RdfaObject::Resource(RdfaResource::Iri(vocabulary)) = &statement.object
            && used.len() < MAX_VOCABULARIES
            && !used.contains(vocabulary)
        {
            used.push(Rc::clone(vocabulary));
        }
    }
    used
}

impl Generalisations {
    fn add(&mut self, triple: &Triple) {
        let (NamedOrBlankNode::NamedNode(subject), Term::NamedNode(object)) = (&triple.subject, &triple.object) else {
            return;
        };
        let (map, is_mutual) = match triple.predicate.as_str() {
            "http://www.w3.org/2000/01/rdf-schema#subClassOf" => (&mut self.classes, false),
            "http://www.w3.org/2002/07/owl#equivalentClass" => (&mut self.classes, true),
            "http://www.w3.org/2000/01/rdf-schema#subPropertyOf" => (&mut self.properties, false),
            "http://www.w3.org/2002/07/owl#equivalentProperty" => (&mut self.properties, true),
            _ => return,
        };
        let (subject, object): (Rc<str>, Rc<str>) = (subject.as_str().into(), object.as_str().into());
        map.entry(Rc::clone(&subject)).or_default().push(Rc::clone(&object));
        if is_mutual {
            map.entry(object).or_default().push(subject);
        }
    }

    /// The statements that follow in one step.
    fn infer(&self, statement: &RdfaStatement) -> Vec<RdfaStatement> {
        let properties = self.properties.get(&statement.predicate).into_iter().flatten();
        let with_property = |property: &Rc<str>| RdfaStatement { predicate: Rc::clone(property), ..statement.clone() };
        let mut more: Vec<_> = properties.map(with_property).collect();
        if *statement.predicate == *RDF_TYPE
            && let RdfaObject::Resource(RdfaResource::Iri(class)) = &statement.object
        {
            let classes = self.classes.get(class).into_iter().flatten();
            let with_class = |class: &Rc<str>| RdfaStatement {
                object: RdfaResource::Iri(Rc::clone(class)).into(),
                ..statement.clone()
            };
            more.extend(classes.map(with_class));
        }
        more
    }
}
