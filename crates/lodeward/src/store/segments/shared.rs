//! What is behind a store of segments: the group that is gathering, the segment
//! that is being written, and the index of both.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;

use super::super::StoreError;
use super::Options;
use super::export::write_first_line;
use super::index::{Change, Index, Location};
use super::patch::Patch;
use super::record::{Lines, Record, records};
use super::slip::Slip;
use super::tail::Tail;
use super::writer::Writer;
use crate::model::Uri;
use crate::provenance::Provenance;

pub(super) struct Shared {
    pub(super) directory: PathBuf,
    pub(super) spool_directory: Arc<PathBuf>,
    pub(super) options: Options,
    pub(super) index: Index,
    /// Taken after the writer, where both are.
    pub(super) group: Mutex<Group>,
    pub(super) writer: Mutex<Writer>,
    pub(super) tail: Tail,
    /// Where changes are written down, if that is wanted. Taken after the writer.
    pub(super) patch: Mutex<Option<Patch>>,
}

/// Records that have been put and not yet written.
#[derive(Default)]
pub(super) struct Group {
    pub(super) raw: Vec<u8>,
    pub(super) records: u32,
    /// By document: its statements and which record of the group it is, or
    /// `None` for one that is to be removed.
    pub(super) changes: Vec<(u128, Option<(u32, u64)>)>,
    /// Documents that are to be removed, if they are there, and what is known of
    /// that.
    pub(super) removals: Vec<(Uri, Option<Provenance>)>,
    pub(super) slip: Slip,
}

impl Shared {
    pub(super) fn group(&self) -> MutexGuard<'_, Group> {
        self.group.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what has been put. When it returns, so has whoever else was
    /// writing: the writer is held from before the group is taken.
    pub(super) fn write_group(&self) -> Result<(), StoreError> {
        let mut writer = self.writer();
        self.write_group_with(&mut writer)
    }

    fn write_group_with(&self, writer: &mut Writer) -> Result<(), StoreError> {
        let mut group = std::mem::take(&mut *self.group());
        if group.changes.is_empty() {
            return Ok(());
        }
        self.tell_removals(&mut group)?;
        self.note_changes(&group)?;
        writer.prepare()?;
        let begin = writer.next();
        if group.records > 0 {
            writer.append(group.records, &group.raw, &group.slip.encode())?;
        }
        let place = |(ordinal, quads)| Location { quads, ordinal: begin.ordinal + ordinal, ..begin };
        let changes: Vec<Change> =
            group.changes.iter().map(|&(fingerprint, record)| (fingerprint, record.map(place))).collect();
        self.index(&changes, writer, group.records)
    }

    /// Adds a record for every document that is gone, so that the log tells.
    fn tell_removals(&self, group: &mut Group) -> Result<(), StoreError> {
        let mut last = HashMap::default();
        last.extend(group.changes.iter().copied());
        for (document, provenance) in std::mem::take(&mut group.removals) {
            // Not one that came back within the group, nor one that never was:
            // most documents without statements never had any.
            let is_last = last.remove(&document.fingerprint()) == Some(None);
            if is_last && self.index.knows(document.fingerprint())? {
                write_first_line(&mut group.raw, &document, 0);
                if let Some(provenance) = provenance {
                    group.slip.add(group.records, provenance);
                }
                group.records += 1;
            }
        }
        Ok(())
    }

    pub(super) fn patch(&self) -> MutexGuard<'_, Option<Patch>> {
        self.patch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes down what a group will change.
    fn note_changes(&self, group: &Group) -> Result<(), StoreError> {
        let mut patch = self.patch();
        let Some(patch) = &mut *patch else { return Ok(()) };
        let mut last = HashMap::default();
        last.extend(group.changes.iter().copied());
        for (mut record, number) in records(&group.raw).zip(0..) {
            // Of several versions the last one counts, and a record of none is it.
            let is_last = last.get(&record.fingerprint) == Some(&Some((number, record.quads)));
            if is_last || record.quads == 0 {
                self.note_change(patch, record.fingerprint, &mut record.lines, record.quads)?;
            }
        }
        patch.commit()
    }

    fn note_change(
        &self,
        patch: &mut Patch,
        fingerprint: u128,
        new: &mut dyn Lines,
        quads: u64,
    ) -> Result<(), StoreError> {
        let current = self.index.current(&self.index.snapshot(), fingerprint)?;
        let current = current.filter(|current| current.segment != Location::NOWHERE.segment);
        let mut old = current.map(|current| Record::new(&self.directory, fingerprint, current));
        let old = old.as_mut().map(|old| {
            let quads = old.quads();
            (old as &mut dyn Lines, quads)
        });
        patch.replace(old, new, quads)
    }

    /// Makes what has been written known, to the index and to followers.
    fn index(&self, changes: &[Change], writer: &Writer, records: u32) -> Result<(), StoreError> {
        self.index.apply(changes, writer.end())?;
        self.tail.grow(writer.segment().number, writer.segment().bytes, u64::from(records));
        Ok(())
    }

    /// Writes a document that was too large to hold.
    pub(super) fn write_spool(
        &self,
        document: &Uri,
        quads: u64,
        provenance: Option<Provenance>,
        spool: &mut fs::File,
    ) -> Result<(), StoreError> {
        let mut writer = self.writer();
        // What was put before goes before: of two versions the last one counts.
        self.write_group_with(&mut writer)?;
        if let Some(patch) = &mut *self.patch() {
            self.note_change(patch, document.fingerprint(), &mut &mut *spool, quads)?;
            patch.commit()?;
        }
        writer.prepare()?;
        let here = Location { quads, ..writer.next() };
        let mut first_line = Vec::new();
        write_first_line(&mut first_line, document, quads);
        let mut slip = Slip::default();
        if let Some(provenance) = provenance {
            slip.add(0, provenance);
        }
        writer.append(1, &first_line, &slip.encode())?;
        writer.append_spool(spool)?;
        self.index(&[(document.fingerprint(), Some(here))], &writer, 1)
    }

    pub(super) fn sync(&self) -> Result<(), StoreError> {
        let (file, path) = {
            let writer = self.writer();
            (Arc::clone(&writer.segment().file), writer.segment().path.clone())
        };
        // Without the lock: commits go on while the disk takes its time.
        file.sync_data().map_err(|source| StoreError::Io { path, source })?;
        self.index.sync()
    }
}

impl Group {
    /// Adds a document and tells how many bytes have gathered.
    pub(super) fn add(&mut self, document: Uri, quads: u64, lines: &[u8], provenance: Option<Provenance>) -> usize {
        let fingerprint = document.fingerprint();
        if quads == 0 {
            self.changes.push((fingerprint, None));
            // Where none come from is not worth telling, how some ended is.
            self.removals.push((document, provenance.filter(Provenance::is_end)));
            return self.raw.len();
        }
        write_first_line(&mut self.raw, &document, quads);
        self.raw.extend_from_slice(lines);
        self.changes.push((fingerprint, Some((self.records, quads))));
        if let Some(provenance) = provenance {
            self.slip.add(self.records, provenance);
        }
        self.records += 1;
        self.raw.len()
    }
}
