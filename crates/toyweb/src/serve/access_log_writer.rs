//! Writes the access log.
//!
//! Lines are collected in memory under a lock that is held for less than a microsecond; a periodic task flushes them. A
//! channel to a writer task would wake that task once per request, which costs more than the line itself.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;

use super::clock::ServerClock;
use crate::access_log::AccessLogEntry;

/// Time between two flushes to the file.
const FLUSH_INTERVAL: Duration = Duration::from_millis(100);
const BUFFER_BYTES: usize = 1 << 20;

/// The access log of one server.
pub(super) struct AccessLogWriter {
    clock: ServerClock,
    lines: Option<Mutex<BufWriter<File>>>,
}

impl AccessLogWriter {
    /// Creates a log; without a path, nothing is written.
    pub(super) fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let lines = match path {
            None => None,
            Some(path) => {
                let file = File::create(path);
                let file = file.with_context(|| {
                    format!("cannot write access log `{}` (hint: check that its directory exists)", path.display())
                })?;
                Some(Mutex::new(BufWriter::with_capacity(BUFFER_BYTES, file)))
            }
        };
        Ok(Self { clock: ServerClock::start(), lines })
    }

    /// Starts an entry; its line is written when the returned value is dropped.
    pub(super) fn start_request(
        self: &Arc<Self>,
        client: SocketAddr,
        method: &http::Method,
        url: &url::Url,
    ) -> LoggedRequest {
        let entry = self.lines.is_some().then(|| AccessLogEntry {
            start_us: self.clock.elapsed_us(),
            end_us: 0,
            client,
            method: method.as_str().to_owned(),
            url: url.as_str().to_owned(),
            status: 0,
            bytes: 0,
        });
        LoggedRequest { log: Arc::clone(self), entry }
    }

    /// Flushes all lines to the file.
    pub(super) fn flush(&self) {
        if let Some(lines) = &self.lines {
            // A full disk must not stop the web; the score shows the missing lines.
            let _ = lines.lock().unwrap_or_else(PoisonError::into_inner).flush();
        }
    }

    /// Flushes the log periodically, without end.
    pub(super) async fn flush_periodically(&self) {
        let mut ticks = tokio::time::interval(FLUSH_INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.flush();
        }
    }
}

/// A request in flight. Its line is written on drop, so that a response aborted by either side is logged too.
pub(super) struct LoggedRequest {
    log: Arc<AccessLogWriter>,
    entry: Option<AccessLogEntry>,
}

impl LoggedRequest {
    /// Sets the status of the response that was sent.
    pub(super) fn set_status(&mut self, status: http::StatusCode) {
        if let Some(entry) = &mut self.entry {
            entry.status = status.as_u16();
        }
    }

    /// Adds bytes of the body that were sent.
    pub(super) fn add_bytes(&mut self, bytes: usize) {
        if let Some(entry) = &mut self.entry {
            entry.bytes += bytes as u64;
        }
    }
}

impl Drop for LoggedRequest {
    fn drop(&mut self) {
        let (Some(mut entry), Some(lines)) = (self.entry.take(), &self.log.lines) else { return };
        entry.end_us = self.log.clock.elapsed_us();
        let line = entry.to_line();
        let _ = lines.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}
