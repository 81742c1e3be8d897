//! Writes data to a terminal, with unsafe characters escaped.
//!
//! RDF and query results are written as they are into files and pipes, where other programs read
//! them. On a terminal, control characters inside of literals and IRIs are written as `\uXXXX`,
//! which RDF and JSON read as the same characters.

use std::io::{self, Write};

use lodeward_app::display_text::escape_rdf;

/// Escapes unsafe characters of the text that is written.
pub(crate) struct TerminalWriter<W> {
    inner: W,
    /// The first bytes of a character whose other bytes have not been written yet.
    partial: Vec<u8>,
}

impl<W: Write> TerminalWriter<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, partial: Vec::new() }
    }

    fn write_text(&mut self, text: &str) -> io::Result<()> {
        self.inner.write_all(escape_rdf(text).as_bytes())
    }
}

impl<W: Write> Write for TerminalWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = std::mem::take(&mut self.partial);
        text.extend_from_slice(bytes);
        let mut rest: &[u8] = &text;
        while let Some(chunk) = rest.utf8_chunks().next() {
            self.write_text(chunk.valid())?;
            let invalid = chunk.invalid();
            rest = &rest[chunk.valid().len() + invalid.len()..];
            match std::str::from_utf8(invalid) {
                Err(error) if rest.is_empty() && error.error_len().is_none() => self.partial = invalid.to_vec(),
                Err(_) => self.write_text("\u{fffd}")?,
                Ok(_) => {}
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_escaped_wherever_the_writes_are_split() {
        let text = "<urn:a> <urn:b> \"\u{1b}[31m Köln \u{202e}東京\u{9b}\" .\n".as_bytes();

        for split in 0..text.len() {
            let mut writer = TerminalWriter::new(Vec::new());
            writer.write_all(&text[..split]).unwrap();
            writer.write_all(&text[split..]).unwrap();

            let written = String::from_utf8(writer.inner).unwrap();
            assert_eq!(written, "<urn:a> <urn:b> \"\\u001B[31m Köln \\u202E東京\\u009B\" .\n", "{split}");
        }
    }

    #[test]
    fn invalid_utf_8_is_replaced() {
        let mut writer = TerminalWriter::new(Vec::new());

        writer.write_all(b"a\x9bb\xff\xe6c").unwrap();

        assert_eq!(writer.inner, "a\u{fffd}b\u{fffd}\u{fffd}c".as_bytes());
    }
}
