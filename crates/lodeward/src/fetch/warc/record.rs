//! The grammar of records: a head of fields, a blank line, a block of a stated
//! length; and, in the block of a response, HTTP once more.

use std::io::{self, BufRead, ErrorKind, Read};

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

/// The largest head that is read, of a record or of a response.
const HEAD_BYTES_MAX: u64 = 256 * 1_024;
/// The most fields that are read of a response.
const FIELDS_MAX: usize = 256;

/// The fields of a record.
pub(super) struct Head {
    text: String,
}

impl Head {
    /// Reads the head of the next record; `None` at the end.
    pub(super) fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let bytes = read_head(reader)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        if !bytes.starts_with(b"WARC/") {
            return Err(broken("not a WARC record"));
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
        length.ok_or_else(|| broken("a record without Content-Length"))
    }

    /// The address of a recorded HTTP response. Other types of record are not
    /// answers; and a second answer to the same address, which a server gave
    /// to browsers (`X-Accept-Variant`), is not the one we would be given.
    pub(super) fn response_target(&self) -> Option<&str> {
        let is_answer = self.get("WARC-Type") == Some("response")
            && self.get("Content-Type").is_none_or(|value| value.starts_with("application/http"))
            && self.get("X-Accept-Variant").is_none();
        let target = self.get("WARC-Target-URI").filter(|_| is_answer)?;
        // Some tools wrote the address in angle brackets, as WARC/1.0 showed it.
        Some(target.strip_prefix('<').and_then(|target| target.strip_suffix('>')).unwrap_or(target))
    }
}

/// The status line and fields of an HTTP response. Fields that are not legal
/// are skipped.
pub(super) fn read_response_head(reader: &mut impl BufRead) -> io::Result<(StatusCode, HeaderMap)> {
    let bytes = read_head(reader)?;
    let mut fields = [httparse::EMPTY_HEADER; FIELDS_MAX];
    let mut response = httparse::Response::new(&mut fields);
    let mut configuration = httparse::ParserConfig::default();
    configuration.ignore_invalid_headers_in_responses(true);
    configuration.allow_spaces_after_header_name_in_responses(true);
    configuration.parse_response(&mut response, &bytes).map_err(|error| broken(&error.to_string()))?;
    let status = response.code.and_then(|code| StatusCode::from_u16(code).ok());
    let status = status.ok_or_else(|| broken("no status"))?;
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

/// Everything up to and including the next blank line. Blank lines before it,
/// which separate records, are skipped.
fn read_head(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut reader = reader.take(HEAD_BYTES_MAX);
    loop {
        let start = head.len();
        if reader.read_until(b'\n', &mut head)? == 0 {
            return if head.is_empty() { Ok(head) } else { Err(broken("a head that does not end")) };
        }
        if head[start..].trim_ascii().is_empty() {
            if start > 0 {
                return Ok(head);
            }
            head.clear();
        }
    }
}

pub(super) fn broken(reason: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, reason)
}

/// A reader that undoes `Transfer-Encoding: chunked`, which crawlers that
/// record the wire leave in place.
pub(super) struct Dechunked<R> {
    inner: R,
    left: u64,
    began: bool,
}

impl<R: BufRead> Dechunked<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, left: 0, began: false }
    }

    /// The size of the next chunk; 0 ends the body.
    fn next_size(&mut self) -> io::Result<u64> {
        let mut line = Vec::new();
        if self.began {
            self.inner.by_ref().take(2).read_until(b'\n', &mut line)?;
            line.clear();
        }
        self.began = true;
        self.inner.by_ref().take(1_024).read_until(b'\n', &mut line)?;
        match httparse::parse_chunk_size(&line) {
            Ok(httparse::Status::Complete((_, size))) => Ok(size),
            _ => Err(broken("a chunk without a size")),
        }
    }
}

impl<R: BufRead> Read for Dechunked<R> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        if output.is_empty() {
            return Ok(0);
        }
        if self.left == 0 {
            self.left = self.next_size()?;
        }
        let length = self.inner.by_ref().take(self.left).read(output)?;
        if length == 0 && self.left > 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.left -= length as u64;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_one_after_the_other() {
        let text = "\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\nwarc-target-uri: <http://a.org/>\r\n\
                    Content-Length : 7\r\n\r\nHTTP/1.1 303 See Other\r\nLocation: /b\r\nB\u{e4}d: x\r\n\r\nrest";
        let mut reader = text.as_bytes();

        let head = Head::read(&mut reader).unwrap().unwrap();
        assert_eq!((head.response_target(), head.content_length().unwrap()), (Some("http://a.org/"), 7));
        let (status, headers) = read_response_head(&mut reader).unwrap();
        assert_eq!((status.as_u16(), headers.len()), (303, 1));
        assert_eq!(reader, b"rest");

        assert!(Head::read(&mut &b""[..]).unwrap().is_none());
        assert!(Head::read(&mut &b"<html>\n\n"[..]).is_err());
        assert!(Head::read(&mut &b"WARC/1.1\r\nWARC-Ty"[..]).is_err());
    }

    #[test]
    fn answers_to_browsers_are_left_aside() {
        let check = |fields: &str, expected: Option<&str>| {
            let text = format!("WARC/1.0\r\nWARC-Target-URI: http://a.org/\r\n{fields}\r\n\r\n");
            assert_eq!(Head::read(&mut text.as_bytes()).unwrap().unwrap().response_target(), expected, "{fields}");
        };

        check("WARC-Type: response", Some("http://a.org/"));
        check("WARC-Type: response\r\nX-Accept-Variant: text/html", None);
        check("WARC-Type: request", None);
        check("WARC-Type: response\r\nContent-Type: text/dns", None);
    }

    #[test]
    fn chunks_are_joined() {
        let mut text = String::new();
        Dechunked::new(&b"3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n"[..]).read_to_string(&mut text).unwrap();
        assert_eq!(text, "abc0123456789");

        assert!(Dechunked::new(&b"5\r\nabc"[..]).read_to_string(&mut text).is_err());
        assert!(Dechunked::new(&b"x\r\nabc"[..]).read_to_string(&mut text).is_err());
    }
}
