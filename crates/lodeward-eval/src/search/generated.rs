//! Generated entities in any number, for measurements of cost.
//!
//! An entity is a function of its number, so that a million of them need no memory. Words follow
//! Zipf's law; each entity has a type, a label, some a description, six links to others, and one to a
//! hub. Statements are the same from both ends.

use std::convert::Infallible;

use lodeward_search::EntityDescription;
use lodeward_search::entity::{Direction, EntityKey, EntityLink, TaggedText};
use lodeward_search::source::EntitySource;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

/// Links of an entity to others, beside the one to a hub.
const LINKS: u64 = 6;

/// Number of entities of one type, on average.
const TYPES: u64 = 40;

/// One in this many entities is a hub, which many others link to.
const HUB_SHARE: u64 = 1_000;

/// Links of a hub that are described.
const MAX_HUB_LINKS: u64 = 500;

/// Number of distinct predicates.
const PREDICATES: u64 = 120;

/// Syllables of generated words.
const SYLLABLES: [&str; 20] = [
    "ba", "cor", "den", "el", "fra", "gon", "hil", "is", "jun", "kar", "lo", "mer", "nor", "ost", "pel", "qua", "ris",
    "san", "tur", "vel",
];

/// Entities with the keys 1 to `count`.
#[derive(Clone, Debug)]
pub(super) struct GeneratedEntities {
    pub(super) count: u64,
}

impl GeneratedEntities {
    /// The entity with a number below the count.
    pub(super) fn entity(&self, number: u64) -> EntityDescription {
        let mut rng = SmallRng::seed_from_u64(number);
        let iri = format!("http://data{}.example/resource/{number}", number % 50);
        let mut entity = EntityDescription::new(EntityKey(number + 1), iri);
        entity.labels.push(TaggedText::plain(self.label(number)));
        if rng.random_bool(0.5) {
            let words = rng.random_range(5..15);
            let text: Vec<String> = (0..words).map(|_| word(self.rank(&mut rng))).collect();
            entity.descriptions.push(TaggedText::plain(text.join(" ")));
        }
        let kind = kind(number);
        entity.types.push(format!("http://vocabulary.example/{}", word(kind)));
        for step in 1..=LINKS {
            // Neighbours are near in number, so that communities exist.
            let distance = step * step * 7;
            self.add_link(&mut entity, (number + distance) % self.count, step, Direction::Out, kind);
            let from = (number + self.count - distance % self.count) % self.count;
            self.add_link(&mut entity, from, step, Direction::In, self::kind(from));
        }
        self.add_hub_links(&mut entity, number, kind);
        entity
    }

    fn add_hub_links(&self, entity: &mut EntityDescription, number: u64, kind: u64) {
        let hubs = (self.count / HUB_SHARE).max(1);
        if number < hubs {
            for from in (1..)
                .map(|at| number + at * hubs)
                .take_while(|from| *from < self.count)
                .take(usize::try_from(MAX_HUB_LINKS).unwrap_or(0))
            {
                self.add_link(entity, from, 0, Direction::In, self::kind(from));
            }
        } else {
            self.add_link(entity, number % hubs, 0, Direction::Out, kind);
        }
    }

    fn add_link(&self, entity: &mut EntityDescription, other: u64, step: u64, direction: Direction, kind: u64) {
        let predicate = (kind * 3 + step) % PREDICATES;
        entity.neighbours.push(EntityLink {
            key: EntityKey(other + 1),
            label: TaggedText::plain(self.label(other)).into(),
            predicate: EntityKey(u64::MAX - predicate),
            predicate_iri: format!("http://vocabulary.example/{}", word(predicate + 1_000)).into(),
            direction,
        });
    }

    /// The label of an entity: two or three words.
    pub(super) fn label(&self, number: u64) -> String {
        let mut rng = SmallRng::seed_from_u64(number ^ 0x5EED);
        let words = rng.random_range(2..=3);
        let words: Vec<String> = (0..words).map(|_| word(self.rank(&mut rng))).collect();
        words.join(" ")
    }

    /// Draws the rank of a word with the frequency 1 / rank. The vocabulary grows with the entities.
    fn rank(&self, rng: &mut SmallRng) -> u64 {
        let size = vocabulary_size(self.count);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "ranks are positive and small")]
        let rank = size.powf(rng.random::<f64>()) as u64;
        rank
    }
}

/// Number of words of the vocabulary.
fn vocabulary_size(count: u64) -> f64 {
    crate::numbers::to_f64(usize::try_from(count).unwrap_or(usize::MAX)).mul_add(0.5, 2_000.0)
}

/// The type of an entity: neighbours in number often have the same.
fn kind(number: u64) -> u64 {
    (number / 500).wrapping_mul(0x9E37_79B9) % TYPES
}

/// The word with a rank.
fn word(mut rank: u64) -> String {
    let mut text = String::new();
    loop {
        text.push_str(SYLLABLES[usize::try_from(rank % 20).unwrap_or(0)]);
        rank /= 20;
        if rank == 0 {
            return text;
        }
    }
}

impl EntitySource for GeneratedEntities {
    type Error = Infallible;

    fn for_each_entity(&self, visit: &mut dyn FnMut(&EntityDescription)) -> Result<(), Infallible> {
        (0..self.count).for_each(|number| visit(&self.entity(number)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_the_same_from_both_ends() {
        let entities = GeneratedEntities { count: 3_000 };
        for number in [2, 10, 400] {
            let entity = entities.entity(number);
            for link in &entity.neighbours {
                let other = entities.entity(link.key.0 - 1);
                let is_same = |back: &EntityLink| {
                    back.key == entity.key && back.predicate == link.predicate && back.direction != link.direction
                };
                assert!(other.neighbours.iter().any(is_same), "{number}: {link:?}");
            }
        }
    }
}
