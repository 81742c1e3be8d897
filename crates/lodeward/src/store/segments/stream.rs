//! A document of many frames, read as one.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Take};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::super::StoreError;
use super::frame::{Frames, Next};

/// Reads the N-Quads of the frames in these bytes of a segment.
pub(in crate::store) fn frame_stream(path: &Path, bytes: Range<u64>) -> Result<Box<dyn Read + Send>, StoreError> {
    let open = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(bytes.start))?;
        Frames::new(BufReader::with_capacity(64 << 10, file).take(bytes.end - bytes.start))
    };
    let frames = open().map_err(|source| StoreError::Unreadable { path: path.to_path_buf(), source })?;
    Ok(Box::new(FrameStream { frames, path: path.to_path_buf(), raw: Vec::new(), read: 0 }))
}

struct FrameStream {
    frames: Frames<Take<BufReader<File>>>,
    path: PathBuf,
    /// The frame that is being read, and how much of it has been.
    raw: Vec<u8>,
    read: usize,
}

impl Read for FrameStream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.read == self.raw.len() {
            let label = match self.frames.advance()? {
                Next::Frame(label) => label,
                Next::End => return Ok(0),
                Next::Torn(what) => {
                    let what = format!("{} is corrupted: {what}", self.path.display());
                    return Err(io::Error::new(ErrorKind::InvalidData, what));
                }
            };
            self.raw.clear();
            self.raw.extend_from_slice(self.frames.unpack(label)?);
            self.read = 0;
        }
        let count = into.len().min(self.raw.len() - self.read);
        into[..count].copy_from_slice(&self.raw[self.read..][..count]);
        self.read += count;
        Ok(count)
    }
}
