//! What vocabularies add to a page (`RDFa` Core 1.1, section 10).

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use oxrdf::{NamedOrBlankNode, Term, Triple};

use super::Vocabularies;
use super::names::Names;
use super::report::Notice;
use super::statement::{Object, RDF_TYPE, Resource, Statement};

const USES: &str = "http://www.w3.org/ns/rdfa#usesVocabulary";

/// How many vocabularies one page may ask for.
const VOCABULARIES_MAX: usize = 64;

/// The direct generalisations of classes and of properties.
#[derive(Default)]
struct Generalisations {
    classes: HashMap<Rc<str>, Vec<Rc<str>>>,
    properties: HashMap<Rc<str>, Vec<Rc<str>>>,
}

/// Adds what follows from what the vocabularies of the page say of their
/// classes and properties: the rules `prp-spo1`, `prp-eqp1` and `-2`,
/// `cax-sco`, `cax-eqc1` and `-2` of OWL 2 RL. What they say is not added.
pub(super) fn expand(statements: &mut Vec<Statement>, vocabularies: &dyn Vocabularies, names: &mut Names<'_>) {
    let mut generalisations = Generalisations::default();
    for vocabulary in used(statements) {
        match vocabularies.triples(&vocabulary) {
            Some(triples) => triples.iter().for_each(|triple| generalisations.learn(triple)),
            None => names.report.tell(Notice::Vocabulary, &vocabulary, "is a vocabulary that is not at hand"),
        }
    }
    let mut known: HashSet<Statement> = statements.iter().cloned().collect();
    let mut at = 0;
    // What is added is looked at, too: that makes the rules transitive.
    while let Some(statement) = statements.get(at).cloned() {
        for more in generalisations.of(&statement) {
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

fn used(statements: &[Statement]) -> Vec<Rc<str>> {
    let mut used = Vec::new();
    for statement in statements.iter().filter(|statement| *statement.predicate == *USES) {
        if let Object::Resource(Resource::Iri(vocabulary)) = &statement.object
            && used.len() < VOCABULARIES_MAX
            && !used.contains(vocabulary)
        {
            used.push(Rc::clone(vocabulary));
        }
    }
    used
}

impl Generalisations {
    fn learn(&mut self, triple: &Triple) {
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

    /// What follows from a statement in one step.
    fn of(&self, statement: &Statement) -> Vec<Statement> {
        let properties = self.properties.get(&statement.predicate).into_iter().flatten();
        let with_property = |property: &Rc<str>| Statement { predicate: Rc::clone(property), ..statement.clone() };
        let mut more: Vec<_> = properties.map(with_property).collect();
        if *statement.predicate == *RDF_TYPE
            && let Object::Resource(Resource::Iri(class)) = &statement.object
        {
            let classes = self.classes.get(class).into_iter().flatten();
            let with_class =
                |class: &Rc<str>| Statement { object: Resource::Iri(Rc::clone(class)).into(), ..statement.clone() };
            more.extend(classes.map(with_class));
        }
        more
    }
}
