//! The published retrieval (D3.6 §3.2): every reading of its equations, beside BM25F.

use std::path::Path;
use std::sync::Arc;

use lodeward_search::cluster::{
    ClusterAlgorithm, ClusterNeighbourOptions, ClusterNeighbours, ClusterOptions, Clustering,
};
use lodeward_search::retrieve::published::{
    AffinityForm, AffinityOptions, ContextFields, ExpansionOptions, ExpansionScore, ExpansionTarget, PublishedOptions,
    PublishedParts, QueryTypeChoice, StringDistance, TypeAffinity, TypeGranularity,
};
use lodeward_search::retrieve::{Method, RetrievalOptions};
use lodeward_search::vectors::{EntityVectors, VectorFeatures, VectorOptions};
use lodeward_search::{IndexView, SearchError};

use super::SearchEvalError;
use super::collection::EntityCollection;
use super::measures::RankingFigures;
use super::page::{SearchSection, share};
use super::retrieval::{RANKS, gain};
use super::topics::{FOLDS, SearchTopic};
use super::types::QueryTypes;

/// Where the type of a query comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TypeSource {
    Judged,
    Detected,
}

/// Which clusters expand the results.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ClusterSource {
    /// X-means on the printed vector.
    XMeans,
    /// The default of `lodeward cluster`.
    Communities,
}

/// A reading of the equations.
struct PublishedReading {
    name: &'static str,
    types: TypeSource,
    clusters: ClusterSource,
    options: PublishedOptions,
}

const EXPANSION: PublishedParts = PublishedParts { expansion: true, affinity: false, context: false };
const AFFINITY: PublishedParts = PublishedParts { expansion: false, affinity: true, context: false };
const CONTEXT: PublishedParts = PublishedParts { expansion: false, affinity: false, context: true };

fn readings() -> Vec<PublishedReading> {
    let mut readings = expansion_readings();
    readings.extend(affinity_readings());
    readings.extend(context_readings());
    readings
}

fn reading(name: &'static str, options: PublishedOptions) -> PublishedReading {
    PublishedReading { name, types: TypeSource::Judged, clusters: ClusterSource::XMeans, options }
}

fn expansion_readings() -> Vec<PublishedReading> {
    let with = |name, change: &dyn Fn(&mut ExpansionOptions)| {
        let mut options = PublishedOptions { parts: EXPANSION, ..PublishedOptions::default() };
        change(&mut options.expansion);
        reading(name, options)
    };
    let communities = with("eq. 12, 1/(1+d), new entities, communities", &|_| {});
    vec![
        with("eq. 12, 1/(1+d), new entities, X-means", &|_| {}),
        PublishedReading { clusters: ClusterSource::Communities, ..communities },
        with("– φ by words", &|options| options.distance = StringDistance::Words),
        with("– added to entities already found", &|options| options.target = ExpansionTarget::All),
        with("– distance as score (as printed), new entities", &|options| options.score = ExpansionScore::Distance),
        with("– distance as score, added to all", &|options| {
            options.score = ExpansionScore::Distance;
            options.target = ExpansionTarget::All;
        }),
    ]
}

fn affinity_readings() -> Vec<PublishedReading> {
    let with = |name, form, granularity, power| {
        let affinity = AffinityOptions { form, granularity, power, ..AffinityOptions::default() };
        reading(name, PublishedOptions { parts: AFFINITY, affinity, ..PublishedOptions::default() })
    };
    let detected = |reading| PublishedReading { types: TypeSource::Detected, ..reading };
    let (fine, broad) = (TypeGranularity::Fine, TypeGranularity::Broad);
    vec![
        with("γ eq. 13 as printed, judged type", AffinityForm::Published, fine, 1.0),
        with("– broad types", AffinityForm::Published, broad, 1.0),
        with("– to the power .25", AffinityForm::Published, fine, 0.25),
        detected(with("– as printed, detected type", AffinityForm::Published, fine, 1.0)),
        with("γ as lift, judged type", AffinityForm::Lift, fine, 1.0),
        with("– to the power .25", AffinityForm::Lift, fine, 0.25),
        with("– to the power .25, broad types", AffinityForm::Lift, broad, 0.25),
        detected(with("– to the power .25, detected type", AffinityForm::Lift, fine, 0.25)),
        detected(with("– to the power .25, detected broad type", AffinityForm::Lift, broad, 0.25)),
    ]
}

fn context_readings() -> Vec<PublishedReading> {
    let with = |name, parts, fields, lambda, affinity: AffinityOptions| {
        let mut options = PublishedOptions { parts, lambda, affinity, ..PublishedOptions::default() };
        options.context.fields = fields;
        reading(name, options)
    };
    let printed = AffinityOptions::default;
    let lift = |power| AffinityOptions { form: AffinityForm::Lift, power, ..AffinityOptions::default() };
    let detected = |reading| PublishedReading { types: TypeSource::Detected, ..reading };
    let all = PublishedParts::ALL;
    let scaled = AffinityOptions { form: AffinityForm::Scaled, ..AffinityOptions::default() };
    vec![
        with("context eq. 14, names, λ .5", CONTEXT, ContextFields::Names, 0.5, printed()),
        with("context, literals, λ .5 (as printed)", CONTEXT, ContextFields::Literals, 0.5, printed()),
        with("context, all fields, λ .5", CONTEXT, ContextFields::All, 0.5, printed()),
        with("context, all fields, λ .9", CONTEXT, ContextFields::All, 0.9, printed()),
        with("eq. 16 complete as printed, judged type", all, ContextFields::Literals, 0.5, printed()),
        detected(with("eq. 16 complete as printed, detected type", all, ContextFields::Literals, 0.5, printed())),
        with("eq. 16, γ scaled, λ .9, judged type", all, ContextFields::All, 0.9, scaled),
        with("eq. 16, lift^.5, λ .9, judged type", all, ContextFields::All, 0.9, lift(0.5)),
        with("**repaired**: lift^.25, λ .9, all fields, judged type", all, ContextFields::All, 0.9, lift(0.25)),
        detected(with("**repaired**, detected type", all, ContextFields::All, 0.9, lift(0.25))),
    ]
}

/// A collection with everything that a reading needs.
struct PreparedCollection<'a> {
    name: &'a str,
    view: &'a IndexView,
    topics: &'a [SearchTopic],
    x_means: Arc<ClusterNeighbours>,
    communities: Arc<ClusterNeighbours>,
}

/// Measures all readings on both collections.
pub(super) fn evaluate(
    directory: &Path,
    collections: &[(&EntityCollection, &[SearchTopic])],
    seed: u64,
) -> Result<SearchSection, SearchEvalError> {
    let mut section = SearchSection::new(
        "Published retrieval",
        "Readings of D3.6 eq. 12 to 16 on the results of `bm25f`, with the shipped parameters, k = 100, clusters of at \
         most 100 entities, 10 entities of each; λ of eq. 12 is .5. *Gain*: over `bm25f`. p(t_e|t_q) is counted on \
         the queries of the other folds. A judged type is the type that most judges gave a query: an upper bound.",
    );
    let types = QueryTypes::load(directory)?;
    let tables: Vec<Arc<TypeAffinity>> =
        (0..FOLDS).map(|fold| Arc::new(types.count(collections, |topic| topic.fold("") != fold))).collect();
    let mut heads = vec!["collection", "reading"];
    heads.extend(RankingFigures::NAMES);
    heads.extend(["gain @10", "gain @100"]);
    section.table(&heads);
    for (collection, topics) in collections {
        let view = super::retrieval::index(collection)?;
        let prepared = PreparedCollection {
            name: &collection.name,
            view: &view,
            topics,
            x_means: clusters(collection, VectorFeatures::Published, ClusterAlgorithm::XMeans),
            communities: clusters(collection, VectorFeatures::WithPredicates, ClusterAlgorithm::Communities),
        };
        measure_all(&mut section, &prepared, &types, &tables, seed)?;
    }
    section.end_table();
    Ok(section)
}

fn clusters(
    collection: &EntityCollection,
    features: VectorFeatures,
    algorithm: ClusterAlgorithm,
) -> Arc<ClusterNeighbours> {
    let Ok(vectors) = EntityVectors::read(&collection.entities[..], &VectorOptions::new(features));
    let clustering = Clustering::new(&vectors, &ClusterOptions { algorithm, ..ClusterOptions::default() });
    let iri = |number: usize| collection.entities[number].iri.clone();
    Arc::new(ClusterNeighbours::new(&vectors, &clustering, &ClusterNeighbourOptions::default(), iri))
}

fn measure_all(
    section: &mut SearchSection,
    collection: &PreparedCollection<'_>,
    types: &QueryTypes,
    tables: &[Arc<TypeAffinity>],
    seed: u64,
) -> Result<(), SearchError> {
    let none = reading("bm25f", PublishedOptions { parts: PublishedParts::NONE, ..PublishedOptions::default() });
    let base = measure(collection, &none, types, tables)?;
    for reading in [none].into_iter().chain(readings()) {
        let figures = measure(collection, &reading, types, tables)?;
        let mut cells = vec![collection.name.to_owned(), reading.name.to_owned()];
        let mean = RankingFigures::mean(&figures);
        cells.extend(mean.values().map(share));
        cells.push(gain(&base, &figures, |figures| figures.ndcg_10, seed));
        cells.push(gain(&base, &figures, |figures| figures.ndcg_100, seed));
        section.row(&cells);
        for (name, value) in RankingFigures::NAMES.iter().zip(mean.values()) {
            section.figure(collection.name, &format!("published, {}", reading.name), "", name, value);
        }
    }
    Ok(())
}

fn measure(
    collection: &PreparedCollection<'_>,
    reading: &PublishedReading,
    types: &QueryTypes,
    tables: &[Arc<TypeAffinity>],
) -> Result<Vec<RankingFigures>, SearchError> {
    let found = crate::parallel::map(collection.topics, None, |topic| {
        let mut published = reading.options.clone();
        let fold = usize::try_from(topic.fold("")).expect("folds are few");
        published.affinity.table = Arc::clone(&tables[fold]);
        published.affinity.query_type = match reading.types {
            TypeSource::Detected => QueryTypeChoice::Detected,
            TypeSource::Judged => QueryTypeChoice::Given(types.of(topic).unwrap_or_default().to_owned()),
        };
        published.expansion.clusters = Some(Arc::clone(match reading.clusters {
            ClusterSource::XMeans => &collection.x_means,
            ClusterSource::Communities => &collection.communities,
        }));
        let options = RetrievalOptions { published, ..RetrievalOptions::default() };
        let hits = collection.view.search(&topic.query, Method::Published, &options, RANKS)?;
        Ok(RankingFigures::new(hits.iter().map(|hit| hit.iri.as_str()), &topic.grades))
    });
    found.into_iter().collect()
}
