//! Bodies as they arrive: decoded, counted, held if small and streamed if not.
//!
//! Whatever a server does, memory stays within the bounds: bytes are decoded
//! in pieces, every piece passes the limits, and between a stream and its
//! reader lie but a few of them.

use std::io::{self, Read};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::decode::Decoder;
use super::resume::Resumption;
use super::{Body, CutShort};
use crate::model::{Fault, FaultKind};

/// Bodies up to this size may be inflated from nothing: small pages of blanks
/// are no bombs.
const BOMB_BYTES_MIN: u64 = 1 << 20;
/// Decoded bytes in one piece.
const PIECE_BYTES_MAX: usize = 32 * 1_024;
/// Pieces between a stream and its reader.
const PIECES_MAX: usize = 4;

/// The limits of one download.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) memory_bytes: usize,
    pub(super) bytes: u64,
    pub(super) ratio: u64,
    pub(super) read_time: Duration,
    pub(super) whole_time: Duration,
}

/// A body on its way.
pub(super) struct Download {
    response: reqwest::Response,
    decoder: Decoder,
    limits: Limits,
    /// Received and not yet decoded.
    pending: Bytes,
    /// Where pieces are decoded to; empty until it is needed.
    scratch: Vec<u8>,
    scratch_was_full: bool,
    received: u64,
    /// How many bytes will have been received at the end, if that is known.
    total: Option<u64>,
    produced: u64,
    /// Why the next piece will be the end.
    fault: Option<Fault>,
    /// How to go on after a break, if that can be.
    resumption: Option<Resumption>,
}

/// What comes next in a body.
enum Piece {
    Bytes(Bytes),
    End,
    Cut(Fault),
}

impl Download {
    pub(super) fn new(response: reqwest::Response, decoder: Decoder, limits: Limits) -> Self {
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
        }
    }

    /// The same, but goes on after a break, if there is a way to.
    pub(super) fn resumed_by(self, resumption: Option<Resumption>) -> Self {
        Self { resumption, ..self }
    }

    /// Receives the body: all of it if it is small, else its beginning and the
    /// promise of the rest.
    pub(super) async fn receive(mut self) -> Body {
        let mut gathered = Gathered::default();
        let whole_time = self.limits.whole_time;
        match timeout(whole_time, self.gather(&mut gathered)).await {
            Ok(Piece::End) => Body::Whole { bytes: gathered.finish(), cut: None },
            Ok(Piece::Cut(fault)) => Body::Whole { bytes: gathered.finish(), cut: Some(fault) },
            Ok(Piece::Bytes(last)) => Body::Stream(Box::new(self.stream(gathered.finish(), last))),
            Err(_) => Body::Whole { bytes: gathered.finish(), cut: Some(too_slow(whole_time)) },
        }
    }

    /// Gathers pieces until the body ends, or until the returned one would be
    /// too many to hold.
    async fn gather(&mut self, gathered: &mut Gathered) -> Piece {
        loop {
            match self.next().await {
                Piece::Bytes(bytes) if gathered.len() + bytes.len() > self.limits.memory_bytes => {
                    return Piece::Bytes(bytes);
                }
                Piece::Bytes(bytes) => {
                    let expected = self.response.content_length().unwrap_or(0);
                    let expected = usize::try_from(expected).unwrap_or(usize::MAX).min(self.limits.memory_bytes);
                    gathered.push(bytes, expected);
                }
                end => return end,
            }
        }
    }

    /// Hands the rest to a task that feeds a reader. The time for the whole
    /// begins anew: a reader that is slow holds the stream back.
    fn stream(mut self, first: Bytes, second: Bytes) -> StreamReader {
        let (sender, receiver) = mpsc::channel(PIECES_MAX);
        tokio::spawn(async move {
            let whole_time = self.limits.whole_time;
            if timeout(whole_time, self.feed(&sender)).await.is_err() {
                let _ = sender.send(Piece::Cut(too_slow(whole_time))).await;
            }
        });
        StreamReader { parts: [first, second], receiver, ending: None }
    }

    async fn feed(&mut self, sender: &mpsc::Sender<Piece>) {
        loop {
            // A dropped reader ends the download even while the server is silent.
            let piece = tokio::select! {
                biased;
                () = sender.closed() => return,
                piece = self.next() => piece,
            };
            let is_last = !matches!(piece, Piece::Bytes(_));
            if sender.send(piece).await.is_err() || is_last {
                return;
            }
        }
    }

    /// The next piece, decoded and within the limits.
    async fn next(&mut self) -> Piece {
        loop {
            if let Some(fault) = self.fault.take() {
                return Piece::Cut(fault);
            }
            if let Some(bytes) = self.decode() {
                return Piece::Bytes(bytes);
            }
            if self.fault.is_some() {
                continue;
            }
            let broken = match timeout(self.limits.read_time, self.response.chunk()).await {
                Ok(Ok(Some(chunk))) => {
                    self.received += chunk.len() as u64;
                    self.pending = chunk;
                    continue;
                }
                // An answer may be complete, and the body not: a range may be short.
                Ok(Ok(None)) if self.total.is_some_and(|total| total != self.received) => self.incomplete(),
                Ok(Ok(None)) if self.decoder.is_complete() => return Piece::End,
                Ok(Ok(None)) => return Piece::Cut(Fault::new(FaultKind::Truncated, "compressed data ended early")),
                Ok(Err(error)) => super::classify::broken_body(&error),
                Err(_) => too_slow(self.limits.read_time),
            };
            if let Err(fault) = self.resume(broken).await {
                return Piece::Cut(fault);
            }
        }
    }

    /// Goes on after a break, or tells why the body ends there.
    async fn resume(&mut self, broken: Fault) -> Result<(), Fault> {
        let Some(resumption) = &mut self.resumption else { return Err(broken) };
        match resumption.resume(self.received).await {
            Ok(rest) => (self.response, self.total) = (rest.response, Some(rest.total)),
            Err(why) => return Err(why.unwrap_or(broken)),
        }
        Ok(())
    }

    fn incomplete(&self) -> Fault {
        let detail = format!("{} of {} bytes came", self.received, self.total.unwrap_or_default());
        Fault::new(FaultKind::Truncated, detail)
    }

    /// Some decoded bytes, or `None` when more must be received first.
    fn decode(&mut self) -> Option<Bytes> {
        if self.decoder.is_identity() {
            let bytes = std::mem::take(&mut self.pending);
            return (!bytes.is_empty()).then(|| self.admit(bytes));
        }
        if self.pending.is_empty() && !self.scratch_was_full {
            return None;
        }
        self.scratch.resize(PIECE_BYTES_MAX, 0);
        loop {
            let step = self.decoder.step(&self.pending, &mut self.scratch);
            self.pending.advance(step.consumed);
            self.fault = step.fault;
            self.scratch_was_full = step.produced == self.scratch.len();
            if step.produced > 0 {
                let bytes = Bytes::copy_from_slice(&self.scratch[..step.produced]);
                return Some(self.admit(bytes));
            }
            if step.consumed == 0 {
                // What is left is not part of the coded data.
                self.pending.clear();
            }
            if self.pending.is_empty() || self.fault.is_some() {
                return None;
            }
        }
    }

    /// Counts bytes, cuts them at the limit, and notes the fault if so.
    fn admit(&mut self, mut bytes: Bytes) -> Bytes {
        let left = usize::try_from(self.limits.bytes - self.produced).unwrap_or(usize::MAX);
        if bytes.len() > left {
            bytes.truncate(left);
            let detail = format!("larger than {} bytes", self.limits.bytes);
            self.fault = Some(Fault::new(FaultKind::TooLarge, detail));
        }
        self.produced += bytes.len() as u64;
        if self.produced > BOMB_BYTES_MIN && self.produced / self.limits.ratio.max(1) > self.received {
            let detail = format!("{} bytes became {} and more", self.received, self.produced);
            self.fault = Some(Fault::new(FaultKind::Bomb, detail));
        }
        bytes
    }
}

fn too_slow(limit: Duration) -> Fault {
    Fault::new(FaultKind::Timeout, format!("the body was not complete within {limit:?}"))
}

/// Pieces put together. One piece alone is not copied.
#[derive(Default)]
struct Gathered {
    only: Bytes,
    several: BytesMut,
}

impl Gathered {
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

/// The reading end of a stream; to be used on a blocking thread. Dropping it
/// ends the download.
struct StreamReader {
    parts: [Bytes; 2],
    receiver: mpsc::Receiver<Piece>,
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
                Some(Err(fault)) => return Err(io::Error::other(CutShort(fault.clone()))),
                None => {}
            }
            match self.receiver.blocking_recv() {
                Some(Piece::Bytes(bytes)) => self.parts[0] = bytes,
                Some(Piece::End) => self.ending = Some(Ok(())),
                Some(Piece::Cut(fault)) => self.ending = Some(Err(fault)),
                // The runtime has shut down: what came is not all there is.
                None => self.ending = Some(Err(Fault::new(FaultKind::Truncated, "the download was given up"))),
            }
        }
    }
}
