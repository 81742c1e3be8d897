//! Queries with one typing error.

use lodeward_search::retrieve::{Method, RetrievalOptions};
use lodeward_search::{IndexView, SearchError};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use super::measures::RankingFigures;
use super::page::{SearchSection, share};
use super::retrieval::RANKS;
use super::topics::SearchTopic;

/// Measures `bm25f` and `ranked` with and without errors.
pub fn evaluate(
    section: &mut SearchSection,
    name: &str,
    view: &IndexView,
    topics: &[SearchTopic],
    seed: u64,
) -> Result<(), SearchError> {
    for (method, label) in [(Method::Bm25f, "bm25f"), (Method::Ranked, "ranked")] {
        for (case, is_changed) in [("correct", false), ("one error", true)] {
            let mut rng = SmallRng::seed_from_u64(seed);
            let mut figures = Vec::new();
            for topic in topics {
                let query = if is_changed { with_error(&topic.query, &mut rng) } else { topic.query.clone() };
                let hits = view.search(&query, method, &RetrievalOptions::default(), RANKS)?;
                figures.push(RankingFigures::new(hits.iter().map(|hit| hit.iri.as_str()), &topic.grades));
            }
            let mean = RankingFigures::mean(&figures);
            section.figure(name, label, case, "ndcg@10", mean.ndcg_10);
            section.figure(name, label, case, "ndcg@100", mean.ndcg_100);
            section.row(&[
                name.to_owned(),
                label.to_owned(),
                case.to_owned(),
                share(mean.ndcg_10),
                share(mean.ndcg_100),
            ]);
        }
    }
    Ok(())
}

/// Deletes, inserts, replaces or swaps one letter of the longest word.
fn with_error(query: &str, rng: &mut SmallRng) -> String {
    let words: Vec<&str> = query.split(' ').collect();
    let longest = words.iter().map(|word| word.chars().count()).max().unwrap_or(0);
    let Some(place) = words.iter().position(|word| word.chars().count() == longest) else { return query.to_owned() };
    let mut letters: Vec<char> = words[place].chars().collect();
    if letters.len() < 2 {
        return query.to_owned();
    }
    let letter = char::from(rng.random_range(b'a'..=b'z'));
    let at = rng.random_range(0..letters.len());
    match rng.random_range(0..4) {
        0 => _ = letters.remove(at),
        1 => letters.insert(at, letter),
        2 => letters[at] = letter,
        _ => letters.swap(at.min(longest - 2), at.min(longest - 2) + 1),
    }
    let changed: String = letters.into_iter().collect();
    let parts = words.iter().enumerate().map(|(at, word)| if at == place { changed.as_str() } else { word });
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_longest_word_is_changed() {
        let mut rng = SmallRng::seed_from_u64(3);
        for _ in 0..50 {
            let changed = with_error("old cathedral in reims", &mut rng);

            assert!(changed.starts_with("old ") && changed.ends_with(" in reims"), "{changed}");
            assert!(changed.len().abs_diff("old cathedral in reims".len()) <= 1);
        }
        assert_eq!(with_error("a", &mut rng), "a");
    }
}
