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

use crate::model::{Fault, FaultKind};

/// The window beyond which zstd is not decoded: what RFC 9659 allows on the
/// web. A larger one is memory that a stranger makes us spend.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// The window of zstd in a dump: that of `zstd --long`.
const ZSTD_DUMP_WINDOW_LOG_MAX: u32 = 27;
/// The dictionary of xz in a dump, in bytes: that of `xz -9`.
const XZ_DICTIONARY_BYTES_MAX: usize = 64 << 20;
/// The same, inside of something else that may hold as much: that of `xz -6`.
const XZ_DICTIONARY_BYTES_MAX_INSIDE: usize = 8 << 20;

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
    /// All that the usual tools ask for.
    Full,
    /// Little: something around it has a full allowance already.
    Little,
}

/// A content coding in the middle of being undone.
pub(crate) struct Decoder {
    coding: Coding,
    /// Whether the coded data may end here.
    complete: bool,
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

    fn identity() -> Self {
        Self { coding: Coding::Identity, complete: true }
    }

    fn named(name: &[u8]) -> Result<Self, Fault> {
        let coding = match name {
            b"gzip" | b"x-gzip" => Coding::Gzip(Decompress::new_gzip(15)),
            b"deflate" => Coding::DeflateOfSomeSort,
            b"br" => Coding::Brotli(brotli_decoder()),
            b"zstd" => Coding::Zstd(zstd_decoder(ZSTD_WINDOW_LOG_MAX)?),
            _ => {
                let detail = format!("unknown content coding `{}`", name.escape_ascii());
                return Err(Fault::new(FaultKind::Encoding, detail));
            }
        };
        // An empty body is complete in any coding: servers send one with 200.
        Ok(Self { coding, complete: true })
    }

    /// The decoder for a file that is compressed in this way.
    pub(crate) fn of_file(compression: Compression, allowance: Allowance) -> Result<Self, Fault> {
        let (window_log, dictionary_bytes) = match allowance {
            Allowance::Full => (ZSTD_DUMP_WINDOW_LOG_MAX, XZ_DICTIONARY_BYTES_MAX),
            Allowance::Little => (ZSTD_WINDOW_LOG_MAX, XZ_DICTIONARY_BYTES_MAX_INSIDE),
        };
        let coding = match compression {
            Compression::Gzip => Coding::Gzip(Decompress::new_gzip(15)),
            Compression::Bzip2 => Coding::Bzip2(bzip2::Decompress::new(false)),
            Compression::Xz => Coding::Xz(XzDecoder::in_heap_with_alloc_dict_size(0, dictionary_bytes)),
            Compression::Zstd => Coding::Zstd(zstd_decoder(window_log)?),
            Compression::Brotli => Coding::Brotli(brotli_decoder()),
        };
        Ok(Self { coding, complete: true })
    }

    /// The decoder for bare deflate, as in zip archives.
    pub(crate) fn of_deflate() -> Self {
        Self { coding: Coding::Deflate(Decompress::new(false)), complete: true }
    }

    /// Whether bytes go through unchanged.
    pub(super) fn is_identity(&self) -> bool {
        matches!(self.coding, Coding::Identity)
    }

    /// Whether the data may end after what was decoded so far.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Decodes some of `input` into some of `output`, which is not empty.
    pub(crate) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
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

fn zstd_decoder(window_log_max: u32) -> Result<ZstdDecoder<'static>, Fault> {
    let broken = |error| Fault::new(FaultKind::Encoding, error);
    let mut decoder = ZstdDecoder::new().map_err(broken)?;
    decoder.set_parameter(DParameter::WindowLogMax(window_log_max)).map_err(broken)?;
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
