//! The one type by which an entity is grouped: its rarest one that enough entities have.

use foldhash::HashMap;

use crate::entity::EntityDescription;

/// How many entities have each type.
#[derive(Default)]
pub(crate) struct TypeCounts {
    counts: HashMap<String, u32>,
}

impl TypeCounts {
    pub(crate) fn add(&mut self, entity: &EntityDescription) {
        for kind in &entity.types {
            match self.counts.get_mut(kind) {
                Some(count) => *count += 1,
                None => _ = self.counts.insert(kind.clone(), 1),
            }
        }
    }

    /// Numbers the types, the rarest first; types of fewer than `min` entities are not used.
    pub(crate) fn choose(self, min: u32) -> MainTypes {
        let mut kinds: Vec<(u32, String)> = self.counts.into_iter().map(|(kind, count)| (count, kind)).collect();
        kinds.retain(|(count, _)| *count >= min);
        kinds.sort_unstable();
        MainTypes { numbers: kinds.into_iter().map(|(_, kind)| kind).zip(1..).collect() }
    }
}

/// Numbers of types, in the order of their frequency.
pub(crate) struct MainTypes {
    numbers: HashMap<String, u32>,
}

impl MainTypes {
    /// Number of the main type of an entity; 0 if it has no frequent one.
    pub(crate) fn of(&self, entity: &EntityDescription) -> u32 {
        entity.types.iter().filter_map(|kind| self.numbers.get(kind)).min().copied().unwrap_or(0)
    }
}
