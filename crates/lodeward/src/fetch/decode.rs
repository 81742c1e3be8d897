//! Content codings and compressed dumps, decoded a step at a time.
//!
//! The HTTP client could do this by itself, but would not tell how many bytes
//! came in for those that went out, which is how a bomb is known; and where a
//! body is broken it would keep what had been decoded until then to itself.
//!
//! Dumps are compressed in two more ways than answers are, and what differs is
//! only who says so: a header field here, the first bytes there.

use std::io::Read;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use xz4rust::{XzDecoder, XzError};
use zstd::stream::raw::{Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer};
use zstd::zstd_safe::DParameter;

use super::windows::{self, Turn};
use crate::model::{Fault, FaultKind};

/// How far back it is looked, at most. More is memory that a stranger makes us
/// spend.
#[derive(Clone, Copy)]
struct Reach {
    zstd_window_log: u32,
    xz_dictionary_bytes: usize,
}

/// As far as [`windows::SMALL_BYTES`].
const SMALL: Reach = Reach { zstd_window_log: 23, xz_dictionary_bytes: 8 << 20 };
/// As far as `zstd --long` and `xz -9` do.
const LARGE: Reach = Reach { zstd_window_log: 27, xz_dictionary_bytes: 64 << 20 };

/// The ways in which one file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    /// One or more members.
    Gzip,
    /// One or more streams.
    Bzip2,
    /// One or more streams, with padding between them.
    Xz,
    /// One or more frames.
    Zstd,
    /// A single stream, which nothing announces.
    Brotli,
}

/// How much memory a stranger's dump may make a decoder hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowance {
    /// All that the usual tools ask for, at once: it is no stranger's.
    Own,
    /// The same, but whoever needs much waits for a turn, on a thread that may
    /// block.
    Full,
    /// Little: something around it has a full allowance already.
    Little,
}

/// A content coding in the middle of being undone.
pub(crate) struct Decoder {
    coding: Coding,
    /// Whether the coded data may end here.
    complete: bool,
    /// Whether it may look back further than it does by now, in its turn.
    may_widen: bool,
    turn: Option<Turn<'static>>,
}

enum Coding {
    Identity,
    Gzip(Decompress),
    /// Undecided until the first byte: servers send zlib, as they should, or
    /// bare deflate.
    DeflateOfSomeSort,
    Deflate(Decompress),
    Brotli(Box<Brotli>),
    Zstd(ZstdDecoder<'static>),
    Bzip2(bzip2::Decompress),
    Xz(Box<XzDecoder<'static>>),
}

type Brotli = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

/// What one step did.
#[derive(Debug, Default)]
pub(crate) struct Step {
    /// Bytes taken from the input. When none were taken and none made, the
    /// rest of the input is not part of the coded data.
    pub(crate) consumed: usize,
    /// Bytes put into the output; valid even next to a fault.
    pub(crate) produced: usize,
    /// Why there will be no more.
    pub(crate) fault: Option<Fault>,
}

impl Decoder {
    /// The decoder for an answer with these header fields.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, Fault> {
        match &*codings(headers) {
            [] => Ok(Self::identity()),
            [only] => Self::named(only),
            _ => Err(Fault::new(FaultKind::Encoding, "more than one content coding")),
        }
    }

    fn new(coding: Coding) -> Self {
        // An empty body is complete in any coding: servers send one with 200.
        Self { coding, complete: true, may_widen: false, turn: None }
    }

    fn identity() -> Self {
        Self::new(Coding::Identity)
    }

    fn named(name: &[u8]) -> Result<Self, Fault> {
        let coding = match name {
            b"gzip" | b"x-gzip" => Coding::Gzip(Decompress::new_gzip(15)),
            b"deflate" => Coding::DeflateOfSomeSort,
            b"br" => Coding::Brotli(brotli_decoder()),
            b"zstd" => Coding::Zstd(zstd_decoder(SMALL)?),
            _ => {
                let detail = format!("unknown content coding `{}`", name.escape_ascii());
                return Err(Fault::new(FaultKind::Encoding, detail));
            }
        };
        Ok(Self::new(coding))
    }

    /// The decoder for a file that is compressed in this way.
    pub(crate) fn of_file(compression: Compression, allowance: Allowance) -> Result<Self, Fault> {
        let reach = if allowance == Allowance::Own { LARGE } else { SMALL };
        let coding = match compression {
            Compression::Gzip => Coding::Gzip(Decompress::new_gzip(15)),
            Compression::Bzip2 => Coding::Bzip2(bzip2::Decompress::new(false)),
            Compression::Xz => Coding::Xz(xz_decoder(reach)),
            Compression::Zstd => Coding::Zstd(zstd_decoder(reach)?),
            Compression::Brotli => Coding::Brotli(brotli_decoder()),
        };
        Ok(Self { may_widen: allowance == Allowance::Full, ..Self::new(coding) })
    }

    /// The decoder for bare deflate, as in zip archives.
    pub(crate) fn of_deflate() -> Self {
        Self::new(Coding::Deflate(Decompress::new(false)))
    }

    /// Whether bytes go through unchanged.
    pub(super) fn is_identity(&self) -> bool {
        matches!(self.coding, Coding::Identity)
    }

    /// Whether the data may end after what was decoded so far.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Waits for a turn to look back far, if what begins here does. Whatever was
    /// decoded before is behind it.
    fn widen_if_needed(&mut self, input: &[u8]) -> Result<(), Fault> {
        if !self.may_widen || !self.complete || input.is_empty() {
            return Ok(());
        }
        let window = match self.coding {
            Coding::Zstd(_) => windows::of_zstd(input),
            Coding::Xz(_) => windows::of_xz(input),
            _ => Some(0),
        };
        if window.is_some_and(|bytes| bytes <= windows::SMALL_BYTES) {
            return Ok(());
        }
        self.may_widen = false;
        self.turn = Some(windows::wait_for_turn());
        match &mut self.coding {
            Coding::Zstd(decoder) => *decoder = zstd_decoder(LARGE)?,
            Coding::Xz(decoder) => *decoder = xz_decoder(LARGE),
            _ => {}
        }
        Ok(())
    }

    /// Decodes some of `input` into some of `output`, which is not empty.
    pub(crate) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        if let Err(fault) = self.widen_if_needed(input) {
            return Step { fault: Some(fault), ..Step::default() };
        }
        match &mut self.coding {
            Coding::Identity => {
                let length = input.len().min(output.len());
                output[..length].copy_from_slice(&input[..length]);
                Step { consumed: length, produced: length, fault: None }
            }
            Coding::Gzip(decompress) => {
                if self.complete && decompress.total_in() > 0 {
                    // After a member comes another, or something to ignore.
                    if input.first() != Some(&0x1f) {
                        return Step::default();
                    }
                    *decompress = Decompress::new_gzip(15);
                }
                inflate(decompress, input, output, &mut self.complete)
            }
            Coding::DeflateOfSomeSort => {
                let Some(first) = input.first() else { return Step::default() };
                // The low half of a zlib header's first byte is 8, for
                // deflate; bare deflate has no use for those bits.
                self.coding = Coding::Deflate(Decompress::new(first & 0x0f == 8));
                self.step(input, output)
            }
            Coding::Deflate(decompress) => {
                if self.complete && decompress.total_in() > 0 {
                    return Step::default();
                }
                inflate(decompress, input, output, &mut self.complete)
            }
            Coding::Brotli(state) => unbrotli(state, input, output, &mut self.complete),
            Coding::Zstd(decoder) => unzstd(decoder, input, output, &mut self.complete),
            Coding::Bzip2(decompress) => {
                if self.complete && decompress.total_in() > 0 {
                    if input.first() != Some(&b'B') {
                        return Step::default();
                    }
                    *decompress = bzip2::Decompress::new(false);
                }
                unbzip2(decompress, input, output, &mut self.complete)
            }
            Coding::Xz(decoder) => unxz(decoder, input, output, &mut self.complete),
        }
    }
}

/// The content codings that header fields name, in lower case.
pub(super) fn codings(headers: &HeaderMap) -> Vec<Vec<u8>> {
    let values = headers.get_all(CONTENT_ENCODING).iter();
    let named = values.flat_map(|value| value.as_bytes().split(|&byte| byte == b','));
    let named = named.map(|coding| coding.trim_ascii().to_ascii_lowercase());
    // Not codings, but servers write them, and mean that there is none.
    let is_none =
        |coding: &[u8]| matches!(coding, b"" | b"identity" | b"none" | b"utf-8" | b"utf8" | b"8bit" | b"binary");
    named.filter(|coding| !is_none(coding)).collect()
}

fn inflate(decompress: &mut Decompress, input: &[u8], output: &mut [u8], complete: &mut bool) -> Step {
    let (total_in, total_out) = (decompress.total_in(), decompress.total_out());
    let result = decompress.decompress(input, output, FlushDecompress::None);
    let consumed = usize::try_from(decompress.total_in() - total_in).unwrap_or(input.len());
    let produced = usize::try_from(decompress.total_out() - total_out).unwrap_or(0);
    *complete = matches!(result, Ok(Status::StreamEnd));
    Step { consumed, produced, fault: result.err().map(|error| Fault::new(FaultKind::Encoding, error)) }
}

fn brotli_decoder() -> Box<Brotli> {
    let allocate = StandardAlloc::default;
    Box::new(BrotliState::new(allocate(), allocate(), allocate()))
}

fn unbrotli(state: &mut Brotli, input: &[u8], output: &mut [u8], complete: &mut bool) -> Step {
    if *complete && (input.is_empty() || brotli_decompressor::BrotliDecoderIsFinished(state)) {
        return Step::default();
    }
    let (mut available_in, mut consumed) = (input.len(), 0);
    let (mut available_out, mut produced, mut total) = (output.len(), 0, 0);
    let result = BrotliDecompressStream(
        &mut available_in,
        &mut consumed,
        input,
        &mut available_out,
        &mut produced,
        output,
        &mut total,
        state,
    );
    *complete = matches!(result, BrotliResult::ResultSuccess);
    let broken = matches!(result, BrotliResult::ResultFailure);
    Step { consumed, produced, fault: broken.then(|| Fault::new(FaultKind::Encoding, "broken brotli data")) }
}

fn xz_decoder(reach: Reach) -> Box<XzDecoder<'static>> {
    XzDecoder::in_heap_with_alloc_dict_size(0, reach.xz_dictionary_bytes)
}

fn zstd_decoder(reach: Reach) -> Result<ZstdDecoder<'static>, Fault> {
    let broken = |error| Fault::new(FaultKind::Encoding, error);
    let mut decoder = ZstdDecoder::new().map_err(broken)?;
    decoder.set_parameter(DParameter::WindowLogMax(reach.zstd_window_log)).map_err(broken)?;
    Ok(decoder)
}

fn unzstd(decoder: &mut ZstdDecoder<'static>, input: &[u8], output: &mut [u8], complete: &mut bool) -> Step {
    if *complete && input.is_empty() {
        return Step::default();
    }
    let (mut input, mut output) = (InBuffer::around(input), OutBuffer::around(output));
    let result = decoder.run(&mut input, &mut output);
    // Nothing remains at the end of a frame, which another may follow.
    *complete = matches!(result, Ok(0));
    let fault = result.err().map(|error| Fault::new(FaultKind::Encoding, error));
    Step { consumed: input.pos(), produced: output.pos(), fault }
}

fn unbzip2(decompress: &mut bzip2::Decompress, input: &[u8], output: &mut [u8], complete: &mut bool) -> Step {
    if *complete && input.is_empty() {
        return Step::default();
    }
    let (total_in, total_out) = (decompress.total_in(), decompress.total_out());
    let result = decompress.decompress(input, output);
    let consumed = usize::try_from(decompress.total_in() - total_in).unwrap_or(input.len());
    let produced = usize::try_from(decompress.total_out() - total_out).unwrap_or(0);
    *complete = result == Ok(bzip2::Status::StreamEnd);
    let fault = match result {
        Ok(bzip2::Status::MemNeeded) => Some(Fault::new(FaultKind::Encoding, "no memory to undo bzip2")),
        Ok(_) => None,
        Err(error) => Some(Fault::new(FaultKind::Encoding, error)),
    };
    Step { consumed, produced, fault }
}

fn unxz(decoder: &mut XzDecoder<'static>, input: &[u8], output: &mut [u8], complete: &mut bool) -> Step {
    if *complete {
        // Between two streams there may be zeros, and after the last anything.
        let padding = input.iter().take_while(|byte| **byte == 0).count();
        if padding > 0 || input.first() != Some(&0xfd) {
            return Step { consumed: padding, ..Step::default() };
        }
        decoder.reset();
    }
    match decoder.decode(input, output) {
        Ok(result) => {
            *complete = result.is_end_of_stream();
            Step { consumed: result.input_consumed(), produced: result.output_produced(), fault: None }
        }
        Err(XzError::NeedsLargerInputBuffer) if input.is_empty() => {
            *complete = false;
            Step::default()
        }
        Err(XzError::DictionaryTooLarge(bytes)) => {
            let fault = Fault::new(FaultKind::Encoding, format!("xz with a dictionary of {bytes} bytes is not read"));
            Step { fault: Some(fault), ..Step::default() }
        }
        Err(error) => {
            Step { fault: Some(Fault::new(FaultKind::Encoding, format!("broken xz data: {error}"))), ..Step::default() }
        }
    }
}

/// A reader of decoded bytes, for bodies that do not come from the network.
pub(crate) struct DecodingReader<R> {
    inner: R,
    decoder: Decoder,
    buffer: Vec<u8>,
    start: usize,
    ended: bool,
    /// Why there is no more, after the bytes that came before.
    fault: Option<Fault>,
}

impl<R: Read> DecodingReader<R> {
    pub(crate) fn new(inner: R, decoder: Decoder) -> Self {
        Self { inner, decoder, buffer: Vec::new(), start: 0, ended: false, fault: None }
    }

    fn refill(&mut self) -> std::io::Result<()> {
        self.buffer.resize(16 * 1_024, 0);
        let length = self.inner.read(&mut self.buffer)?;
        self.buffer.truncate(length);
        self.start = 0;
        self.ended = length == 0;
        Ok(())
    }
}

impl<R: Read> Read for DecodingReader<R> {
    fn read(&mut self, output: &mut [u8]) -> std::io::Result<usize> {
        if self.decoder.is_identity() {
            return self.inner.read(output);
        }
        if output.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(fault) = &self.fault {
                return Err(std::io::Error::other(super::CutShort(fault.clone())));
            }
            let step = self.decoder.step(&self.buffer[self.start..], output);
            self.start += step.consumed;
            self.fault = step.fault;
            if step.produced > 0 {
                return Ok(step.produced);
            }
            if self.fault.is_some() {
                continue;
            }
            if step.consumed == 0 && self.start < self.buffer.len() {
                return Ok(0);
            }
            if self.ended {
                return if self.decoder.is_complete() { Ok(0) } else { Err(std::io::ErrorKind::UnexpectedEof.into()) };
            }
            if self.start == self.buffer.len() {
                self.refill()?;
            }
        }
    }
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
