//! Queries an endpoint for descriptions of entities, instead of fetching their URLs.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use oxrdf::NamedNode;
use url::Url;

use crate::rank::FactBase;
use lodeward::model::{Uri, UriError};

/// Maximum number of statements requested per entity, in each direction.
const MAX_STATEMENTS: u32 = 5_000;

/// Maximum number of known names of a URL that are considered for a query.
const MAX_NAMES_EXAMINED: usize = 1_000;

/// Maximum number of names per query.
const MAX_NAMES_PER_QUERY: usize = 8;

/// A SPARQL endpoint that returns descriptions of entities: statements with the entity as subject
/// or object. A result is processed like any other document.
#[derive(Clone, Debug)]
pub struct DescriptionEndpoint {
    endpoint: Url,
    /// The fingerprint of the entity URL that each query URL is for, by fingerprint of the query URL.
    queries: HashMap<u128, u128, RandomState>,
    /// Fingerprints of the entity URLs for which a query URL was returned.
    queried: HashSet<u128, RandomState>,
}

impl DescriptionEndpoint {
    /// Creates a description endpoint with this URL.
    pub fn new(endpoint: &str) -> Result<Self, UriError> {
        let endpoint = Uri::parse(endpoint)?.to_url();
        Ok(Self { endpoint, queries: HashMap::default(), queried: HashSet::default() })
    }

    /// Records the query URLs of all known entities.
    pub(super) fn index_queries(&mut self, fact_base: &FactBase) {
        let mut known: HashSet<u128, RandomState> = HashSet::default();
        for entity in fact_base.entities() {
            if let Ok(url) = Uri::parse(fact_base.name(entity))
                && known.insert(url.fingerprint())
            {
                self.query_uri(&url, fact_base.entities_at(&url).map(|entity| fact_base.name(entity)));
            }
        }
    }

    /// Returns the query URL for the entities at a URL; `None` if it was returned before.
    pub(super) fn query_uri_once<'a>(&mut self, url: &Uri, names: impl Iterator<Item = &'a str>) -> Option<Uri> {
        if !self.queried.insert(url.fingerprint()) {
            return None;
        }
        self.query_uri(url, names)
    }

    /// Returns the query URL for the entities at a URL. `names` are the known names of these
    /// entities.
    fn query_uri<'a>(&mut self, url: &Uri, names: impl Iterator<Item = &'a str>) -> Option<Uri> {
        // An IRI without a fragment is derived from the URL, so its query does not depend on which
        // names are known. Known names are queried only if all of them have a fragment.
        let mut queried = iri_spellings(url);
        let names = names.take(MAX_NAMES_EXAMINED);
        let parts: Vec<NamedNode> = names.filter_map(|name| NamedNode::new(name).ok()).collect();
        if !parts.is_empty() && parts.iter().all(|name| name.as_str().contains('#')) {
            queried = parts;
            queried.sort_unstable();
            queried.truncate(MAX_NAMES_PER_QUERY);
        }
        let mut query = self.endpoint.clone();
        query.query_pairs_mut().append_pair("query", &construct_query(&queried));
        let query = Uri::from_query_url(query).ok()?;
        self.queries.insert(query.fingerprint(), url.fingerprint());
        Some(query)
    }

    /// The URL fingerprint of the entity that a query URL is for.
    pub(super) fn entity_address(&self, query: u128) -> Option<u128> {
        self.queries.get(&query).copied()
    }
}

/// The names in a query URL; empty if the URL is not one.
#[must_use]
pub fn queried_names(url: &Uri) -> Vec<String> {
    let query = || url.to_url().query_pairs().find(|(key, _)| key == "query").map(|(_, query)| query.into_owned());
    let Some(query) = url.as_str().contains("query=CONSTRUCT").then(query).flatten() else { return Vec::new() };
    let values = query.split_once(VALUES_CLAUSE).and_then(|(_, rest)| rest.split_once('}'));
    let names = values.into_iter().flat_map(|(values, _)| values.split_whitespace());
    names.filter_map(|name| Some(name.strip_prefix('<')?.strip_suffix('>')?.to_owned())).collect()
}

/// The text that precedes the names in a query; names are parsed from what follows it.
const VALUES_CLAUSE: &str = "VALUES ?e {";

/// Spellings of a URL as an IRI: as it is, and with non-ASCII characters percent-decoded.
fn iri_spellings(url: &Uri) -> Vec<NamedNode> {
    let decoded = crate::rank::terms::decode_non_ascii(url.as_str());
    let mut spellings: Vec<_> =
        [url.as_str(), &decoded].into_iter().filter_map(|iri| NamedNode::new(iri).ok()).collect();
    spellings.dedup();
    spellings
}

fn construct_query(names: &[NamedNode]) -> String {
    let values: Vec<String> = names.iter().map(ToString::to_string).collect();
    let values = values.join(" ");
    format!(
        "CONSTRUCT {{ ?e ?p ?o . ?s ?q ?e }} WHERE {{ \
         {{ SELECT ?e ?p ?o WHERE {{ {VALUES_CLAUSE} {values} }} ?e ?p ?o }} LIMIT {MAX_STATEMENTS} }} UNION \
         {{ SELECT ?e ?s ?q WHERE {{ {VALUES_CLAUSE} {values} }} ?s ?q ?e }} LIMIT {MAX_STATEMENTS} }} }}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query_text(url: &str, names: &[&str]) -> String {
        let mut endpoint = DescriptionEndpoint::new("http://d.example/sparql?default-graph-uri=urn:g").unwrap();
        let url = Uri::parse(url).unwrap();
        let query = endpoint.query_uri(&url, names.iter().copied()).unwrap();
        assert_eq!(endpoint.entity_address(query.fingerprint()), Some(url.fingerprint()));
        let url = query.to_url();
        assert_eq!(url.query_pairs().next().unwrap().0, "default-graph-uri");
        url.query_pairs().find(|(key, _)| key == "query").unwrap().1.into_owned()
    }

    #[test]
    fn a_query_has_every_spelling_of_the_entity() {
        let check = |url: &str, names: &[&str], values: &str| {
            let query = query_text(url, names);
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
    fn a_query_url_names_its_entities_and_is_returned_once() {
        let mut endpoint = DescriptionEndpoint::new("http://d.example/sparql").unwrap();
        let url = Uri::parse("http://d.example/id/G%C3%BCl").unwrap();
        let query = endpoint.query_uri_once(&url, std::iter::empty()).unwrap();
        assert_eq!(queried_names(&query), ["http://d.example/id/G%C3%BCl", "http://d.example/id/Gül"]);
        assert_eq!(endpoint.query_uri_once(&url, std::iter::empty()), None);
        assert_eq!(queried_names(&url), Vec::<String>::new());
    }
}
