//! Queries with judgments.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use md5::{Digest as _, Md5};

use crate::web::WebError;
use crate::web::manifest::read;

/// Number of folds of the cross-validation.
pub const FOLDS: u64 = 5;

/// A query with the grades of its relevant entities.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchTopic {
    /// Identifier.
    pub id: String,
    /// The words of the query.
    pub query: String,
    /// Grades above 0, by IRI.
    pub grades: BTreeMap<String, f64>,
}

impl SearchTopic {
    /// Reads the topics of a collection that have relevant entities. `name` is the part of the file
    /// names before `qrels` and `queries.tsv`.
    pub fn load(judgments: &Path, queries: &Path) -> Result<Vec<Self>, WebError> {
        let mut grades: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
        for line in read(judgments)?.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            let [id, _, iri, grade] = cells[..] else { continue };
            let grade: f64 = grade.parse().unwrap_or(0.0);
            if grade > 0.0 {
                grades.entry(id.to_owned()).or_default().insert(iri.to_owned(), grade);
            }
        }
        let text = read(queries)?;
        let queries: HashMap<&str, &str> = text.lines().filter_map(|line| line.split_once('\t')).collect();
        let topic = |(id, grades): (String, BTreeMap<String, f64>)| {
            let query = (*queries.get(id.as_str())?).to_owned();
            Some(Self { id, query, grades })
        };
        Ok(grades.into_iter().filter_map(topic).collect())
    }

    /// The set of queries that a topic belongs to.
    #[must_use]
    pub fn set(&self) -> &'static str {
        let sets = ["SemSearch_ES", "INEX_LD", "QALD2"];
        sets.into_iter().find(|set| self.id.starts_with(set)).unwrap_or("ListSearch")
    }

    /// The fold of a topic: the same in all collections.
    #[must_use]
    pub fn fold(&self, salt: &str) -> u64 {
        remainder(&format!("lodeward{salt}{}", self.id), FOLDS)
    }
}

/// The MD5 digest of a text, as a number, modulo another one.
pub(super) fn remainder(text: &str, divisor: u64) -> u64 {
    digest(text).iter().fold(0, |rest, byte| (rest * 256 + u64::from(*byte)) % divisor)
}

/// The MD5 digest of a text: a pseudorandom order that is the same everywhere.
pub(super) fn digest(text: &str) -> [u8; 16] {
    Md5::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_are_remainders_of_md5() {
        let topic = |id: &str| SearchTopic { id: id.to_owned(), query: String::new(), grades: BTreeMap::new() };

        assert_eq!(remainder("", 1_000), 366, "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(topic("QALD2_te-1").fold(""), 1);
        assert!((0..20).map(|number| topic(&number.to_string()).fold("")).all(|fold| fold < FOLDS));
        assert_eq!(topic("QALD2_te-1").set(), "QALD2");
        assert_eq!(topic("TREC_Entity-1").set(), "ListSearch");
    }
}
