//! The side of the process that holds the data directory.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lodeward_archive::sparql::CancellationToken;

use super::frame::{FrameKind, LiveEnd, LiveOutput, MAX_REQUEST_BYTES, read_block, write_frame};
use super::slots::RequestSlots;
use super::socket::{self, SocketKind};

/// How long a client may take to send its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a request that was cancelled may take to end.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

/// Clients that are connected at a time, also those that wait for a slot. Each needs two threads.
const MAX_CONNECTIONS: usize = 64;

/// Answers requests.
pub trait LiveHandler: Send + Sync + 'static {
    /// Answers a request on a thread of its own. The token is cancelled if the client has gone, or if
    /// the process is about to end.
    fn handle(&self, request: &[u8], output: &mut LiveOutput<'_>, cancel: &CancellationToken) -> LiveOutcome;
}

/// How a handler ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveOutcome {
    /// The process does not have the data that the request needs. Nothing was written.
    Declined,
    /// The request was answered.
    Done(LiveEnd),
}

/// The limits of a [`LiveServer`].
#[derive(Clone, Copy, Debug)]
pub struct LiveLimits {
    /// The number of requests that run at a time.
    pub max_running: usize,
    /// How long further requests wait before they are rejected.
    pub max_queue_time: Duration,
}

/// Listens in a data directory until it is closed.
pub struct LiveServer {
    data: PathBuf,
    kind: SocketKind,
    state: Arc<ServerState>,
    acceptor: Option<JoinHandle<()>>,
}

/// What the threads of a server share.
struct ServerState {
    handler: Arc<dyn LiveHandler>,
    limits: LiveLimits,
    slots: RequestSlots,
    connections: AtomicUsize,
    is_closing: AtomicBool,
    /// The tokens of running requests, by the number of the request.
    running: Mutex<BTreeMap<u64, CancellationToken>>,
    next_request: AtomicU64,
}

impl LiveServer {
    /// Starts to listen in a data directory. The caller holds the lock of the directory.
    pub fn listen(
        data: &Path,
        kind: SocketKind,
        limits: LiveLimits,
        handler: Arc<dyn LiveHandler>,
    ) -> io::Result<Self> {
        let listener = socket::listen(data, kind)?;
        let state = Arc::new(ServerState {
            handler,
            limits,
            slots: RequestSlots::new(limits.max_running),
            connections: AtomicUsize::new(0),
            is_closing: AtomicBool::new(false),
            running: Mutex::default(),
            next_request: AtomicU64::new(0),
        });
        let accepting = Arc::clone(&state);
        let acceptor =
            thread::Builder::new().name("live".to_owned()).spawn(move || accept_all(&listener, &accepting))?;
        Ok(Self { data: data.to_owned(), kind, state, acceptor: Some(acceptor) })
    }

    /// Stops to listen, and waits for the requests that run. Those that take longer than `grace` are
    /// cancelled.
    pub fn close(mut self, grace: Duration) {
        self.stop(grace);
    }

    fn stop(&mut self, grace: Duration) {
        let Some(acceptor) = self.acceptor.take() else { return };
        self.state.is_closing.store(true, Ordering::SeqCst);
        // A connection wakes the acceptor, which then sees that the server is closing.
        if matches!(socket::connect(&self.data, self.kind), Ok(Some(_))) {
            let _ = acceptor.join();
        }
        let _ = std::fs::remove_file(self.data.join(self.kind.file_name()));
        if !self.state.slots.wait_until_idle(grace) {
            self.state.tokens().values().for_each(CancellationToken::cancel);
            self.state.slots.wait_until_idle(CANCEL_TIMEOUT);
        }
    }
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        self.stop(Duration::ZERO);
    }
}

fn accept_all(listener: &UnixListener, state: &Arc<ServerState>) {
    for stream in listener.incoming() {
        if state.is_closing.load(Ordering::SeqCst) {
            return;
        }
        let stream = match stream {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, "connection failed on the socket of the data directory");
                // No file descriptor is free: trying again at once would occupy a core.
                thread::sleep(Duration::from_millis(100));
                continue;
            }
        };
        if state.connections.fetch_add(1, Ordering::SeqCst) >= MAX_CONNECTIONS {
            state.connections.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let serving = Arc::clone(state);
        let started = thread::Builder::new().name("live-request".to_owned()).spawn(move || {
            if let Err(error) = serving.serve(&stream) {
                tracing::debug!(%error, "client of the data directory disconnected");
            }
            let _ = stream.shutdown(Shutdown::Both);
            serving.connections.fetch_sub(1, Ordering::SeqCst);
        });
        if started.is_err() {
            state.connections.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

impl ServerState {
    fn tokens(&self) -> MutexGuard<'_, BTreeMap<u64, CancellationToken>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, stream: &UnixStream) -> io::Result<()> {
        stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
        let request = read_block(&mut &*stream, MAX_REQUEST_BYTES)?;
        stream.set_read_timeout(None)?;
        let Some(_slot) = self.slots.acquire(self.limits.max_queue_time) else {
            let text = "error: too many requests run on this data directory\nhint: try again later\n";
            write_frame(&mut &*stream, FrameKind::Note, text.as_bytes())?;
            let end = LiveEnd { code: 1, is_complete: false, summary: None };
            return write_frame(&mut &*stream, FrameKind::End, &serde_json::to_vec(&end)?);
        };
        let cancel = CancellationToken::new();
        let number = self.next_request.fetch_add(1, Ordering::SeqCst);
        self.tokens().insert(number, cancel.clone());
        let watched = stream.try_clone()?;
        let token = cancel.clone();
        // A client sends nothing after its request: what can be read is the end.
        let watcher = thread::Builder::new().name("live-client".to_owned()).spawn(move || {
            let _ = (&watched).read(&mut [0]);
            token.cancel();
        })?;
        let answered = self.answer(&request, stream, &cancel);
        self.tokens().remove(&number);
        let _ = stream.shutdown(Shutdown::Both);
        let _ = watcher.join();
        answered
    }

    fn answer(&self, request: &[u8], stream: &UnixStream, cancel: &CancellationToken) -> io::Result<()> {
        let mut writer = stream;
        let mut output = LiveOutput::new(&mut writer);
        let outcome = catch_unwind(AssertUnwindSafe(|| self.handler.handle(request, &mut output, cancel)));
        let is_ended = cancel.is_cancelled() && self.is_closing.load(Ordering::SeqCst);
        output.flush()?;
        let (kind, content) = match outcome {
            _ if is_ended => (FrameKind::Ended, Vec::new()),
            Ok(LiveOutcome::Declined) => (FrameKind::Declined, Vec::new()),
            Ok(LiveOutcome::Done(end)) => (FrameKind::End, serde_json::to_vec(&end)?),
            Err(_) => {
                output.note("error: internal error (a bug): the request panicked\n")?;
                let end = LiveEnd { code: 1, is_complete: false, summary: None };
                (FrameKind::End, serde_json::to_vec(&end)?)
            }
        };
        write_frame(&mut writer, kind, &content)?;
        writer.flush()
    }
}
