//! State shared by a segment store and its readers: the pending group, the segment being written,
//! and the index.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;

use super::super::StoreError;
use super::SegmentOptions;
use super::damage::{DamageLog, DamagedRange};
use super::export::write_record_header;
use super::frame_metadata::FrameMetadata;
use super::index::{DocumentIndex, IndexChange, RecordLocation, SegmentsEnd};
use super::rdf_patch::RdfPatchFile;
use super::recent_frames::{RecentFrame, RecentFrames};
use super::record::{LineSource, SegmentRecord, records};
use super::segment_reader::{SegmentDamage, SegmentExtent};
use super::tail::LogTail;
use super::writer::{SegmentWriter, segment_path};
use crate::model::{Provenance, Uri};

pub(super) struct SegmentStoreInner {
    pub(super) directory: PathBuf,
    pub(super) spool_directory: Arc<PathBuf>,
    pub(super) options: SegmentOptions,
    pub(super) index: DocumentIndex,
    /// Locked after `writer` if both are locked.
    pub(super) group: Mutex<PendingGroup>,
    pub(super) writer: Mutex<SegmentWriter>,
    pub(super) tail: LogTail,
    pub(super) recent: RecentFrames,
    pub(super) damage: DamageLog,
    /// The RDF Patch to which changes are written, if one is requested. Locked after `writer`.
    pub(super) patch: Mutex<Option<RdfPatchFile>>,
}

/// Records that have been put but not written.
#[derive(Default)]
pub(super) struct PendingGroup {
    pub(super) raw: Vec<u8>,
    pub(super) records: u32,
    /// By fingerprint: index of the record in the group and number of statements, or `None` for a
    /// removed document.
    pub(super) changes: Vec<(u128, Option<(u32, u64)>)>,
    /// Documents to be removed if they exist, with the provenance of the removal.
    pub(super) removals: Vec<(Uri, Option<Provenance>)>,
    pub(super) metadata: FrameMetadata,
}

impl SegmentStoreInner {
    pub(super) fn group(&self) -> MutexGuard<'_, PendingGroup> {
        self.group.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn writer(&self) -> MutexGuard<'_, SegmentWriter> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The extent of a segment that is no longer written.
    pub(super) fn closed_extent(&self, segment: u32) -> Result<SegmentExtent, StoreError> {
        let path = segment_path(&self.directory, segment);
        let readable = match path.metadata() {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(source) => return Err(StoreError::Read { path, source }),
        };
        Ok(SegmentExtent { readable, expected: self.index.expected_length(segment)? })
    }

    /// Records damage that a reader has found.
    pub(super) fn note_damage(&self, segment: u32, damage: &SegmentDamage) {
        self.damage.add(self.damaged_range(segment, damage));
    }

    fn damaged_range(&self, segment: u32, damage: &SegmentDamage) -> DamagedRange {
        let path = segment_path(&self.directory, segment);
        DamagedRange { segment, path, bytes: damage.bytes.clone(), what: damage.what, is_end: false }
    }

    /// Records that the segments end before `expected`, the end that the index states.
    pub(super) fn note_lost_end(&self, expected: SegmentsEnd) {
        let end = self.writer().end();
        for segment in end.segment..=expected.segment {
            let from = if segment == end.segment { end.bytes } else { 0 };
            let length = self.index.expected_length(segment).unwrap_or_default();
            let what = if from > 0 { "the end of the file is incomplete" } else { "the file is missing or incomplete" };
            let damage = SegmentDamage { bytes: from..length.max(from), what, is_end: true };
            self.damage.add(DamagedRange { is_end: true, ..self.damaged_range(segment, &damage) });
        }
    }

    /// Writes the pending group. The writer is locked before the group is taken, so when this
    /// returns, earlier writes are complete, too.
    pub(super) fn write_group(&self) -> Result<(), StoreError> {
        self.change(|writer| self.write_group_with(writer))
    }

    /// Runs a change of the harvest. If it fails, its documents are not stored although they are no
    /// longer pending, so all further changes fail, too: a later commit would confirm them.
    fn change(&self, change: impl FnOnce(&mut SegmentWriter) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let mut writer = self.writer();
        writer.check_usable()?;
        let changed = change(&mut writer);
        if changed.is_err() {
            writer.set_unusable();
        }
        changed
    }

    fn write_group_with(&self, writer: &mut SegmentWriter) -> Result<(), StoreError> {
        let mut group = std::mem::take(&mut *self.group());
        if group.changes.is_empty() {
            return Ok(());
        }
        self.append_removals(&mut group)?;
        self.write_patch(&group)?;
        writer.prepare()?;
        let begin = writer.next();
        let label = match group.records {
            0 => None,
            records => Some(writer.append(records, &group.raw, &group.metadata.encode())?),
        };
        let location = |(record, quads)| RecordLocation { record, quads, ..begin };
        let changes: Vec<IndexChange> =
            group.changes.iter().map(|&(fingerprint, record)| (fingerprint, record.map(location))).collect();
        let (segment, begin, end, records) = (begin.segment, begin.offset, writer.end().bytes, group.records);
        self.index.apply(&changes, writer.end())?;
        if let Some(label) = label {
            let (raw, metadata) = (group.raw, group.metadata);
            self.recent.push(|| RecentFrame { segment, begin, end, label, raw: raw.into(), metadata });
        }
        self.publish(writer, records);
        Ok(())
    }

    /// Adds a record for every removed document, so that followers see the removal.
    fn append_removals(&self, group: &mut PendingGroup) -> Result<(), StoreError> {
        let mut last = HashMap::default();
        last.extend(group.changes.iter().copied());
        for (document, provenance) in std::mem::take(&mut group.removals) {
            // Skips documents that were put again within the group, and those that never had
            // statements, which are most documents without statements.
            let is_last = last.remove(&document.fingerprint()) == Some(None);
            if is_last && self.index.contains(document.fingerprint())? {
                write_record_header(&mut group.raw, &document, 0);
                if let Some(provenance) = provenance {
                    group.metadata.add(group.records, provenance);
                }
                group.records += 1;
            }
        }
        Ok(())
    }

    pub(super) fn patch(&self) -> MutexGuard<'_, Option<RdfPatchFile>> {
        self.patch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the changes of a group to the RDF Patch.
    fn write_patch(&self, group: &PendingGroup) -> Result<(), StoreError> {
        let mut patch = self.patch();
        let Some(patch) = &mut *patch else { return Ok(()) };
        let mut last = HashMap::default();
        last.extend(group.changes.iter().copied());
        for (mut record, number) in records(&group.raw).zip(0..) {
            // If there are several versions, the last one takes effect; a record without statements
            // is always the last.
            let is_last = last.get(&record.fingerprint) == Some(&Some((number, record.quads)));
            if is_last || record.quads == 0 {
                self.write_patch_entry(patch, record.fingerprint, &mut record.lines, record.quads)?;
            }
        }
        patch.commit()
    }

    fn write_patch_entry(
        &self,
        patch: &mut RdfPatchFile,
        fingerprint: u128,
        new: &mut dyn LineSource,
        quads: u64,
    ) -> Result<(), StoreError> {
        let mut old = self.readable_version(fingerprint)?;
        let old = old.as_mut().map(|old| {
            let quads = old.quads();
            (old as &mut dyn LineSource, quads)
        });
        patch.write_diff(old, new, quads)
    }

    /// The current version of a document; `None` if there is none, or if it is damaged: its
    /// statements are then unknown, and the patch has no deletions of them.
    fn readable_version(&self, fingerprint: u128) -> Result<Option<SegmentRecord>, StoreError> {
        let current = self.index.current(&self.index.snapshot(), fingerprint)?;
        let current = current.filter(|current| current.segment != RecordLocation::LOST.segment);
        let Some(mut old) = current.map(|current| SegmentRecord::new(&self.directory, fingerprint, current)) else {
            return Ok(None);
        };
        match old.for_each_line(&mut |_| Ok(())) {
            Ok(()) => Ok(Some(old)),
            Err(error @ StoreError::Corrupted { .. }) => {
                tracing::warn!(%error, "statements of a damaged document are not deleted by the patch");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Publishes indexed records to followers.
    fn publish(&self, writer: &SegmentWriter, records: u32) {
        self.tail.grow(writer.segment().number, writer.segment().bytes, u64::from(records));
    }

    /// Writes a document that was too large for memory.
    pub(super) fn write_spool(
        &self,
        document: &Uri,
        quads: u64,
        provenance: Option<Provenance>,
        spool: &mut fs::File,
    ) -> Result<(), StoreError> {
        self.change(|writer| {
            // The pending group is written first, because the last version of a document takes effect.
            self.write_group_with(writer)?;
            self.write_spool_with(writer, document, quads, provenance, spool)
        })
    }

    fn write_spool_with(
        &self,
        writer: &mut SegmentWriter,
        document: &Uri,
        quads: u64,
        provenance: Option<Provenance>,
        spool: &mut fs::File,
    ) -> Result<(), StoreError> {
        if let Some(patch) = &mut *self.patch() {
            self.write_patch_entry(patch, document.fingerprint(), &mut &mut *spool, quads)?;
            patch.commit()?;
        }
        writer.prepare()?;
        let here = RecordLocation { quads, ..writer.next() };
        let mut first_line = Vec::new();
        write_record_header(&mut first_line, document, quads);
        let mut metadata = FrameMetadata::default();
        if let Some(provenance) = provenance {
            metadata.add(0, provenance);
        }
        writer.append(1, &first_line, &metadata.encode())?;
        writer.append_spool(spool)?;
        self.index.apply(&[(document.fingerprint(), Some(here))], writer.end())?;
        self.publish(writer, 1);
        Ok(())
    }

    pub(super) fn sync(&self) -> Result<(), StoreError> {
        let (file, path) = {
            let writer = self.writer();
            (Arc::clone(&writer.segment().file), writer.segment().path.clone())
        };
        // The lock is released, so that commits continue while the disk syncs.
        let synced = file.sync_data().map_err(|source| StoreError::Write { path, source });
        let synced = synced.and_then(|()| self.index.sync());
        if synced.is_err() {
            // After a failed fsync, the operating system may have dropped the data, and the next
            // fsync succeeds nevertheless.
            self.writer().set_unusable();
        }
        synced
    }
}

impl PendingGroup {
    /// Adds a document. Returns the size of the group in bytes.
    pub(super) fn add(&mut self, document: Uri, quads: u64, lines: &[u8], provenance: Option<Provenance>) -> usize {
        let fingerprint = document.fingerprint();
        if quads == 0 {
            self.changes.push((fingerprint, None));
            // The provenance of a document without statements is not stored, unless it records a
            // removal.
            self.removals.push((document, provenance.filter(Provenance::is_removal)));
            return self.raw.len();
        }
        write_record_header(&mut self.raw, &document, quads);
        self.raw.extend_from_slice(lines);
        self.changes.push((fingerprint, Some((self.records, quads))));
        if let Some(provenance) = provenance {
            self.metadata.add(self.records, provenance);
        }
        self.records += 1;
        self.raw.len()
    }
}
