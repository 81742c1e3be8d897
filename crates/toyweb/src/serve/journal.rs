//! Who asked for what, and when: the access log as it is written.
//!
//! Lines gather in memory under a lock that is held for less than a
//! microsecond; a ticking task flushes them. A channel to a writer task would
//! wake that task once per request, which costs more than the line does.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;

use super::clock::Clock;
use crate::access_log::Entry;

/// The most a reader of the log is behind.
const FLUSH_EVERY: Duration = Duration::from_millis(100);
const BUFFER_BYTES: usize = 1 << 20;

/// The access log of one server.
pub(super) struct Journal {
    clock: Clock,
    lines: Option<Mutex<BufWriter<File>>>,
}

impl Journal {
    /// Begins a log; without a path, nothing is written.
    pub(super) fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let lines = match path {
            None => None,
            Some(path) => {
                let file = File::create(path);
                let file = file.with_context(|| {
                    format!("cannot write the access log {} (hint: does its folder exist?)", path.display())
                })?;
                Some(Mutex::new(BufWriter::with_capacity(BUFFER_BYTES, file)))
            }
        };
        Ok(Self { clock: Clock::start(), lines })
    }

    /// Notes that a request has arrived; the line is written when the sighting ends.
    pub(super) fn sight(self: &Arc<Self>, client: SocketAddr, method: &http::Method, url: &url::Url) -> Sighting {
        let entry = self.lines.is_some().then(|| Entry {
            start_us: self.clock.elapsed_us(),
            end_us: 0,
            client,
            method: method.as_str().to_owned(),
            url: url.as_str().to_owned(),
            status: 0,
            bytes: 0,
        });
        Sighting { journal: Arc::clone(self), entry }
    }

    /// Puts everything noted so far into the file.
    pub(super) fn flush(&self) {
        if let Some(lines) = &self.lines {
            // A full disk must not stop the web; the score will show the gap.
            let _ = lines.lock().unwrap_or_else(PoisonError::into_inner).flush();
        }
    }

    /// Flushes for ever.
    pub(super) async fn keep_flushed(&self) {
        let mut ticks = tokio::time::interval(FLUSH_EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.flush();
        }
    }
}

/// A request being answered. It is logged when it is let go of, so that an
/// answer broken off by either side is logged too.
pub(super) struct Sighting {
    journal: Arc<Journal>,
    entry: Option<Entry>,
}

impl Sighting {
    /// The answer's head has gone out.
    pub(super) fn answered(&mut self, status: http::StatusCode) {
        if let Some(entry) = &mut self.entry {
            entry.status = status.as_u16();
        }
    }

    /// So many more bytes of body have gone out.
    pub(super) fn sent(&mut self, bytes: usize) {
        if let Some(entry) = &mut self.entry {
            entry.bytes += bytes as u64;
        }
    }
}

impl Drop for Sighting {
    fn drop(&mut self) {
        let (Some(mut entry), Some(lines)) = (self.entry.take(), &self.journal.lines) else { return };
        entry.end_us = self.journal.clock.elapsed_us();
        let line = entry.to_line();
        let _ = lines.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}
