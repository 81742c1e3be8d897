//! Appends to the last segment, and recovers it when it is opened.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::StoreError;
use super::SegmentOptions;
use super::damage::DamagedRange;
use super::frame::{FrameLabel, FrameWriter};
use super::index::{RecordLocation, SegmentsEnd};
use super::segment_reader::{SegmentDamage, SegmentExtent, SegmentReader, SegmentStep};
use super::set_aside::{set_aside, sync_dir};

/// Path of a segment: `000001.nq.zst`.
pub(super) fn segment_path(directory: &Path, segment: u32) -> PathBuf {
    directory.join(format!("{segment:06}.nq.zst"))
}

/// Number of the last segment; 0 if there is none.
pub(super) fn last_segment(directory: &Path) -> io::Result<u32> {
    let mut last = 0;
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".nq.zst")).and_then(|name| name.parse().ok());
        last = last.max(number.unwrap_or(0));
    }
    Ok(last)
}

/// Appends to the last segment.
pub(super) struct SegmentWriter {
    directory: PathBuf,
    options: SegmentOptions,
    frame_writer: FrameWriter,
    open: ActiveSegment,
    /// Whether a change failed. The content of the segments and of the index is then unknown until
    /// the store is opened again.
    is_unusable: bool,
}

/// An open segment.
pub(super) struct ActiveSegment {
    pub(super) file: Arc<File>,
    pub(super) path: PathBuf,
    pub(super) number: u32,
    /// Size of the complete frames in bytes.
    pub(super) bytes: u64,
    /// Length of the file when it was opened, if it ends with an incomplete frame. The frame is cut
    /// before the first write, because opening a store for reading changes nothing.
    torn_length: Option<u64>,
}

impl ActiveSegment {
    fn create(directory: &Path, number: u32) -> Result<Self, StoreError> {
        let path = segment_path(directory, number);
        let create = || {
            let file = OpenOptions::new().create_new(true).append(true).open(&path)?;
            sync_dir(directory)?;
            Ok(Arc::new(file))
        };
        let file = create().map_err(|source| StoreError::Write { path: path.clone(), source })?;
        Ok(Self { file, path, number, bytes: 0, torn_length: None })
    }

    /// Opens the last segment, and finds its end. Returns the damage in its middle, too.
    ///
    /// Reads and verifies the whole file, which takes well under a second for 256 MB. Only the last
    /// segment can be incomplete: every other segment was synced before the next one was created.
    fn recover(directory: &Path, number: u32, expected: u64) -> Result<(Self, Vec<DamagedRange>), StoreError> {
        let path = segment_path(directory, number);
        let recover = || {
            let file = OpenOptions::new().read(true).append(true).open(&path)?;
            let length = file.metadata()?.len();
            let reader = SegmentReader::open(&path, 0, SegmentExtent { readable: length, expected })?;
            let (bytes, damage) = find_end(reader, length)?;
            Ok((Arc::new(file), length, bytes, damage))
        };
        let (file, length, bytes, damage) =
            recover().map_err(|source| StoreError::Write { path: path.clone(), source })?;
        let damage = damage.into_iter().map(|SegmentDamage { bytes, what, .. }| DamagedRange {
            segment: number,
            path: path.clone(),
            bytes,
            what,
            is_end: false,
        });
        let damage = damage.collect();
        Ok((Self { file, path, number, bytes, torn_length: (bytes < length).then_some(length) }, damage))
    }

    /// Cuts an incomplete frame at the end of the file, and keeps its bytes in another file.
    fn cut_torn_end(&mut self) -> io::Result<()> {
        let Some(length) = self.torn_length else { return Ok(()) };
        let kept = set_aside(&self.path, self.bytes..length, "torn")?;
        self.file.set_len(self.bytes)?;
        self.file.sync_all()?;
        self.torn_length = None;
        let (path, bytes) = (self.path.display(), length - self.bytes);
        tracing::warn!(%path, bytes, set_aside = %kept.display(), "incomplete frame cut from the end of a segment");
        Ok(())
    }
}

/// Finds the end of the complete records of a segment, and the damage before it.
fn find_end(mut reader: SegmentReader, length: u64) -> io::Result<(u64, Vec<SegmentDamage>)> {
    let mut damage = Vec::new();
    // Where the last record begins, if it has several frames.
    let mut large = None;
    loop {
        match reader.step()? {
            SegmentStep::Frame(label, begin) => match label.documents {
                0 => {}
                _ if reader.is_large(label)? => large = Some(*begin.end()),
                _ => large = None,
            },
            SegmentStep::Gap => large = None,
            SegmentStep::Damage(found) => {
                let begin = large.take().unwrap_or(found.bytes.start);
                if found.is_end {
                    return Ok((begin.min(length), damage));
                }
                damage.push(SegmentDamage { bytes: begin..found.bytes.end, ..found });
            }
            SegmentStep::End => return Ok((length, damage)),
        }
    }
}

impl SegmentWriter {
    /// Opens the last segment, or creates the first one. `expected` is the end that the index states.
    /// Returns the damage of the last segment, too.
    pub(super) fn open(
        directory: &Path,
        options: SegmentOptions,
        expected: Option<SegmentsEnd>,
    ) -> Result<(Self, Vec<DamagedRange>), StoreError> {
        let failed = |source| StoreError::Write { path: directory.to_path_buf(), source };
        let frame_writer = FrameWriter::new(options.level).map_err(failed)?;
        let (open, damage) = match last_segment(directory).map_err(failed)? {
            0 => (ActiveSegment::create(directory, 1)?, Vec::new()),
            last => {
                let expected = expected.filter(|expected| expected.segment == last).map_or(0, |end| end.bytes);
                ActiveSegment::recover(directory, last, expected)?
            }
        };
        Ok((Self { directory: directory.to_path_buf(), options, frame_writer, open, is_unusable: false }, damage))
    }

    /// The segment being written.
    pub(super) fn segment(&self) -> &ActiveSegment {
        &self.open
    }

    /// Returns the location of the record that is written next.
    pub(super) fn next(&self) -> RecordLocation {
        RecordLocation { segment: self.open.number, offset: self.open.bytes, record: 0, quads: 0 }
    }

    /// Returns the end of the records written so far.
    pub(super) fn end(&self) -> SegmentsEnd {
        SegmentsEnd { segment: self.open.number, bytes: self.open.bytes }
    }

    /// Fails if an earlier change failed.
    pub(super) fn check_usable(&self) -> Result<(), StoreError> {
        if self.is_unusable { Err(StoreError::Unusable { path: self.open.path.clone() }) } else { Ok(()) }
    }

    /// Records that a change failed.
    pub(super) fn set_unusable(&mut self) {
        self.is_unusable = true;
    }

    /// Makes all further writes fail, as on a full disk.
    #[cfg(test)]
    pub(super) fn fail_writes(&mut self) {
        self.open.file = Arc::new(File::open(&self.open.path).expect("the segment exists"));
    }

    /// Starts a new segment if the current one is full.
    pub(super) fn prepare(&mut self) -> Result<(), StoreError> {
        self.cut_torn_end()?;
        if self.open.bytes >= self.options.max_segment_bytes {
            // The full segment is synced first, so that only the last segment can have an
            // incomplete frame.
            self.try_write(|open, _| open.file.sync_all().map(|()| (0, ())))?;
            self.open = ActiveSegment::create(&self.directory, self.open.number + 1)?;
        }
        Ok(())
    }

    /// Cuts an incomplete frame at the end of the last segment, if there is one.
    pub(super) fn cut_torn_end(&mut self) -> Result<(), StoreError> {
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            |source| StoreError::Write { path, source }
        };
        self.open.cut_torn_end().map_err(failed(&self.open.path))
    }

    /// Writes records as one frame, with their metadata. Returns the label of the frame.
    pub(super) fn append(&mut self, records: u32, raw: &[u8], metadata: &[u8]) -> Result<FrameLabel, StoreError> {
        self.try_write(|open, frame_writer| {
            let (frame, label) = frame_writer.encode_frame(records, raw, metadata)?;
            (&*open.file).write_all(frame)?;
            Ok((frame.len() as u64, label))
        })
    }

    /// Writes frames in which no record begins.
    pub(super) fn append_spool(&mut self, spool: &mut File) -> Result<(), StoreError> {
        self.try_write(|open, _| {
            spool.rewind()?;
            Ok((io::copy(spool, &mut &*open.file)?, ()))
        })
    }

    /// Runs `write`, which returns the number of bytes written.
    fn try_write<T>(
        &mut self,
        write: impl FnOnce(&ActiveSegment, &mut FrameWriter) -> io::Result<(u64, T)>,
    ) -> Result<T, StoreError> {
        match write(&self.open, &mut self.frame_writer) {
            Ok((bytes, written)) => {
                self.open.bytes += bytes;
                Ok(written)
            }
            Err(source) => Err(StoreError::Write { path: self.open.path.clone(), source }),
        }
    }
}
