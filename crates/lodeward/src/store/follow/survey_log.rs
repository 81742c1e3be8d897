//! Computes the `VoID` survey of a log.

use std::io::{ErrorKind, Read};
use std::path::PathBuf;

use super::super::StoreError;
use super::super::segments::{ReadBounds, SegmentLog};
use super::DocumentChange;
use crate::provenance::survey::HarvestSurvey;

/// Surveys every current document once, in bounded memory.
pub fn survey(log: &SegmentLog) -> Result<HarvestSurvey, StoreError> {
    let mut survey = HarvestSurvey::default();
    let mut reader = log.read(None)?;
    while let Some(group) = reader.next_group(ReadBounds::default())? {
        for change in group.changes.iter().filter(|change| !change.is_removal()) {
            survey.add_document(change.provenance.as_ref().map(|provenance| provenance.fetch.fetched_at_ms));
            survey_document(&mut survey, change)?;
        }
    }
    Ok(survey)
}

fn survey_document(survey: &mut HarvestSurvey, change: &DocumentChange) -> Result<(), StoreError> {
    if let Some(lines) = change.statements.lines() {
        survey.add_lines(lines);
        return Ok(());
    }
    let mut reader = change.statements.read()?;
    let mut buffer = vec![0; 256 << 10];
    // Bytes of an incomplete line, carried over to the next read.
    let mut held = 0;
    loop {
        if held == buffer.len() {
            buffer.resize(2 * held, 0);
        }
        let count = match reader.read(&mut buffer[held..]) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(source) => {
                let path = PathBuf::from(change.document.as_str());
                return Err(StoreError::Read { path, source });
            }
        };
        let filled = held + count;
        let whole = memchr::memrchr(b'\n', &buffer[..filled]).map_or(0, |end| end + 1);
        survey.add_lines(&buffer[..whole]);
        buffer.copy_within(whole..filled, 0);
        held = filled - whole;
    }
}
