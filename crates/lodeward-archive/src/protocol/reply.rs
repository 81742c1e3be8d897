//! Answers, and how their bodies come to be.
//!
//! A body is written while it is evaluated, so that an answer of any size
//! takes a bounded part of the memory. The beginning is held back: a query
//! that fails before it has said much can still be answered with a proper
//! status. After that, all that is left is to break off, which whoever serves
//! must make visible: see [`Interrupted`].

use std::io::{self, Write};

use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::response::Parts;
use http::{Response, StatusCode};

use super::problem::Problem;

/// Bytes of a body that are held back.
const HELD_BYTES_MAX: usize = 16 * 1_024;

/// Why an answer broke off after it had begun. The connection must be closed
/// without a proper end (no last chunk, fewer bytes than announced, a reset
/// stream), or else half an answer would look like a whole one.
#[derive(Debug, thiserror::Error)]
#[error("the answer broke off: {0}")]
pub struct Interrupted(pub String);

/// Writes a body, or says what went wrong meanwhile.
pub(super) type BodyWriter = Box<dyn FnOnce(&mut dyn Write) -> Result<(), Problem>>;

/// An answer before it is sent.
pub(super) struct Reply {
    pub(super) parts: Parts,
    body: Option<BodyWriter>,
}

impl Reply {
    /// Nothing but a status.
    pub(super) fn empty(status: StatusCode) -> Self {
        let mut parts = Response::new(()).into_parts().0;
        parts.status = status;
        Self { parts, body: None }
    }

    /// 200, and a body that is yet to be written.
    pub(super) fn written(media_type: &str, body: BodyWriter) -> Self {
        let mut reply = Self::empty(StatusCode::OK);
        reply.body = Some(body);
        reply.with(CONTENT_TYPE, media_type)
    }

    /// With a header field.
    pub(super) fn with(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.parts.headers.insert(name, value);
        }
        self
    }

    /// The same without a body, as `HEAD` wants it.
    pub(super) fn head_only(mut self) -> Self {
        self.body = None;
        self
    }

    /// Sends it: `begin` gets the head, and returns where the body goes.
    pub(super) fn send<W: Write>(self, begin: impl FnOnce(Parts) -> W) -> Result<(), Interrupted> {
        let Some(body) = self.body else {
            begin(self.parts);
            return Ok(());
        };
        let mut held = Held { state: State::Waiting(self.parts, begin), bytes: Vec::new() };
        let result = body(&mut held);
        match (result, held.state) {
            (Ok(()), State::Waiting(parts, begin)) => write_all(begin(parts), &held.bytes),
            (Ok(()), State::Begun(mut writer)) => finish(writer.write_all(&held.bytes).and_then(|()| writer.flush())),
            (Err(problem), State::Waiting(parts, begin)) => Self::problem(&problem, &parts).send_whole(begin),
            (Err(problem), _) => Err(Interrupted(problem.detail)),
            (Ok(()), State::Taken) => Err(Interrupted("its reader went away".to_owned())),
        }
    }

    fn send_whole<W: Write>(self, begin: impl FnOnce(Parts) -> W) -> Result<(), Interrupted> {
        let mut bytes = Vec::new();
        if let Some(body) = self.body {
            body(&mut bytes).map_err(|problem| Interrupted(problem.detail))?;
        }
        write_all(begin(self.parts), &bytes)
    }

    /// A problem in place of an answer, which keeps that one's CORS fields.
    fn problem(problem: &Problem, instead_of: &Parts) -> Self {
        let mut reply = Self::from(problem.clone());
        let kept = instead_of.headers.iter().filter(|(name, _)| name.as_str().starts_with("access-control-"));
        reply.parts.headers.extend(kept.map(|(name, value)| (name.clone(), value.clone())));
        reply
    }
}

impl From<Problem> for Reply {
    fn from(problem: Problem) -> Self {
        let document = problem.document();
        let body: BodyWriter = Box::new(move |into| into.write_all(document.as_bytes()).map_err(|error| gone(&error)));
        let mut reply = Self::written("application/problem+json", body);
        reply.parts.status = problem.status;
        reply.parts.headers.extend(problem.field.map(|field| *field));
        reply
    }
}

/// A reader that went away, as what stops an evaluation.
pub(super) fn gone(error: &io::Error) -> Problem {
    Problem::busy(format!("the answer could not be sent: {error}"))
}

fn write_all(mut writer: impl Write, bytes: &[u8]) -> Result<(), Interrupted> {
    finish(writer.write_all(bytes).and_then(|()| writer.flush()))
}

fn finish(result: io::Result<()>) -> Result<(), Interrupted> {
    result.map_err(|error| Interrupted(error.to_string()))
}

/// Holds back the beginning of a body.
struct Held<W, B> {
    state: State<W, B>,
    bytes: Vec<u8>,
}

enum State<W, B> {
    /// Nothing has been sent.
    Waiting(Parts, B),
    Begun(W),
    /// Never seen from outside, unless `begin` panics.
    Taken,
}

impl<W: Write, B: FnOnce(Parts) -> W> Write for Held<W, B> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() <= HELD_BYTES_MAX {
            self.bytes.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        if matches!(self.state, State::Waiting(..))
            && let State::Waiting(parts, begin) = std::mem::replace(&mut self.state, State::Taken)
        {
            self.state = State::Begun(begin(parts));
        }
        let State::Begun(writer) = &mut self.state else { return Err(io::ErrorKind::BrokenPipe.into()) };
        writer.write_all(&std::mem::take(&mut self.bytes))?;
        if bytes.len() >= HELD_BYTES_MAX {
            writer.write_all(bytes)?;
        } else {
            self.bytes.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    /// What is held back stays held back: serializers flush when they end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    struct Into<'a>(&'a RefCell<(u16, Vec<u8>)>);

    impl Write for Into<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().1.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What arrived: the status, and the bytes.
    fn sent(body: BodyWriter) -> (u16, usize, bool) {
        let arrived = RefCell::new((0, Vec::new()));
        let result = Reply::written("text/plain", body).send(|parts| {
            arrived.borrow_mut().0 = parts.status.as_u16();
            Into(&arrived)
        });
        let (status, bytes) = arrived.into_inner();
        (status, bytes.len(), result.is_ok())
    }

    fn body(bytes: usize, outcome: Result<(), Problem>) -> BodyWriter {
        Box::new(move |into| {
            for _ in 0..bytes / 10 {
                into.write_all(b"0123456789").map_err(|error| gone(&error))?;
            }
            outcome
        })
    }

    #[test]
    fn whole_bodies_arrive_whole() {
        for bytes in [0, 100, HELD_BYTES_MAX / 10 * 10, 1_000_000] {
            assert_eq!(sent(body(bytes, Ok(()))), (200, bytes, true));
        }
    }

    #[test]
    fn an_early_failure_has_its_own_status_and_a_late_one_breaks_off() {
        let failed = || Err(Problem::busy("too slow"));
        let document = Problem::busy("too slow").document().len();

        assert_eq!(sent(body(0, failed())), (503, document, true));
        assert_eq!(sent(body(1_000, failed())), (503, document, true));
        let (status, _, whole) = sent(body(1_000_000, failed()));
        assert_eq!((status, whole), (200, false));
    }
}
