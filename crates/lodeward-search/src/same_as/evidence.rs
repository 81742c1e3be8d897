//! Figures about a pair of entities.

use foldhash::{HashMap, HashMapExt};

use super::candidates::TargetNames;
use super::side::{LinkEntity, LinkSide};
use crate::numbers::real;

/// Number of figures.
pub const EVIDENCE_COUNT: usize = 13;

/// Names of the figures.
pub const EVIDENCE_NAMES: [&str; EVIDENCE_COUNT] = [
    "label-equal",
    "equal-without-parenthesis",
    "equal-to-alias",
    "label-cosine",
    "trigram-jaccard",
    "one-of-targets",
    "one-of-sources",
    "degree-share",
    "degree",
    "linked-neighbours",
    "linked-share",
    "context-cosine",
    "type-lift",
];

/// Minimum number of certain pairs with both types, so that their lift counts.
const LIFT_SMOOTHING: f64 = 1.0;

/// Number of datasets with a certain pair of one entity that are compared.
const MAX_PARTNERS: usize = 16;

/// What all pairs share.
pub(super) struct Evidence<'a> {
    sources: &'a LinkSide,
    targets: &'a LinkSide,
    names: &'a TargetNames<'a>,
    /// Number of sources of a dataset with a label.
    source_labels: HashMap<(u32, u64), u32>,
    /// Targets of each source of a certain pair, one of each dataset.
    certain: HashMap<u32, Vec<u32>>,
    lifts: HashMap<(u32, u32), f64>,
    word_counts: HashMap<u64, u32>,
    /// Whether a side is compared with itself.
    is_within: bool,
}

impl<'a> Evidence<'a> {
    pub(super) fn new(sources: &'a LinkSide, targets: &'a LinkSide, names: &'a TargetNames<'a>) -> Self {
        let source_labels = count_labels(sources);
        let certain = certain_pairs(sources, targets, &source_labels);
        let lifts = type_lifts(sources, targets, &certain);
        let mut word_counts: HashMap<u64, u32> = HashMap::new();
        for (word, _) in sources.entities.iter().chain(&targets.entities).flat_map(|entity| &entity.context) {
            *word_counts.entry(*word).or_default() += 1;
        }
        let is_within = std::ptr::eq(sources, targets);
        Self { sources, targets, names, source_labels, certain, lifts, word_counts, is_within }
    }

    /// Figures of a pair.
    pub(super) fn of(&self, source: u32, target: u32) -> [f64; EVIDENCE_COUNT] {
        let (from, to) = (self.sources.entity(source), self.targets.entity(target));
        let is = |value: bool| if value { 1.0 } else { 0.0 };
        let alias = to.aliases.iter().any(|alias| from.forms.binary_search(alias).is_ok())
            || from.aliases.iter().any(|alias| to.forms.binary_search(alias).is_ok());
        let (namesakes, share) = self.namesakes(from, to);
        let (linked, linked_share) = self.linked_neighbours(source, target);
        [
            is(from.label == to.label),
            is(from.label != to.label && from.short_label == to.short_label),
            is(alias),
            self.names.label_cosine(&from.label_words, &to.label_words),
            jaccard(&from.trigrams, &to.trigrams),
            1.0 / namesakes.max(1.0),
            1.0 / f64::from(self.source_labels[&(from.group, from.label)]),
            share,
            f64::from(to.degree).ln_1p(),
            linked.ln_1p(),
            linked_share,
            self.context_cosine(from, to),
            self.lifts.get(&(from.kind, to.kind)).copied().unwrap_or(0.0),
        ]
    }

    /// The number of targets with the name that the pair shares, and the target's share of their links.
    fn namesakes(&self, from: &LinkEntity, to: &LinkEntity) -> (f64, f64) {
        let shared = from.forms.iter().filter(|form| to.forms.binary_search(form).is_ok());
        let of_dataset = |target: &u32| self.targets.entity(*target).group == to.group;
        let lists = shared.map(|form| self.names.with_form(*form).iter().copied().filter(of_dataset).collect());
        let Some(list) = lists.max_by_key(Vec::<u32>::len) else { return (0.0, 0.0) };
        let total: f64 = list.iter().map(|target| f64::from(self.targets.entity(*target).degree) + 1.0).sum();
        (real(list.len()), (f64::from(to.degree) + 1.0) / total)
    }

    /// How many neighbours of the source are the same as one of the target by a certain pair, and
    /// their share of the neighbours that are in a certain pair.
    fn linked_neighbours(&self, source: u32, target: u32) -> (f64, f64) {
        let to = self.targets.entity(target);
        let is_neighbour = |place: u32| to.neighbours.binary_search(&self.targets.key(place)).is_ok();
        let (mut known, mut linked) = (0.0, 0.0);
        for place in self.sources.neighbour_places(source) {
            // Entities of two datasets may also have the same neighbour.
            let is_shared = self.is_within && is_neighbour(place);
            let partners = self.certain.get(&place).map_or(&[][..], Vec::as_slice);
            if is_shared || !partners.is_empty() {
                known += 1.0;
            }
            if is_shared || partners.iter().any(|partner| is_neighbour(*partner)) {
                linked += 1.0;
            }
        }
        (linked, if known > 0.0 { linked / known } else { 0.0 })
    }

    fn context_cosine(&self, from: &LinkEntity, to: &LinkEntity) -> f64 {
        let all = real(self.sources.entities.len() + self.targets.entities.len());
        let weight = |word: u64, count: f32| f64::from(count).ln_1p() * (all / f64::from(self.word_counts[&word])).ln();
        let length =
            |context: &[(u64, f32)]| context.iter().map(|(word, count)| weight(*word, *count).powi(2)).sum::<f64>();
        let mut shared = 0.0;
        for (word, count) in &from.context {
            if let Ok(at) = to.context.binary_search_by_key(word, |(word, _)| *word) {
                shared += weight(*word, *count) * weight(*word, to.context[at].1);
            }
        }
        let lengths = (length(&from.context) * length(&to.context)).sqrt();
        if lengths > 0.0 { shared / lengths } else { 0.0 }
    }
}

fn jaccard(one: &[u64], other: &[u64]) -> f64 {
    let common = one.iter().filter(|value| other.binary_search(value).is_ok()).count();
    real(common) / real((one.len() + other.len() - common).max(1))
}

fn count_labels(side: &LinkSide) -> HashMap<(u32, u64), u32> {
    let mut counts = HashMap::new();
    side.entities.iter().for_each(|entity| *counts.entry((entity.group, entity.label)).or_default() += 1);
    counts
}

/// Pairs whose labels are equal, and unique on both sides: in both datasets, if a side is compared with
/// itself.
fn certain_pairs(
    sources: &LinkSide,
    targets: &LinkSide,
    source_labels: &HashMap<(u32, u64), u32>,
) -> HashMap<u32, Vec<u32>> {
    let is_within = std::ptr::eq(sources, targets);
    let target_labels = count_labels(targets);
    let mut places: HashMap<u64, Vec<u32>> = HashMap::new();
    for (place, entity) in (0_u32..).zip(&targets.entities) {
        if target_labels[&(entity.group, entity.label)] == 1 {
            places.entry(entity.label).or_default().push(place);
        }
    }
    let mut certain = HashMap::new();
    for (place, entity) in (0_u32..).zip(&sources.entities) {
        if source_labels[&(entity.group, entity.label)] != 1 {
            continue;
        }
        let named = places.get(&entity.label).map_or(&[][..], Vec::as_slice).iter().copied();
        let partners = named.filter(|partner| !is_within || targets.entity(*partner).group != entity.group);
        let partners: Vec<u32> = partners.take(MAX_PARTNERS).collect();
        if !partners.is_empty() {
            certain.insert(place, partners);
        }
    }
    certain
}

/// Logarithm of how much more often two types occur together in certain pairs than by chance.
fn type_lifts(sources: &LinkSide, targets: &LinkSide, certain: &HashMap<u32, Vec<u32>>) -> HashMap<(u32, u32), f64> {
    let mut pairs: HashMap<(u32, u32), f64> = HashMap::new();
    let (mut from, mut to): (HashMap<u32, f64>, HashMap<u32, f64>) = (HashMap::new(), HashMap::new());
    let certain = certain.iter().flat_map(|(source, partners)| partners.iter().map(move |target| (source, target)));
    let mut all = 0.0;
    for (source, target) in certain {
        all += 1.0;
        let (one, other) = (sources.entity(*source).kind, targets.entity(*target).kind);
        *pairs.entry((one, other)).or_default() += 1.0;
        *from.entry(one).or_default() += 1.0;
        *to.entry(other).or_default() += 1.0;
    }
    let mut lifts = HashMap::new();
    for (one, count) in &from {
        for (other, other_count) in &to {
            let together = pairs.get(&(*one, *other)).copied().unwrap_or(0.0);
            let expected = count * other_count / all;
            let lift = ((together + LIFT_SMOOTHING) / (expected + LIFT_SMOOTHING)).ln();
            lifts.insert((*one, *other), lift);
        }
    }
    lifts
}
