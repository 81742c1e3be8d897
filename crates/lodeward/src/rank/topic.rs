//! Whom a document is about, and which entities seeds are.

use std::collections::HashMap;

use super::facts::Facts;
use super::gather::Gathering;
use super::graph::EntityId;
use crate::model::Uri;
use crate::seed::Note;

/// Properties by which a document says whom it is about.
const TOPIC_PROPERTIES: &[&str] = &[
    "http://xmlns.com/foaf/0.1/primaryTopic",
    "http://schema.org/mainEntity",
    "https://schema.org/mainEntity",
    "http://schema.org/about",
    "https://schema.org/about",
];

/// Whom a document is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Topic {
    entity: EntityId,
    /// Whether the document says so itself.
    is_told: bool,
}

impl Gathering {
    /// Takes in a document. `asked` are the addresses that led to it by redirects:
    /// whoever has one of them is described by it.
    pub fn add_document(&mut self, document: &Uri, asked: &[Uri], facts: &Facts) {
        self.add(facts);
        let addresses = || asked.iter().chain([document]);
        let mut described: Vec<EntityId> = addresses().flat_map(|address| self.at(address)).collect();
        if let Some(topic) = self.topic_told_by(document, facts) {
            described.extend(topic.is_told.then_some(topic.entity));
            for address in addresses() {
                self.note_topic(address, topic);
            }
        }
        for entity in described {
            self.note_described(entity);
        }
    }

    /// The entity that a seed means: whom its document says it is about, or who
    /// has that address, or else of whom it says most.
    #[must_use]
    pub fn meant_by(&self, seed: &Uri) -> Option<EntityId> {
        let topic = self.topic(seed);
        let told = topic.filter(|topic| topic.is_told);
        let named = || self.at(seed).find(|entity| !self.name(*entity).contains('#'));
        told.map(|topic| topic.entity).or_else(named).or_else(|| topic.map(|topic| topic.entity))
    }

    /// The names of the entities that seeds mean: those they were named by, or who
    /// is [meant](Self::meant_by). A seed that nobody speaks of keeps its address, so
    /// that it can be told of.
    #[must_use]
    pub fn meant_by_all(&self, seeds: &[Uri], named: &[Note]) -> Vec<String> {
        let mut names: HashMap<&Uri, Vec<&str>> = HashMap::new();
        for note in named.iter().filter(|note| self.find(note.entity()).is_some()) {
            names.entry(&note.uri).or_default().push(note.entity());
        }
        let meant = |seed: &Uri| match names.get(seed) {
            Some(names) => names.iter().map(|name| (*name).to_owned()).collect(),
            None => vec![self.meant_by(seed).map_or_else(|| seed.to_string(), |entity| self.name(entity).to_owned())],
        };
        seeds.iter().flat_map(meant).collect()
    }

    fn topic_told_by(&self, document: &Uri, facts: &Facts) -> Option<Topic> {
        let name = |number: u32| &*facts.names[number as usize];
        let is_told = |link: &&[u32; 3]| {
            let is_of_document = Uri::parse(name(link[0])).is_ok_and(|subject| subject == *document);
            TOPIC_PROPERTIES.contains(&name(link[1])) && is_of_document
        };
        let told = facts.links.iter().find(is_told).map(|link| link[2]);
        let (topic, is_told) = told.map(|topic| (topic, true)).or_else(|| Some((most_said_of(facts)?, false)))?;
        Some(Topic { entity: self.find(name(topic))?, is_told })
    }
}

/// The named entity of which a document says most; the first of several.
fn most_said_of(facts: &Facts) -> Option<u32> {
    let mut said: HashMap<u32, usize> = HashMap::new();
    let subjects = facts.links.iter().map(|link| link[0]).chain(facts.types.iter().map(|class| class[0]));
    for subject in subjects.chain(facts.texts.iter().map(|text| text.entity)) {
        *said.entry(subject).or_default() += 1;
    }
    let named = said.into_iter().filter(|(subject, _)| !facts.names[*subject as usize].starts_with("_:"));
    named.max_by_key(|(subject, count)| (*count, std::cmp::Reverse(*subject))).map(|(subject, _)| subject)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::gather::Limits;
    use crate::rank::terms::Tokeniser;

    /// What is meant by a seed that leads to a document, which says these things.
    fn check(seed: &str, document: &str, links: &[[&str; 3]], meant: Option<&str>, described: &[&str]) {
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
        let mut gathered = Gathering::new(Limits::default(), Tokeniser::default());
        let [seed, document] = [seed, document].map(|address| Uri::parse(address).unwrap());
        gathered.add_document(&document, std::slice::from_ref(&seed), &facts);
        let name = |entity| gathered.name(entity);
        assert_eq!(gathered.meant_by(&seed).map(name), meant, "{seed}");
        for entity in described {
            assert!(gathered.is_described(gathered.find(entity).unwrap()), "{entity}");
        }
    }

    #[test]
    fn a_seed_means_an_entity_whatever_its_address() {
        const TOPIC: &str = TOPIC_PROPERTIES[0];
        let (entity, page, data) = ("http://d.example/id/X", "http://d.example/page/X", "http://d.example/data/X.ttl");

        // An entity with an address of its own, behind a redirect or not.
        check(entity, entity, &[[entity, "urn:p", "urn:b"]], Some(entity), &[entity]);
        check(entity, data, &[[data, TOPIC, entity], [entity, "urn:p", "urn:b"]], Some(entity), &[entity]);
        // A page about one: it says so, or it does not.
        check(page, page, &[[page, TOPIC, entity], ["urn:b", "urn:p", entity]], Some(entity), &[entity]);
        check(
            page,
            page,
            &[[entity, "urn:p", "urn:b"], ["urn:b", "urn:p", entity], [entity, "urn:p", "urn:c"]],
            Some(entity),
            &[],
        );
        // One with a fragment.
        let this = "http://d.example/page/X#this";
        check(page, page, &[[this, "urn:p", "urn:b"]], Some(this), &[this]);
        check(
            page,
            page,
            &[[page, "urn:p", "urn:b"], [this, "urn:p", "urn:b"], [this, "urn:p", "urn:c"]],
            Some(page),
            &[this],
        );
        // An IRI that is written otherwise in an address.
        let gül = "http://d.example/id/Gül";
        check("http://d.example/id/G%C3%BCl", data, &[[gül, "urn:p", "urn:b"]], Some(gül), &[gül]);
        // Nothing but blank nodes.
        check(page, page, &[["_:a", "urn:p", "_:b"]], None, &[]);
    }

    #[test]
    fn a_seed_that_was_named_is_who_was_named() {
        let gathered = crate::rank::gather::tests::gathering(&[
            "http://d.example/people#a p http://d.example/people#b",
            "http://d.example/people#b p http://d.example/people#c",
        ]);
        let people = Uri::parse("http://d.example/people").unwrap();
        let note = |entity: &str| Note::of_iri(entity, crate::seed::Origin::Given, None).unwrap();
        let check = |named: &[&str], meant: &[&str]| {
            let named: Vec<Note> = named.iter().map(|name| note(name)).collect();
            assert_eq!(gathered.meant_by_all(std::slice::from_ref(&people), &named), meant, "{named:?}");
        };

        let [a, b, nobody] = ["a", "b", "z"].map(|name| format!("http://d.example/people#{name}"));
        check(&[&b], &[&b]);
        check(&[&a, &b], &[&a, &b]);
        check(&[&nobody], &["http://d.example/people"]);
        check(&[], &["http://d.example/people"]);
    }
}
