//! The entities that have terms of a query, and where they have them.

use super::RetrievalOptions;
use super::filter::AllowedEntities;
use super::query::{AnalysedQuery, MAX_QUERY_TERMS, QueryTerm};
use crate::index::{FieldName, IndexView, SearchError};
use crate::numbers::{real, single};

/// A term of the query that occurs in the index.
pub(crate) struct MatchedTerm {
    /// Other words for the same relation.
    pub(crate) lexicon: Vec<String>,
    pub(crate) variants: Vec<String>,
    /// Inverse document frequency over all fields, and in labels.
    pub(crate) idf: f64,
    pub(crate) label_idf: f64,
}

/// Which terms of the query an entity has in a field, one bit per term.
#[derive(Clone, Copy, Default)]
pub(crate) struct TermFlags {
    pub(crate) label: u16,
    pub(crate) alias: u16,
    pub(crate) types: u16,
    pub(crate) predicate_in: u16,
    /// Words of the lexicon for a term in types and predicates.
    pub(crate) lexicon_types: u16,
    pub(crate) lexicon_predicate_in: u16,
}

/// The entities that have terms of a query.
pub(crate) struct Matches {
    pub(crate) terms: Vec<MatchedTerm>,
    /// Sum of the inverse document frequencies of all terms.
    pub(crate) total_idf: f64,
    /// Entities with at least one term, each once.
    pub(crate) touched: Vec<u32>,
    /// By number of the entity: BM25F, BM25 of the label, places of terms.
    pub(crate) bm25f: Vec<f32>,
    pub(crate) label_bm25: Vec<f32>,
    pub(crate) flags: Vec<TermFlags>,
}

/// Parameters of BM25 on labels, which only selects entities for the pool.
const LABEL_K1: f64 = 0.8;
const LABEL_B: f64 = 0.75;

/// A term that more entities have in one field is frequent: it counts only for entities that have a
/// rarer term of the query, if there are any. Otherwise the time of a query grows with the index.
const MAX_SCANNED: u64 = 100_000;

impl Matches {
    pub(crate) fn find(
        view: &IndexView,
        query: &AnalysedQuery,
        options: &RetrievalOptions,
    ) -> Result<Self, SearchError> {
        let end = view.number_end();
        let mut matches = Self {
            terms: Vec::new(),
            total_idf: 0.0,
            touched: Vec::new(),
            bm25f: vec![0.0; end],
            label_bm25: vec![0.0; end],
            flags: vec![TermFlags::default(); end],
        };
        let mut frequencies = vec![0.0_f32; end];
        let (mut rare, mut frequent) = (Vec::new(), Vec::new());
        for term in query.terms.iter().take(MAX_QUERY_TERMS) {
            let most = max_frequency(view, &term.variants)?;
            if most > MAX_SCANNED { frequent.push((most, term)) } else { rare.push(term) }
        }
        frequent.sort_by_key(|(most, _)| *most);
        for term in rare {
            let found = matches.collect_term(view, &term.variants, None, options, &mut frequencies)?;
            let count = found.len() as u64;
            matches.score_term(view, term, count, None, found, options, &mut frequencies)?;
        }
        for (most, term) in frequent {
            let mut known = matches.touched.clone();
            known.sort_unstable();
            let among = (!known.is_empty()).then_some(&known[..]);
            let found = matches.collect_term(view, &term.variants, among, options, &mut frequencies)?;
            let count = most.max(found.len() as u64);
            matches.score_term(view, term, count, among, found, options, &mut frequencies)?;
        }
        matches.flag_lexicon(view)?;
        Ok(matches)
    }

    /// Adds the scores of a term that `count` entities have; `found` are those of them that count.
    #[expect(clippy::too_many_arguments, reason = "it is a step of one loop")]
    fn score_term(
        &mut self,
        view: &IndexView,
        term: &QueryTerm,
        count: u64,
        among: Option<&[u32]>,
        found: Vec<u32>,
        options: &RetrievalOptions,
        frequencies: &mut [f32],
    ) -> Result<(), SearchError> {
        if count == 0 {
            return Ok(());
        }
        let idf = view.idf(count);
        for number in found {
            let x = f64::from(std::mem::take(&mut frequencies[number as usize]));
            let score = f64::from(term.frequency) * idf * options.bm25f.saturate(x);
            if self.bm25f[number as usize] == 0.0 {
                self.touched.push(number);
            }
            self.bm25f[number as usize] += single(score);
        }
        self.total_idf += idf;
        let label_idf = self.score_labels(view, &term.variants, among)?;
        let lexicon = options.lexicon.variants(&term.variants[0]).to_vec();
        self.terms.push(MatchedTerm { lexicon, variants: term.variants.clone(), idf, label_idf });
        Ok(())
    }

    /// Adds the weighted frequencies of a term over all fields to `frequencies`. Returns the
    /// entities that have the term.
    fn collect_term(
        &mut self,
        view: &IndexView,
        variants: &[String],
        among: Option<&[u32]>,
        options: &RetrievalOptions,
        frequencies: &mut [f32],
    ) -> Result<Vec<u32>, SearchError> {
        let mut found = Vec::new();
        let bit = 1_u16 << self.terms.len();
        let flags = &mut self.flags;
        for field in FieldName::ALL {
            let mean = view.mean_lengths[field as usize];
            for variant in variants {
                for_each(view, field, variant, among, |number, frequency, length| {
                    let at = number as usize;
                    // A small amount, so that a term of a field without weight counts as found.
                    let x = single(options.bm25f.field_frequency(field, frequency, length, mean).max(1e-9));
                    if frequencies[at] == 0.0 {
                        found.push(number);
                    }
                    frequencies[at] += x;
                    match field {
                        FieldName::Label => flags[at].label |= bit,
                        FieldName::Alias => flags[at].alias |= bit,
                        FieldName::Type => flags[at].types |= bit,
                        FieldName::PredicateIn => flags[at].predicate_in |= bit,
                        _ => {}
                    }
                })?;
            }
        }
        Ok(found)
    }

    /// Adds BM25 of the label. Returns the inverse document frequency in labels.
    fn score_labels(
        &mut self,
        view: &IndexView,
        variants: &[String],
        among: Option<&[u32]>,
    ) -> Result<f64, SearchError> {
        let mut found: Vec<(u32, u32, u64)> = Vec::new();
        let mut count = 0;
        for variant in variants {
            for_each(view, FieldName::Label, variant, among, |number, frequency, length| {
                found.push((number, frequency, length));
            })?;
            if among.is_some() {
                count += view.indexed_frequency(FieldName::Label, variant)?;
            }
        }
        let idf = view.idf(count.max(found.len() as u64));
        let mean = view.mean_lengths[FieldName::Label as usize].max(1e-9);
        for (number, frequency, length) in found {
            let tf = f64::from(frequency);
            let norm = LABEL_K1 * (1.0 - LABEL_B + LABEL_B * real(length) / mean);
            self.label_bm25[number as usize] += single(idf * tf * (LABEL_K1 + 1.0) / (tf + norm));
        }
        Ok(idf)
    }

    /// Marks the entities that have other words for the same relation.
    fn flag_lexicon(&mut self, view: &IndexView) -> Result<(), SearchError> {
        let mut known = self.touched.clone();
        known.sort_unstable();
        let flags = &mut self.flags;
        for (at, term) in self.terms.iter().enumerate() {
            let bit = 1_u16 << at;
            for word in &term.lexicon {
                let is_frequent = view.max_frequency(word)? > MAX_SCANNED;
                let among = is_frequent.then_some(&known[..]);
                for_each(view, FieldName::Type, word, among, |number, _, _| {
                    flags[number as usize].lexicon_types |= bit;
                })?;
                for_each(view, FieldName::PredicateIn, word, among, |number, _, _| {
                    flags[number as usize].lexicon_predicate_in |= bit;
                })?;
            }
        }
        Ok(())
    }

    /// Returns the best of the allowed entities by BM25F, best first.
    pub(crate) fn best_by_words(&self, limit: usize, allowed: &AllowedEntities) -> Vec<(u32, f64)> {
        let scored = self.allowed(allowed).map(|number| (number, f64::from(self.bm25f[number as usize])));
        best(scored, limit)
    }

    fn allowed(&self, allowed: &AllowedEntities) -> impl Iterator<Item = u32> {
        self.touched.iter().copied().filter(|number| allowed.contains(*number))
    }

    /// Returns the best of the allowed entities by BM25 of the label, best first.
    pub(crate) fn best_by_label(&self, limit: usize, allowed: &AllowedEntities) -> Vec<(u32, f64)> {
        let scored = self.allowed(allowed).map(|number| (number, f64::from(self.label_bm25[number as usize])));
        best(scored, limit)
    }

    /// Sums the inverse document frequencies of the terms in a set.
    pub(crate) fn idf_of(&self, set: u16) -> f64 {
        self.terms_of(set).map(|term| term.idf).sum()
    }

    pub(crate) fn label_idf_of(&self, set: u16) -> f64 {
        self.terms_of(set).map(|term| term.label_idf).sum()
    }

    fn terms_of(&self, set: u16) -> impl Iterator<Item = &MatchedTerm> {
        self.terms.iter().enumerate().filter(move |(at, _)| set >> at & 1 == 1).map(|(_, term)| term)
    }

    /// The set of all terms.
    pub(crate) fn all_terms(&self) -> u16 {
        u16::try_from((1_u32 << self.terms.len()) - 1).unwrap_or(u16::MAX)
    }
}

/// The greatest number of entities that have a variant of a term in one field.
fn max_frequency(view: &IndexView, variants: &[String]) -> Result<u64, SearchError> {
    let mut most = 0;
    for variant in variants {
        most = most.max(view.max_frequency(variant)?);
    }
    Ok(most)
}

/// Calls `visit` for every entity that has a term in a field, or for some of them.
fn for_each(
    view: &IndexView,
    field: FieldName,
    term: &str,
    among: Option<&[u32]>,
    visit: impl FnMut(u32, u32, u64),
) -> Result<(), SearchError> {
    match among {
        Some(among) => view.for_each_posting_among(field, term, among, visit),
        None => view.for_each_posting(field, term, visit),
    }
}

/// Returns the best of scored entities, best first, without scores of 0; ties by number.
pub(crate) fn best(scored: impl Iterator<Item = (u32, f64)>, limit: usize) -> Vec<(u32, f64)> {
    let mut scored: Vec<(u32, f64)> = scored.filter(|(_, score)| *score > 0.0).collect();
    let order = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if scored.len() > limit && limit > 0 {
        scored.select_nth_unstable_by(limit - 1, order);
        scored.truncate(limit);
    }
    scored.sort_unstable_by(order);
    scored
}
