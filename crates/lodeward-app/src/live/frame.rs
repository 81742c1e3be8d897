//! The bytes on the connection.
//!
//! The client sends one block: its length (`u32`, little endian), then the request. The process
//! answers with frames: a byte for the kind, the length, the content. Then it closes the connection.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

/// The maximum size of a request: a query with many IRIs fits.
pub(super) const MAX_REQUEST_BYTES: usize = 16 << 20;

/// The size of a full frame of output.
const OUTPUT_BYTES: usize = 64 << 10;

/// The maximum size of a frame, for a client that reads it.
const MAX_FRAME_BYTES: usize = 16 << 20;

/// The kinds of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// Bytes of the output.
    Output,
    /// A text about the result: a warning, or an error with its hint.
    Note,
    /// The request is complete; the content is a [`LiveEnd`].
    End,
    /// The process does not have the data that the request needs.
    Declined,
    /// The process is about to end, and has cancelled the request.
    Ended,
}

impl FrameKind {
    const ALL: [Self; 5] = [Self::Output, Self::Note, Self::End, Self::Declined, Self::Ended];

    fn byte(self) -> u8 {
        match self {
            Self::Output => b'o',
            Self::Note => b'n',
            Self::End => b'e',
            Self::Declined => b'd',
            Self::Ended => b'x',
        }
    }
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveEnd {
    /// The exit code of the command.
    pub code: u8,
    /// Whether the output is complete. An incomplete file is not kept.
    pub is_complete: bool,
    /// A text to print after the output is complete.
    pub summary: Option<String>,
}

/// Writes a block with its length.
pub(super) fn write_block(stream: &mut dyn Write, block: &[u8]) -> io::Result<()> {
    let length = u32::try_from(block.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    stream.write_all(&length.to_le_bytes())?;
    stream.write_all(block)
}

/// Reads a block of at most this many bytes.
pub(super) fn read_block(stream: &mut dyn Read, max_bytes: usize) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > max_bytes {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a block of {length} bytes")));
    }
    let mut block = vec![0; length];
    stream.read_exact(&mut block)?;
    Ok(block)
}

/// Writes a frame.
pub(super) fn write_frame(stream: &mut dyn Write, kind: FrameKind, content: &[u8]) -> io::Result<()> {
    stream.write_all(&[kind.byte()])?;
    write_block(stream, content)
}

/// Reads a frame.
pub(super) fn read_frame(stream: &mut dyn Read) -> io::Result<(FrameKind, Vec<u8>)> {
    let mut byte = [0];
    stream.read_exact(&mut byte)?;
    let kind = FrameKind::ALL.into_iter().find(|kind| kind.byte() == byte[0]);
    let kind =
        kind.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, format!("a frame of kind {}", byte[0])))?;
    Ok((kind, read_block(stream, MAX_FRAME_BYTES)?))
}

/// Writes the output and the notes of a request, in their order.
pub struct LiveOutput<'a> {
    stream: &'a mut (dyn Write + Send),
    output: Vec<u8>,
}

impl<'a> LiveOutput<'a> {
    pub(super) fn new(stream: &'a mut (dyn Write + Send)) -> Self {
        Self { stream, output: Vec::with_capacity(OUTPUT_BYTES) }
    }

    /// Sends a text that is not part of the output.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        self.flush()?;
        write_frame(self.stream, FrameKind::Note, text.as_bytes())
    }
}

impl Write for LiveOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.output.len() + bytes.len() > OUTPUT_BYTES {
            self.flush()?;
        }
        if bytes.len() >= OUTPUT_BYTES {
            let bytes = &bytes[..OUTPUT_BYTES];
            write_frame(self.stream, FrameKind::Output, bytes)?;
            return Ok(bytes.len());
        }
        self.output.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.output.is_empty() {
            write_frame(self.stream, FrameKind::Output, &self.output)?;
            self.output.clear();
        }
        Ok(())
    }
}
