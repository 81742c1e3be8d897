//! HTTP/1.1, by hand: a test web must cost less than the crawler it tests.
//!
//! One read usually brings one request, one vectored write sends one answer,
//! and both buffers live as long as the connection.

use std::io::{self, IoSlice};

use bytes::{Bytes, BytesMut};
use http::{Method, StatusCode, Version};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::House;
use super::clock::pause;
use super::head::{self, Framing, Head, Place, Reading};
use super::journal::Sighting;
use super::pieces::{self, Pieces};
use crate::message::{Conduct, Response};

const REQUEST_HEAD_BYTES_MAX: usize = 64 * 1024;
const REQUEST_CONTENT_BYTES_MAX: u64 = 16 * 1024 * 1024;
const READ_BYTES: usize = 8 * 1024;
/// The first byte of a TLS greeting, which begins no HTTP request.
const TLS_HANDSHAKE: u8 = 0x16;

/// Why a conversation in HTTP/1.1 is over.
pub(super) enum Ending {
    /// Nothing more is to be said.
    Closed,
    /// The client wants to be connected to this authority.
    Connect(String),
    /// The client greets in TLS.
    Hello,
}

/// What comes of the connection after an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Stay,
    Leave,
}

/// Answers requests until one side has had enough.
pub(super) async fn converse<S>(
    stream: &mut S,
    buffer: &mut BytesMut,
    place: &Place,
    house: &House,
) -> io::Result<Ending>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut scratch = BytesMut::with_capacity(1024);
    loop {
        if !place.secure && buffer.first() == Some(&TLS_HANDSHAKE) {
            return Ok(Ending::Hello);
        }
        let head = match if buffer.is_empty() { Reading::Incomplete } else { head::read(buffer, place) } {
            Reading::Incomplete if buffer.len() >= REQUEST_HEAD_BYTES_MAX => {
                return refuse(stream, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE).await;
            }
            Reading::Incomplete => {
                if receive(stream, buffer, house).await? == 0 {
                    return Ok(Ending::Closed);
                }
                continue;
            }
            Reading::Malformed(status) => return refuse(stream, status).await,
            Reading::Connect(authority) => return Ok(Ending::Connect(authority)),
            Reading::Head(head) => head,
        };
        if head.content_bytes.is_some_and(|bytes| bytes > REQUEST_CONTENT_BYTES_MAX) {
            return refuse(stream, StatusCode::PAYLOAD_TOO_LARGE).await;
        }
        let mut head = head;
        head.request.body = collect(stream, buffer, head.content_bytes.unwrap_or(0), house).await?;
        let after = answer(stream, &head, place, house, &mut scratch).await?;
        if after == After::Leave {
            stream.shutdown().await?;
            return Ok(Ending::Closed);
        }
    }
}

/// Reads more; 0 when nothing more will come, or no more is wanted.
async fn receive<S: AsyncRead + Unpin>(stream: &mut S, buffer: &mut BytesMut, house: &House) -> io::Result<usize> {
    buffer.reserve(READ_BYTES);
    tokio::select! {
        biased;
        read = stream.read_buf(buffer) => read,
        () = house.ended() => Ok(0),
        () = pause(house.idle_max) => Ok(0),
    }
}

/// Takes the content of a request off the front of `buffer`.
async fn collect<S: AsyncRead + Unpin>(
    stream: &mut S,
    buffer: &mut BytesMut,
    bytes: u64,
    house: &House,
) -> io::Result<Bytes> {
    let bytes = usize::try_from(bytes).map_err(io::Error::other)?;
    while buffer.len() < bytes {
        if receive(stream, buffer, house).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(buffer.split_to(bytes).freeze())
}

async fn refuse<S: AsyncWrite + Unpin>(stream: &mut S, status: StatusCode) -> io::Result<Ending> {
    let mut out = BytesMut::new();
    head::write(&mut out, status, &http::HeaderMap::new(), Framing::Length(0), false);
    stream.write_all(&out).await?;
    stream.shutdown().await?;
    Ok(Ending::Closed)
}

async fn answer<S: AsyncWrite + Unpin>(
    stream: &mut S,
    head: &Head,
    place: &Place,
    house: &House,
    scratch: &mut BytesMut,
) -> io::Result<After> {
    let mut sighting = house.journal.sight(place.client, &head.request.method, &head.request.url);
    let response = house.respond(&head.request).await;
    match response.conduct {
        Conduct::Dropped => return Ok(After::Leave),
        // Too late to fail the handshake, since the host's other URLs did not.
        Conduct::BrokenTls if place.secure => return Ok(After::Leave),
        Conduct::Slow(delay) => pause(delay).await,
        _ => {}
    }
    deliver(stream, head, response, scratch, &mut sighting).await
}

async fn deliver<S: AsyncWrite + Unpin>(
    stream: &mut S,
    head: &Head,
    response: Response,
    scratch: &mut BytesMut,
    sighting: &mut Sighting,
) -> io::Result<After> {
    let Response { status, headers, body, conduct } = response;
    let framing = match pieces::announced(&body, conduct) {
        _ if status.is_informational() || status == StatusCode::NO_CONTENT || status == StatusCode::NOT_MODIFIED => {
            Framing::Bodiless
        }
        Some(length) => Framing::Length(length),
        None if head.version == Version::HTTP_11 => Framing::Chunked,
        None => Framing::Close,
    };
    let keep_alive = head.keep_alive && framing != Framing::Close && head.content_bytes.is_some();
    let bodiless = head.request.method == Method::HEAD || framing == Framing::Bodiless;
    let faithful = !pieces::breaks_off(&body, conduct) && !matches!(conduct, Conduct::UnderstatedLength(_));
    let mut pieces = if bodiless { Pieces::none() } else { Pieces::new(body, conduct) };

    scratch.clear();
    head::write(scratch, status, &headers, framing, keep_alive);
    sighting.answered(status);
    let rhythm = pieces::rhythm(conduct);
    let mut first = true;
    loop {
        let piece = pieces.next();
        if piece.is_none() && !first {
            break;
        }
        if let (Some(duration), false) = (rhythm, first) {
            pause(duration).await;
        }
        first = false;
        let piece = piece.unwrap_or_default();
        let chunk_end: &[u8] = if framing == Framing::Chunked && !piece.is_empty() {
            scratch.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
            b"\r\n"
        } else {
            b""
        };
        write_all(stream, [scratch, &piece, chunk_end]).await?;
        stream.flush().await?;
        scratch.clear();
        sighting.sent(piece.len());
    }
    if framing == Framing::Chunked && !bodiless && faithful {
        stream.write_all(b"0\r\n\r\n").await?;
    }
    // What follows a misstated length could not be told from its rest.
    Ok(if keep_alive && faithful { After::Stay } else { After::Leave })
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
