//! Training of the weights of `ranked`, and of the parameters of `bm25f`, by cross-validation.
//!
//! Everything is tuned on four folds of the queries of both collections, and measured on the fifth.
//! The search starts from neutral parameters, not from the shipped ones, which were fitted on all
//! queries.

use std::collections::HashMap;

use lodeward_search::entity::EntityKey;
use lodeward_search::retrieve::{
    Bm25fParameters, FEATURE_COUNT, FEATURE_NAMES, Method, RankedWeights, RetrievalOptions, WordPool,
};
use lodeward_search::{EntityDescription, IndexView, SearchError};

use super::ascent::ascend;
use super::collection::EntityCollection;
use super::measures::RankingFigures;
use super::page::{SearchSection, share};
use super::retrieval::{QUERY_SETS, RANKS, gain, mean_of_set};
use super::topics::{FOLDS, SearchTopic};
use crate::numbers::mean;

/// Values that are tried for the weight of a field, for its length normalisation, and for k1.
const FIELD_WEIGHTS: [f64; 7] = [0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75];
const NORMALISATIONS: [f64; 5] = [0.0, 0.2, 0.4, 0.7, 0.95];
const SATURATIONS: [f64; 5] = [0.2, 0.4, 0.8, 1.2, 2.0];

/// Steps of the weights of features.
const STEPS: [f64; 10] = [-0.5, -0.2, -0.1, -0.05, -0.02, 0.02, 0.05, 0.1, 0.2, 0.5];

/// Orders of the features over which weights are averaged.
const ORDERS: u64 = 5;

/// Number of fields whose parameters are tuned; other literals do not occur in the collections.
const FIELDS: usize = 8;

/// A collection that is trained on.
pub struct TrainedCollection<'a> {
    /// Name in reports.
    pub name: &'a str,
    /// Its index.
    pub view: &'a IndexView,
    /// Its entities.
    pub entities: &'a [EntityDescription],
    /// Its queries.
    pub topics: &'a [SearchTopic],
}

impl<'a> TrainedCollection<'a> {
    pub(super) fn new(collection: &'a EntityCollection, view: &'a IndexView, topics: &'a [SearchTopic]) -> Self {
        Self { name: &collection.name, view, entities: &collection.entities, topics }
    }
}

type GradedPool = Vec<(f64, [f64; FEATURE_COUNT])>;

/// Figures of all queries of each collection.
type AllFigures = Vec<Vec<RankingFigures>>;

/// Sets of features that the nested estimate chooses from, in training folds only: all, all but one,
/// words only.
const FEATURE_SETS: [[bool; FEATURE_COUNT]; 6] = [
    [true; FEATURE_COUNT],
    [true, false, true, true, true],
    [true, true, false, true, true],
    [true, true, true, false, true],
    [true, true, true, true, false],
    [true, false, false, false, false],
];

/// What is measured in each fold.
#[derive(Clone, Copy)]
enum TrainedMethod {
    Words,
    Ranked,
    /// The set of features is chosen in the training folds.
    Nested,
    /// Weights are trained on the other collection.
    Transferred,
}

impl TrainedMethod {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Words, "bm25f"),
        (Self::Ranked, "ranked"),
        (Self::Nested, "ranked, nested"),
        (Self::Transferred, "ranked, other only"),
    ];
}

/// Trains and measures by cross-validation.
pub fn evaluate(collections: &[TrainedCollection<'_>], seed: u64) -> Result<SearchSection, SearchError> {
    let mut section = SearchSection::new(
        "Cross-validation",
        "Parameters of `bm25f` and weights of `ranked` are tuned on four folds of both collections and measured on the \
         fifth. *Gain*: over `bm25f`. *Other only*: weights are trained on the other collection. The set of features \
         was chosen on these queries (SEARCH-STUDY.md, section 2), which the intervals do not cover. *Nested*: the set \
         is chosen in the training folds (all five features, all but one, or words only) by cross-validation in them.",
    );
    let tuned = tune_all(collections)?;
    let empty =
        || collections.iter().map(|of| vec![RankingFigures::default(); of.topics.len()]).collect::<AllFigures>();
    let mut measured = TrainedMethod::ALL.map(|_| empty());
    for (fold, parameters) in (0..FOLDS).zip(&tuned) {
        let options = RetrievalOptions { bm25f: parameters.clone(), ..RetrievalOptions::default() };
        let pools = pools(collections, &options)?;
        let trainer = Trainer { collections, pools: &pools };
        let is_test = |topic: &SearchTopic| topic.fold("") == fold;
        let all = FEATURE_SETS[0];
        let weights = trainer.train(all, ORDERS, |_, topic| !is_test(topic));
        let nested = trainer.train(trainer.choose_features(fold), ORDERS, |_, topic| !is_test(topic));
        for (at, of) in collections.iter().enumerate() {
            let other = trainer.train(all, ORDERS, |place, topic| place != at && !is_test(topic));
            for (place, topic) in of.topics.iter().enumerate().filter(|(_, topic)| is_test(topic)) {
                for ((method, _), figures) in TrainedMethod::ALL.iter().zip(&mut measured) {
                    figures[at][place] = match method {
                        TrainedMethod::Words => {
                            let hits = of.view.search(&topic.query, Method::Bm25f, &options, RANKS)?;
                            RankingFigures::new(hits.iter().map(|hit| hit.iri.as_str()), &topic.grades)
                        }
                        TrainedMethod::Ranked => rank(&pools[at][place], topic, &weights),
                        TrainedMethod::Nested => rank(&pools[at][place], topic, &nested),
                        TrainedMethod::Transferred => rank(&pools[at][place], topic, &other),
                    };
                }
            }
        }
    }
    write_table(&mut section, collections, &measured, seed);
    write_weights(&mut section, collections)?;
    Ok(section)
}

fn write_table(section: &mut SearchSection, collections: &[TrainedCollection<'_>], measured: &[AllFigures], seed: u64) {
    let mut heads = vec!["collection", "method"];
    heads.extend(RankingFigures::NAMES);
    heads.extend(["gain @10", "gain @100"]);
    let sets = QUERY_SETS.map(|set| format!("{set}: gain @10"));
    heads.extend(sets.iter().map(String::as_str));
    section.table(&heads);
    for (at, of) in collections.iter().enumerate() {
        for ((_, method), figures) in TrainedMethod::ALL.iter().zip(measured) {
            let (base, ours) = (&measured[0][at], &figures[at]);
            let mut cells = vec![of.name.to_owned(), (*method).to_owned()];
            cells.extend(RankingFigures::mean(ours).values().map(share));
            cells.push(gain(base, ours, |figures| figures.ndcg_10, seed));
            cells.push(gain(base, ours, |figures| figures.ndcg_100, seed));
            let set_mean = |figures: &[RankingFigures], set| mean_of_set(of.topics, figures, set).ndcg_10;
            cells.extend(QUERY_SETS.map(|set| format!("{:+.3}", set_mean(ours, set) - set_mean(base, set))));
            section.row(&cells);
            for (topic, figures) in of.topics.iter().zip(ours) {
                section.figure(of.name, &format!("{method}, cross-validated"), &topic.id, "ndcg@10", figures.ndcg_10);
                section.figure(of.name, &format!("{method}, cross-validated"), &topic.id, "ndcg@100", figures.ndcg_100);
            }
        }
    }
    section.end_table();
}

/// Weights that are trained on all queries, with the shipped parameters of `bm25f`.
fn write_weights(section: &mut SearchSection, collections: &[TrainedCollection<'_>]) -> Result<(), SearchError> {
    let pools = pools(collections, &RetrievalOptions::default())?;
    let weights = Trainer { collections, pools: &pools }.train(FEATURE_SETS[0], ORDERS, |_, _| true);
    section.table(&["feature", "trained on all queries", "shipped"]);
    for (at, name) in FEATURE_NAMES.iter().enumerate() {
        let shipped = RankedWeights::default().0[at];
        section.row(&[(*name).to_owned(), format!("{:.2}", weights.0[at]), format!("{shipped:.2}")]);
    }
    section.end_table();
    Ok(())
}

/// Parameters of `bm25f` for each fold, tuned on the other folds.
fn tune_all(collections: &[TrainedCollection<'_>]) -> Result<Vec<Bm25fParameters>, SearchError> {
    let pools = word_pools(collections)?;
    let mut known: HashMap<Vec<u64>, AllFigures> = HashMap::new();
    let mut tuned = Vec::new();
    for fold in 0..FOLDS {
        let objective = |numbers: &[f64]| {
            let key = numbers.iter().map(|number| number.to_bits()).collect();
            let figures = known.entry(key).or_insert_with(|| measure_words(&pools, &parameters(numbers)));
            mean(figures.iter().zip(collections).map(|(figures, of)| {
                let own = of.topics.iter().zip(figures).filter(|(topic, _)| topic.fold("") != fold);
                mean(own.map(|(_, figures)| figures.objective()))
            }))
        };
        tuned.push(parameters(&ascend(neutral(), fold, |at, _| grid(at), objective)));
    }
    Ok(tuned)
}

/// k1, then weights of all fields except labels, then length normalisation of all fields.
fn neutral() -> Vec<f64> {
    let (weights, normalisations) = ([0.2; FIELDS - 1], [0.4; FIELDS]);
    [0.8].into_iter().chain(weights).chain(normalisations).collect()
}

fn grid(at: usize) -> Vec<f64> {
    match at {
        0 => SATURATIONS.to_vec(),
        1..FIELDS => FIELD_WEIGHTS.to_vec(),
        _ => NORMALISATIONS.to_vec(),
    }
}

fn parameters(numbers: &[f64]) -> Bm25fParameters {
    let mut parameters = Bm25fParameters { k1: numbers[0], ..Bm25fParameters::default() };
    parameters.weights[1..FIELDS].copy_from_slice(&numbers[1..FIELDS]);
    parameters.length_normalisation[..FIELDS].copy_from_slice(&numbers[FIELDS..]);
    parameters
}

/// The words of a query, with the grades of entities.
type GradedWords<'a> = (WordPool, HashMap<EntityKey, f64>, &'a SearchTopic);

fn word_pools<'a>(collections: &[TrainedCollection<'a>]) -> Result<Vec<Vec<GradedWords<'a>>>, SearchError> {
    let options = RetrievalOptions::default();
    let mut all = Vec::new();
    for of in collections {
        let keys: HashMap<&str, EntityKey> =
            of.entities.iter().map(|entity| (entity.iri.as_str(), entity.key)).collect();
        let mut pools = Vec::new();
        for topic in of.topics {
            let grade = |(iri, grade): (&String, &f64)| Some((*keys.get(iri.as_str())?, *grade));
            let grades = topic.grades.iter().filter_map(grade).collect();
            pools.push((of.view.word_pool(&topic.query, &options)?, grades, topic));
        }
        all.push(pools);
    }
    Ok(all)
}

fn measure_words(pools: &[Vec<GradedWords<'_>>], parameters: &Bm25fParameters) -> AllFigures {
    let measure = |(pool, grades, topic): &GradedWords<'_>| {
        let gains = pool.rank(parameters, RANKS).into_iter().map(|key| grades.get(&key).copied().unwrap_or(0.0));
        RankingFigures::from_gains(&gains.collect::<Vec<f64>>(), topic.grades.values().copied().collect())
    };
    pools.iter().map(|pools| crate::parallel::map(pools, None, measure)).collect()
}

/// The pools of all queries, with grades.
fn pools(
    collections: &[TrainedCollection<'_>],
    options: &RetrievalOptions,
) -> Result<Vec<Vec<GradedPool>>, SearchError> {
    let of_collection = |of: &TrainedCollection<'_>| {
        let found = crate::parallel::map(of.topics, None, |topic| {
            let grade = |iri: &str| topic.grades.get(iri).copied().unwrap_or(0.0);
            let pool = of.view.feature_pool(&topic.query, options)?;
            Ok(pool.into_iter().map(|(iri, features)| (grade(&iri), features)).collect())
        });
        found.into_iter().collect::<Result<Vec<GradedPool>, SearchError>>()
    };
    collections.iter().map(of_collection).collect()
}

/// Trains weights on the pools of queries.
struct Trainer<'a> {
    collections: &'a [TrainedCollection<'a>],
    pools: &'a [Vec<GradedPool>],
}

impl<'a> Trainer<'a> {
    fn chosen(&self, is_chosen: impl Fn(usize, &SearchTopic) -> bool) -> Vec<Vec<(&'a GradedPool, &'a SearchTopic)>> {
        let mut chosen: Vec<Vec<(&GradedPool, &SearchTopic)>> = Vec::new();
        for (at, of) in self.collections.iter().enumerate() {
            let own = of.topics.iter().zip(&self.pools[at]).filter(|(topic, _)| is_chosen(at, topic));
            chosen.push(own.map(|(topic, pool)| (pool, topic)).collect());
        }
        chosen.retain(|queries| !queries.is_empty());
        chosen
    }

    /// Weights with the best objective on the chosen queries: mean over several orders of the features.
    fn train(
        &self,
        features: [bool; FEATURE_COUNT],
        orders: u64,
        is_chosen: impl Fn(usize, &SearchTopic) -> bool,
    ) -> RankedWeights {
        let chosen = self.chosen(is_chosen);
        let moves = |at: usize, value: f64| {
            let steps = STEPS.map(|step| value + step).into_iter().filter(|value| *value >= 0.0 && features[at]);
            steps.collect()
        };
        let mut start = vec![0.0; FEATURE_COUNT];
        start[0] = 1.0;
        let objective = |numbers: &[f64]| objective(&chosen, &normalised(numbers));
        let orders: Vec<RankedWeights> =
            (0..orders).map(|order| normalised(&ascend(start.clone(), order, moves, objective))).collect();
        RankedWeights(std::array::from_fn(|at| mean(orders.iter().map(|weights| weights.0[at]))))
    }

    /// The set of features with the best objective in a cross-validation of the folds except `test`.
    fn choose_features(&self, test: u64) -> [bool; FEATURE_COUNT] {
        let mut best = (f64::NEG_INFINITY, FEATURE_SETS[0]);
        for set in FEATURE_SETS {
            let reached = mean((0..FOLDS).filter(|fold| *fold != test).map(|inner| {
                let fold = |topic: &SearchTopic| topic.fold("");
                let weights = self.train(set, 1, |_, topic| fold(topic) != test && fold(topic) != inner);
                objective(&self.chosen(|_, topic| fold(topic) == inner), &weights)
            }));
            if reached > best.0 {
                best = (reached, set);
            }
        }
        best.1
    }
}

/// Mean over the collections.
fn objective(chosen: &[Vec<(&GradedPool, &SearchTopic)>], weights: &RankedWeights) -> f64 {
    mean(chosen.iter().map(|queries| {
        mean(crate::parallel::map(queries, None, |(pool, topic)| rank(pool, topic, weights).objective()))
    }))
}

/// Weights with the sum 1.
fn normalised(numbers: &[f64]) -> RankedWeights {
    let sum: f64 = numbers.iter().sum();
    RankedWeights(std::array::from_fn(|at| if sum > 0.0 { numbers[at] / sum } else { 0.0 }))
}

/// Measures the ranking of a pool; of equal scores, the earlier entity is first.
fn rank(pool: &GradedPool, topic: &SearchTopic, weights: &RankedWeights) -> RankingFigures {
    let score = |features: &[f64; FEATURE_COUNT]| -> f64 {
        features.iter().zip(weights.0).map(|(value, weight)| value * weight).sum()
    };
    let mut scored: Vec<(f64, usize)> = pool.iter().enumerate().map(|(at, (_, f))| (score(f), at)).collect();
    let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if scored.len() > RANKS {
        scored.select_nth_unstable_by(RANKS, order);
        scored.truncate(RANKS);
    }
    scored.sort_unstable_by(order);
    let gains: Vec<f64> = scored.into_iter().map(|(_, at)| pool[at].0).collect();
    RankingFigures::from_gains(&gains, topic.grades.values().copied().collect())
}
