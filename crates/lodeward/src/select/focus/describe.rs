//! Entities that are described by an endpoint instead of by themselves.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use oxrdf::NamedNode;
use url::Url;

use crate::model::{Uri, UriError};
use crate::rank::Gathering;

/// Statements that are asked for about one entity, in each direction.
const STATEMENTS_MAX: u32 = 5_000;

/// Entities of one document that are looked at, to see how they are named.
const NAMES_LOOKED_AT: usize = 1_000;

/// Entities of one document that are asked for together.
const NAMES_MAX: usize = 8;

/// A SPARQL endpoint that is asked for the descriptions of entities: for
/// statements of them, and about them. An answer is a document like any other.
#[derive(Clone, Debug)]
pub struct Describing {
    endpoint: Url,
    /// Questions, and for whose address they are; by fingerprint.
    questions: HashMap<u128, u128, RandomState>,
    /// The addresses that were asked about.
    asked: HashSet<u128, RandomState>,
}

impl Describing {
    /// Asks this endpoint.
    pub fn new(endpoint: &str) -> Result<Self, UriError> {
        let endpoint = Uri::parse(endpoint)?.to_url();
        Ok(Self { endpoint, questions: HashMap::default(), asked: HashSet::default() })
    }

    /// Notes what would be asked about everybody known.
    pub(super) fn remember(&mut self, gathered: &Gathering) {
        let mut known: HashSet<u128, RandomState> = HashSet::default();
        for entity in gathered.entities() {
            if let Ok(address) = Uri::parse(gathered.name(entity))
                && known.insert(address.fingerprint())
            {
                self.question(&address, gathered.at(&address).map(|entity| gathered.name(entity)));
            }
        }
    }

    /// The address at which to ask about whoever has this address; `None` if they
    /// were asked about before.
    pub(super) fn ask<'a>(&mut self, address: &Uri, names: impl Iterator<Item = &'a str>) -> Option<Uri> {
        if !self.asked.insert(address.fingerprint()) {
            return None;
        }
        self.question(address, names)
    }

    /// The address at which to ask about whoever has this address, and these names
    /// as far as is known.
    fn question<'a>(&mut self, address: &Uri, names: impl Iterator<Item = &'a str>) -> Option<Uri> {
        // An IRI without a fragment can be told from its address, so that the
        // question is the same whenever it is asked.
        let mut asked = spellings(address);
        let names = names.take(NAMES_LOOKED_AT);
        let parts: Vec<NamedNode> = names.filter_map(|name| NamedNode::new(name).ok()).collect();
        if !parts.is_empty() && parts.iter().all(|name| name.as_str().contains('#')) {
            asked = parts;
            asked.sort_unstable();
            asked.truncate(NAMES_MAX);
        }
        let mut question = self.endpoint.clone();
        question.query_pairs_mut().append_pair("query", &query(&asked));
        let question = Uri::of_question(question).ok()?;
        self.questions.insert(question.fingerprint(), address.fingerprint());
        Some(question)
    }

    /// For whose address a question is asked.
    pub(super) fn entity_of(&self, question: u128) -> Option<u128> {
        self.questions.get(&question).copied()
    }
}

/// The names that a question is about, if an address is one.
#[must_use]
pub fn asked_about(question: &Uri) -> Vec<String> {
    let query = || question.to_url().query_pairs().find(|(key, _)| key == "query").map(|(_, query)| query.into_owned());
    let Some(query) = question.as_str().contains("query=CONSTRUCT").then(query).flatten() else { return Vec::new() };
    let values = query.split_once(VALUES).and_then(|(_, rest)| rest.split_once('}'));
    let names = values.into_iter().flat_map(|(values, _)| values.split_whitespace());
    names.filter_map(|name| Some(name.strip_prefix('<')?.strip_suffix('>')?.to_owned())).collect()
}

/// What comes before the names in a question.
const VALUES: &str = "VALUES ?e {";

/// How an address may be spelt as an IRI: as it is, and with letters in place of
/// their percent-encoding.
fn spellings(address: &Uri) -> Vec<NamedNode> {
    let decoded = crate::rank::terms::with_letters(address.as_str());
    let mut spellings: Vec<_> =
        [address.as_str(), &decoded].into_iter().filter_map(|iri| NamedNode::new(iri).ok()).collect();
    spellings.dedup();
    spellings
}

fn query(names: &[NamedNode]) -> String {
    let values: Vec<String> = names.iter().map(ToString::to_string).collect();
    let values = values.join(" ");
    format!(
        "CONSTRUCT {{ ?e ?p ?o . ?s ?q ?e }} WHERE {{ \
         {{ SELECT ?e ?p ?o WHERE {{ {VALUES} {values} }} ?e ?p ?o }} LIMIT {STATEMENTS_MAX} }} UNION \
         {{ SELECT ?e ?s ?q WHERE {{ {VALUES} {values} }} ?s ?q ?e }} LIMIT {STATEMENTS_MAX} }} }}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(address: &str, names: &[&str]) -> String {
        let mut describing = Describing::new("http://d.example/sparql?default-graph-uri=urn:g").unwrap();
        let address = Uri::parse(address).unwrap();
        let question = describing.question(&address, names.iter().copied()).unwrap();
        assert_eq!(describing.entity_of(question.fingerprint()), Some(address.fingerprint()));
        let url = question.to_url();
        assert_eq!(url.query_pairs().next().unwrap().0, "default-graph-uri");
        url.query_pairs().find(|(key, _)| key == "query").unwrap().1.into_owned()
    }

    #[test]
    fn a_question_names_the_entity_in_every_spelling() {
        let check = |address: &str, names: &[&str], values: &str| {
            let query = asked(address, names);
            assert_eq!(query.matches(&format!("VALUES ?e {{ {values} }}")).count(), 2, "{query}");
        };

        check("http://d.example/id/X", &[], "<http://d.example/id/X>");
        let both = "<http://d.example/id/G%C3%BCl> <http://d.example/id/Gül>";
        check("http://d.example/id/G%C3%BCl", &[], both);
        check("http://d.example/id/G%C3%BCl", &["http://d.example/id/Gül"], both);
        check(
            "http://d.example/x",
            &["http://d.example/x#b", "http://d.example/x#a"],
            "<http://d.example/x#a> <http://d.example/x#b>",
        );
    }

    #[test]
    fn a_question_can_be_told_by_its_address_and_is_asked_once() {
        let mut describing = Describing::new("http://d.example/sparql").unwrap();
        let address = Uri::parse("http://d.example/id/G%C3%BCl").unwrap();
        let question = describing.ask(&address, std::iter::empty()).unwrap();
        assert_eq!(asked_about(&question), ["http://d.example/id/G%C3%BCl", "http://d.example/id/Gül"]);
        assert_eq!(describing.ask(&address, std::iter::empty()), None);
        assert_eq!(asked_about(&address), Vec::<String>::new());
    }
}
