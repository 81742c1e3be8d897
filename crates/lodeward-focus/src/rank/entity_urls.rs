//! Finds the entities at a URL.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::graph::EntityId;
use lodeward::model::Uri;

/// Marks the end of the chain of entities with the same URL.
const NO_ENTITY: EntityId = EntityId::MAX;

/// URLs of entities (their IRIs without fragment), by fingerprint.
#[derive(Default)]
pub(super) struct EntityUrls {
    /// The last entity of each URL, by fingerprint; `before` links it to the previous entity with that URL.
    last: HashMap<u128, EntityId, RandomState>,
    before: Vec<EntityId>,
    all: Vec<Option<u128>>,
}

impl EntityUrls {
    /// Adds an entity, which gets the next number.
    pub(super) fn push(&mut self, name: &str) {
        let number = EntityId::try_from(self.all.len()).expect("the number of entities fits into 32 bits");
        let url = Uri::parse(name).ok().map(|uri| uri.fingerprint());
        let before = url.and_then(|url| self.last.insert(url, number));
        self.before.push(before.unwrap_or(NO_ENTITY));
        self.all.push(url);
    }

    /// The entities whose URL has this fingerprint, last added first.
    pub(super) fn entities_at(&self, url: u128) -> impl Iterator<Item = EntityId> {
        let step = |entity: &EntityId| Some(self.before[*entity as usize]).filter(|before| *before != NO_ENTITY);
        std::iter::successors(self.last.get(&url).copied(), step)
    }

    /// Fingerprint of the URL of an entity.
    pub(super) fn address(&self, entity: EntityId) -> Option<u128> {
        self.all[entity as usize]
    }
}
