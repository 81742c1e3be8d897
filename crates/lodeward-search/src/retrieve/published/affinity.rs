//! How likely entities of a type answer queries for a type (D3.6 §3.2.2, eq. 13).
//!
//! ```text
//! γ(t_e, t_q) = p(t_e|t_q) / Σ_{t' ≠ t_q} (1 − p(t_e|t'))     (13)
//! ```
//!
//! The probabilities are counts of types of relevant entities by the type that a query asks for:
//! `data/type-affinity.tsv`, made by `lodeward-eval search types`. Types are compared by the words of
//! their names, so that the table serves any vocabulary with similar names. `data/query-types.tsv`
//! has the broad type of each query type, and words that ask for it.

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use foldhash::HashMap;

use crate::retrieve::query::AnalysedQuery;
use crate::text::names::name_words;
use crate::text::{StemmedLanguages, words};

/// Query types, their broad types and words, as shipped.
const QUERY_TYPES: &str = include_str!("../../../data/query-types.tsv");

/// Counts of types, as shipped.
const COUNTS: &str = include_str!("../../../data/type-affinity.tsv");

static SHIPPED: LazyLock<Arc<TypeAffinity>> = LazyLock::new(|| Arc::new(TypeAffinity::parse(COUNTS)));

/// The type that a query asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum QueryTypeChoice {
    /// Detected from the words of the query.
    #[default]
    Detected,
    /// Given by its name: `film`, `office holder`. A name that the table does not have changes
    /// nothing.
    Given(String),
}

/// How fine query types are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TypeGranularity {
    /// As in the table: `film`.
    #[default]
    Fine,
    /// One of a few broad types: `work`.
    Broad,
}

/// The form of γ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AffinityForm {
    /// Eq. 13. An entity without a known type has γ = 0, as p is 0.
    #[default]
    Published,
    /// Eq. 13, divided by its greatest value for the query type.
    Scaled,
    /// `p(t_e|t_q) / p(t_e)`, smoothed; 1 for an entity without a known type.
    Lift,
}

/// Options of the type affinity.
#[derive(Clone, Debug)]
pub struct AffinityOptions {
    /// The counts.
    pub table: Arc<TypeAffinity>,
    /// The type that the query asks for.
    pub query_type: QueryTypeChoice,
    /// How fine query types are.
    pub granularity: TypeGranularity,
    /// The form of γ.
    pub form: AffinityForm,
    /// Exponent of γ. Paper: 1.
    pub power: f64,
}

impl Default for AffinityOptions {
    fn default() -> Self {
        Self {
            table: Arc::clone(&SHIPPED),
            query_type: QueryTypeChoice::default(),
            granularity: TypeGranularity::default(),
            form: AffinityForm::default(),
            power: 1.0,
        }
    }
}

/// How often entities of a type are relevant to queries for a type.
#[derive(Clone, Debug, Default)]
pub struct TypeAffinity {
    /// Names of query types.
    query_types: Vec<String>,
    /// By name of the entity type: count for each query type.
    counts: HashMap<String, Vec<f64>>,
}

impl TypeAffinity {
    /// Reads counts: query type, entity type, count in each line; lines that begin with `#` are
    /// comments.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut table = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let cells: Vec<&str> = line.split('\t').collect();
            if let [query_type, entity_type, count] = cells[..] {
                table.add(query_type, entity_type, count.parse().unwrap_or(0.0));
            }
        }
        table
    }

    /// Adds to a count.
    pub fn add(&mut self, query_type: &str, entity_type: &str, count: f64) {
        let place = self.query_types.iter().position(|known| known == query_type).unwrap_or_else(|| {
            self.query_types.push(query_type.to_owned());
            self.query_types.len() - 1
        });
        let counts = self.counts.entry(entity_type.to_owned()).or_default();
        if counts.len() <= place {
            counts.resize(place + 1, 0.0);
        }
        counts[place] += count;
    }

    /// The counts as text, sorted; [`Self::parse`] reads it.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut rows: Vec<(&str, &str, f64)> = Vec::new();
        for (entity_type, counts) in &self.counts {
            let counted = self.query_types.iter().zip(counts).filter(|(_, count)| **count > 0.0);
            rows.extend(counted.map(|(query_type, count)| (query_type.as_str(), entity_type.as_str(), *count)));
        }
        rows.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        let mut text = String::new();
        for (query_type, entity_type, count) in rows {
            let _ = writeln!(text, "{query_type}\t{entity_type}\t{count:.2}");
        }
        text
    }

    /// The table with broad query types.
    #[must_use]
    pub fn broad(&self) -> Self {
        let mut table = Self::default();
        for (entity_type, counts) in &self.counts {
            for (query_type, count) in self.query_types.iter().zip(counts) {
                table.add(broad_type(query_type), entity_type, *count);
            }
        }
        table
    }

    /// Names of the query types.
    #[must_use]
    pub fn query_types(&self) -> &[String] {
        &self.query_types
    }

    /// Names of the entity types.
    pub fn entity_types(&self) -> impl Iterator<Item = &str> {
        self.counts.keys().map(String::as_str)
    }

    /// `p(t_e|t_q)`.
    #[must_use]
    pub fn probability(&self, entity_type: &str, query_type: &str) -> f64 {
        let Some(place) = self.query_types.iter().position(|known| known == query_type) else { return 0.0 };
        let count = |counts: &Vec<f64>| counts.get(place).copied().unwrap_or(0.0);
        let total: f64 = self.counts.values().map(count).sum();
        let own = self.counts.get(entity_type).map_or(0.0, count);
        if total > 0.0 { own / total } else { 0.0 }
    }

    /// γ of all entity types for a query type.
    fn factors(&self, place: usize, form: AffinityForm) -> HashMap<String, f64> {
        let mut totals = vec![0.0; self.query_types.len()];
        for counts in self.counts.values() {
            counts.iter().zip(&mut totals).for_each(|(count, total)| *total += count);
        }
        let all: f64 = totals.iter().sum();
        let probability = |counts: &[f64], at: usize| {
            let count = counts.get(at).copied().unwrap_or(0.0);
            if totals[at] > 0.0 { count / totals[at] } else { 0.0 }
        };
        let factor = |counts: &Vec<f64>| match form {
            AffinityForm::Published | AffinityForm::Scaled => {
                let others = (0..totals.len()).filter(|at| *at != place);
                let rest: f64 = others.map(|at| 1.0 - probability(counts, at)).sum();
                probability(counts, place) / rest.max(1e-9)
            }
            AffinityForm::Lift => {
                let expected = counts.iter().sum::<f64>() * totals[place] / all.max(1e-9);
                (counts.get(place).copied().unwrap_or(0.0) + SMOOTHING) / (expected + SMOOTHING)
            }
        };
        let mut factors: HashMap<String, f64> =
            self.counts.iter().map(|(entity_type, counts)| (entity_type.clone(), factor(counts))).collect();
        if form == AffinityForm::Scaled {
            let max = factors.values().copied().fold(0.0, f64::max).max(1e-12);
            for factor in factors.values_mut() {
                *factor /= max;
            }
        }
        factors
    }
}

/// Added to both counts of a lift, so that rare types have a lift near 1.
const SMOOTHING: f64 = 1.0;

/// A row of `query-types.tsv`.
struct QueryTypeRow {
    name: &'static str,
    broad: &'static str,
    /// Names and words that ask for it.
    phrases: Vec<Vec<String>>,
}

static ROWS: LazyLock<Vec<QueryTypeRow>> = LazyLock::new(|| {
    let mut rows = Vec::new();
    for line in QUERY_TYPES.lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.split('\t');
        let (Some(name), Some(broad)) = (cells.next(), cells.next()) else { continue };
        let others = cells.next().unwrap_or_default().split(", ");
        let stemmed = StemmedLanguages::default();
        let phrase = |text: &str| words(text).into_iter().map(|word| stemmed.term(word, None)).collect::<Vec<String>>();
        let phrases = [name].into_iter().chain(others).map(phrase).filter(|phrase| !phrase.is_empty()).collect();
        rows.push(QueryTypeRow { name, broad, phrases });
    }
    rows
});

/// The broad type of a query type: `work` of `film`; `other` if it is unknown.
#[must_use]
pub fn broad_type(query_type: &str) -> &'static str {
    ROWS.iter().find(|row| row.name == query_type).map_or("other", |row| row.broad)
}

/// The type that the words of a query ask for: the first phrase that names one, of several at the
/// same place the longest. Words such as `who` count only if nothing else does.
#[must_use]
pub fn detect_type(query: &AnalysedQuery) -> Option<&'static str> {
    let stemmed = StemmedLanguages::default();
    let terms: Vec<String> = query.words.iter().map(|word| stemmed.term(word.clone(), None)).collect();
    let mut found: Option<((bool, usize, usize), &'static str)> = None;
    for row in ROWS.iter() {
        for phrase in &row.phrases {
            let Some(place) = terms.windows(phrase.len()).position(|part| part == phrase) else { continue };
            let is_question = phrase.iter().all(|word| crate::text::is_stop_word(word));
            let key = (is_question, place, usize::MAX - phrase.len());
            if found.as_ref().is_none_or(|(best, _)| key < *best) {
                found = Some((key, row.name));
            }
        }
    }
    found.map(|(_, name)| name)
}

/// γ for one query.
pub(super) struct QueryAffinity {
    /// By entity type; none if the type of the query is unknown.
    factors: Option<HashMap<String, f64>>,
    unknown: f64,
    power: f64,
}

impl QueryAffinity {
    pub(super) fn new(query: &AnalysedQuery, options: &AffinityOptions) -> Self {
        let name = match &options.query_type {
            QueryTypeChoice::Given(name) => Some(type_name(name)),
            QueryTypeChoice::Detected => detect_type(query).map(str::to_owned),
        };
        let broad;
        let (table, name) = match options.granularity {
            TypeGranularity::Fine => (&*options.table, name),
            TypeGranularity::Broad => {
                broad = options.table.broad();
                let known =
                    |name: String| if broad.query_types.contains(&name) { name } else { broad_type(&name).to_owned() };
                (&broad, name.map(known))
            }
        };
        let place = name.and_then(|name| table.query_types.iter().position(|known| *known == name));
        let unknown = if options.form == AffinityForm::Lift { 1.0 } else { 0.0 };
        Self { factors: place.map(|place| table.factors(place, options.form)), unknown, power: options.power }
    }

    /// γ of an entity: of several types, the greatest.
    pub(super) fn of(&self, types: &[String]) -> f64 {
        let Some(factors) = &self.factors else { return 1.0 };
        let known = types.iter().filter_map(|kind| factors.get(&type_name(kind)));
        let greatest =
            known.copied().fold(None, |most: Option<f64>, factor| Some(most.map_or(factor, |most| most.max(factor))));
        greatest.unwrap_or(self.unknown).powf(self.power)
    }
}

/// The words of the name of a type.
#[must_use]
pub fn type_name(iri: &str) -> String {
    name_words(iri).join(" ")
}
