//! What is compared of the entities of one side.

use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;
use foldhash::{HashMap, HashMapExt};

use crate::entity::{EntityDescription, EntityKey};
use crate::index::{before_comma, form, without_parenthesis};
use crate::source::EntitySource;
use crate::text::names::name_from_iri;
use crate::text::{fold, is_stop_word, words};
use crate::vectors::main_type::TypeCounts;

/// Maximum number of words of a context.
const MAX_CONTEXT_WORDS: usize = 512;

/// Maximum number of neighbours of an entity that are compared.
const MAX_NEIGHBOURS: usize = 1_024;

/// Minimum number of entities of a type that counts as evidence.
const MIN_TYPE_SIZE: u32 = 20;

/// Entities of one side of the comparison.
#[derive(Clone, Debug, Default)]
pub struct LinkSide {
    pub(super) entities: Vec<LinkEntity>,
    pub(super) places: HashMap<EntityKey, u32>,
}

/// What is compared of an entity. Words and names are hashes.
#[derive(Clone, Debug)]
pub(super) struct LinkEntity {
    key: EntityKey,
    pub(super) label: u64,
    /// The label without a trailing parenthesis.
    pub(super) short_label: u64,
    /// All names; the first ones are of the label, the last [`Self::aliases`] of other names.
    pub(super) forms: Vec<u64>,
    pub(super) aliases: Vec<u64>,
    /// Words of the label, sorted.
    pub(super) label_words: Vec<u64>,
    /// Triples of characters of the label, sorted.
    pub(super) trigrams: Vec<u64>,
    /// Words of descriptions and of the labels of neighbours with their frequencies, sorted.
    pub(super) context: Vec<(u64, f32)>,
    /// Keys of distinct neighbours.
    pub(super) neighbours: Vec<EntityKey>,
    /// Number of distinct neighbours.
    pub(super) degree: u32,
    /// Number of the main type; 0 if there is none.
    pub(super) kind: u32,
    /// Number of the dataset of the entity.
    pub(super) group: u32,
}

impl LinkSide {
    /// Reads the entities of a source, as one dataset.
    pub fn read<S: EntitySource + ?Sized>(source: &S) -> Result<Self, S::Error> {
        Self::read_grouped(source, |_| 0)
    }

    /// Reads the entities of a source, each with the number of its dataset. If such a side is compared
    /// with itself, only entities of different datasets are.
    pub fn read_grouped<S: EntitySource + ?Sized>(
        source: &S,
        mut group: impl FnMut(&EntityDescription) -> u32,
    ) -> Result<Self, S::Error> {
        let mut counts = TypeCounts::default();
        source.for_each_entity(&mut |entity| counts.add(entity))?;
        let types = counts.choose(MIN_TYPE_SIZE);
        let mut side = Self::default();
        source.for_each_entity(&mut |entity| {
            let place = u32::try_from(side.entities.len()).expect("entities are numbered by 32 bits");
            side.places.insert(entity.key, place);
            side.entities.push(LinkEntity::new(entity, types.of(entity), group(entity)));
        })?;
        Ok(side)
    }

    /// Number of entities.
    #[must_use]
    pub fn len(&self) -> u32 {
        u32::try_from(self.entities.len()).expect("entities are numbered by 32 bits")
    }

    /// Whether there are no entities.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty()
    }

    /// Key of the entity at a place.
    #[must_use]
    pub fn key(&self, place: u32) -> EntityKey {
        self.entities[place as usize].key
    }

    pub(super) fn entity(&self, place: u32) -> &LinkEntity {
        &self.entities[place as usize]
    }

    pub(super) fn neighbour_places(&self, place: u32) -> impl Iterator<Item = u32> + '_ {
        self.entity(place).neighbours.iter().filter_map(|key| self.places.get(key).copied())
    }
}

impl LinkEntity {
    fn new(entity: &EntityDescription, kind: u32, group: u32) -> Self {
        let label = match entity.labels.first() {
            Some(label) => label.text.clone(),
            None => name_from_iri(&entity.iri),
        };
        let short = without_parenthesis(&label);
        let own_forms = [&label, short, before_comma(&label), before_comma(short)].into_iter().filter_map(form);
        let others = entity.labels.iter().skip(1).chain(&entity.aliases);
        let aliases: Vec<u64> = sorted(others.filter_map(|alias| form(&alias.text)).map(|form| hash(&form)));
        let forms = sorted(own_forms.map(|form| hash(&form)).chain(aliases.iter().copied()));
        let mut neighbours: Vec<EntityKey> = entity.neighbours.iter().map(|link| link.key).collect();
        neighbours.sort_unstable();
        neighbours.dedup();
        let degree = u32::try_from(neighbours.len()).unwrap_or(u32::MAX);
        neighbours.truncate(MAX_NEIGHBOURS);
        Self {
            key: entity.key,
            label: hash(&words(&label).join(" ")),
            short_label: hash(&words(short).join(" ")),
            forms,
            aliases,
            label_words: sorted(words(&label).iter().map(|word| hash(word))),
            trigrams: trigrams(&label),
            context: context(entity),
            neighbours,
            degree,
            kind,
            group,
        }
    }
}

fn sorted(values: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

fn trigrams(label: &str) -> Vec<u64> {
    let folded = format!("  {} ", fold(label));
    let chars: Vec<char> = folded.chars().take(256).collect();
    sorted(chars.windows(3).map(|three| hash(&three.iter().collect::<String>())))
}

/// Words of descriptions and other literals, and of the labels of neighbours.
fn context(entity: &EntityDescription) -> Vec<(u64, f32)> {
    let mut counts: HashMap<u64, f32> = HashMap::new();
    let neighbours = entity.neighbours.iter().map(|link| &*link.label).take(MAX_NEIGHBOURS);
    let texts = entity.descriptions.iter().chain(&entity.literals).chain(neighbours);
    for word in texts.flat_map(|text| words(&text.text)).filter(|word| !is_stop_word(word)) {
        let hash = hash(&word);
        if counts.len() < MAX_CONTEXT_WORDS || counts.contains_key(&hash) {
            *counts.entry(hash).or_default() += 1.0;
        }
    }
    let mut context: Vec<(u64, f32)> = counts.into_iter().collect();
    context.sort_unstable_by_key(|(word, _)| *word);
    context
}

fn hash(text: &str) -> u64 {
    FixedState::with_seed(0).hash_one(text)
}
