//! The neighbourhood of seeds at a SPARQL endpoint as a reference graph.
//!
//! Seeds are asked for their links, in either direction, and then those who are
//! linked with them, whoever is linked with most seeds first: that is where paths
//! between seeds go. So paths of up to four links between seeds are found. Every
//! query has a limit, there is one on queries, and a pause between them; what is cut
//! is said. At the first refusal (as 429 and 503) nothing more is asked, and what came
//! before stays. The user has named the endpoint, so its robots.txt is not asked.

use std::collections::HashMap;

use lodeward_archive::sparql::{ServiceError, Services};
use oxrdf::vocab::rdf;
use oxrdf::{GraphNameRef, NamedNode, QuadRef, Term};
use sparesults::QuerySolution;

use super::Filling;
use crate::fetch::service::rows;

/// Seeds, and those who are linked with them.
const HOPS: usize = 2;
/// Entities that are asked for at a time: queries have a length that servers take.
const ENTITIES_PER_QUERY: usize = 50;
/// Rows of an answer: what most servers give at once.
const ROWS_PER_QUERY: usize = 10_000;
/// Queries in total.
const QUERIES_MAX: usize = 100;

/// Which end of a link is asked for.
#[derive(Clone, Copy)]
enum End {
    Subject,
    Object,
}

/// Asks for the neighbourhood of seeds. Returns what is to be known of it; an error
/// only if not even the first query is answered.
pub(super) fn ask(
    services: &dyn Services,
    endpoint: &str,
    seeds: &[impl AsRef<str>],
    filling: &mut Filling,
) -> Result<Vec<String>, ServiceError> {
    let mut ring: Vec<NamedNode> = seeds.iter().filter_map(|seed| NamedNode::new(seed.as_ref()).ok()).collect();
    ring.sort_unstable();
    ring.dedup();
    let mut met: HashMap<NamedNode, u32> = ring.iter().map(|seed| (seed.clone(), 0)).collect();
    let seeds_len = met.len();
    let mut queries = 0;
    let mut full_answers = 0;
    for _ in 0..HOPS {
        for (batch, end) in
            ring.chunks(ENTITIES_PER_QUERY).flat_map(|batch| [(batch, End::Subject), (batch, End::Object)])
        {
            if queries == QUERIES_MAX || filling.is_full() {
                return Ok(vec![format!("endpoint {endpoint} was asked {queries} queries, and not for all there is")]);
            }
            queries += 1;
            match links(services, endpoint, batch, end, filling, &mut met) {
                Ok(rows) => full_answers += usize::from(rows >= ROWS_PER_QUERY),
                Err(error) if queries == 1 => return Err(error),
                Err(error) => return Ok(vec![format!("endpoint {endpoint} has failed at query {queries}: {error}")]),
            }
        }
        ring = next_ring(&mut met);
    }
    let mut notes = Vec::new();
    if met.len() == seeds_len {
        notes.push(format!("endpoint {endpoint} knows no link of any seed"));
    }
    if full_answers > 0 {
        notes.push(format!(
            "endpoint {endpoint} had more than {ROWS_PER_QUERY} rows for {full_answers} of {queries} queries"
        ));
    }
    Ok(notes)
}

/// Those who were met and not asked for yet, whoever was met most often first.
fn next_ring(met: &mut HashMap<NamedNode, u32>) -> Vec<NamedNode> {
    let mut ring: Vec<(u32, NamedNode)> = met
        .iter_mut()
        .map(|(entity, times)| (std::mem::take(times), entity.clone()))
        .filter(|(times, _)| *times > 0)
        .collect();
    ring.sort_unstable_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    ring.into_iter().map(|(_, entity)| entity).collect()
}

/// Asks for the links that have these entities at one end. Returns how many came.
fn links(
    services: &dyn Services,
    endpoint: &str,
    entities: &[NamedNode],
    end: End,
    filling: &mut Filling,
    met: &mut HashMap<NamedNode, u32>,
) -> Result<usize, ServiceError> {
    let mut count = 0;
    for row in rows(services.query(endpoint, &query(entities, end))?)?.take(ROWS_PER_QUERY) {
        let row = row?;
        count += 1;
        let [Some(subject), Some(predicate), Some(object)] = ["s", "p", "o"].map(|column| named(&row, column)) else {
            continue;
        };
        filling.quad(QuadRef::new(&subject, &predicate, &object, GraphNameRef::DefaultGraph));
        let other = match end {
            End::Subject => object,
            End::Object => subject,
        };
        // Who is asked for already has 0, and keeps it.
        met.entry(other).and_modify(|times| *times += u32::from(*times > 0)).or_insert(1);
    }
    Ok(count)
}

fn query(entities: &[NamedNode], end: End) -> String {
    let (known, other) = match end {
        End::Subject => ("?s", "?o"),
        End::Object => ("?o", "?s"),
    };
    let entities: Vec<String> = entities.iter().map(ToString::to_string).collect();
    format!(
        "SELECT ?s ?p ?o WHERE {{ VALUES {known} {{ {} }} ?s ?p ?o . FILTER(isIRI({other})) FILTER(?p != {}) }} LIMIT {ROWS_PER_QUERY}",
        entities.join(" "),
        rdf::TYPE
    )
}

/// What is in a column, if it is an IRI. Looked at closely, for it becomes part of
/// the next query.
fn named(row: &QuerySolution, column: &str) -> Option<NamedNode> {
    match row.get(column) {
        Some(Term::NamedNode(node)) => NamedNode::new(node.as_str()).ok(),
        _ => None,
    }
}
