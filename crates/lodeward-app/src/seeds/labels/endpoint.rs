//! Looks up labels at a SPARQL endpoint.
//!
//! An endpoint indexes exact literals only. So each text is queried as it is, with its first letter
//! in upper case, and with the first letter of each word in upper case, without a language and in
//! each preferred language. Similar labels are not searched.
//!
//! Several entities can have the same label, such as a city and the category about it.
//! Ties are broken by the number of statements about the entities, which a second query
//! counts. Every query has a limit, and there is a delay between queries. The robots.txt
//! of the endpoint is not checked, because the user names the endpoint.

use std::collections::HashMap;
use std::sync::Arc;

use lodeward_archive::sparql::{ServiceCallError, ServiceHandler};
use oxrdf::{Literal, NamedNode, Term};

use super::best_matches::BestMatches;
use super::fold::collapse_whitespace;
use super::queries::LabelQueries;
use super::{LabelError, LabelIndex, LabelMatch, LabelProperties};
use crate::federation::rows;

/// Number of texts per query. Servers limit the length of queries.
const TEXTS_PER_QUERY: usize = 20;

/// Maximum number of rows in a result.
const ROWS_PER_QUERY: usize = 1_000;

/// Maximum number of entities per text whose statements are counted to break ties.
const COUNTED_PER_TEXT: usize = 30;

/// Number of entities per query that counts statements.
const ENTITIES_PER_QUERY: usize = 200;

/// The labels of a SPARQL endpoint.
pub struct EndpointLabels {
    endpoint: String,
    services: Arc<dyn ServiceHandler>,
    label_properties: LabelProperties,
}

impl EndpointLabels {
    /// The labels at the endpoint with this URL.
    #[must_use]
    pub fn new(endpoint: &str, services: Arc<dyn ServiceHandler>, label_properties: LabelProperties) -> Self {
        Self { endpoint: endpoint.to_owned(), services, label_properties }
    }

    fn query(&self, texts: &[String]) -> String {
        let properties: Vec<String> = self
            .label_properties
            .properties
            .iter()
            .filter_map(|(property, _)| Some(NamedNode::new(property).ok()?.to_string()))
            .collect();
        let mut labels: Vec<String> = Vec::new();
        for text in texts.iter().flat_map(|text| spellings(text)) {
            labels.push(Literal::from(text.as_str()).to_string());
            let tagged = self.label_properties.languages.iter();
            let tagged = tagged.filter_map(|language| Literal::new_language_tagged_literal(&text, language).ok());
            labels.extend(tagged.map(|literal| literal.to_string()));
        }
        format!(
            "SELECT DISTINCT ?entity ?property ?label WHERE {{ VALUES ?property {{ {} }} VALUES ?label {{ {} }} \
             ?entity ?property ?label . FILTER(isIRI(?entity)) }} LIMIT {}",
            properties.join(" "),
            labels.join(" "),
            ROWS_PER_QUERY
        )
    }

    /// Finds the matches of some texts. If the result is full, each text is queried
    /// separately, because the matches of a frequent label displace those of the others.
    fn find_matches(&self, texts: &[String], best: &mut [BestMatches]) -> Result<(), ServiceCallError> {
        let count = self.find_matches_in_batch(texts, best)?;
        if count >= ROWS_PER_QUERY && texts.len() > 1 {
            for (text, best) in texts.iter().zip(best) {
                self.find_matches_in_batch(std::slice::from_ref(text), std::slice::from_mut(best))?;
            }
        }
        Ok(())
    }

    /// Finds the matches of some texts with one query. Returns the number of rows.
    fn find_matches_in_batch(&self, texts: &[String], best: &mut [BestMatches]) -> Result<usize, ServiceCallError> {
        let queries = LabelQueries::new(texts, |_| true);
        let fetched = self.services.query(&self.endpoint, &self.query(texts))?;
        let mut count = 0;
        for row in rows(fetched)?.take(ROWS_PER_QUERY) {
            let row = row?;
            count += 1;
            let (Some(Term::NamedNode(entity)), Some(Term::NamedNode(property)), Some(Term::Literal(label))) =
                (row.get("entity"), row.get("property"), row.get("label"))
            else {
                continue;
            };
            let known = self.label_properties.properties.iter().find(|(known, _)| known == property.as_str());
            let Some((_, rank)) = known else { continue };
            queries.for_each_match(label.value(), |index, fit| {
                if let Some(found) = self.label_properties.label_match(entity.as_str(), *rank, label.as_ref(), fit) {
                    best[index].add(found);
                }
            });
        }
        Ok(count)
    }

    /// Sorts the matches. The number of statements breaks ties.
    fn rank(&self, all: &mut [Vec<LabelMatch>]) {
        let tied = |matches: &Vec<LabelMatch>| -> Vec<NamedNode> {
            let ties = matches.chunk_by(LabelMatch::is_as_good_as).filter(|ties| ties.len() > 1).flatten();
            ties.take(COUNTED_PER_TEXT).filter_map(|found| NamedNode::new(&found.entity).ok()).collect()
        };
        let mut entities: Vec<NamedNode> = all.iter().flat_map(tied).collect();
        entities.sort_unstable();
        entities.dedup();
        let mut counts = HashMap::new();
        for entities in entities.chunks(ENTITIES_PER_QUERY) {
            // If the endpoint cannot count, the matches remain valid, and no further counts are
            // requested.
            if self.count_statements(entities, &mut counts).is_err() {
                break;
            }
        }
        for matches in all {
            for found in &mut *matches {
                found.statements = counts.get(&found.entity).copied().unwrap_or_default();
            }
            matches.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        }
    }

    /// Queries the number of statements about some entities.
    fn count_statements(
        &self,
        entities: &[NamedNode],
        counts: &mut HashMap<String, u64>,
    ) -> Result<(), ServiceCallError> {
        let names: Vec<String> = entities.iter().map(ToString::to_string).collect();
        let query = format!(
            "SELECT ?entity (COUNT(*) AS ?statements) WHERE {{ VALUES ?entity {{ {} }} ?entity ?property ?value }} \
             GROUP BY ?entity LIMIT {}",
            names.join(" "),
            names.len()
        );
        for row in rows(self.services.query(&self.endpoint, &query)?)?.take(entities.len()) {
            let row = row?;
            if let (Some(Term::NamedNode(entity)), Some(Term::Literal(count))) =
                (row.get("entity"), row.get("statements"))
            {
                counts.insert(entity.as_str().to_owned(), count.value().parse().unwrap_or_default());
            }
        }
        Ok(())
    }
}

/// The spellings of a text that are queried.
fn spellings(text: &str) -> Vec<String> {
    let text = collapse_whitespace(text);
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    };
    let mut all = vec![capital(&text), text.split(' ').map(capital).collect::<Vec<_>>().join(" "), text];
    all.sort_unstable();
    all.dedup();
    all
}

impl LabelIndex for EndpointLabels {
    fn look_up(&self, texts: &[String], _: usize) -> Result<Vec<Vec<LabelMatch>>, LabelError> {
        let mut best: Vec<BestMatches> = texts.iter().map(|_| BestMatches::default()).collect();
        for (texts, best) in texts.chunks(TEXTS_PER_QUERY).zip(best.chunks_mut(TEXTS_PER_QUERY)) {
            let failed = |source| LabelError::Endpoint { endpoint: self.endpoint.clone(), source };
            self.find_matches(texts, best).map_err(failed)?;
        }
        let mut all: Vec<Vec<LabelMatch>> = best.into_iter().map(BestMatches::into_sorted).collect();
        self.rank(&mut all);
        Ok(all)
    }
}

#[cfg(test)]
#[path = "endpoint_tests.rs"]
mod tests;
