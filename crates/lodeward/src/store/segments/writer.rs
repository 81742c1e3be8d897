//! Appends to the last segment, and recovers it when it is opened.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::StoreError;
use super::SegmentOptions;
use super::export::is_record_header;
use super::frame::{FrameRead, FrameReader, FrameWriter};
use super::index::{RecordLocation, SegmentsEnd};
use crate::atomic_file;

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
    /// Whether a write failed. The content of the file is then unknown until the store is opened
    /// again.
    broken: bool,
}

/// An open segment.
pub(super) struct ActiveSegment {
    pub(super) file: Arc<File>,
    pub(super) path: PathBuf,
    pub(super) number: u32,
    /// Size of the complete frames in bytes.
    pub(super) bytes: u64,
    /// Number of records that begin in the segment.
    pub(super) records: u32,
    /// Whether the last record had several frames when the segment was opened. If so, some may be
    /// lost.
    pub(super) may_be_incomplete: bool,
}

impl ActiveSegment {
    fn create(directory: &Path, number: u32) -> Result<Self, StoreError> {
        let path = segment_path(directory, number);
        let create = || {
            let file = OpenOptions::new().create_new(true).append(true).open(&path)?;
            atomic_file::sync_dir(directory)?;
            Ok(Arc::new(file))
        };
        let file = create().map_err(|source| StoreError::Write { path: path.clone(), source })?;
        Ok(Self { file, path, number, bytes: 0, records: 0, may_be_incomplete: false })
    }

    /// Opens the last segment, and truncates an incomplete frame at its end.
    ///
    /// Reads and verifies the whole file, which takes well under a second for 256 MB. Only the last
    /// segment can be incomplete: every other segment was synced before the next one was created.
    fn recover(directory: &Path, number: u32) -> Result<Self, StoreError> {
        let path = segment_path(directory, number);
        let recover = || {
            let file = OpenOptions::new().read(true).append(true).open(&path)?;
            let mut frames = FrameReader::new(BufReader::new(&file))?;
            let (mut bytes, mut records, mut may_be_incomplete) = (0, 0, false);
            while let FrameRead::Frame(label) = frames.advance()? {
                bytes += frames.frame_bytes();
                records += label.documents;
                may_be_incomplete = match label.documents {
                    0 => true,
                    1 => is_record_header(frames.unpack(label)?),
                    _ => false,
                };
            }
            let torn = file.metadata()?.len() - bytes;
            if torn > 0 {
                tracing::warn!(path = %path.display(), torn, "incomplete frame truncated");
                file.set_len(bytes)?;
                file.sync_all()?;
            }
            Ok((Arc::new(file), bytes, records, may_be_incomplete))
        };
        let (file, bytes, records, may_be_incomplete) =
            recover().map_err(|source| StoreError::Write { path: path.clone(), source })?;
        Ok(Self { file, path, number, bytes, records, may_be_incomplete })
    }
}

impl SegmentWriter {
    pub(super) fn open(directory: &Path, options: SegmentOptions) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Write { path: directory.to_path_buf(), source };
        let frame_writer = FrameWriter::new(options.level).map_err(failed)?;
        let open = match last_segment(directory).map_err(failed)? {
            0 => ActiveSegment::create(directory, 1)?,
            last => ActiveSegment::recover(directory, last)?,
        };
        Ok(Self { directory: directory.to_path_buf(), options, frame_writer, open, broken: false })
    }

    /// The segment being written.
    pub(super) fn segment(&self) -> &ActiveSegment {
        &self.open
    }

    /// Returns the location of the record that is written next.
    pub(super) fn next(&self) -> RecordLocation {
        let offset = Some(self.open.bytes);
        RecordLocation { segment: self.open.number, ordinal: self.open.records, quads: 0, offset }
    }

    /// Returns the end of the records written so far.
    pub(super) fn end(&self) -> SegmentsEnd {
        SegmentsEnd { segment: self.open.number, ordinal: self.open.records, bytes: self.open.bytes }
    }

    /// Starts a new segment if the current one is full. Fails if an earlier write failed.
    pub(super) fn prepare(&mut self) -> Result<(), StoreError> {
        if self.broken {
            let what = "an earlier write to this file failed".to_owned();
            return Err(StoreError::Corrupted { path: self.open.path.clone(), what });
        }
        if self.open.bytes >= self.options.max_segment_bytes {
            // The full segment is synced first, so that only the last segment can have an
            // incomplete frame.
            self.try_write(|open, _| open.file.sync_all().map(|()| 0))?;
            self.open = ActiveSegment::create(&self.directory, self.open.number + 1)?;
        }
        Ok(())
    }

    /// Writes records as one frame, with their metadata.
    pub(super) fn append(&mut self, records: u32, raw: &[u8], metadata: &[u8]) -> Result<(), StoreError> {
        self.try_write(|open, frame_writer| {
            let frame = frame_writer.encode_frame(records, raw, metadata)?;
            (&*open.file).write_all(frame)?;
            Ok(frame.len() as u64)
        })?;
        self.open.records += records;
        Ok(())
    }

    /// Writes frames in which no record begins.
    pub(super) fn append_spool(&mut self, spool: &mut File) -> Result<(), StoreError> {
        self.try_write(|open, _| {
            spool.rewind()?;
            io::copy(spool, &mut &*open.file)
        })
    }

    fn try_write(
        &mut self,
        write: impl FnOnce(&ActiveSegment, &mut FrameWriter) -> io::Result<u64>,
    ) -> Result<(), StoreError> {
        match write(&self.open, &mut self.frame_writer) {
            Ok(bytes) => {
                self.open.bytes += bytes;
                Ok(())
            }
            Err(source) => {
                self.broken = true;
                Err(StoreError::Write { path: self.open.path.clone(), source })
            }
        }
    }
}
