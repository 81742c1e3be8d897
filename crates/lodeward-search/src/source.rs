//! Where clusters, similar entities and proposed links read entities from.

use std::convert::Infallible;

use crate::entity::EntityDescription;

/// Entities that can be read several times, each time in the same order.
///
/// Readers pass over the entities and keep only numbers of them, so a source need not hold all
/// descriptions in memory.
pub trait EntitySource {
    /// Why the entities cannot be read.
    type Error;

    /// Calls `visit` for every entity.
    fn for_each_entity(&self, visit: &mut dyn FnMut(&EntityDescription)) -> Result<(), Self::Error>;
}

impl EntitySource for [EntityDescription] {
    type Error = Infallible;

    fn for_each_entity(&self, visit: &mut dyn FnMut(&EntityDescription)) -> Result<(), Infallible> {
        self.iter().for_each(visit);
        Ok(())
    }
}
