//! The heads of HTTP/1.1 messages: parses requests, writes responses.

use std::net::SocketAddr;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version};
use url::Url;

use super::clock;
use crate::message::WebRequest;

const MAX_HEADER_FIELDS: usize = 128;

/// The properties of a connection that complete a request head.
#[derive(Clone, Debug)]
pub(super) struct ConnectionInfo {
    pub(super) client: SocketAddr,
    pub(super) local: SocketAddr,
    /// Whether the connection uses TLS.
    pub(super) secure: bool,
    /// The authority of the client's `CONNECT`, or of its TLS server name.
    pub(super) authority: Option<String>,
}

/// A request head and what it declares about the connection.
pub(super) struct RequestHead {
    pub(super) request: WebRequest,
    pub(super) version: Version,
    /// Whether the client keeps the connection open after the response.
    pub(super) keep_alive: bool,
    /// The length of the content; `None` if it is chunked.
    pub(super) content_bytes: Option<u64>,
}

/// The result of parsing the front of a buffer.
pub(super) enum HeadParse {
    /// An incomplete head.
    Incomplete,
    /// A request.
    Head(Box<RequestHead>),
    /// A `CONNECT` to this authority.
    Connect(String),
    /// A malformed head, to be answered with this status.
    Malformed(StatusCode),
}

/// Parses one request head and removes it from the front of `buffer`.
pub(super) fn read(buffer: &mut BytesMut, connection: &ConnectionInfo) -> HeadParse {
    let mut fields = [httparse::EMPTY_HEADER; MAX_HEADER_FIELDS];
    let mut parsed = httparse::Request::new(&mut fields);
    let (length, result) = match parsed.parse(buffer) {
        Ok(httparse::Status::Partial) => return HeadParse::Incomplete,
        Ok(httparse::Status::Complete(length)) => {
            (length, interpret(&parsed, connection).unwrap_or_else(HeadParse::Malformed))
        }
        Err(httparse::Error::TooManyHeaders) => {
            return HeadParse::Malformed(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
        }
        Err(_) => return HeadParse::Malformed(StatusCode::BAD_REQUEST),
    };
    buffer.advance(length);
    result
}

fn interpret(parsed: &httparse::Request<'_, '_>, connection: &ConnectionInfo) -> Result<HeadParse, StatusCode> {
    let method = parsed.method.unwrap_or_default();
    let target = parsed.path.unwrap_or_default();
    if method == "CONNECT" {
        return Ok(HeadParse::Connect(target.to_owned()));
    }
    let headers = parse_headers(parsed.headers)?;
    let url = request_url(target, &headers, connection).ok_or(StatusCode::BAD_REQUEST)?;
    let method = Method::from_bytes(method.as_bytes()).map_err(|_| StatusCode::BAD_REQUEST)?;
    let version = if parsed.version == Some(1) { Version::HTTP_11 } else { Version::HTTP_10 };
    let keep_alive = version == Version::HTTP_11 && !has_connection_close(&headers);
    let content_bytes = content_length(&headers)?;
    let request = WebRequest { method, url, headers, body: Bytes::new() };
    Ok(HeadParse::Head(Box::new(RequestHead { request, version, keep_alive, content_bytes })))
}

fn parse_headers(fields: &[httparse::Header<'_>]) -> Result<HeaderMap, StatusCode> {
    let mut headers = HeaderMap::with_capacity(fields.len());
    for field in fields {
        let name = HeaderName::from_bytes(field.name.as_bytes()).map_err(|_| StatusCode::BAD_REQUEST)?;
        let value = HeaderValue::from_bytes(field.value).map_err(|_| StatusCode::BAD_REQUEST)?;
        headers.append(name, value);
    }
    Ok(headers)
}

/// The requested URL: the target if it is absolute, otherwise the target on the host of the `Host` field.
fn request_url(target: &str, headers: &HeaderMap, connection: &ConnectionInfo) -> Option<Url> {
    let mut url = if target.starts_with('/') || target == "*" {
        let scheme = if connection.secure { "https" } else { "http" };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).or(connection.authority.as_deref())?;
        let path = if target == "*" { "/" } else { target };
        Url::parse(&format!("{scheme}://{host}{path}")).ok()?
    } else {
        Url::parse(target).ok()?
    };
    url.host()?;
    // A client without a proxy names the port on which this server happens to listen. The web does not know that port.
    if target.starts_with('/') && url.port() == Some(connection.local.port()) {
        url.set_port(None).ok()?;
    }
    if url.fragment().is_some() {
        url.set_fragment(None);
    }
    Some(url)
}

fn has_connection_close(headers: &HeaderMap) -> bool {
    let proxy_connection = HeaderName::from_static("proxy-connection");
    let values = headers.get_all(CONNECTION).iter().chain(headers.get_all(proxy_connection));
    let mut tokens = values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    tokens.any(|token| token.trim().eq_ignore_ascii_case("close"))
}

fn content_length(headers: &HeaderMap) -> Result<Option<u64>, StatusCode> {
    if headers.contains_key(TRANSFER_ENCODING) {
        return Ok(None);
    }
    let Some(length) = headers.get(CONTENT_LENGTH) else { return Ok(Some(0)) };
    let length = length.to_str().ok().and_then(|length| length.parse().ok());
    length.map(Some).ok_or(StatusCode::BAD_REQUEST)
}

/// How a client detects the end of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyFraming {
    /// By the declared length.
    Length(u64),
    /// By an empty chunk.
    Chunked,
    /// By the end of the connection.
    Close,
    /// By the status, which excludes content.
    Bodiless,
}

/// Writes the head of a response.
pub(super) fn write(
    out: &mut BytesMut,
    status: StatusCode,
    headers: &HeaderMap,
    framing: BodyFraming,
    keep_alive: bool,
) {
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
        BodyFraming::Length(length) => {
            out.put_slice(b"\r\ncontent-length: ");
            put_decimal(out, length);
        }
        BodyFraming::Chunked => out.put_slice(b"\r\ntransfer-encoding: chunked"),
        BodyFraming::Close | BodyFraming::Bodiless => {}
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

    fn connection(secure: bool, authority: Option<&str>) -> ConnectionInfo {
        let client = "127.0.0.1:40000".parse().expect("an address");
        let local = "127.0.0.1:8080".parse().expect("an address");
        ConnectionInfo { client, local, secure, authority: authority.map(str::to_owned) }
    }

    fn url_of(head: &str, connection: &ConnectionInfo) -> Result<String, u16> {
        match read(&mut BytesMut::from(head), connection) {
            HeadParse::Head(head) => Ok(head.request.url.into()),
            HeadParse::Malformed(status) => Err(status.as_u16()),
            HeadParse::Connect(authority) => Ok(format!("connect {authority}")),
            HeadParse::Incomplete => Err(0),
        }
    }

    #[test]
    fn the_url_is_derived_from_target_host_and_connection() {
        let plain = connection(false, None);
        let tunnel = connection(true, Some("a.example:443"));
        for (head, connection, expected) in [
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
            assert_eq!(url_of(head, connection), expected.map(str::to_owned), "{head}");
        }
    }

    #[test]
    fn parsing_a_head_leaves_the_next_one_in_the_buffer() {
        let mut buffer =
            BytesMut::from("GET http://a.example/1 HTTP/1.1\r\n\r\nGET http://a.example/2 HTTP/1.1\r\n\r\n");

        assert!(matches!(read(&mut buffer, &connection(false, None)), HeadParse::Head(_)));

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
