//! Similar entities: one relevant entity of a query finds the others.

use lodeward_search::similar::SimilarityIndex;

use super::collection::{EntityCollection, entity_key, entity_place};
use super::measures::RankingFigures;
use super::page::{SearchSection, share};
use super::topics::{SearchTopic, digest};

/// Number of entities of a topic that serve as seeds, and minimum number of its relevant ones.
const SEEDS: usize = 3;

/// Measures similar entities on collections with their topics.
#[must_use]
pub fn evaluate(collections: &[(&EntityCollection, &[SearchTopic])]) -> SearchSection {
    let mut section = SearchSection::new(
        "Similar entities",
        "Seed: one relevant entity of a query (three for each query, by grade, then by MD5 of the IRI). Targets: its \
         other relevant entities.",
    );
    section.table(&["collection", "queries", "nDCG@10", "nDCG@100", "MAP", "P@10", "recall@100"]);
    for (collection, topics) in collections {
        let Ok(index) = SimilarityIndex::read(&collection.entities[..]);
        let topics: Vec<&SearchTopic> = topics.iter().filter(|topic| topic.grades.len() >= SEEDS).collect();
        let mut all = Vec::new();
        for topic in &topics {
            let figures: Vec<RankingFigures> =
                seeds(topic).iter().filter_map(|seed| measure(collection, &index, topic, seed)).collect();
            let mean = RankingFigures::mean(&figures);
            section.figure(&collection.name, "similar", &topic.id, "ndcg@10", mean.ndcg_10);
            section.figure(&collection.name, "similar", &topic.id, "recall@100", mean.recall_100);
            all.push(mean);
        }
        let mut cells = vec![collection.name.clone(), topics.len().to_string()];
        cells.extend(RankingFigures::mean(&all).values().map(share));
        section.row(&cells);
    }
    section.end_table();
    section
}

fn seeds(topic: &SearchTopic) -> Vec<&str> {
    let mut relevant: Vec<(&String, &f64)> = topic.grades.iter().collect();
    relevant.sort_by(|a, b| b.1.total_cmp(a.1).then_with(|| digest(a.0).cmp(&digest(b.0))));
    relevant.into_iter().take(SEEDS).map(|(iri, _)| iri.as_str()).collect()
}

fn measure(
    collection: &EntityCollection,
    index: &SimilarityIndex,
    topic: &SearchTopic,
    seed: &str,
) -> Option<RankingFigures> {
    let found = index.similar(entity_key(collection.place(seed)?), 100)?;
    let mut targets = topic.grades.clone();
    targets.remove(seed);
    let ranking = found.iter().map(|similar| collection.entities[entity_place(similar.key)].iri.as_str());
    Some(RankingFigures::new(ranking, &targets))
}
