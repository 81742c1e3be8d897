//! The topic of a document, and the entities that seeds refer to.

use std::collections::HashMap;

use super::fact_base::FactBase;
use super::graph::EntityId;
use lodeward::model::Uri;
use lodeward::select::facts::Facts;

/// Properties by which a document states its topic.
const TOPIC_PROPERTIES: &[&str] = &[
    "http://xmlns.com/foaf/0.1/primaryTopic",
    "http://schema.org/mainEntity",
    "https://schema.org/mainEntity",
    "http://schema.org/about",
    "https://schema.org/about",
];

/// The entity that a document is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DocumentTopic {
    entity: EntityId,
    /// Whether the document states its topic; otherwise the topic is inferred.
    is_stated: bool,
}

impl FactBase {
    /// Adds a document. `redirected_from` are the URLs that redirected to it; it describes the
    /// entities at these URLs, too.
    pub fn add_document(&mut self, document: &Uri, redirected_from: &[Uri], facts: &Facts) {
        self.add(facts);
        let urls = || redirected_from.iter().chain([document]);
        let mut described: Vec<EntityId> = urls().flat_map(|url| self.entities_at(url)).collect();
        if let Some(topic) = self.stated_topic(document, facts) {
            described.extend(topic.is_stated.then_some(topic.entity));
            for url in urls() {
                self.set_topic(url, topic);
            }
        }
        for entity in described {
            self.mark_described(entity);
        }
    }

    /// Returns the entity that a seed refers to: the stated topic of its document; if there is
    /// none, the entity with that URL; otherwise the entity with the most statements.
    #[must_use]
    pub(crate) fn seed_entity(&self, seed: &Uri) -> Option<EntityId> {
        let topic = self.topic(seed);
        let stated = topic.filter(|topic| topic.is_stated);
        let named = || self.entities_at(seed).find(|entity| !self.name(*entity).contains('#'));
        stated.map(|topic| topic.entity).or_else(named).or_else(|| topic.map(|topic| topic.entity))
    }

    /// Returns the names of the entities that seeds refer to: the entities that the user named,
    /// otherwise the result of `seed_entity`. A seed without an entity keeps
    /// its URL, so that it can be reported.
    #[must_use]
    pub fn seed_entity_names(&self, seeds: &[Uri], named: &[String]) -> Vec<String> {
        let mut names: HashMap<Uri, Vec<&str>> = HashMap::new();
        for name in named.iter().filter(|name| self.find(name).is_some()) {
            if let Ok(document) = Uri::parse(name) {
                names.entry(document).or_default().push(name);
            }
        }
        let names_of = |seed: &Uri| match names.get(seed) {
            Some(names) => names.iter().map(|name| (*name).to_owned()).collect(),
            None => {
                vec![self.seed_entity(seed).map_or_else(|| seed.to_string(), |entity| self.name(entity).to_owned())]
            }
        };
        seeds.iter().flat_map(names_of).collect()
    }

    fn stated_topic(&self, document: &Uri, facts: &Facts) -> Option<DocumentTopic> {
        let name = |number: u32| &*facts.names[number as usize];
        let is_stated = |link: &&[u32; 3]| {
            let is_of_document = Uri::parse(name(link[0])).is_ok_and(|subject| subject == *document);
            TOPIC_PROPERTIES.contains(&name(link[1])) && is_of_document
        };
        let stated = facts.links.iter().find(is_stated).map(|link| link[2]);
        let (topic, is_stated) = stated.map(|topic| (topic, true)).or_else(|| Some((most_described(facts)?, false)))?;
        Some(DocumentTopic { entity: self.find(name(topic))?, is_stated })
    }
}

/// Returns the named entity with the most statements in a document; the first if there are several.
fn most_described(facts: &Facts) -> Option<u32> {
    let mut statements: HashMap<u32, usize> = HashMap::new();
    let subjects = facts.links.iter().map(|link| link[0]).chain(facts.types.iter().map(|class| class[0]));
    for subject in subjects.chain(facts.texts.iter().map(|text| text.entity)) {
        *statements.entry(subject).or_default() += 1;
    }
    let named = statements.into_iter().filter(|(subject, _)| !facts.names[*subject as usize].starts_with("_:"));
    named.max_by_key(|(subject, count)| (*count, std::cmp::Reverse(*subject))).map(|(subject, _)| subject)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::fact_base::FactLimits;
    use crate::rank::terms::Tokeniser;

    /// Checks the entity of a seed that leads to a document with these links.
    fn check(seed: &str, document: &str, links: &[[&str; 3]], expected: Option<&str>, described: &[&str]) {
        let mut facts = Facts::default();
        for link in links {
            let numbers = link.map(|name| {
                let known = facts.names.iter().position(|known| &**known == name).unwrap_or_else(|| {
                    facts.names.push(name.into());
                    facts.names.len() - 1
                });
                u32::try_from(known).unwrap()
            });
            facts.links.push(numbers);
        }
        let mut fact_base = FactBase::new(FactLimits::default(), Tokeniser::default());
        let [seed, document] = [seed, document].map(|url| Uri::parse(url).unwrap());
        fact_base.add_document(&document, std::slice::from_ref(&seed), &facts);
        let name = |entity| fact_base.name(entity);
        assert_eq!(fact_base.seed_entity(&seed).map(name), expected, "{seed}");
        for entity in described {
            assert!(fact_base.is_described(fact_base.find(entity).unwrap()), "{entity}");
        }
    }

    #[test]
    fn a_seed_refers_to_an_entity_whatever_its_url() {
        const TOPIC: &str = TOPIC_PROPERTIES[0];
        let (entity, page, data) = ("http://d.example/id/X", "http://d.example/page/X", "http://d.example/data/X.ttl");

        // An entity with its own URL, with or without a redirect.
        check(entity, entity, &[[entity, "urn:p", "urn:b"]], Some(entity), &[entity]);
        check(entity, data, &[[data, TOPIC, entity], [entity, "urn:p", "urn:b"]], Some(entity), &[entity]);
        // A page about an entity, with and without a stated topic.
        check(page, page, &[[page, TOPIC, entity], ["urn:b", "urn:p", entity]], Some(entity), &[entity]);
        check(
            page,
            page,
            &[[entity, "urn:p", "urn:b"], ["urn:b", "urn:p", entity], [entity, "urn:p", "urn:c"]],
            Some(entity),
            &[],
        );
        // An entity with a fragment.
        let this = "http://d.example/page/X#this";
        check(page, page, &[[this, "urn:p", "urn:b"]], Some(this), &[this]);
        check(
            page,
            page,
            &[[page, "urn:p", "urn:b"], [this, "urn:p", "urn:b"], [this, "urn:p", "urn:c"]],
            Some(page),
            &[this],
        );
        // An IRI that is percent-encoded in the URL.
        let gül = "http://d.example/id/Gül";
        check("http://d.example/id/G%C3%BCl", data, &[[gül, "urn:p", "urn:b"]], Some(gül), &[gül]);
        // Only blank nodes.
        check(page, page, &[["_:a", "urn:p", "_:b"]], None, &[]);
    }

    #[test]
    fn a_seed_given_as_an_entity_refers_to_that_entity() {
        let fact_base = crate::rank::fact_base::tests::fact_base_from(&[
            "http://d.example/people#a p http://d.example/people#b",
            "http://d.example/people#b p http://d.example/people#c",
        ]);
        let people = Uri::parse("http://d.example/people").unwrap();
        let check = |named: &[&str], expected: &[&str]| {
            let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(fact_base.seed_entity_names(std::slice::from_ref(&people), &named), expected, "{named:?}");
        };

        let [a, b, unknown] = ["a", "b", "z"].map(|name| format!("http://d.example/people#{name}"));
        check(&[&b], &[&b]);
        check(&[&a, &b], &[&a, &b]);
        check(&[&unknown], &["http://d.example/people"]);
        check(&[], &["http://d.example/people"]);
    }
}
