//! Labels at a SPARQL endpoint.
//!
//! An endpoint can be asked quickly only for what it has an index of: literals as
//! they are written. So each text is asked for as it is, with its first letter in
//! upper case, and with that of each word, without a language and in each of the
//! preferred ones. There are no near misses.
//!
//! Many may be called so, as a city and the category of what is about it. Among
//! equals those come first of whom most is said, which is asked for in a query of its
//! own. Every query has a limit, and there is a pause between them. The user has named
//! the endpoint, so its robots.txt is not asked.

use std::collections::HashMap;
use std::sync::Arc;

use lodeward_archive::sparql::{ServiceError, Services};
use oxrdf::{Literal, NamedNode, Term};

use super::best::Best;
use super::fold::spaced;
use super::question::Questions;
use super::{LabelError, LabelIndex, Match, Naming};
use crate::fetch::service::rows;

/// Texts that are asked for at a time: queries have a length that servers take.
const TEXTS_PER_QUERY: usize = 20;

/// Rows of an answer.
const ROWS_PER_QUERY: usize = 1_000;

/// Entities whose statements are counted for a text, if others are as good.
const COUNTED_PER_TEXT: usize = 30;

/// Entities whose statements are counted at a time.
const ENTITIES_PER_QUERY: usize = 200;

/// The labels of a SPARQL endpoint.
pub struct EndpointLabels {
    endpoint: String,
    services: Arc<dyn Services>,
    naming: Naming,
}

impl EndpointLabels {
    /// The labels of this endpoint, asked in this way.
    #[must_use]
    pub fn new(endpoint: &str, services: Arc<dyn Services>, naming: Naming) -> Self {
        Self { endpoint: endpoint.to_owned(), services, naming }
    }

    fn query(&self, texts: &[String]) -> String {
        let properties: Vec<String> = self
            .naming
            .properties
            .iter()
            .filter_map(|(property, _)| Some(NamedNode::new(property).ok()?.to_string()))
            .collect();
        let mut labels: Vec<String> = Vec::new();
        for text in texts.iter().flat_map(|text| spellings(text)) {
            labels.push(Literal::from(text.as_str()).to_string());
            let tagged = self.naming.languages.iter();
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

    /// Finds who is called so. If there are more than fit into an answer, each text is
    /// asked for by itself: a name that many have leaves no room for the others.
    fn ask(&self, texts: &[String], best: &mut [Best]) -> Result<(), ServiceError> {
        let count = self.ask_at_once(texts, best)?;
        if count >= ROWS_PER_QUERY && texts.len() > 1 {
            for (text, best) in texts.iter().zip(best) {
                self.ask_at_once(std::slice::from_ref(text), std::slice::from_mut(best))?;
            }
        }
        Ok(())
    }

    /// Returns how many rows there were.
    fn ask_at_once(&self, texts: &[String], best: &mut [Best]) -> Result<usize, ServiceError> {
        let questions = Questions::new(texts, |_| true);
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
            let known = self.naming.properties.iter().find(|(known, _)| known == property.as_str());
            let Some((_, rank)) = known else { continue };
            questions.fits(label.value(), |place, fit| {
                if let Some(found) = self.naming.found(entity.as_str(), *rank, label.as_ref(), fit) {
                    best[place].take(found);
                }
            });
        }
        Ok(count)
    }

    /// Puts those first, among equals, of whom most is said.
    fn rank(&self, all: &mut [Vec<Match>]) {
        let open = |matches: &Vec<Match>| -> Vec<NamedNode> {
            let equals = matches.chunk_by(Match::is_as_good_as).filter(|equals| equals.len() > 1).flatten();
            equals.take(COUNTED_PER_TEXT).filter_map(|found| NamedNode::new(&found.entity).ok()).collect()
        };
        let mut entities: Vec<NamedNode> = all.iter().flat_map(open).collect();
        entities.sort_unstable();
        entities.dedup();
        let mut counts = HashMap::new();
        for entities in entities.chunks(ENTITIES_PER_QUERY) {
            // Whoever cannot count has still told who is called so, and is asked no more.
            if self.count(entities, &mut counts).is_err() {
                break;
            }
        }
        for matches in all {
            for found in &mut *matches {
                found.statements = counts.get(&found.entity).copied().unwrap_or_default();
            }
            matches.sort_by(|one, other| one.order().cmp(&other.order()));
        }
    }

    /// Asks how many statements there are about entities.
    fn count(&self, entities: &[NamedNode], counts: &mut HashMap<String, u64>) -> Result<(), ServiceError> {
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

/// How a text may be written as a label.
fn spellings(text: &str) -> Vec<String> {
    let text = spaced(text);
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
    fn look_up(&self, texts: &[String], _: usize) -> Result<Vec<Vec<Match>>, LabelError> {
        let mut best: Vec<Best> = texts.iter().map(|_| Best::default()).collect();
        for (texts, best) in texts.chunks(TEXTS_PER_QUERY).zip(best.chunks_mut(TEXTS_PER_QUERY)) {
            let failed = |source| LabelError::Endpoint { endpoint: self.endpoint.clone(), source };
            self.ask(texts, best).map_err(failed)?;
        }
        let mut all: Vec<Vec<Match>> = best.into_iter().map(Best::sorted).collect();
        self.rank(&mut all);
        Ok(all)
    }
}

#[cfg(test)]
#[path = "endpoint_tests.rs"]
mod tests;
