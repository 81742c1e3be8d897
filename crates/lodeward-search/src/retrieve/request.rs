//! A search as a whole: correction and completion of words, filters, ranking, facets.

use foldhash::{HashMap, HashMapExt};

use super::filter::{AllowedEntities, SearchFilter};
use super::query::AnalysedQuery;
use super::spelling::{self, Correction};
use super::{Hit, Matches, Method, RetrievalOptions, published, ranked};
use crate::index::{IndexView, SearchError};

/// Number of results that facets are counted over, and that further conditions are applied to.
const MAX_CONSIDERED: usize = 1_000;

/// Number of values of a facet.
const MAX_FACET_VALUES: usize = 20;

/// A search.
#[derive(Clone, Debug)]
pub struct SearchRequest<'a> {
    /// The words of the query.
    pub query: &'a str,
    /// Retrieval method.
    pub method: Method,
    /// Maximum number of results.
    pub limit: usize,
    /// Which entities may be results.
    pub filter: SearchFilter,
    /// Whether the last word is being typed, and stands for all words that begin with it.
    pub is_prefix: bool,
    /// Whether to count facets.
    pub has_facets: bool,
}

/// The results of a search.
#[derive(Clone, Debug, Default)]
pub struct SearchOutcome {
    /// The best entities, best first.
    pub hits: Vec<Hit>,
    /// Words of the query that were replaced.
    pub corrections: Vec<Correction>,
    /// Number of entities that were ranked, before the limit.
    pub ranked: usize,
    /// Facets of the best results, if they were requested.
    pub facets: Vec<Facet>,
    /// Terms that were searched, with their variants.
    pub terms: Vec<Vec<String>>,
}

/// A part of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScorePart {
    /// Name of the part.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// What it adds to the score.
    pub share: f64,
}

/// An entity with its score and the parts of it.
pub(super) type RankedEntity = (u32, f64, Vec<ScorePart>);

/// How often the values of a property occur among the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facet {
    /// `type`, `domain` or `language`.
    pub name: &'static str,
    /// Values with the number of results, most frequent first.
    pub values: Vec<(String, u64)>,
}

impl IndexView {
    /// Runs a search. A result must also satisfy `accept`.
    pub fn find<E: From<SearchError>>(
        &self,
        request: &SearchRequest<'_>,
        options: &RetrievalOptions,
        mut accept: impl FnMut(&Hit) -> Result<bool, E>,
    ) -> Result<SearchOutcome, E> {
        let (query, corrections) = self.analyse(request.query, request.is_prefix, options)?;
        let matches = Matches::find(self, &query, options)?;
        let allowed = AllowedEntities::new(self, &request.filter)?;
        let considered = request.limit.max(MAX_CONSIDERED);
        let ranked = self.rank(&query, &matches, &allowed, request.method, options, considered)?;
        let mut outcome = SearchOutcome {
            corrections,
            ranked: ranked.len(),
            facets: if request.has_facets { self.facets(&ranked)? } else { Vec::new() },
            terms: query.terms.iter().map(|term| term.variants.clone()).collect(),
            hits: Vec::new(),
        };
        for (number, score, parts) in ranked {
            if outcome.hits.len() == request.limit {
                break;
            }
            let hit = self.hit(number, score, parts)?;
            if accept(&hit)? {
                outcome.hits.push(hit);
            }
        }
        Ok(outcome)
    }

    /// Splits a query into words, and corrects and completes them.
    pub(super) fn analyse(
        &self,
        query: &str,
        is_prefix: bool,
        options: &RetrievalOptions,
    ) -> Result<(AnalysedQuery, Vec<Correction>), SearchError> {
        let analysed = AnalysedQuery::new(query, &self.stemmed);
        let mut words = analysed.words;
        // A word that is being typed is not misspelt.
        let typed = if is_prefix && !query.ends_with(char::is_whitespace) { words.pop() } else { None };
        let corrections = if options.corrects_words { spelling::correct(self, &mut words)? } else { Vec::new() };
        words.extend(typed.clone());
        let mut analysed = AnalysedQuery::from_words(words, &self.stemmed);
        if let Some(typed) = typed {
            analysed.complete(&typed, spelling::completions(self, &typed)?, &self.stemmed);
        }
        Ok((analysed, corrections))
    }

    pub(super) fn rank(
        &self,
        query: &AnalysedQuery,
        matches: &Matches,
        allowed: &AllowedEntities,
        method: Method,
        options: &RetrievalOptions,
        limit: usize,
    ) -> Result<Vec<RankedEntity>, SearchError> {
        Ok(match method {
            Method::Bm25f => {
                let part = |score| vec![ScorePart { name: "bm25f", value: score, share: score }];
                let best = matches.best_by_words(limit, allowed);
                best.into_iter().map(|(number, score)| (number, score, part(score))).collect()
            }
            Method::Ranked => ranked::Pool::collect(self, query, matches, allowed)?.rank(&options.weights, limit),
            Method::Published => published::rank(self, query, matches, allowed, options, limit)?,
        })
    }

    fn hit(&self, number: u32, score: f64, parts: Vec<ScorePart>) -> Result<Hit, SearchError> {
        let record = self.record(number)?;
        Ok(Hit {
            key: self.key(number),
            iri: record.iri,
            label: record.label,
            description: record.description,
            types: record.types,
            score,
            parts,
        })
    }

    fn facets(&self, ranked: &[RankedEntity]) -> Result<Vec<Facet>, SearchError> {
        let mut facets = Vec::new();
        for (name, column) in [("type", "type_iri"), ("domain", "domain"), ("language", "language")] {
            let mut counts: HashMap<String, u64> = HashMap::new();
            for (number, ..) in ranked.iter().take(MAX_CONSIDERED) {
                for value in self.column_values(column, *number)? {
                    *counts.entry(value).or_default() += 1;
                }
            }
            let mut values: Vec<(String, u64)> = counts.into_iter().collect();
            values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            values.truncate(MAX_FACET_VALUES);
            facets.push(Facet { name, values });
        }
        Ok(facets)
    }
}
