//! Documents in memory or in a stream, and their conversion to what the parsers accept.

use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::rc::Rc;

use encoding_rs::UTF_8;

use crate::charset::{CharsetSource, Utf8Reader, detect_encoding};

/// A document.
pub enum RdfInput<'a> {
    /// A document in memory.
    Slice(&'a [u8]),
    /// A document of any length.
    Stream(Box<dyn Read + 'a>),
}

impl<'a> From<&'a [u8]> for RdfInput<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Slice(bytes)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for RdfInput<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Self::Slice(bytes)
    }
}

/// An XML declaration must be in this number of bytes.
pub(super) const XML_HEAD_BYTES: u64 = 1_024;

impl<'a> RdfInput<'a> {
    /// The document without a byte order mark.
    pub(super) fn without_bom(self) -> Self {
        const BOM: &[u8] = b"\xef\xbb\xbf";
        match self {
            Self::Slice(bytes) => Self::Slice(bytes.strip_prefix(BOM).unwrap_or(bytes)),
            Self::Stream(stream) => {
                let (head, rest) = split_head(stream, BOM.len() as u64);
                let skipped = if head == BOM { BOM.len() } else { 0 };
                Self::stream(head[skipped..].to_vec(), rest)
            }
        }
    }

    /// An XML document in UTF-8. `was_replaced` is set if invalid bytes are replaced.
    pub(super) fn into_utf_8_xml(self, was_replaced: &Rc<Cell<bool>>) -> Self {
        let encoding = |head: &[u8]| detect_encoding(CharsetSource::Xml, None, head, None);
        let (encoding, document): (_, Box<dyn Read + 'a>) = match self {
            Self::Slice(bytes) => match encoding(bytes) {
                utf_8 if utf_8 == UTF_8 && std::str::from_utf8(bytes).is_ok() => return self.without_bom(),
                encoding => (encoding, Box::new(bytes)),
            },
            Self::Stream(stream) => {
                let (head, rest) = split_head(stream, XML_HEAD_BYTES);
                (encoding(&head), Box::new(Cursor::new(head).chain(rest)))
            }
        };
        Self::Stream(Box::new(Utf8Reader::new(document, encoding, Rc::clone(was_replaced))))
    }

    fn stream(head: Vec<u8>, rest: impl Read + 'a) -> Self {
        Self::Stream(Box::new(Cursor::new(head).chain(rest)))
    }
}

/// The first bytes of a stream, and the rest. If reading fails, the rest starts with the error.
pub(super) fn split_head<'a>(mut stream: Box<dyn Read + 'a>, bytes: u64) -> (Vec<u8>, impl Read + 'a) {
    let mut head = Vec::new();
    let failed = stream.by_ref().take(bytes).read_to_end(&mut head).err();
    (head, FailedRead(failed).chain(stream))
}

/// A reader that fails once, if it has an error.
pub(super) struct FailedRead(Option<io::Error>);

impl FailedRead {
    pub(super) fn new(error: Option<io::Error>) -> Self {
        Self(error)
    }
}

impl Read for FailedRead {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
