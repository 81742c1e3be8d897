//! Receives response bodies: decodes them, enforces limits, buffers small ones and streams large ones.
//!
//! Memory is bounded whatever the server sends: bytes are decoded in pieces, every piece passes the limits, and at most
//! [`MAX_QUEUED_PIECES`] pieces are queued between a stream and its reader.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::ResponseBody;
use super::content_coding::ContentDecoder;
use super::resume::RangeResume;
use super::traffic::TrafficMeter;
use crate::model::{Fault, FaultKind, StreamFault};

/// Bodies up to this size are not checked for their decompression ratio: small pages of white space are harmless.
const MIN_BOMB_BYTES: u64 = 1 << 20;
/// Maximum size of a decoded piece.
const MAX_PIECE_BYTES: usize = 32 * 1_024;
/// Maximum number of pieces queued between a stream and its reader.
const MAX_QUEUED_PIECES: usize = 4;

/// The limits of one download.
#[derive(Clone, Copy, Debug)]
pub(super) struct DownloadLimits {
    pub(super) max_memory_bytes: usize,
    pub(super) max_bytes: u64,
    pub(super) max_ratio: u64,
    pub(super) read_timeout: Duration,
    pub(super) total_timeout: Duration,
}

/// A body being received.
pub(super) struct Download {
    response: reqwest::Response,
    decoder: ContentDecoder,
    limits: DownloadLimits,
    /// Bytes received and not yet decoded.
    pending: Bytes,
    /// Buffer for decoded pieces; allocated when first needed.
    scratch: Vec<u8>,
    scratch_was_full: bool,
    received: u64,
    /// Expected number of received bytes, if known.
    total: Option<u64>,
    produced: u64,
    /// The fault that ends the body after the current piece.
    fault: Option<Fault>,
    /// How to resume the body after the connection breaks, if the server supports it.
    resumption: Option<RangeResume>,
    /// Where the received bytes are counted.
    traffic: Option<Arc<TrafficMeter>>,
}

/// The next piece of a body, or how the body ended.
enum BodyPiece {
    Bytes(Bytes),
    End,
    Truncated(Fault),
}

impl Download {
    pub(super) fn new(response: reqwest::Response, decoder: ContentDecoder, limits: DownloadLimits) -> Self {
        Self {
            total: response.content_length(),
            response,
            decoder,
            limits,
            pending: Bytes::new(),
            scratch: Vec::new(),
            scratch_was_full: false,
            received: 0,
            produced: 0,
            fault: None,
            resumption: None,
            traffic: None,
        }
    }

    /// Makes the download resume after the connection breaks, if `resumption` is given.
    pub(super) fn with_resume(self, resumption: Option<RangeResume>) -> Self {
        Self { resumption, ..self }
    }

    /// Counts the received bytes, and limits their rate.
    pub(super) fn with_traffic(self, traffic: &Arc<TrafficMeter>) -> Self {
        Self { traffic: Some(Arc::clone(traffic)), ..self }
    }

    /// Receives the body: completely if it is small, otherwise its beginning, with the rest as a stream.
    pub(super) async fn receive(mut self) -> ResponseBody {
        let mut gathered = BufferedBody::default();
        let whole_time = self.limits.total_timeout;
        match timeout(whole_time, self.gather(&mut gathered)).await {
            Ok(BodyPiece::End) => ResponseBody::Buffered { bytes: gathered.finish(), truncation: None },
            Ok(BodyPiece::Truncated(fault)) => {
                ResponseBody::Buffered { bytes: gathered.finish(), truncation: Some(fault) }
            }
            Ok(BodyPiece::Bytes(last)) => ResponseBody::Stream(Box::new(self.into_stream(gathered.finish(), last))),
            Err(_) => ResponseBody::Buffered { bytes: gathered.finish(), truncation: Some(timeout_fault(whole_time)) },
        }
    }

    /// Buffers pieces until the body ends, or returns the first piece that exceeds the memory limit.
    async fn gather(&mut self, gathered: &mut BufferedBody) -> BodyPiece {
        loop {
            match self.next().await {
                BodyPiece::Bytes(bytes) if gathered.len() + bytes.len() > self.limits.max_memory_bytes => {
                    return BodyPiece::Bytes(bytes);
                }
                BodyPiece::Bytes(bytes) => {
                    let expected = self.response.content_length().unwrap_or(0);
                    let expected = usize::try_from(expected).unwrap_or(usize::MAX).min(self.limits.max_memory_bytes);
                    gathered.push(bytes, expected);
                }
                end => return end,
            }
        }
    }

    /// Passes the rest of the body to a task that feeds a reader. The total timeout restarts, because a slow reader
    /// delays the stream.
    fn into_stream(mut self, first: Bytes, second: Bytes) -> StreamReader {
        let (sender, receiver) = mpsc::channel(MAX_QUEUED_PIECES);
        tokio::spawn(async move {
            let whole_time = self.limits.total_timeout;
            if timeout(whole_time, self.feed(&sender)).await.is_err() {
                let _ = sender.send(BodyPiece::Truncated(timeout_fault(whole_time))).await;
            }
        });
        StreamReader { parts: [first, second], receiver, ending: None }
    }

    async fn feed(&mut self, sender: &mpsc::Sender<BodyPiece>) {
        loop {
            // A dropped reader ends the download even while the server is silent.
            let piece = tokio::select! {
                biased;
                () = sender.closed() => return,
                piece = self.next() => piece,
            };
            let is_last = !matches!(piece, BodyPiece::Bytes(_));
            if sender.send(piece).await.is_err() || is_last {
                return;
            }
        }
    }

    /// The next piece, decoded and within the limits.
    async fn next(&mut self) -> BodyPiece {
        loop {
            if let Some(fault) = self.fault.take() {
                return BodyPiece::Truncated(fault);
            }
            if let Some(bytes) = self.decode() {
                return BodyPiece::Bytes(bytes);
            }
            if self.fault.is_some() {
                continue;
            }
            let broken = match timeout(self.limits.read_timeout, self.response.chunk()).await {
                Ok(Ok(Some(chunk))) => {
                    self.received += chunk.len() as u64;
                    if let Some(traffic) = &self.traffic {
                        traffic.receive(chunk.len()).await;
                    }
                    self.pending = chunk;
                    continue;
                }
                // The response has ended without an error, but the body is incomplete: a server may return less than
                // the requested range.
                Ok(Ok(None)) if self.total.is_some_and(|total| total != self.received) => self.incomplete_fault(),
                Ok(Ok(None)) if self.decoder.is_complete() => return BodyPiece::End,
                Ok(Ok(None)) => {
                    return BodyPiece::Truncated(Fault::new(FaultKind::Truncated, "compressed data ended early"));
                }
                Ok(Err(error)) => super::http_faults::body_fault(&error),
                Err(_) => timeout_fault(self.limits.read_timeout),
            };
            if let Err(fault) = self.resume(broken).await {
                return BodyPiece::Truncated(fault);
            }
        }
    }

    /// Resumes the body after the connection broke, or returns the fault that ends the body.
    async fn resume(&mut self, broken: Fault) -> Result<(), Fault> {
        let Some(resumption) = &mut self.resumption else { return Err(broken) };
        match resumption.resume(self.received).await {
            Ok(rest) => (self.response, self.total) = (rest.response, Some(rest.total)),
            Err(fault) => return Err(fault.unwrap_or(broken)),
        }
        Ok(())
    }

    fn incomplete_fault(&self) -> Fault {
        let detail = format!("{} of {} bytes received", self.received, self.total.unwrap_or_default());
        Fault::new(FaultKind::Truncated, detail)
    }

    /// Some decoded bytes, or `None` when more must be received first.
    fn decode(&mut self) -> Option<Bytes> {
        if self.decoder.is_identity() {
            let bytes = std::mem::take(&mut self.pending);
            return (!bytes.is_empty()).then(|| self.enforce_limits(bytes));
        }
        if self.pending.is_empty() && !self.scratch_was_full {
            return None;
        }
        self.scratch.resize(MAX_PIECE_BYTES, 0);
        loop {
            let step = self.decoder.step(&self.pending, &mut self.scratch);
            self.pending.advance(step.consumed);
            self.fault = step.fault;
            self.scratch_was_full = step.produced == self.scratch.len();
            if step.produced > 0 {
                let bytes = Bytes::copy_from_slice(&self.scratch[..step.produced]);
                return Some(self.enforce_limits(bytes));
            }
            if step.consumed == 0 {
                // The remaining input is not part of the coded data.
                self.pending.clear();
            }
            if self.pending.is_empty() || self.fault.is_some() {
                return None;
            }
        }
    }

    /// Counts bytes, truncates them at the limit and records the fault.
    fn enforce_limits(&mut self, mut bytes: Bytes) -> Bytes {
        let remaining = usize::try_from(self.limits.max_bytes - self.produced).unwrap_or(usize::MAX);
        if bytes.len() > remaining {
            bytes.truncate(remaining);
            let detail = format!("larger than {} bytes", self.limits.max_bytes);
            self.fault = Some(Fault::new(FaultKind::TooLarge, detail));
        }
        self.produced += bytes.len() as u64;
        if self.produced > MIN_BOMB_BYTES && self.produced / self.limits.max_ratio.max(1) > self.received {
            let detail = format!("{} bytes decompressed to more than {}", self.received, self.produced);
            self.fault = Some(Fault::new(FaultKind::DecompressionBomb, detail));
        }
        bytes
    }
}

fn timeout_fault(limit: Duration) -> Fault {
    Fault::new(FaultKind::Timeout, format!("the body was not complete within {limit:?}"))
}

/// The pieces of a buffered body. If there is only one piece, it is not copied.
#[derive(Default)]
struct BufferedBody {
    only: Bytes,
    several: BytesMut,
}

impl BufferedBody {
    fn len(&self) -> usize {
        self.only.len() + self.several.len()
    }

    fn push(&mut self, bytes: Bytes, expected: usize) {
        if self.len() == 0 {
            self.only = bytes;
            return;
        }
        if self.several.is_empty() {
            self.several.reserve(expected.max(self.only.len() + bytes.len()));
            self.several.extend_from_slice(&std::mem::take(&mut self.only));
        }
        self.several.extend_from_slice(&bytes);
    }

    fn finish(self) -> Bytes {
        if self.several.is_empty() { self.only } else { self.several.freeze() }
    }
}

/// The reading end of a stream, for use on a blocking thread. Dropping it ends the download.
struct StreamReader {
    parts: [Bytes; 2],
    receiver: mpsc::Receiver<BodyPiece>,
    ending: Option<Result<(), Fault>>,
}

impl Read for StreamReader {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(part) = self.parts.iter_mut().find(|part| !part.is_empty()) {
                let length = part.len().min(output.len());
                part.copy_to_slice(&mut output[..length]);
                return Ok(length);
            }
            match &self.ending {
                Some(Ok(())) => return Ok(0),
                Some(Err(fault)) => return Err(io::Error::other(StreamFault(fault.clone()))),
                None => {}
            }
            match self.receiver.blocking_recv() {
                Some(BodyPiece::Bytes(bytes)) => self.parts[0] = bytes,
                Some(BodyPiece::End) => self.ending = Some(Ok(())),
                Some(BodyPiece::Truncated(fault)) => self.ending = Some(Err(fault)),
                // The sender is gone because the runtime has shut down, so the body is incomplete.
                None => self.ending = Some(Err(Fault::new(FaultKind::Truncated, "download aborted"))),
            }
        }
    }
}
