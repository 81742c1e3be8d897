//! A look at everything that is in a log.

use std::io::{ErrorKind, Read};
use std::path::PathBuf;

use super::super::StoreError;
use super::super::segments::{Bounds, Log};
use super::Change;
use crate::provenance::survey::Survey;

/// Looks at every document that is current, once, in bounded memory.
pub fn survey(log: &Log) -> Result<Survey, StoreError> {
    let mut survey = Survey::default();
    let mut reader = log.read(None)?;
    while let Some(group) = reader.next_group(Bounds::default())? {
        for change in group.changes.iter().filter(|change| !change.is_removal()) {
            survey.document(change.provenance.as_ref().map(|provenance| provenance.fetched_at_ms));
            look(&mut survey, change)?;
        }
    }
    Ok(survey)
}

fn look(survey: &mut Survey, change: &Change) -> Result<(), StoreError> {
    if let Some(lines) = change.statements.lines() {
        survey.lines(lines);
        return Ok(());
    }
    let mut reader = change.statements.read()?;
    let mut buffer = vec![0; 256 << 10];
    // What is left of a line from one piece to the next.
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
                return Err(StoreError::Unreadable { path, source });
            }
        };
        let filled = held + count;
        let whole = memchr::memrchr(b'\n', &buffer[..filled]).map_or(0, |end| end + 1);
        survey.lines(&buffer[..whole]);
        buffer.copy_within(whole..filled, 0);
        held = filled - whole;
    }
}
