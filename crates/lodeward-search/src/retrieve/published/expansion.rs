//! Entities that are added to the first results (D3.6 §3.2.1).
//!
//! ```text
//! sim(q, e_c) = λ·φ(q, e_c) / φ(q, e_b) + (1 − λ)·d(e_b, e_c)     (12)
//! ```
//!
//! `sim` is a distance: less is more similar. Eq. 15 uses it as a score; we take `1 / (1 + sim)`
//! ([`ExpansionScore`]).

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use super::distance::StringDistance;
use crate::cluster::ClusterNeighbours;
use crate::index::{IndexView, SearchError};
use crate::numbers::real;
use crate::retrieve::filter::AllowedEntities;
use crate::retrieve::query::AnalysedQuery;

/// Predicates of explicit links between the same or related entities (D3.6 §3.1); those of `DBpedia`
/// in both of its namespaces.
pub const SIMILARITY_PREDICATES: [&str; 8] = [
    "http://www.w3.org/2002/07/owl#sameAs",
    "http://www.w3.org/2004/02/skos/core#related",
    "http://dbpedia.org/property/wikiPageExternalLink",
    "http://dbpedia.org/property/wikiPageDisambiguates",
    "http://dbpedia.org/property/synonym",
    "http://dbpedia.org/ontology/wikiPageExternalLink",
    "http://dbpedia.org/ontology/wikiPageDisambiguates",
    "http://dbpedia.org/ontology/synonym",
];

/// `φ(q, e_b)` of an exact match is 0, which eq. 12 divides by.
const MIN_DISTANCE: f64 = 0.05;

/// Which entities are added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpansionKind {
    /// Members of the same cluster.
    #[default]
    Clusters,
    /// Entities that an explicit link calls the same or related. Their distance d is 0.
    Links,
    /// Both.
    Both,
}

/// How the distance of eq. 12 becomes a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpansionScore {
    /// `1 / (1 + sim)`.
    #[default]
    Inverse,
    /// The distance itself, as eq. 15 prints it: less similar entities are ranked higher.
    Distance,
}

/// Which entities have a score by expansion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpansionTarget {
    /// Those that are not among the first results.
    #[default]
    New,
    /// All: it is added to the score by BM25F.
    All,
}

/// Options of the expansion.
#[derive(Clone, Debug)]
pub struct ExpansionOptions {
    /// Which entities are added.
    pub kind: ExpansionKind,
    /// The clusters; without them, only links add entities.
    pub clusters: Option<Arc<ClusterNeighbours>>,
    /// Larger clusters add nothing. Ours: 100.
    pub max_cluster_size: u32,
    /// Maximum number of entities that one entity adds. Ours: 10.
    pub max_entities: usize,
    /// λ of eq. 12. Paper: 0.5.
    pub lambda: f64,
    /// φ of eq. 12.
    pub distance: StringDistance,
    /// How the distance becomes a score.
    pub score: ExpansionScore,
    /// Which entities have a score by expansion.
    pub target: ExpansionTarget,
}

impl Default for ExpansionOptions {
    fn default() -> Self {
        Self {
            kind: ExpansionKind::default(),
            clusters: None,
            max_cluster_size: 100,
            max_entities: 10,
            lambda: 0.5,
            distance: StringDistance::default(),
            score: ExpansionScore::default(),
            target: ExpansionTarget::default(),
        }
    }
}

/// Returns the scores that expansion adds (eq. 15, first case): of several, the greatest.
pub(super) fn expand(
    view: &IndexView,
    query: &AnalysedQuery,
    base: &[(u32, f64)],
    allowed: &AllowedEntities,
    options: &ExpansionOptions,
) -> Result<HashMap<u32, f64>, SearchError> {
    let words = query.words.join(" ");
    let is_first = |number: u32| base.iter().any(|(known, _)| *known == number);
    let mut labels = LabelDistances { view, words, distance: options.distance, known: HashMap::new() };
    let mut scores: HashMap<u32, f64> = HashMap::new();
    for (at, (number, _)) in base.iter().enumerate() {
        let own = labels.of(*number)?.max(MIN_DISTANCE);
        for (other, distance) in related(view, *number, options)? {
            let is_target = options.target == ExpansionTarget::All || !is_first(other);
            if other == *number || !is_target || !allowed.contains(other) {
                continue;
            }
            let sim = options.lambda * labels.of(other)? / own + (1.0 - options.lambda) * f64::from(distance);
            let score = match options.score {
                ExpansionScore::Inverse => 1.0 / (1.0 + sim),
                ExpansionScore::Distance => sim,
            };
            let best = scores.entry(other).or_default();
            *best = best.max(score / real(at + 1));
        }
    }
    Ok(scores)
}

/// The entities that an entity adds, with their distances d.
fn related(view: &IndexView, number: u32, options: &ExpansionOptions) -> Result<Vec<(u32, f32)>, SearchError> {
    let mut found = Vec::new();
    if options.kind != ExpansionKind::Links
        && let Some(clusters) = &options.clusters
    {
        let iri = view.record(number)?.iri;
        for (member, distance) in clusters.nearest(&iri, options.max_cluster_size).take(options.max_entities) {
            let numbers = view.entities_with(view.schema.iri, member, 1)?;
            found.extend(numbers.into_iter().map(|number| (number, distance)));
        }
    }
    if options.kind != ExpansionKind::Clusters {
        let stored = view.neighbours(number)?;
        let is_link = |predicate: u32| SIMILARITY_PREDICATES.contains(&stored.predicates[predicate as usize].as_str());
        let links = stored.edges().filter(|edge| is_link(edge.predicate));
        found.extend(links.filter_map(|edge| Some((view.number(edge.neighbour)?, 0.0))).take(options.max_entities));
    }
    Ok(found)
}

/// φ of the query and labels.
struct LabelDistances<'a> {
    view: &'a IndexView,
    words: String,
    distance: StringDistance,
    known: HashMap<u32, f64>,
}

impl LabelDistances<'_> {
    fn of(&mut self, number: u32) -> Result<f64, SearchError> {
        if let Some(known) = self.known.get(&number) {
            return Ok(*known);
        }
        let distance = self.distance.of(&self.words, &self.view.record(number)?.label);
        self.known.insert(number, distance);
        Ok(distance)
    }
}
