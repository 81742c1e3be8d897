//! How a cluster is called: its main type, and the words that distinguish the labels of its members.

use foldhash::{HashMap, HashSet};
use lodeward_search::entity::TaggedText;
use lodeward_search::text::names::name_from_iri;
use lodeward_search::text::{is_stop_word, words};

use crate::display_text::single_line;

/// Number of types and of words that describe a cluster.
const MAX_TYPES: usize = 3;
const MAX_WORDS: usize = 3;

/// Share of the members that have a type or a word which describes the cluster.
const MIN_TYPE_SHARE: f64 = 0.2;
const MIN_WORD_COUNT: u64 = 2;

/// In how many clusters each word occurs.
pub(super) struct ClusterNames {
    clusters: u64,
    frequencies: HashMap<String, u64>,
}

impl ClusterNames {
    pub(super) fn new<'l, L: Iterator<Item = &'l str>>(clusters: impl Iterator<Item = L>) -> Self {
        let mut names = Self { clusters: 0, frequencies: HashMap::default() };
        for labels in clusters {
            names.clusters += 1;
            let distinct: HashSet<String> = labels.flat_map(words).collect();
            for word in distinct {
                *names.frequencies.entry(word).or_default() += 1;
            }
        }
        names
    }

    /// The name of a cluster: of its main type and, if there are any, its words.
    pub(super) fn label<'l>(&self, labels: impl Iterator<Item = &'l str>, main_type: Option<&String>) -> String {
        let mut counts: HashMap<String, u64> = HashMap::default();
        let mut only = None;
        for label in labels {
            only.get_or_insert(label);
            let distinct: HashSet<String> = words(label).into_iter().filter(|word| !is_stop_word(word)).collect();
            for word in distinct {
                *counts.entry(word).or_default() += 1;
            }
        }
        let weight =
            |word: &str, count: u64| real(count) * (1.0 + real(self.clusters) / real(self.frequencies[word])).ln();
        let frequent = counts.into_iter().filter(|(_, count)| *count >= MIN_WORD_COUNT);
        let mut found: Vec<(f64, String)> = frequent.map(|(word, count)| (weight(&word, count), word)).collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let found: Vec<String> = found.into_iter().take(MAX_WORDS).map(|(_, word)| word).collect();
        let kind = main_type.map(|kind| name_from_iri(kind));
        match (kind, found.is_empty()) {
            (Some(kind), true) => kind,
            (Some(kind), false) => format!("{kind}: {}", found.join(", ")),
            (None, true) => only.unwrap_or_default().to_owned(),
            (None, false) => found.join(", "),
        }
    }
}

/// The types that most members have, as IRIs.
pub(super) fn frequent_types<'t>(members: impl Iterator<Item = &'t [u32]>, types: &[String]) -> Vec<String> {
    let mut counts: HashMap<u32, u64> = HashMap::default();
    let mut all = 0;
    for kinds in members {
        all += 1;
        for kind in kinds {
            *counts.entry(*kind).or_default() += 1;
        }
    }
    let mut found: Vec<(u64, &String)> = counts
        .into_iter()
        .filter(|(_, count)| real(*count) >= MIN_TYPE_SHARE * real(all))
        .filter_map(|(kind, count)| Some((count, types.get(kind as usize)?)))
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    found.into_iter().take(MAX_TYPES).map(|(_, kind)| kind.clone()).collect()
}

/// The label of an entity, or the name in its IRI.
pub(in crate::search) fn entity_label(iri: &str, label: Option<&TaggedText>) -> String {
    match label {
        Some(label) => single_line(&label.text).into_owned(),
        None => single_line(&name_from_iri(iri)).into_owned(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn real(count: u64) -> f64 {
    count as f64
}
