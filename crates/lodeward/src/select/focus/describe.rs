//! Entities that are described by an endpoint instead of by themselves.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use oxrdf::NamedNode;
use url::Url;

use crate::model::{Uri, UriError};
use crate::rank::Gathering;

/// Statements that are asked for about one entity, in each direction.
const STATEMENTS_MAX: u32 = 5_000;

/// Entities of one document that are asked for together.
const NAMES_MAX: usize = 8;

/// A SPARQL endpoint that is asked for the descriptions of entities: for
/// statements of them, and about them. An answer is a document like any other.
#[derive(Clone, Debug)]
pub struct Describing {
    endpoint: Url,
    /// Questions that were asked, and for whose address; by fingerprint.
    asked: HashMap<u128, u128, RandomState>,
}

impl Describing {
    /// Asks this endpoint.
    pub fn new(endpoint: &str) -> Result<Self, UriError> {
        let endpoint = Uri::parse(endpoint)?.to_url();
        Ok(Self { endpoint, asked: HashMap::default() })
    }

    /// Notes what would be asked about everybody known.
    pub(super) fn remember(&mut self, gathered: &Gathering) {
        for entity in 0..u32::try_from(gathered.len()).unwrap_or(u32::MAX) {
            let name = gathered.name(entity);
            if let Ok(address) = Uri::parse(name) {
                self.question(&address, gathered.at(&address).map(|entity| gathered.name(entity)));
            }
        }
    }

    /// The address at which to ask about whoever has this address, and these names
    /// as far as is known.
    pub(super) fn question<'a>(&mut self, address: &Uri, names: impl Iterator<Item = &'a str>) -> Option<Uri> {
        // An IRI without a fragment can be told from its address, so that the
        // question is the same whenever it is asked.
        let mut asked = spellings(address);
        let parts: Vec<NamedNode> = names.filter_map(|name| NamedNode::new(name).ok()).collect();
        if !parts.is_empty() && parts.iter().all(|name| name.as_str().contains('#')) {
            asked = parts;
            asked.sort_unstable();
            asked.truncate(NAMES_MAX);
        }
        let mut question = self.endpoint.clone();
        question.query_pairs_mut().append_pair("query", &query(&asked));
        let question = Uri::of_question(question).ok()?;
        self.asked.insert(question.fingerprint(), address.fingerprint());
        Some(question)
    }

    /// For whose address a question is asked.
    pub(super) fn entity_of(&self, question: u128) -> Option<u128> {
        self.asked.get(&question).copied()
    }
}

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
         {{ SELECT ?e ?p ?o WHERE {{ VALUES ?e {{ {values} }} ?e ?p ?o }} LIMIT {STATEMENTS_MAX} }} UNION \
         {{ SELECT ?e ?s ?q WHERE {{ VALUES ?e {{ {values} }} ?s ?q ?e }} LIMIT {STATEMENTS_MAX} }} }}"
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
}
