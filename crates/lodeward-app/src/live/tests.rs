//! The transport, with handlers that the tests control.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use lodeward_archive::sparql::CancellationToken;

use super::*;

const LIMITS: LiveLimits = LiveLimits { max_running: 2, max_queue_time: Duration::from_millis(20) };

/// Runs a function for each request.
struct TestHandler<F>(F);

impl<F> LiveHandler for TestHandler<F>
where
    F: Fn(&[u8], &mut LiveOutput<'_>, &CancellationToken) -> LiveOutcome + Send + Sync + 'static,
{
    fn handle(&self, request: &[u8], output: &mut LiveOutput<'_>, cancel: &CancellationToken) -> LiveOutcome {
        (self.0)(request, output, cancel)
    }
}

fn listen<F>(data: &Path, kind: SocketKind, handle: F) -> LiveServer
where
    F: Fn(&[u8], &mut LiveOutput<'_>, &CancellationToken) -> LiveOutcome + Send + Sync + 'static,
{
    LiveServer::listen(data, kind, LIMITS, Arc::new(TestHandler(handle))).unwrap()
}

/// Collects an answer.
#[derive(Default)]
struct TestSink {
    output: Vec<u8>,
    notes: String,
}

impl LiveSink for TestSink {
    fn output(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.extend_from_slice(bytes);
        Ok(())
    }

    fn note(&mut self, text: &str) {
        self.notes.push_str(text);
    }
}

fn ask_once(data: &Path, request: &[u8]) -> (LiveAnswer, TestSink) {
    let mut sink = TestSink::default();
    let answer = ask(data, request, &mut sink, &CancellationToken::new()).unwrap();
    (answer, sink)
}

fn done(code: u8) -> LiveEnd {
    LiveEnd { code, is_complete: true, summary: None }
}

/// Waits until a request is cancelled.
fn wait_for(cancel: &CancellationToken) {
    while !cancel.is_cancelled() {
        std::thread::yield_now();
    }
}

#[test]
fn the_output_and_the_notes_of_a_request_arrive_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let server = listen(directory.path(), SocketKind::Crawls, |request, output, _| {
        output.write_all(request).unwrap();
        output.note("a note\n").unwrap();
        // More than a frame holds, in one write.
        output.write_all(&vec![b'x'; 200_000]).unwrap();
        LiveOutcome::Done(done(5))
    });

    let (answer, sink) = ask_once(directory.path(), b"SELECT");

    assert_eq!(answer, LiveAnswer::Done(done(5)));
    assert_eq!((sink.output.len(), sink.notes.as_str()), (200_006, "a note\n"));
    assert!(sink.output.starts_with(b"SELECTx"));
    server.close(Duration::ZERO);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "the socket is removed");
}

#[test]
fn a_data_directory_without_a_process_or_with_the_socket_of_a_killed_one_has_no_answer() {
    let directory = tempfile::tempdir().unwrap();
    let check = |path: &Path| assert_eq!(ask_once(path, b"").0, LiveAnswer::Absent, "{}", path.display());

    check(directory.path());
    check(&directory.path().join("missing"));
    // Dropping a listener leaves its socket, as a kill does.
    drop(UnixListener::bind(directory.path().join(SocketKind::Crawls.file_name())).unwrap());
    check(directory.path());

    let _server = listen(directory.path(), SocketKind::Crawls, |_, _, _| LiveOutcome::Done(done(0)));
    assert_eq!(ask_once(directory.path(), b"").0, LiveAnswer::Done(done(0)), "the socket is replaced");
}

#[test]
fn only_the_owner_can_connect() {
    let directory = tempfile::tempdir().unwrap();
    let _server = listen(directory.path(), SocketKind::Crawls, |_, _, _| LiveOutcome::Done(done(0)));

    let names: Vec<PathBuf> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names, [directory.path().join("crawls.sock")]);
    assert_eq!(fs::metadata(&names[0]).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_path_of_a_data_directory_may_be_longer_than_that_of_a_socket() {
    let directory = tempfile::tempdir().unwrap();
    let long = directory.path().join("a".repeat(100)).join("b".repeat(100));
    fs::create_dir_all(&long).unwrap();

    let _server = listen(&long, SocketKind::Crawls, |_, _, _| LiveOutcome::Done(done(0)));

    assert_eq!(ask_once(&long, b"").0, LiveAnswer::Done(done(0)));
}

#[test]
fn a_request_that_one_process_declines_goes_to_the_other() {
    let directory = tempfile::tempdir().unwrap();
    let _crawl = listen(directory.path(), SocketKind::Crawls, |_, _, _| LiveOutcome::Declined);
    assert_eq!(ask_once(directory.path(), b"").0, LiveAnswer::Absent);

    let _archive = listen(directory.path(), SocketKind::Archive, |_, _, _| LiveOutcome::Done(done(0)));

    assert_eq!(ask_once(directory.path(), b"").0, LiveAnswer::Done(done(0)));
}

#[test]
fn a_client_that_disconnects_cancels_its_request() {
    let directory = tempfile::tempdir().unwrap();
    let (started, is_started) = mpsc::channel();
    let (cancelled, is_cancelled) = mpsc::channel();
    let channels = Mutex::new((started, cancelled));
    let _server = listen(directory.path(), SocketKind::Crawls, move |_, _, cancel| {
        let (started, cancelled) = channels.lock().unwrap_or_else(PoisonError::into_inner).clone();
        started.send(()).unwrap();
        wait_for(cancel);
        cancelled.send(()).unwrap();
        LiveOutcome::Done(done(3))
    });
    let mut client = UnixStream::connect(directory.path().join("crawls.sock")).unwrap();
    client.write_all(&[0, 0, 0, 0]).unwrap();
    is_started.recv().unwrap();

    drop(client);

    is_cancelled.recv().unwrap();
}

#[test]
fn a_cancelled_client_still_reads_the_end_of_its_answer() {
    let directory = tempfile::tempdir().unwrap();
    let _server = listen(directory.path(), SocketKind::Crawls, |_, output, cancel| {
        wait_for(cancel);
        output.note("stopped\n").unwrap();
        LiveOutcome::Done(done(3))
    });
    let cancel = CancellationToken::new();
    cancel.cancel();
    let mut sink = TestSink::default();

    let answer = ask(directory.path(), b"", &mut sink, &cancel).unwrap();

    assert_eq!((answer, sink.notes.as_str()), (LiveAnswer::Done(done(3)), "stopped\n"));
}

#[test]
fn a_process_that_ends_cancels_its_requests_and_the_client_learns_why() {
    let directory = tempfile::tempdir().unwrap();
    let (started, is_started) = mpsc::channel();
    let started = Mutex::new(started);
    let server = listen(directory.path(), SocketKind::Crawls, move |_, output, cancel| {
        output.write_all(b"a part").unwrap();
        started.lock().unwrap().send(()).unwrap();
        wait_for(cancel);
        LiveOutcome::Done(done(3))
    });
    let data = directory.path().to_owned();
    let client = std::thread::spawn(move || ask_once(&data, b""));
    is_started.recv().unwrap();

    server.close(Duration::ZERO);

    assert_eq!(client.join().unwrap().0, LiveAnswer::Ended { has_output: true });
}

#[test]
fn further_requests_wait_for_a_limited_time() {
    let directory = tempfile::tempdir().unwrap();
    let (started, is_started) = mpsc::channel();
    let started = Mutex::new(started);
    let server = listen(directory.path(), SocketKind::Crawls, move |_, _, cancel| {
        started.lock().unwrap().send(()).unwrap();
        wait_for(cancel);
        LiveOutcome::Done(done(3))
    });
    let clients: Vec<_> = (0..LIMITS.max_running)
        .map(|_| {
            let data = directory.path().to_owned();
            std::thread::spawn(move || ask_once(&data, b""))
        })
        .collect();
    for _ in &clients {
        is_started.recv().unwrap();
    }

    let (answer, sink) = ask_once(directory.path(), b"");

    assert!(matches!(answer, LiveAnswer::Done(LiveEnd { code: 1, is_complete: false, .. })), "{answer:?}");
    assert!(sink.notes.starts_with("error: too many requests"), "{}", sink.notes);
    drop(server);
    for client in clients {
        assert_eq!(client.join().unwrap().0, LiveAnswer::Ended { has_output: false });
    }
}

#[test]
fn a_request_that_panics_is_an_error_and_the_server_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let _server = listen(directory.path(), SocketKind::Crawls, |request, _, _| {
        assert!(request != b"panic", "as the request says");
        LiveOutcome::Done(done(0))
    });

    let (answer, sink) = ask_once(directory.path(), b"panic");

    assert!(matches!(answer, LiveAnswer::Done(LiveEnd { code: 1, is_complete: false, .. })));
    assert!(sink.notes.contains("internal error"), "{}", sink.notes);
    assert_eq!(ask_once(directory.path(), b"").0, LiveAnswer::Done(done(0)));
}
