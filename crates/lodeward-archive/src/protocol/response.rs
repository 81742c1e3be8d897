//! Responses whose bodies are streamed.
//!
//! A body is written while it is evaluated, so a response of any size needs bounded memory. The
//! first bytes are buffered: a query that fails before the buffer is full still gets the right
//! status code. A later failure can only abort the response, and the server must make that visible:
//! see [`ResponseAborted`].

use std::io::{self, Write};

use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::response::Parts;
use http::{Response, StatusCode};

use super::problem::ProtocolProblem;

/// Maximum number of bytes of a body that are buffered before the response head is sent.
const MAX_BUFFERED_BYTES: usize = 16 * 1_024;

/// Why a response was aborted after it had begun. The server must close the connection without a
/// proper end (no last chunk, fewer bytes than announced, a reset stream); otherwise a partial
/// response looks like a complete one.
#[derive(Debug, thiserror::Error)]
#[error("response aborted: {0}")]
pub struct ResponseAborted(pub String);

/// Writes a body, or returns why writing failed.
pub(super) type BodyWriter = Box<dyn FnOnce(&mut dyn Write) -> Result<(), ProtocolProblem>>;

/// A response before it is sent.
pub(super) struct ProtocolResponse {
    pub(super) parts: Parts,
    body: Option<BodyWriter>,
}

impl ProtocolResponse {
    /// A response without a body.
    pub(super) fn empty(status: StatusCode) -> Self {
        let mut parts = Response::new(()).into_parts().0;
        parts.status = status;
        Self { parts, body: None }
    }

    /// A response with status 200 and a body that is written on sending.
    pub(super) fn from_writer(media_type: &str, body: BodyWriter) -> Self {
        let mut reply = Self::empty(StatusCode::OK);
        reply.body = Some(body);
        reply.with_header(CONTENT_TYPE, media_type)
    }

    /// Sets a header field.
    pub(super) fn with_header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.parts.headers.insert(name, value);
        }
        self
    }

    /// Removes the body, as required for `HEAD`.
    pub(super) fn without_body(mut self) -> Self {
        self.body = None;
        self
    }

    /// Sends the response: `begin` gets the head, and returns the writer of the body.
    pub(super) fn send<W: Write>(self, begin: impl FnOnce(Parts) -> W) -> Result<(), ResponseAborted> {
        let Some(body) = self.body else {
            begin(self.parts);
            return Ok(());
        };
        let mut buffered = BufferedResponse { state: ResponseState::Pending(self.parts, begin), bytes: Vec::new() };
        let result = body(&mut buffered);
        match (result, buffered.state) {
            (Ok(()), ResponseState::Pending(parts, begin)) => write_all(begin(parts), &buffered.bytes),
            (Ok(()), ResponseState::Started(mut writer)) => {
                to_interrupted(writer.write_all(&buffered.bytes).and_then(|()| writer.flush()))
            }
            (Err(problem), ResponseState::Pending(parts, begin)) => {
                Self::problem_response(&problem, &parts).send_buffered(begin)
            }
            (Err(problem), _) => Err(ResponseAborted(problem.detail)),
            (Ok(()), ResponseState::Taken) => Err(ResponseAborted("the client closed the connection".to_owned())),
        }
    }

    fn send_buffered<W: Write>(self, begin: impl FnOnce(Parts) -> W) -> Result<(), ResponseAborted> {
        let mut bytes = Vec::new();
        if let Some(body) = self.body {
            body(&mut bytes).map_err(|problem| ResponseAborted(problem.detail))?;
        }
        write_all(begin(self.parts), &bytes)
    }

    /// A problem document that replaces a response, and keeps its CORS headers.
    fn problem_response(problem: &ProtocolProblem, instead_of: &Parts) -> Self {
        let mut reply = Self::from(problem.clone());
        let cors = instead_of.headers.iter().filter(|(name, _)| name.as_str().starts_with("access-control-"));
        reply.parts.headers.extend(cors.map(|(name, value)| (name.clone(), value.clone())));
        reply
    }
}

impl From<ProtocolProblem> for ProtocolResponse {
    fn from(problem: ProtocolProblem) -> Self {
        let document = problem.to_json();
        let body: BodyWriter =
            Box::new(move |into| into.write_all(document.as_bytes()).map_err(|error| write_problem(&error)));
        let mut reply = Self::from_writer("application/problem+json", body);
        reply.parts.status = problem.kind.status;
        reply.parts.headers.extend(problem.field.map(|field| *field));
        reply
    }
}

/// Converts a write error to a problem, so that the evaluation stops.
pub(super) fn write_problem(error: &io::Error) -> ProtocolProblem {
    ProtocolProblem::unavailable(format!("cannot send the response: {error}"))
}

fn write_all(mut writer: impl Write, bytes: &[u8]) -> Result<(), ResponseAborted> {
    to_interrupted(writer.write_all(bytes).and_then(|()| writer.flush()))
}

fn to_interrupted(result: io::Result<()>) -> Result<(), ResponseAborted> {
    result.map_err(|error| ResponseAborted(error.to_string()))
}

/// Buffers the beginning of a body.
struct BufferedResponse<W, B> {
    state: ResponseState<W, B>,
    bytes: Vec<u8>,
}

enum ResponseState<W, B> {
    /// Nothing has been sent.
    Pending(Parts, B),
    Started(W),
    /// `begin` is running. If it panics, the state stays `Taken`.
    Taken,
}

impl<W: Write, B: FnOnce(Parts) -> W> Write for BufferedResponse<W, B> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() <= MAX_BUFFERED_BYTES {
            self.bytes.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        if matches!(self.state, ResponseState::Pending(..))
            && let ResponseState::Pending(parts, begin) = std::mem::replace(&mut self.state, ResponseState::Taken)
        {
            self.state = ResponseState::Started(begin(parts));
        }
        let ResponseState::Started(writer) = &mut self.state else { return Err(io::ErrorKind::BrokenPipe.into()) };
        writer.write_all(&std::mem::take(&mut self.bytes))?;
        if bytes.len() >= MAX_BUFFERED_BYTES {
            writer.write_all(bytes)?;
        } else {
            self.bytes.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    /// The buffer is not flushed: serializers flush when they finish.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    struct RecordingWriter<'a>(&'a RefCell<(u16, Vec<u8>)>);

    impl Write for RecordingWriter<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().1.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Sends a body. Returns the status, the number of received bytes, and whether it succeeded.
    fn send(body: BodyWriter) -> (u16, usize, bool) {
        let received = RefCell::new((0, Vec::new()));
        let result = ProtocolResponse::from_writer("text/plain", body).send(|parts| {
            received.borrow_mut().0 = parts.status.as_u16();
            RecordingWriter(&received)
        });
        let (status, bytes) = received.into_inner();
        (status, bytes.len(), result.is_ok())
    }

    fn body(bytes: usize, outcome: Result<(), ProtocolProblem>) -> BodyWriter {
        Box::new(move |into| {
            for _ in 0..bytes / 10 {
                into.write_all(b"0123456789").map_err(|error| write_problem(&error))?;
            }
            outcome
        })
    }

    #[test]
    fn complete_bodies_are_sent_completely() {
        for bytes in [0, 100, MAX_BUFFERED_BYTES / 10 * 10, 1_000_000] {
            assert_eq!(send(body(bytes, Ok(()))), (200, bytes, true));
        }
    }

    #[test]
    fn an_early_failure_sets_the_status_and_a_late_one_aborts() {
        let failed = || Err(ProtocolProblem::unavailable("too slow"));
        let document = ProtocolProblem::unavailable("too slow").to_json().len();

        assert_eq!(send(body(0, failed())), (503, document, true));
        assert_eq!(send(body(1_000, failed())), (503, document, true));
        let (status, _, complete) = send(body(1_000_000, failed()));
        assert_eq!((status, complete), (200, false));
    }
}
