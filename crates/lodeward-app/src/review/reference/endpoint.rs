//! Loads the neighbourhood of seeds from a SPARQL endpoint, as a reference graph.
//!
//! The first queries return the links of the seeds in both directions. The next queries return the
//! links of their neighbours, starting with those that have the most links to seeds, because paths
//! between seeds pass through them. So paths of up to four links between seeds are found. The
//! number of rows per query and the number of queries are limited, and there is a delay between
//! queries; notes report what is missing. After the first error (such as 429 or 503) no further
//! query is sent, and the links found so far are used. The robots.txt of the endpoint is ignored,
//! because the user has named the endpoint.

use std::collections::HashMap;

use lodeward_archive::sparql::{ServiceCallError, ServiceHandler};
use oxrdf::vocab::rdf;
use oxrdf::{GraphNameRef, NamedNode, QuadRef, Term};
use sparesults::QuerySolution;

use super::ReferenceLoader;
use crate::federation::rows;

/// Number of hops that are queried: the seeds, and their neighbours.
const HOPS: usize = 2;
/// Number of entities per query, which keeps the query shorter than the limits of servers.
const ENTITIES_PER_QUERY: usize = 50;
/// Maximum number of rows of a result, which is also the limit of most servers.
const ROWS_PER_QUERY: usize = 10_000;
/// The maximum number of queries.
const MAX_QUERIES: usize = 100;

/// Which end of a link is the known entity.
#[derive(Clone, Copy)]
enum LinkEnd {
    Subject,
    Object,
}

/// Loads the neighbourhood of seeds. Returns notes for the user. Fails only if the first query
/// fails.
pub(super) fn load_neighbourhood(
    services: &dyn ServiceHandler,
    endpoint: &str,
    seeds: &[impl AsRef<str>],
    loader: &mut ReferenceLoader,
) -> Result<Vec<String>, ServiceCallError> {
    let mut ring: Vec<NamedNode> = seeds.iter().filter_map(|seed| NamedNode::new(seed.as_ref()).ok()).collect();
    ring.sort_unstable();
    ring.dedup();
    let mut found: HashMap<NamedNode, u32> = ring.iter().map(|seed| (seed.clone(), 0)).collect();
    let seeds_len = found.len();
    let mut queries = 0;
    let mut full_results = 0;
    for _ in 0..HOPS {
        for (batch, end) in
            ring.chunks(ENTITIES_PER_QUERY).flat_map(|batch| [(batch, LinkEnd::Subject), (batch, LinkEnd::Object)])
        {
            if queries == MAX_QUERIES || loader.is_full() {
                return Ok(vec![format!(
                    "the neighbourhood at endpoint {endpoint} is incomplete after {queries} queries"
                )]);
            }
            queries += 1;
            match fetch_links(services, endpoint, batch, end, loader, &mut found) {
                Ok(rows) => full_results += usize::from(rows >= ROWS_PER_QUERY),
                Err(error) if queries == 1 => return Err(error),
                Err(error) => return Ok(vec![format!("endpoint {endpoint} failed at query {queries}: {error}")]),
            }
        }
        ring = next_ring(&mut found);
    }
    let mut notes = Vec::new();
    if found.len() == seeds_len {
        notes.push(format!("endpoint {endpoint} has no links from or to the seeds"));
    }
    if full_results > 0 {
        notes.push(format!(
            "endpoint {endpoint} had more than {ROWS_PER_QUERY} rows for {full_results} of {queries} queries"
        ));
    }
    Ok(notes)
}

/// Returns the entities that were found but not queried yet, most frequent first.
fn next_ring(found: &mut HashMap<NamedNode, u32>) -> Vec<NamedNode> {
    let mut ring: Vec<(u32, NamedNode)> = found
        .iter_mut()
        .map(|(entity, times)| (std::mem::take(times), entity.clone()))
        .filter(|(times, _)| *times > 0)
        .collect();
    ring.sort_unstable_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    ring.into_iter().map(|(_, entity)| entity).collect()
}

/// Queries the links that have these entities at one end. Returns the number of rows.
fn fetch_links(
    services: &dyn ServiceHandler,
    endpoint: &str,
    entities: &[NamedNode],
    end: LinkEnd,
    loader: &mut ReferenceLoader,
    found: &mut HashMap<NamedNode, u32>,
) -> Result<usize, ServiceCallError> {
    let mut count = 0;
    for row in rows(services.query(endpoint, &query(entities, end))?)?.take(ROWS_PER_QUERY) {
        let row = row?;
        count += 1;
        let [Some(subject), Some(predicate), Some(object)] = ["s", "p", "o"].map(|column| iri_column(&row, column))
        else {
            continue;
        };
        loader.quad(QuadRef::new(&subject, &predicate, &object, GraphNameRef::DefaultGraph));
        let other = match end {
            LinkEnd::Subject => object,
            LinkEnd::Object => subject,
        };
        // The count of an entity that was queried is 0 and stays 0.
        found.entry(other).and_modify(|times| *times += u32::from(*times > 0)).or_insert(1);
    }
    Ok(count)
}

fn query(entities: &[NamedNode], end: LinkEnd) -> String {
    let (known, other) = match end {
        LinkEnd::Subject => ("?s", "?o"),
        LinkEnd::Object => ("?o", "?s"),
    };
    let entities: Vec<String> = entities.iter().map(ToString::to_string).collect();
    format!(
        "SELECT ?s ?p ?o WHERE {{ VALUES {known} {{ {} }} ?s ?p ?o . FILTER(isIRI({other})) FILTER(?p != {}) }} LIMIT {ROWS_PER_QUERY}",
        entities.join(" "),
        rdf::TYPE
    )
}

/// The value of a column, if it is a valid IRI. It is validated, because it becomes part of
/// the next query.
fn iri_column(row: &QuerySolution, column: &str) -> Option<NamedNode> {
    match row.get(column) {
        Some(Term::NamedNode(node)) => NamedNode::new(node.as_str()).ok(),
        _ => None,
    }
}
