//! The HTTP/1.1 server, written by hand: a test web must cost less than the crawler that it tests.
//!
//! Usually one read receives one request and one vectored write sends one response. Both buffers live as long as the
//! connection.

use std::io::{self, IoSlice};

use bytes::{Bytes, BytesMut};
use http::{Method, StatusCode, Version};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::ServerShared;
use super::access_log_writer::LoggedRequest;
use super::body_pieces::{self, BodyPieces};
use super::clock::pause;
use super::head::{self, BodyFraming, ConnectionInfo, HeadParse, RequestHead};
use crate::message::{DeliveryFault, WebResponse};

const MAX_REQUEST_HEAD_BYTES: usize = 64 * 1024;
const MAX_REQUEST_CONTENT_BYTES: u64 = 16 * 1024 * 1024;
const READ_BYTES: usize = 8 * 1024;
/// The first byte of a TLS handshake, which starts no HTTP request.
const TLS_HANDSHAKE_BYTE: u8 = 0x16;

/// Why HTTP/1.1 on a connection ended.
pub(super) enum ConversationEnd {
    /// The connection is closed.
    Closed,
    /// The client sent `CONNECT` to this authority.
    Connect(String),
    /// The client started a TLS handshake.
    TlsHandshake,
}

/// What happens to the connection after a response.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AfterResponse {
    KeepAlive,
    Close,
}

/// Serves requests until the client or the server closes the connection.
pub(super) async fn serve_connection<S>(
    stream: &mut S,
    buffer: &mut BytesMut,
    connection: &ConnectionInfo,
    shared: &ServerShared,
) -> io::Result<ConversationEnd>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut scratch = BytesMut::with_capacity(1024);
    loop {
        if !connection.secure && buffer.first() == Some(&TLS_HANDSHAKE_BYTE) {
            return Ok(ConversationEnd::TlsHandshake);
        }
        let head = match if buffer.is_empty() { HeadParse::Incomplete } else { head::read(buffer, connection) } {
            HeadParse::Incomplete if buffer.len() >= MAX_REQUEST_HEAD_BYTES => {
                return reject(stream, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE).await;
            }
            HeadParse::Incomplete => {
                if receive(stream, buffer, shared).await? == 0 {
                    return Ok(ConversationEnd::Closed);
                }
                continue;
            }
            HeadParse::Malformed(status) => return reject(stream, status).await,
            HeadParse::Connect(authority) => return Ok(ConversationEnd::Connect(authority)),
            HeadParse::Head(head) => head,
        };
        if head.content_bytes.is_some_and(|bytes| bytes > MAX_REQUEST_CONTENT_BYTES) {
            return reject(stream, StatusCode::PAYLOAD_TOO_LARGE).await;
        }
        let mut head = head;
        head.request.body = read_content(stream, buffer, head.content_bytes.unwrap_or(0), shared).await?;
        let after = handle_request(stream, &head, connection, shared, &mut scratch).await?;
        if after == AfterResponse::Close {
            stream.shutdown().await?;
            return Ok(ConversationEnd::Closed);
        }
    }
}

/// Reads more bytes; 0 at the end of the stream, at shutdown, or after the idle timeout.
async fn receive<S: AsyncRead + Unpin>(
    stream: &mut S,
    buffer: &mut BytesMut,
    shared: &ServerShared,
) -> io::Result<usize> {
    buffer.reserve(READ_BYTES);
    tokio::select! {
        biased;
        read = stream.read_buf(buffer) => read,
        () = shared.wait_for_shutdown() => Ok(0),
        () = pause(shared.idle_timeout) => Ok(0),
    }
}

/// Removes the content of a request from the front of `buffer`.
async fn read_content<S: AsyncRead + Unpin>(
    stream: &mut S,
    buffer: &mut BytesMut,
    bytes: u64,
    shared: &ServerShared,
) -> io::Result<Bytes> {
    let bytes = usize::try_from(bytes).map_err(io::Error::other)?;
    while buffer.len() < bytes {
        if receive(stream, buffer, shared).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(buffer.split_to(bytes).freeze())
}

async fn reject<S: AsyncWrite + Unpin>(stream: &mut S, status: StatusCode) -> io::Result<ConversationEnd> {
    let mut out = BytesMut::new();
    head::write(&mut out, status, &http::HeaderMap::new(), BodyFraming::Length(0), false);
    stream.write_all(&out).await?;
    stream.shutdown().await?;
    Ok(ConversationEnd::Closed)
}

async fn handle_request<S: AsyncWrite + Unpin>(
    stream: &mut S,
    head: &RequestHead,
    connection: &ConnectionInfo,
    shared: &ServerShared,
    scratch: &mut BytesMut,
) -> io::Result<AfterResponse> {
    let mut logged = shared.access_log.start_request(connection.client, &head.request.method, &head.request.url);
    let response = shared.respond(&head.request).await;
    match response.delivery {
        DeliveryFault::Dropped => return Ok(AfterResponse::Close),
        // The handshake has already succeeded, so the connection is closed instead.
        DeliveryFault::BrokenTls if connection.secure => return Ok(AfterResponse::Close),
        DeliveryFault::Slow(delay) => pause(delay).await,
        _ => {}
    }
    send_response(stream, head, response, scratch, &mut logged).await
}

async fn send_response<S: AsyncWrite + Unpin>(
    stream: &mut S,
    head: &RequestHead,
    response: WebResponse,
    scratch: &mut BytesMut,
    logged: &mut LoggedRequest,
) -> io::Result<AfterResponse> {
    let WebResponse { status, headers, body, delivery } = response;
    let framing = match body_pieces::declared_length(&body, delivery) {
        _ if status.is_informational() || status == StatusCode::NO_CONTENT || status == StatusCode::NOT_MODIFIED => {
            BodyFraming::Bodiless
        }
        Some(length) => BodyFraming::Length(length),
        None if head.version == Version::HTTP_11 => BodyFraming::Chunked,
        None => BodyFraming::Close,
    };
    let keep_alive = head.keep_alive && framing != BodyFraming::Close && head.content_bytes.is_some();
    let bodiless = head.request.method == Method::HEAD || framing == BodyFraming::Bodiless;
    let intact =
        !body_pieces::is_truncated(&body, delivery) && !matches!(delivery, DeliveryFault::UnderstatedLength(_));
    let mut pieces = if bodiless { BodyPieces::empty() } else { BodyPieces::new(body, delivery) };

    scratch.clear();
    head::write(scratch, status, &headers, framing, keep_alive);
    logged.set_status(status);
    let interval = body_pieces::piece_interval(delivery);
    let mut first = true;
    loop {
        let piece = pieces.next();
        if piece.is_none() && !first {
            break;
        }
        if let (Some(duration), false) = (interval, first) {
            pause(duration).await;
        }
        first = false;
        let piece = piece.unwrap_or_default();
        let chunk_end: &[u8] = if framing == BodyFraming::Chunked && !piece.is_empty() {
            scratch.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
            b"\r\n"
        } else {
            b""
        };
        write_all(stream, [scratch, &piece, chunk_end]).await?;
        stream.flush().await?;
        scratch.clear();
        logged.add_bytes(piece.len());
    }
    if framing == BodyFraming::Chunked && !bodiless && intact {
        stream.write_all(b"0\r\n\r\n").await?;
    }
    // After a wrong length the client could not find the start of the next response.
    Ok(if keep_alive && intact { AfterResponse::KeepAlive } else { AfterResponse::Close })
}

/// Writes three parts with as few system calls as the socket allows.
async fn write_all<S: AsyncWrite + Unpin>(stream: &mut S, mut parts: [&[u8]; 3]) -> io::Result<()> {
    while parts.iter().any(|part| !part.is_empty()) {
        let slices = parts.map(IoSlice::new);
        let mut written = stream.write_vectored(&slices).await?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        for part in &mut parts {
            let taken = written.min(part.len());
            *part = &part[taken..];
            written -= taken;
        }
    }
    Ok(())
}
