//! The segment that is being written, and how it is found again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::StoreError;
use super::Options;
use super::export::is_first_line;
use super::frame::{Frames, Next, Press};
use super::index::{End, Location};
use crate::durable;

/// The path of a segment: `000001.nq.zst`.
pub(super) fn segment_path(directory: &Path, segment: u32) -> PathBuf {
    directory.join(format!("{segment:06}.nq.zst"))
}

/// The number of the last segment; 0 if there is none.
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
pub(super) struct Writer {
    directory: PathBuf,
    options: Options,
    press: Press,
    open: Segment,
    /// Whether a write has failed. What the file holds is then known only
    /// after it has been opened again.
    broken: bool,
}

/// An open segment.
pub(super) struct Segment {
    pub(super) file: Arc<File>,
    pub(super) path: PathBuf,
    pub(super) number: u32,
    /// Bytes of whole frames.
    pub(super) bytes: u64,
    /// Records that begin in it.
    pub(super) records: u32,
    /// Whether, when it was opened, its last record was one that goes over
    /// several frames.
    pub(super) may_go_on: bool,
}

impl Segment {
    fn create(directory: &Path, number: u32) -> Result<Self, StoreError> {
        let path = segment_path(directory, number);
        let create = || {
            let file = OpenOptions::new().create_new(true).append(true).open(&path)?;
            durable::sync_folder(directory)?;
            Ok(Arc::new(file))
        };
        let file = create().map_err(|source| StoreError::Io { path: path.clone(), source })?;
        Ok(Self { file, path, number, bytes: 0, records: 0, may_go_on: false })
    }

    /// Opens a segment that may end in a torn frame, and cuts that off.
    ///
    /// The whole file is read and checked, which for a quarter of a gigabyte
    /// takes a blink; earlier segments were synced before they were left.
    fn recover(directory: &Path, number: u32) -> Result<Self, StoreError> {
        let path = segment_path(directory, number);
        let recover = || {
            let file = OpenOptions::new().read(true).append(true).open(&path)?;
            let mut frames = Frames::new(BufReader::new(&file))?;
            let (mut bytes, mut records, mut may_go_on) = (0, 0, false);
            while let Next::Frame(label) = frames.advance()? {
                bytes += frames.bytes();
                records += label.documents;
                may_go_on = match label.documents {
                    0 => true,
                    1 => is_first_line(frames.unpack(label)?),
                    _ => false,
                };
            }
            let torn = file.metadata()?.len() - bytes;
            if torn > 0 {
                tracing::warn!(path = %path.display(), torn, "cut an unfinished frame off the last segment");
                file.set_len(bytes)?;
                file.sync_all()?;
            }
            Ok((Arc::new(file), bytes, records, may_go_on))
        };
        let (file, bytes, records, may_go_on) =
            recover().map_err(|source| StoreError::Io { path: path.clone(), source })?;
        Ok(Self { file, path, number, bytes, records, may_go_on })
    }
}

impl Writer {
    pub(super) fn open(directory: &Path, options: Options) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Io { path: directory.to_path_buf(), source };
        let press = Press::new(options.level).map_err(failed)?;
        let open = match last_segment(directory).map_err(failed)? {
            0 => Segment::create(directory, 1)?,
            last => Segment::recover(directory, last)?,
        };
        Ok(Self { directory: directory.to_path_buf(), options, press, open, broken: false })
    }

    /// The segment that is being written.
    pub(super) fn segment(&self) -> &Segment {
        &self.open
    }

    /// Where the next record will go.
    pub(super) fn next(&self) -> Location {
        let offset = Some(self.open.bytes);
        Location { segment: self.open.number, ordinal: self.open.records, quads: 0, offset }
    }

    /// Where everything ends that has been written.
    pub(super) fn end(&self) -> End {
        End { segment: self.open.number, ordinal: self.open.records, bytes: self.open.bytes }
    }

    /// Makes room for the next frame, and refuses to write after a failure.
    pub(super) fn prepare(&mut self) -> Result<(), StoreError> {
        if self.broken {
            let what = "an earlier write to it failed".to_owned();
            return Err(StoreError::Corrupted { path: self.open.path.clone(), what });
        }
        if self.open.bytes >= self.options.segment_bytes_max {
            // Synced before it is left, so that only the last segment can be
            // torn.
            self.attempt(|open, _| open.file.sync_all().map(|()| 0))?;
            self.open = Segment::create(&self.directory, self.open.number + 1)?;
        }
        Ok(())
    }

    /// Writes records that begin in one frame, and what is on their slip.
    pub(super) fn append(&mut self, records: u32, raw: &[u8], slip: &[u8]) -> Result<(), StoreError> {
        self.attempt(|open, press| {
            let pressed = press.press(records, raw, slip)?;
            (&*open.file).write_all(pressed)?;
            Ok(pressed.len() as u64)
        })?;
        self.open.records += records;
        Ok(())
    }

    /// Writes frames in which no record begins.
    pub(super) fn append_spool(&mut self, spool: &mut File) -> Result<(), StoreError> {
        self.attempt(|open, _| {
            spool.rewind()?;
            io::copy(spool, &mut &*open.file)
        })
    }

    fn attempt(&mut self, write: impl FnOnce(&Segment, &mut Press) -> io::Result<u64>) -> Result<(), StoreError> {
        match write(&self.open, &mut self.press) {
            Ok(bytes) => {
                self.open.bytes += bytes;
                Ok(())
            }
            Err(source) => {
                self.broken = true;
                Err(StoreError::Io { path: self.open.path.clone(), source })
            }
        }
    }
}
