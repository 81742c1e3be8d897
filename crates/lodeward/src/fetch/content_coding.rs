//! Decodes content codings and compressed files, one step at a time.
//!
//! The HTTP client could decode content codings itself, but it does not report how many bytes it received for the bytes
//! it produced, which is needed to detect decompression bombs; and it discards the decoded part of a broken body.
//!
//! Compressed files use the same decoders plus bzip2 and xz. The coding of a response is named by a header field, that
//! of a file by its first bytes.

use std::io::Read;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use xz4rust::{XzDecoder, XzError};
use zstd::stream::raw::{Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer};
use zstd::zstd_safe::DParameter;

use super::decoder_memory::{self, WindowSlot};
use crate::model::{Fault, FaultKind, StreamFault};

/// Maximum window sizes. A larger window is memory that a remote server makes the crawler allocate.
#[derive(Clone, Copy)]
struct WindowLimits {
    zstd_window_log: u32,
    xz_dictionary_bytes: usize,
}

/// Limits for decoders without a slot: windows up to [`decoder_memory::SMALL_WINDOW_BYTES`].
const SMALL: WindowLimits = WindowLimits { zstd_window_log: 23, xz_dictionary_bytes: 8 << 20 };
/// Limits for decoders with a slot: windows as large as those of `zstd --long` and `xz -9`.
const LARGE: WindowLimits = WindowLimits { zstd_window_log: 27, xz_dictionary_bytes: 64 << 20 };

/// The compression formats of a single file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileCompression {
    /// One or more members.
    Gzip,
    /// One or more streams.
    Bzip2,
    /// One or more streams, with padding between them.
    Xz,
    /// One or more frames.
    Zstd,
    /// A single stream without a signature.
    Brotli,
}

/// How much memory a decoder may allocate for a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryAllowance {
    /// Large windows, allocated without waiting for a slot: used for local files of the user.
    Local,
    /// Large windows, whose number in the process is limited. The decoder waits for a slot on a blocking thread.
    Large,
    /// Small windows only, because an enclosing decoder already has a large one.
    Small,
}

/// Decodes one content coding or compressed file.
pub(crate) struct ContentDecoder {
    coding: ContentCoding,
    /// Whether the coded data may end at the current position.
    complete: bool,
    /// Whether the decoder may wait for a larger window.
    may_widen: bool,
    slot: Option<WindowSlot<'static>>,
}

enum ContentCoding {
    Identity,
    Gzip(Decompress),
    /// Undecided until the first byte: some servers send zlib, as specified, others raw deflate.
    UndecidedDeflate,
    Deflate(Decompress),
    Brotli(Box<Brotli>),
    Zstd(ZstdDecoder<'static>),
    Bzip2(bzip2::Decompress),
    Xz(Box<XzDecoder<'static>>),
}

type Brotli = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

/// The result of one decoding step.
#[derive(Debug, Default)]
pub(crate) struct DecodeStep {
    /// Bytes consumed from the input. If no bytes were consumed and none produced, the rest of the input is not part of
    /// the coded data.
    pub(crate) consumed: usize,
    /// Bytes written to the output; valid even if there is a fault.
    pub(crate) produced: usize,
    /// The fault that ends the data.
    pub(crate) fault: Option<Fault>,
}

impl ContentDecoder {
    /// The decoder for a response with these header fields.
    pub(super) fn from_headers(headers: &HeaderMap) -> Result<Self, Fault> {
        match &*codings(headers) {
            [] => Ok(Self::identity()),
            [only] => Self::from_name(only),
            _ => Err(Fault::new(FaultKind::Encoding, "more than one content coding")),
        }
    }

    fn new(coding: ContentCoding) -> Self {
        // An empty body is complete in any coding: servers send it with status 200.
        Self { coding, complete: true, may_widen: false, slot: None }
    }

    fn identity() -> Self {
        Self::new(ContentCoding::Identity)
    }

    fn from_name(name: &[u8]) -> Result<Self, Fault> {
        let coding = match name {
            b"gzip" | b"x-gzip" => ContentCoding::Gzip(Decompress::new_gzip(15)),
            b"deflate" => ContentCoding::UndecidedDeflate,
            b"br" => ContentCoding::Brotli(brotli_decoder()),
            b"zstd" => ContentCoding::Zstd(zstd_decoder(SMALL)?),
            _ => {
                let detail = format!("unknown content coding `{}`", name.escape_ascii());
                return Err(Fault::new(FaultKind::Encoding, detail));
            }
        };
        Ok(Self::new(coding))
    }

    /// The decoder for a file with this compression.
    pub(crate) fn for_file(compression: FileCompression, allowance: MemoryAllowance) -> Result<Self, Fault> {
        let limits = if allowance == MemoryAllowance::Local { LARGE } else { SMALL };
        let coding = match compression {
            FileCompression::Gzip => ContentCoding::Gzip(Decompress::new_gzip(15)),
            FileCompression::Bzip2 => ContentCoding::Bzip2(bzip2::Decompress::new(false)),
            FileCompression::Xz => ContentCoding::Xz(xz_decoder(limits)),
            FileCompression::Zstd => ContentCoding::Zstd(zstd_decoder(limits)?),
            FileCompression::Brotli => ContentCoding::Brotli(brotli_decoder()),
        };
        Ok(Self { may_widen: allowance == MemoryAllowance::Large, ..Self::new(coding) })
    }

    /// The decoder for raw deflate, as in zip archives.
    pub(crate) fn raw_deflate() -> Self {
        Self::new(ContentCoding::Deflate(Decompress::new(false)))
    }

    /// Whether bytes pass through unchanged.
    pub(super) fn is_identity(&self) -> bool {
        matches!(self.coding, ContentCoding::Identity)
    }

    /// Whether the data may end at this point.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Waits for a slot for a large window, if the frame or stream at the start of `input` needs one. All data before
    /// it is already decoded.
    fn widen_if_needed(&mut self, input: &[u8]) -> Result<(), Fault> {
        if !self.may_widen || !self.complete || input.is_empty() {
            return Ok(());
        }
        let window = match self.coding {
            ContentCoding::Zstd(_) => decoder_memory::zstd_window(input),
            ContentCoding::Xz(_) => decoder_memory::xz_window(input),
            _ => Some(0),
        };
        if window.is_some_and(|bytes| bytes <= decoder_memory::SMALL_WINDOW_BYTES) {
            return Ok(());
        }
        self.may_widen = false;
        self.slot = Some(decoder_memory::acquire_large_window());
        match &mut self.coding {
            ContentCoding::Zstd(decoder) => *decoder = zstd_decoder(LARGE)?,
            ContentCoding::Xz(decoder) => *decoder = xz_decoder(LARGE),
            _ => {}
        }
        Ok(())
    }

    /// Decodes some of `input` into `output`, which must not be empty.
    pub(crate) fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        if let Err(fault) = self.widen_if_needed(input) {
            return DecodeStep { fault: Some(fault), ..DecodeStep::default() };
        }
        match &mut self.coding {
            ContentCoding::Identity => {
                let length = input.len().min(output.len());
                output[..length].copy_from_slice(&input[..length]);
                DecodeStep { consumed: length, produced: length, fault: None }
            }
            ContentCoding::Gzip(decompress) => {
                if self.complete && decompress.total_in() > 0 {
                    // After a gzip member, another member or trailing data follows. Trailing data is ignored.
                    if input.first() != Some(&0x1f) {
                        return DecodeStep::default();
                    }
                    *decompress = Decompress::new_gzip(15);
                }
                inflate(decompress, input, output, &mut self.complete)
            }
            ContentCoding::UndecidedDeflate => {
                let Some(first) = input.first() else { return DecodeStep::default() };
                // The low half of the first byte of a zlib header is 8, for deflate; raw deflate does not use these
                // bits.
                self.coding = ContentCoding::Deflate(Decompress::new(first & 0x0f == 8));
                self.step(input, output)
            }
            ContentCoding::Deflate(decompress) => {
                if self.complete && decompress.total_in() > 0 {
                    return DecodeStep::default();
                }
                inflate(decompress, input, output, &mut self.complete)
            }
            ContentCoding::Brotli(state) => decode_brotli(state, input, output, &mut self.complete),
            ContentCoding::Zstd(decoder) => decode_zstd(decoder, input, output, &mut self.complete),
            ContentCoding::Bzip2(decompress) => {
                if self.complete && decompress.total_in() > 0 {
                    if input.first() != Some(&b'B') {
                        return DecodeStep::default();
                    }
                    *decompress = bzip2::Decompress::new(false);
                }
                decode_bzip2(decompress, input, output, &mut self.complete)
            }
            ContentCoding::Xz(decoder) => decode_xz(decoder, input, output, &mut self.complete),
        }
    }
}

/// The content codings named in the header fields, in lower case.
pub(super) fn codings(headers: &HeaderMap) -> Vec<Vec<u8>> {
    let values = headers.get_all(CONTENT_ENCODING).iter();
    let named = values.flat_map(|value| value.as_bytes().split(|&byte| byte == b','));
    let named = named.map(|coding| coding.trim_ascii().to_ascii_lowercase());
    // These are not codings, but servers send them to mean identity.
    let is_none =
        |coding: &[u8]| matches!(coding, b"" | b"identity" | b"none" | b"utf-8" | b"utf8" | b"8bit" | b"binary");
    named.filter(|coding| !is_none(coding)).collect()
}

fn inflate(decompress: &mut Decompress, input: &[u8], output: &mut [u8], complete: &mut bool) -> DecodeStep {
    let (total_in, total_out) = (decompress.total_in(), decompress.total_out());
    let result = decompress.decompress(input, output, FlushDecompress::None);
    let consumed = usize::try_from(decompress.total_in() - total_in).unwrap_or(input.len());
    let produced = usize::try_from(decompress.total_out() - total_out).unwrap_or(0);
    *complete = matches!(result, Ok(Status::StreamEnd));
    DecodeStep { consumed, produced, fault: result.err().map(|error| Fault::new(FaultKind::Encoding, error)) }
}

fn brotli_decoder() -> Box<Brotli> {
    let allocate = StandardAlloc::default;
    Box::new(BrotliState::new(allocate(), allocate(), allocate()))
}

fn decode_brotli(state: &mut Brotli, input: &[u8], output: &mut [u8], complete: &mut bool) -> DecodeStep {
    if *complete && (input.is_empty() || brotli_decompressor::BrotliDecoderIsFinished(state)) {
        return DecodeStep::default();
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
    DecodeStep { consumed, produced, fault: broken.then(|| Fault::new(FaultKind::Encoding, "broken brotli data")) }
}

fn xz_decoder(limits: WindowLimits) -> Box<XzDecoder<'static>> {
    XzDecoder::in_heap_with_alloc_dict_size(0, limits.xz_dictionary_bytes)
}

fn zstd_decoder(limits: WindowLimits) -> Result<ZstdDecoder<'static>, Fault> {
    let broken = |error| Fault::new(FaultKind::Encoding, error);
    let mut decoder = ZstdDecoder::new().map_err(broken)?;
    decoder.set_parameter(DParameter::WindowLogMax(limits.zstd_window_log)).map_err(broken)?;
    Ok(decoder)
}

fn decode_zstd(decoder: &mut ZstdDecoder<'static>, input: &[u8], output: &mut [u8], complete: &mut bool) -> DecodeStep {
    if *complete && input.is_empty() {
        return DecodeStep::default();
    }
    let (mut input, mut output) = (InBuffer::around(input), OutBuffer::around(output));
    let result = decoder.run(&mut input, &mut output);
    // The decoder returns 0 at the end of a frame. Another frame may follow.
    *complete = matches!(result, Ok(0));
    let fault = result.err().map(|error| Fault::new(FaultKind::Encoding, error));
    DecodeStep { consumed: input.pos(), produced: output.pos(), fault }
}

fn decode_bzip2(
    decompress: &mut bzip2::Decompress,
    input: &[u8],
    output: &mut [u8],
    complete: &mut bool,
) -> DecodeStep {
    if *complete && input.is_empty() {
        return DecodeStep::default();
    }
    let (total_in, total_out) = (decompress.total_in(), decompress.total_out());
    let result = decompress.decompress(input, output);
    let consumed = usize::try_from(decompress.total_in() - total_in).unwrap_or(input.len());
    let produced = usize::try_from(decompress.total_out() - total_out).unwrap_or(0);
    *complete = result == Ok(bzip2::Status::StreamEnd);
    let fault = match result {
        Ok(bzip2::Status::MemNeeded) => Some(Fault::new(FaultKind::Encoding, "the bzip2 decoder ran out of memory")),
        Ok(_) => None,
        Err(error) => Some(Fault::new(FaultKind::Encoding, error)),
    };
    DecodeStep { consumed, produced, fault }
}

fn decode_xz(decoder: &mut XzDecoder<'static>, input: &[u8], output: &mut [u8], complete: &mut bool) -> DecodeStep {
    if *complete {
        // Zero bytes may follow a stream as padding. Data after it that is not another stream is ignored.
        let padding = input.iter().take_while(|byte| **byte == 0).count();
        if padding > 0 || input.first() != Some(&0xfd) {
            return DecodeStep { consumed: padding, ..DecodeStep::default() };
        }
        decoder.reset();
    }
    match decoder.decode(input, output) {
        Ok(result) => {
            *complete = result.is_end_of_stream();
            DecodeStep { consumed: result.input_consumed(), produced: result.output_produced(), fault: None }
        }
        Err(XzError::NeedsLargerInputBuffer) if input.is_empty() => {
            *complete = false;
            DecodeStep::default()
        }
        Err(XzError::DictionaryTooLarge(bytes)) => {
            let fault = Fault::new(FaultKind::Encoding, format!("xz dictionary of {bytes} bytes is too large"));
            DecodeStep { fault: Some(fault), ..DecodeStep::default() }
        }
        Err(error) => DecodeStep {
            fault: Some(Fault::new(FaultKind::Encoding, format!("broken xz data: {error}"))),
            ..DecodeStep::default()
        },
    }
}

/// A reader of decoded bytes, for bodies that are not downloaded.
pub(crate) struct DecodingReader<R> {
    inner: R,
    decoder: ContentDecoder,
    buffer: Vec<u8>,
    start: usize,
    ended: bool,
    /// The fault returned after the decoded bytes.
    fault: Option<Fault>,
}

impl<R: Read> DecodingReader<R> {
    pub(crate) fn new(inner: R, decoder: ContentDecoder) -> Self {
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
                return Err(std::io::Error::other(StreamFault(fault.clone())));
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
