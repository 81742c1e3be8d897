//! One document of the harvest.

use std::io::Write;

use super::super::StoreError;
use super::index::Location;
use super::record::{Lines, Record};
use super::shared::Shared;
use crate::model::Uri;
use crate::provenance::Provenance;

/// A document of the harvest, as it was when it was found there: nothing is changed in
/// place.
pub struct Harvested {
    record: Record,
}

impl Harvested {
    pub(super) fn find(shared: &Shared, document: &Uri) -> Result<Option<Self>, StoreError> {
        let current = shared.index.current(&shared.index.snapshot(), document.fingerprint())?;
        let current = current.filter(|current| current.segment != Location::NOWHERE.segment);
        Ok(current.map(|at| Self { record: Record::new(&shared.directory, document.fingerprint(), at) }))
    }

    /// How many statements it has.
    #[must_use]
    pub fn quads(&self) -> u64 {
        self.record.quads()
    }

    /// Where it comes from, if that was kept.
    pub fn provenance(&self) -> Result<Option<Provenance>, StoreError> {
        self.record.provenance()
    }

    /// Writes its statements as N-Quads, frame by frame.
    pub fn write(&mut self, into: &mut dyn Write) -> Result<(), StoreError> {
        self.record.each(&mut |line| into.write_all(line).map_err(StoreError::Export))
    }
}
