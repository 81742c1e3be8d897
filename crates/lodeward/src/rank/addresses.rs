//! Where entities are to be had.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::graph::EntityId;
use crate::model::Uri;

/// The end of a chain.
const NOBODY: EntityId = EntityId::MAX;

/// The addresses of entities: their IRIs without fragments, by fingerprint.
#[derive(Default)]
pub(super) struct Addresses {
    /// The last entity of each address, from which a chain leads to the others.
    last: HashMap<u128, EntityId, RandomState>,
    before: Vec<EntityId>,
    all: Vec<Option<u128>>,
}

impl Addresses {
    /// Takes the next entity.
    pub(super) fn push(&mut self, name: &str) {
        let number = EntityId::try_from(self.all.len()).expect("entities are bounded");
        let address = Uri::parse(name).ok().map(|uri| uri.fingerprint());
        let before = address.and_then(|address| self.last.insert(address, number));
        self.before.push(before.unwrap_or(NOBODY));
        self.all.push(address);
    }

    /// Who is at an address.
    pub(super) fn at(&self, address: u128) -> impl Iterator<Item = EntityId> {
        let step = |entity: &EntityId| Some(self.before[*entity as usize]).filter(|before| *before != NOBODY);
        std::iter::successors(self.last.get(&address).copied(), step)
    }

    /// Where an entity is.
    pub(super) fn of(&self, entity: EntityId) -> Option<u128> {
        self.all[entity as usize]
    }
}
