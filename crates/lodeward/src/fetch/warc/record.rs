//! The grammar of WARC records: a head of fields, a blank line, a block of a declared length; in the block of a
//! response, an HTTP message.

use std::io::{self, BufRead, ErrorKind, Read};

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

/// Maximum size of the head of a record or of a response.
const MAX_HEAD_BYTES: u64 = 256 * 1_024;
/// Maximum number of fields read from a response.
const MAX_FIELDS: usize = 256;

/// The head of a WARC record: its named fields.
pub(super) struct WarcHead {
    text: String,
}

impl WarcHead {
    /// Reads the head of the next record; `None` at the end.
    pub(super) fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let bytes = read_head(reader)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        if !bytes.starts_with(b"WARC/") {
            return Err(invalid_data("not a WARC record"));
        }
        Ok(Some(Self { text: String::from_utf8_lossy(&bytes).into_owned() }))
    }

    /// The value of a field.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.text.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.trim_end().eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The length of the block.
    pub(super) fn content_length(&self) -> io::Result<u64> {
        let length = self.get("Content-Length").and_then(|value| value.parse().ok());
        length.ok_or_else(|| invalid_data("record has no Content-Length"))
    }

    /// The URL of a recorded HTTP response. Other record types are not responses. A second response recorded with the
    /// `Accept` of browsers (`X-Accept-Variant`) is not the one a crawl would receive.
    pub(super) fn response_target(&self) -> Option<&str> {
        let is_response = self.get("WARC-Type") == Some("response")
            && self.get("Content-Type").is_none_or(|value| value.starts_with("application/http"))
            && self.get("X-Accept-Variant").is_none();
        let target = self.get("WARC-Target-URI").filter(|_| is_response)?;
        // Some tools write the URL in angle brackets, as shown in WARC/1.0.
        Some(target.strip_prefix('<').and_then(|target| target.strip_suffix('>')).unwrap_or(target))
    }
}

/// The status line and fields of an HTTP response. Invalid fields are skipped.
pub(super) fn read_response_head(reader: &mut impl BufRead) -> io::Result<(StatusCode, HeaderMap)> {
    let bytes = read_head(reader)?;
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut response = httparse::Response::new(&mut fields);
    let mut configuration = httparse::ParserConfig::default();
    configuration.ignore_invalid_headers_in_responses(true);
    configuration.allow_spaces_after_header_name_in_responses(true);
    configuration.parse_response(&mut response, &bytes).map_err(|error| invalid_data(&error.to_string()))?;
    let status = response.code.and_then(|code| StatusCode::from_u16(code).ok());
    let status = status.ok_or_else(|| invalid_data("response has no status"))?;
    let fields = response.headers.iter().filter_map(|field| {
        let name = HeaderName::from_bytes(field.name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_bytes(field.value).ok()?))
    });
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.append(name, value);
    }
    Ok((status, headers))
}

/// Everything up to and including the next blank line. Blank lines before it, which separate records, are skipped.
fn read_head(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut reader = reader.take(MAX_HEAD_BYTES);
    loop {
        let start = head.len();
        if reader.read_until(b'\n', &mut head)? == 0 {
            return if head.is_empty() { Ok(head) } else { Err(invalid_data("head is not terminated")) };
        }
        if head[start..].trim_ascii().is_empty() {
            if start > 0 {
                return Ok(head);
            }
            head.clear();
        }
    }
}

pub(super) fn invalid_data(reason: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, reason)
}

/// A reader that decodes `Transfer-Encoding: chunked`, which crawlers that record the wire preserve.
pub(super) struct ChunkedReader<R> {
    inner: R,
    remaining: u64,
    started: bool,
}

impl<R: BufRead> ChunkedReader<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, remaining: 0, started: false }
    }

    /// The size of the next chunk; 0 ends the body.
    fn next_chunk_size(&mut self) -> io::Result<u64> {
        let mut line = Vec::new();
        if self.started {
            self.inner.by_ref().take(2).read_until(b'\n', &mut line)?;
            line.clear();
        }
        self.started = true;
        self.inner.by_ref().take(1_024).read_until(b'\n', &mut line)?;
        match httparse::parse_chunk_size(&line) {
            Ok(httparse::Status::Complete((_, size))) => Ok(size),
            _ => Err(invalid_data("chunk has no size")),
        }
    }
}

impl<R: BufRead> Read for ChunkedReader<R> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        if output.is_empty() {
            return Ok(0);
        }
        if self.remaining == 0 {
            self.remaining = self.next_chunk_size()?;
        }
        let length = self.inner.by_ref().take(self.remaining).read(output)?;
        if length == 0 && self.remaining > 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.remaining -= length as u64;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_in_sequence() {
        let text = "\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\nwarc-target-uri: <http://a.org/>\r\n\
                    Content-Length : 7\r\n\r\nHTTP/1.1 303 See Other\r\nLocation: /b\r\nB\u{e4}d: x\r\n\r\nrest";
        let mut reader = text.as_bytes();

        let head = WarcHead::read(&mut reader).unwrap().unwrap();
        assert_eq!((head.response_target(), head.content_length().unwrap()), (Some("http://a.org/"), 7));
        let (status, headers) = read_response_head(&mut reader).unwrap();
        assert_eq!((status.as_u16(), headers.len()), (303, 1));
        assert_eq!(reader, b"rest");

        assert!(WarcHead::read(&mut &b""[..]).unwrap().is_none());
        assert!(WarcHead::read(&mut &b"<html>\n\n"[..]).is_err());
        assert!(WarcHead::read(&mut &b"WARC/1.1\r\nWARC-Ty"[..]).is_err());
    }

    #[test]
    fn responses_to_browsers_are_skipped() {
        let check = |fields: &str, expected: Option<&str>| {
            let text = format!("WARC/1.0\r\nWARC-Target-URI: http://a.org/\r\n{fields}\r\n\r\n");
            assert_eq!(WarcHead::read(&mut text.as_bytes()).unwrap().unwrap().response_target(), expected, "{fields}");
        };

        check("WARC-Type: response", Some("http://a.org/"));
        check("WARC-Type: response\r\nX-Accept-Variant: text/html", None);
        check("WARC-Type: request", None);
        check("WARC-Type: response\r\nContent-Type: text/dns", None);
    }

    #[test]
    fn chunks_are_joined() {
        let mut text = String::new();
        ChunkedReader::new(&b"3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n"[..]).read_to_string(&mut text).unwrap();
        assert_eq!(text, "abc0123456789");

        assert!(ChunkedReader::new(&b"5\r\nabc"[..]).read_to_string(&mut text).is_err());
        assert!(ChunkedReader::new(&b"x\r\nabc"[..]).read_to_string(&mut text).is_err());
    }
}
