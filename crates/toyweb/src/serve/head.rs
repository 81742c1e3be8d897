//! The heads of HTTP/1.1 messages: requests read, answers written.

use std::net::SocketAddr;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version};
use url::Url;

use super::clock;
use crate::message::Request;

const FIELDS_MAX: usize = 128;

/// Where a conversation takes place, which a request alone does not tell.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) client: SocketAddr,
    pub(super) local: SocketAddr,
    /// Whether TLS has been spoken.
    pub(super) secure: bool,
    /// The authority the client had itself connected to, or named in its TLS
    /// greeting.
    pub(super) authority: Option<String>,
}

/// A request head and what it says about the connection.
pub(super) struct Head {
    pub(super) request: Request,
    pub(super) version: Version,
    /// Whether the client wants to go on after the answer.
    pub(super) keep_alive: bool,
    /// How many bytes of content follow; `None` when only the end will tell.
    pub(super) content_bytes: Option<u64>,
}

/// What stands at the front of a buffer.
pub(super) enum Reading {
    /// The start of a head.
    Incomplete,
    /// A request.
    Head(Box<Head>),
    /// A `CONNECT` to this authority.
    Connect(String),
    /// Something to be refused with this status.
    Malformed(StatusCode),
}

/// Takes one request head off the front of `buffer`.
pub(super) fn read(buffer: &mut BytesMut, place: &Place) -> Reading {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS_MAX];
    let mut parsed = httparse::Request::new(&mut fields);
    let (length, reading) = match parsed.parse(buffer) {
        Ok(httparse::Status::Partial) => return Reading::Incomplete,
        Ok(httparse::Status::Complete(length)) => {
            (length, interpret(&parsed, place).unwrap_or_else(Reading::Malformed))
        }
        Err(httparse::Error::TooManyHeaders) => {
            return Reading::Malformed(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
        }
        Err(_) => return Reading::Malformed(StatusCode::BAD_REQUEST),
    };
    buffer.advance(length);
    reading
}

fn interpret(parsed: &httparse::Request<'_, '_>, place: &Place) -> Result<Reading, StatusCode> {
    let method = parsed.method.unwrap_or_default();
    let target = parsed.path.unwrap_or_default();
    if method == "CONNECT" {
        return Ok(Reading::Connect(target.to_owned()));
    }
    let headers = headers(parsed.headers)?;
    let url = absolute(target, &headers, place).ok_or(StatusCode::BAD_REQUEST)?;
    let method = Method::from_bytes(method.as_bytes()).map_err(|_| StatusCode::BAD_REQUEST)?;
    let version = if parsed.version == Some(1) { Version::HTTP_11 } else { Version::HTTP_10 };
    let keep_alive = version == Version::HTTP_11 && !says_close(&headers);
    let content_bytes = content_bytes(&headers)?;
    let request = Request { method, url, headers, body: Bytes::new() };
    Ok(Reading::Head(Box::new(Head { request, version, keep_alive, content_bytes })))
}

fn headers(fields: &[httparse::Header<'_>]) -> Result<HeaderMap, StatusCode> {
    let mut headers = HeaderMap::with_capacity(fields.len());
    for field in fields {
        let name = HeaderName::from_bytes(field.name.as_bytes()).map_err(|_| StatusCode::BAD_REQUEST)?;
        let value = HeaderValue::from_bytes(field.value).map_err(|_| StatusCode::BAD_REQUEST)?;
        headers.append(name, value);
    }
    Ok(headers)
}

/// The URL asked for: as it stands, when it is absolute; otherwise on the host
/// that the `Host` field names.
fn absolute(target: &str, headers: &HeaderMap, place: &Place) -> Option<Url> {
    let mut url = if target.starts_with('/') || target == "*" {
        let scheme = if place.secure { "https" } else { "http" };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).or(place.authority.as_deref())?;
        let path = if target == "*" { "/" } else { target };
        Url::parse(&format!("{scheme}://{host}{path}")).ok()?
    } else {
        Url::parse(target).ok()?
    };
    url.host()?;
    // A host reached without a proxy is asked for with the port we happen to
    // listen on; the web in the box knows nothing of that port.
    if target.starts_with('/') && url.port() == Some(place.local.port()) {
        url.set_port(None).ok()?;
    }
    if url.fragment().is_some() {
        url.set_fragment(None);
    }
    Some(url)
}

fn says_close(headers: &HeaderMap) -> bool {
    let proxy_connection = HeaderName::from_static("proxy-connection");
    let values = headers.get_all(CONNECTION).iter().chain(headers.get_all(proxy_connection));
    let mut tokens = values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    tokens.any(|token| token.trim().eq_ignore_ascii_case("close"))
}

fn content_bytes(headers: &HeaderMap) -> Result<Option<u64>, StatusCode> {
    if headers.contains_key(TRANSFER_ENCODING) {
        return Ok(None);
    }
    let Some(length) = headers.get(CONTENT_LENGTH) else { return Ok(Some(0)) };
    let length = length.to_str().ok().and_then(|length| length.parse().ok());
    length.map(Some).ok_or(StatusCode::BAD_REQUEST)
}

/// How an answer's end is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// By its length.
    Length(u64),
    /// By an empty chunk.
    Chunked,
    /// By the end of the connection.
    Close,
    /// There is no content, and the status says so.
    Bodiless,
}

/// Writes the head of an answer.
pub(super) fn write(out: &mut BytesMut, status: StatusCode, headers: &HeaderMap, framing: Framing, keep_alive: bool) {
    out.put_slice(b"HTTP/1.1 ");
    out.put_slice(status.as_str().as_bytes());
    out.put_u8(b' ');
    out.put_slice(status.canonical_reason().unwrap_or("Unnamed").as_bytes());
    out.put_slice(b"\r\ndate: ");
    clock::with_http_date(|date| out.put_slice(date.as_bytes()));
    for (name, value) in headers {
        out.put_slice(b"\r\n");
        out.put_slice(name.as_str().as_bytes());
        out.put_slice(b": ");
        out.put_slice(value.as_bytes());
    }
    match framing {
        Framing::Length(length) => {
            out.put_slice(b"\r\ncontent-length: ");
            put_decimal(out, length);
        }
        Framing::Chunked => out.put_slice(b"\r\ntransfer-encoding: chunked"),
        Framing::Close | Framing::Bodiless => {}
    }
    if !keep_alive {
        out.put_slice(b"\r\nconnection: close");
    }
    out.put_slice(b"\r\n\r\n");
}

fn put_decimal(out: &mut BytesMut, mut number: u64) {
    let mut digits = [0_u8; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.put_slice(&digits[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(secure: bool, authority: Option<&str>) -> Place {
        let client = "127.0.0.1:40000".parse().expect("an address");
        let local = "127.0.0.1:8080".parse().expect("an address");
        Place { client, local, secure, authority: authority.map(str::to_owned) }
    }

    fn url_of(head: &str, place: &Place) -> Result<String, u16> {
        match read(&mut BytesMut::from(head), place) {
            Reading::Head(head) => Ok(head.request.url.into()),
            Reading::Malformed(status) => Err(status.as_u16()),
            Reading::Connect(authority) => Ok(format!("connect {authority}")),
            Reading::Incomplete => Err(0),
        }
    }

    #[test]
    fn the_url_is_made_of_what_is_said_where() {
        let plain = place(false, None);
        let tunnel = place(true, Some("a.example:443"));
        for (head, place, expected) in [
            ("GET http://a.example/x?y HTTP/1.1\r\n\r\n", &plain, Ok("http://a.example/x?y")),
            ("GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n", &plain, Ok("http://a.example/x")),
            ("GET /x HTTP/1.1\r\nHost: a.example:8080\r\n\r\n", &plain, Ok("http://a.example/x")),
            ("GET /x HTTP/1.1\r\nHost: a.example:81\r\n\r\n", &plain, Ok("http://a.example:81/x")),
            ("GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n", &tunnel, Ok("https://a.example/x")),
            ("GET /x HTTP/1.0\r\n\r\n", &tunnel, Ok("https://a.example/x")),
            ("CONNECT a.example:443 HTTP/1.1\r\n\r\n", &plain, Ok("connect a.example:443")),
            ("GET /x HTTP/1.1\r\n\r\n", &plain, Err(400)),
            ("nonsense\r\n\r\n", &plain, Err(400)),
            ("GET /x HTTP/1.1\r\nHost: a", &plain, Err(0)),
        ] {
            assert_eq!(url_of(head, place), expected.map(str::to_owned), "{head}");
        }
    }

    #[test]
    fn a_head_leaves_what_follows_it_in_the_buffer() {
        let mut buffer =
            BytesMut::from("GET http://a.example/1 HTTP/1.1\r\n\r\nGET http://a.example/2 HTTP/1.1\r\n\r\n");

        assert!(matches!(read(&mut buffer, &place(false, None)), Reading::Head(_)));

        assert!(buffer.starts_with(b"GET http://a.example/2 "));
    }

    #[test]
    fn lengths_are_written_in_decimal() {
        for number in [0, 7, 10, 12_345, u64::MAX] {
            let mut out = BytesMut::new();
            put_decimal(&mut out, number);
            assert_eq!(out, number.to_string().as_bytes());
        }
    }
}
