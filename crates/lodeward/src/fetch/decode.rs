//! Content codings, decoded a step at a time.
//!
//! The HTTP client could do this by itself, but would not tell how many bytes
//! came in for those that went out, which is how a bomb is known; and where a
//! body is broken it would keep what had been decoded until then to itself.

use std::io::Read;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use zstd::stream::raw::{Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer};
use zstd::zstd_safe::DParameter;

use crate::model::{Fault, FaultKind};

/// The window beyond which zstd is not decoded: what RFC 9659 allows on the
/// web. A larger one is memory that a stranger makes us spend.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// A content coding in the middle of being undone.
pub(super) struct Decoder {
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
    Brotli(Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>),
    Zstd(ZstdDecoder<'static>),
}

/// What one step did.
#[derive(Debug, Default)]
pub(super) struct Step {
    /// Bytes taken from the input. When none were taken and none made, the
    /// rest of the input is not part of the coded data.
    pub(super) consumed: usize,
    /// Bytes put into the output; valid even next to a fault.
    pub(super) produced: usize,
    /// Why there will be no more.
    pub(super) fault: Option<Fault>,
}

impl Decoder {
    /// The decoder for an answer with these header fields.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, Fault> {
        let mut codings =
            headers.get_all(CONTENT_ENCODING).iter().flat_map(|value| value.as_bytes().split(|&byte| byte == b','));
        let mut only = None;
        for coding in codings.by_ref().map(<[u8]>::trim_ascii) {
            let coding = coding.to_ascii_lowercase();
            // Not codings, but servers write them, and mean that there is none.
            if matches!(&*coding, b"" | b"identity" | b"none" | b"utf-8" | b"utf8" | b"8bit" | b"binary") {
                continue;
            }
            if only.replace(coding).is_some() {
                return Err(Fault::new(FaultKind::Encoding, "more than one content coding"));
            }
        }
        only.map_or_else(|| Ok(Self::identity()), |coding| Self::named(&coding))
    }

    fn identity() -> Self {
        Self { coding: Coding::Identity, complete: true }
    }

    fn named(name: &[u8]) -> Result<Self, Fault> {
        let coding = match name {
            b"gzip" | b"x-gzip" => Coding::Gzip(Decompress::new_gzip(15)),
            b"deflate" => Coding::DeflateOfSomeSort,
            b"br" => {
                let allocate = StandardAlloc::default;
                Coding::Brotli(Box::new(BrotliState::new(allocate(), allocate(), allocate())))
            }
            b"zstd" => Coding::Zstd(zstd_decoder().map_err(|error| Fault::new(FaultKind::Encoding, error))?),
            _ => {
                let detail = format!("unknown content coding `{}`", name.escape_ascii());
                return Err(Fault::new(FaultKind::Encoding, detail));
            }
        };
        // An empty body is complete in any coding: servers send one with 200.
        Ok(Self { coding, complete: true })
    }

    /// Whether bytes go through unchanged.
    pub(super) fn is_identity(&self) -> bool {
        matches!(self.coding, Coding::Identity)
    }

    /// Whether the data may end after what was decoded so far.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Decodes some of `input` into some of `output`, which is not empty.
    pub(super) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
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
        }
    }
}

fn inflate(decompress: &mut Decompress, input: &[u8], output: &mut [u8], complete: &mut bool) -> Step {
    let (total_in, total_out) = (decompress.total_in(), decompress.total_out());
    let result = decompress.decompress(input, output, FlushDecompress::None);
    let consumed = usize::try_from(decompress.total_in() - total_in).unwrap_or(input.len());
    let produced = usize::try_from(decompress.total_out() - total_out).unwrap_or(0);
    *complete = matches!(result, Ok(Status::StreamEnd));
    Step { consumed, produced, fault: result.err().map(|error| Fault::new(FaultKind::Encoding, error)) }
}

fn unbrotli(
    state: &mut BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    input: &[u8],
    output: &mut [u8],
    complete: &mut bool,
) -> Step {
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

fn zstd_decoder() -> std::io::Result<ZstdDecoder<'static>> {
    let mut decoder = ZstdDecoder::new()?;
    decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG_MAX))?;
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

/// A reader of decoded bytes, for bodies that do not come from the network.
pub(super) struct DecodingReader<R> {
    inner: R,
    decoder: Decoder,
    buffer: Vec<u8>,
    start: usize,
    ended: bool,
}

impl<R: Read> DecodingReader<R> {
    pub(super) fn new(inner: R, decoder: Decoder) -> Self {
        Self { inner, decoder, buffer: Vec::new(), start: 0, ended: false }
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
        loop {
            let step = self.decoder.step(&self.buffer[self.start..], output);
            self.start += step.consumed;
            if step.produced > 0 || output.is_empty() {
                return Ok(step.produced);
            }
            if let Some(fault) = step.fault {
                return Err(std::io::Error::other(super::CutShort(fault)));
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
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Decodes piecewise, as a network would deliver.
    fn decode(coding: &str, coded: &[u8]) -> (Vec<u8>, Option<FaultKind>, bool) {
        let mut decoder = Decoder::named(coding.as_bytes()).unwrap();
        let mut decoded = Vec::new();
        for chunk in coded.chunks(7) {
            let mut rest = chunk;
            loop {
                let mut output = [0; 5];
                let step = decoder.step(rest, &mut output);
                rest = &rest[step.consumed..];
                decoded.extend(&output[..step.produced]);
                if let Some(fault) = step.fault {
                    return (decoded, Some(fault.kind), false);
                }
                if step.produced < output.len() && (rest.is_empty() || step.consumed == 0) {
                    break;
                }
            }
        }
        (decoded, None, decoder.is_complete())
    }

    #[test]
    fn every_coding_is_undone() {
        let text = b"<a> <b> <c> . ".repeat(40);
        let check =
            |coding: &str, coded: &[u8]| assert_eq!(decode(coding, coded), (text.clone(), None, true), "{coding}");
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        zlib.write_all(&text).unwrap();
        let mut bare = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        bare.write_all(&text).unwrap();

        check("gzip", &gzip(&text));
        check("x-gzip", &[gzip(&text[..100]), gzip(&text[100..])].concat());
        check("gzip", &[&gzip(&text)[..], b"\0\0\0 padding"].concat());
        check("deflate", &zlib.finish().unwrap());
        check("deflate", &bare.finish().unwrap());
        check("zstd", &zstd::encode_all(&text[..], 3).unwrap());
        check("br", BROTLI);
        for coding in ["gzip", "deflate", "br", "zstd"] {
            assert_eq!(decode(coding, b""), (Vec::new(), None, true), "{coding}");
        }
    }

    /// `<a> <b> <c> . ` forty times, by the reference implementation.
    const BROTLI: &[u8] = include_bytes!("testdata/forty.br");

    #[test]
    fn what_was_decoded_before_the_break_is_kept() {
        let text: Vec<u8> =
            (0..20_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let coded = gzip(&text);
        let (half, fault, complete) = decode("gzip", &coded[..coded.len() / 2]);

        assert!(half.len() > text.len() / 3 && text.starts_with(&half));
        assert_eq!((fault, complete), (None, false));

        let mut broken = gzip(&text);
        let end = broken.len() - 5;
        broken[end] ^= 1; // the checksum
        assert_eq!(decode("gzip", &broken), (text, Some(FaultKind::Encoding), false));
        assert_eq!(decode("gzip", b"plain text, really").1, Some(FaultKind::Encoding));
        assert_eq!(decode("br", b"\xff\xff\xff\xff\xff\xff").1, Some(FaultKind::Encoding));
        assert_eq!(decode("zstd", b"plain text, really").1, Some(FaultKind::Encoding));
    }

    #[test]
    fn codings_are_known_by_their_names() {
        let check = |value: &str, expected: Result<bool, &str>| {
            let headers = HeaderMap::from_iter([(CONTENT_ENCODING, value.parse().unwrap())]);
            let found = Decoder::of(&headers).map(|decoder| decoder.is_identity()).map_err(|fault| fault.detail);
            assert_eq!(found, expected.map_err(ToOwned::to_owned), "{value}");
        };

        check("GZip", Ok(false));
        check("identity, br", Ok(false));
        check("utf-8", Ok(true));
        check("gzip, br", Err("more than one content coding"));
        check("rot13", Err("unknown content coding `rot13`"));
    }

    #[test]
    fn a_reader_decodes_too() {
        let text = b"<a> <b> <c> . ".repeat(4_000);
        let mut decoded = Vec::new();
        let coded = gzip(&text);
        DecodingReader::new(&coded[..], Decoder::named(b"gzip").unwrap()).read_to_end(&mut decoded).unwrap();

        assert_eq!(decoded, text);
    }
}
