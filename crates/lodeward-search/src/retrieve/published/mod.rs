//! `published`: the retrieval of DURAARK D3.6 §3.2, with everything it leaves open as an option.
//!
//! BM25F gives the first results `E_b`. Members of their clusters, and entities that explicit links
//! call the same or related, join them ([`expansion`], eq. 12). The type of an entity and the type
//! that the query asks for give a factor γ ([`affinity`], eq. 13), and the words of the query beside
//! the named entities a share ([`context`], eq. 14):
//!
//! ```text
//! rank_score(e) = bm25f(q, e) / max, or score(q, e) / rank(e_b) of an added entity     (15)
//! α(e) = λ·rank_score(e)·γ + (1 − λ)·context(q, e)                                     (16)
//! ```
//!
//! Without context words, or without that part, α is `rank_score·γ`.

mod affinity;
mod context;
mod distance;
mod expansion;

use foldhash::{HashMap, HashMapExt};

pub use affinity::{
    AffinityForm, AffinityOptions, QueryTypeChoice, TypeAffinity, TypeGranularity, broad_type, detect_type, type_name,
};
pub use context::{ContextFields, ContextOptions};
pub use distance::StringDistance;
pub use expansion::{ExpansionKind, ExpansionOptions, ExpansionScore, ExpansionTarget, SIMILARITY_PREDICATES};

use super::RetrievalOptions;
use super::filter::AllowedEntities;
use super::matches::{Matches, best};
use super::mention::Mentions;
use super::query::AnalysedQuery;
use super::request::{RankedEntity, ScorePart};
use crate::index::{IndexView, SearchError};

/// The steps after BM25F; each can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedParts {
    /// Add entities by clusters or links (eq. 12).
    pub expansion: bool,
    /// Weight by type (eq. 13).
    pub affinity: bool,
    /// Add the share of context words (eq. 14).
    pub context: bool,
}

impl PublishedParts {
    /// All steps.
    pub const ALL: Self = Self { expansion: true, affinity: true, context: true };

    /// BM25F only.
    pub const NONE: Self = Self { expansion: false, affinity: false, context: false };
}

/// How scores of BM25F are brought to the range from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreNormalisation {
    /// Divided by the greatest.
    #[default]
    Maximum,
    /// The least is 0, the greatest is 1.
    Range,
    /// Not at all.
    None,
}

/// Options of the method. The defaults are the values of the paper; where it has none, ours.
#[derive(Clone, Debug)]
pub struct PublishedOptions {
    /// The steps after BM25F.
    pub parts: PublishedParts,
    /// Number k of first results `E_b`. Ours: 100.
    pub base_results: usize,
    /// How scores of BM25F are normalised.
    pub normalisation: ScoreNormalisation,
    /// Options of the expansion.
    pub expansion: ExpansionOptions,
    /// Options of the type affinity.
    pub affinity: AffinityOptions,
    /// Options of the context.
    pub context: ContextOptions,
    /// λ of eq. 16. Paper: 0.5.
    pub lambda: f64,
}

impl Default for PublishedOptions {
    fn default() -> Self {
        Self {
            parts: PublishedParts::ALL,
            base_results: 100,
            normalisation: ScoreNormalisation::default(),
            expansion: ExpansionOptions::default(),
            affinity: AffinityOptions::default(),
            context: ContextOptions::default(),
            lambda: 0.5,
        }
    }
}

/// Ranks entities.
pub(super) fn rank(
    view: &IndexView,
    query: &AnalysedQuery,
    matches: &Matches,
    allowed: &AllowedEntities,
    options: &RetrievalOptions,
    limit: usize,
) -> Result<Vec<RankedEntity>, SearchError> {
    let published = &options.published;
    let mut base = matches.best_by_words(published.base_results, allowed);
    normalise(&mut base, published.normalisation);
    let mut scores: HashMap<u32, f64> = base.iter().copied().collect();
    let mut added: HashMap<u32, f64> = HashMap::new();
    if published.parts.expansion {
        added = expansion::expand(view, query, &base, allowed, &published.expansion)?;
        for (number, score) in &added {
            *scores.entry(*number).or_default() += score;
        }
    }
    let affinity = affinity::QueryAffinity::new(query, &published.affinity);
    let mentions = Mentions::find(view, query)?;
    let has_context = published.parts.context && !mentions.context.is_empty();
    let shares = if has_context {
        context::shares(view, &mentions.context, &scores, &published.context)?
    } else {
        HashMap::new()
    };
    let mut explained: HashMap<u32, Vec<ScorePart>> = HashMap::with_capacity(scores.len());
    let mut final_scores = Vec::with_capacity(scores.len());
    for (number, score) in scores {
        let gamma = if published.parts.affinity { affinity.of(&view.record(number)?.types) } else { 1.0 };
        let weight = if has_context { published.lambda } else { 1.0 };
        let share = shares.get(&number).copied().unwrap_or(0.0);
        let by_words = weight * score * gamma;
        let by_context = (1.0 - weight) * share;
        final_scores.push((number, by_words + by_context));
        let name = if added.contains_key(&number) { "expansion" } else { "bm25f" };
        explained.insert(
            number,
            vec![
                ScorePart { name, value: score, share: by_words },
                ScorePart { name: "type_affinity", value: gamma, share: 0.0 },
                ScorePart { name: "context", value: share, share: by_context },
            ],
        );
    }
    let ranked = best(final_scores.into_iter(), limit);
    Ok(ranked
        .into_iter()
        .map(|(number, score)| (number, score, explained.remove(&number).unwrap_or_default()))
        .collect())
}

fn normalise(base: &mut [(u32, f64)], normalisation: ScoreNormalisation) {
    let max = base.first().map_or(1.0, |(_, score)| *score);
    let min = match normalisation {
        ScoreNormalisation::None => return,
        ScoreNormalisation::Maximum => 0.0,
        // The last result keeps a score above 0: it is a result.
        ScoreNormalisation::Range => base.last().map_or(0.0, |(_, score)| *score * 0.999),
    };
    for (_, score) in base {
        *score = if max > min { (*score - min) / (max - min) } else { 1.0 };
    }
}
