//! Reads a document of several frames as one stream.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Take};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::super::StoreError;
use super::frame::{FrameRead, FrameReader};

/// Reads the N-Quads of the frames in this byte range of a segment.
pub(in crate::store) fn frame_stream(path: &Path, bytes: Range<u64>) -> Result<Box<dyn Read + Send>, StoreError> {
    let open = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(bytes.start))?;
        FrameReader::new(BufReader::with_capacity(64 << 10, file).take(bytes.end - bytes.start))
    };
    let frames = open().map_err(|source| StoreError::Read { path: path.to_path_buf(), source })?;
    Ok(Box::new(FrameStream { frames, path: path.to_path_buf(), raw: Vec::new(), read: 0 }))
}

struct FrameStream {
    frames: FrameReader<Take<BufReader<File>>>,
    path: PathBuf,
    /// Lines of the current frame, and how many bytes of them were read.
    raw: Vec<u8>,
    read: usize,
}

impl Read for FrameStream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.read == self.raw.len() {
            let label = match self.frames.advance()? {
                FrameRead::Frame(label) => label,
                FrameRead::End => return Ok(0),
                FrameRead::Gap => continue,
                FrameRead::Torn(what) => {
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
