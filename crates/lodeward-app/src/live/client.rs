//! The side of a command that reads a data directory.

use std::io::{self, Read};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lodeward_archive::sparql::CancellationToken;

use super::frame::{FrameKind, LiveEnd, read_frame, write_block};
use super::socket::{self, SocketKind};

/// How often a waiting client checks whether it was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Receives the answer to a request.
pub trait LiveSink {
    /// Bytes of the output.
    fn output(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// A text that is not part of the output.
    fn note(&mut self, text: &str);
}

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveAnswer {
    /// No process has the data that the request needs.
    Absent,
    /// The process ended before the answer was complete.
    Ended {
        /// Whether a part of the output was received.
        has_output: bool,
    },
    /// The request was answered.
    Done(LiveEnd),
}

/// A request could not be sent, or its answer could not be passed on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// The process belongs to another user.
    #[error("cannot connect to the process that uses {}: permission denied", .0.display())]
    Denied(PathBuf),
    /// The connection failed.
    #[error("cannot connect to the process that uses {}", .path.display())]
    Connection {
        /// The data directory.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
    /// The output cannot be written.
    #[error(transparent)]
    Output(io::Error),
}

/// Sends a request to the process that holds a data directory, and passes its answer on. If the token
/// is cancelled, the request is cancelled, and its answer is still read.
pub fn ask(
    data: &Path,
    request: &[u8],
    sink: &mut dyn LiveSink,
    cancel: &CancellationToken,
) -> Result<LiveAnswer, LiveError> {
    for kind in SocketKind::ALL {
        let stream = socket::connect(data, kind).map_err(|source| match source.kind() {
            io::ErrorKind::PermissionDenied => LiveError::Denied(data.to_owned()),
            _ => LiveError::Connection { path: data.to_owned(), source },
        })?;
        let Some(stream) = stream else { continue };
        if let Some(answer) = exchange(stream, request, sink, cancel)? {
            return Ok(answer);
        }
    }
    Ok(LiveAnswer::Absent)
}

/// Sends a request on a connection; `None` if it is declined.
fn exchange(
    stream: UnixStream,
    request: &[u8],
    sink: &mut dyn LiveSink,
    cancel: &CancellationToken,
) -> Result<Option<LiveAnswer>, LiveError> {
    let mut has_output = false;
    let sent = stream.set_read_timeout(Some(POLL_INTERVAL)).and_then(|()| write_block(&mut &stream, request));
    if sent.is_err() {
        return Ok(Some(LiveAnswer::Ended { has_output }));
    }
    let mut reader = CancellableReader { stream, cancel, is_stopped: false };
    loop {
        // A process that was killed closes the connection in the middle of an answer.
        let Ok((kind, content)) = read_frame(&mut reader) else {
            return Ok(Some(LiveAnswer::Ended { has_output }));
        };
        match kind {
            FrameKind::Output => {
                has_output = true;
                sink.output(&content).map_err(LiveError::Output)?;
            }
            FrameKind::Note => sink.note(&String::from_utf8_lossy(&content)),
            FrameKind::Declined => return Ok(None),
            FrameKind::Ended => return Ok(Some(LiveAnswer::Ended { has_output })),
            FrameKind::End => {
                let end = serde_json::from_slice(&content).map(LiveAnswer::Done);
                return Ok(Some(end.unwrap_or(LiveAnswer::Ended { has_output })));
            }
        }
    }
}

/// Reads from a connection. When the token is cancelled, it closes its own side, which cancels the
/// request.
struct CancellableReader<'a> {
    stream: UnixStream,
    cancel: &'a CancellationToken,
    is_stopped: bool,
}

impl Read for CancellableReader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.cancel.is_cancelled() && !self.is_stopped {
                self.is_stopped = true;
                self.stream.shutdown(Shutdown::Write)?;
            }
            match self.stream.read(bytes) {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
                read => return read,
            }
        }
    }
}
