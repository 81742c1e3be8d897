//! Computes the `VoID` survey of a log.

use super::super::StoreError;
use super::super::segments::{ReadBounds, SegmentLog};
use crate::provenance::survey::HarvestSurvey;

/// Surveys every current document once, in bounded memory.
pub fn survey(log: &SegmentLog) -> Result<HarvestSurvey, StoreError> {
    let mut survey = HarvestSurvey::default();
    let mut reader = log.read(None)?;
    while let Some(group) = reader.next_group(ReadBounds::default())? {
        for change in group.changes.iter().filter(|change| !change.is_removal()) {
            survey.add_document(change.provenance.as_ref().map(|provenance| provenance.fetch.fetched_at_ms));
            change.statements.for_each_block(&mut |lines| {
                survey.add_lines(lines);
                Ok::<_, StoreError>(())
            })?;
        }
    }
    Ok(survey)
}
