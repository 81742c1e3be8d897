//! Named faults of servers, as they occur on the real web.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};

use super::parameters::FaultParameters;
use super::responses::{body_response, html_response, redirect};
use crate::message::{DeliveryFault, WebBody, WebResponse};

/// A fault of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServerFault {
    /// The response is delayed.
    Slow,
    /// The response arrives a few bytes at a time.
    Drip,
    /// The connection is closed without a response.
    Drop,
    /// The connection is closed in the middle of the response.
    Truncated,
    /// The declared length is too small.
    WrongLength,
    /// The response is always 429.
    #[serde(rename = "429")]
    TooManyRequests,
    /// The response is always 429, with `Retry-After`.
    #[serde(rename = "429-retry-after")]
    TooManyRequestsRetryAfter,
    /// The response is 429 for the first requests.
    #[serde(rename = "passing-429")]
    PassingTooManyRequests,
    /// The response is 429 for the first requests, with `Retry-After`.
    #[serde(rename = "passing-429-retry-after")]
    PassingTooManyRequestsRetryAfter,
    /// The response is always 503.
    #[serde(rename = "503")]
    Unavailable,
    /// The response is always 503, with `Retry-After`.
    #[serde(rename = "503-retry-after")]
    UnavailableRetryAfter,
    /// The response is 503 for the first requests.
    #[serde(rename = "passing-503")]
    PassingUnavailable,
    /// The response is 503 for the first requests, with `Retry-After`.
    #[serde(rename = "passing-503-retry-after")]
    PassingUnavailableRetryAfter,
    /// An endless page.
    Endless,
    /// A calendar with a page for every future month.
    Calendar,
    /// A decompression bomb: a few megabytes that decompress to four gigabytes.
    GzipBomb,
    /// A quarter of a megabyte of header fields.
    HugeHeader,
    /// Text that is declared as UTF-8 and is not.
    BadUtf8,
    /// A redirect loop.
    RedirectLoop,
    /// A page that nests elements 100,000 deep.
    Deep,
    /// TLS handshakes fail.
    BrokenTls,
    /// robots.txt responds with 500.
    RobotsError,
    /// robots.txt drops the connection.
    RobotsDropped,
    /// robots.txt is larger than 500 KiB.
    RobotsHuge,
}

impl ServerFault {
    /// The faults that affect single documents.
    pub const DOCUMENT_FAULTS: [Self; 20] = [
        Self::Slow,
        Self::Drip,
        Self::Drop,
        Self::Truncated,
        Self::WrongLength,
        Self::TooManyRequests,
        Self::TooManyRequestsRetryAfter,
        Self::PassingTooManyRequests,
        Self::PassingTooManyRequestsRetryAfter,
        Self::Unavailable,
        Self::UnavailableRetryAfter,
        Self::PassingUnavailable,
        Self::PassingUnavailableRetryAfter,
        Self::Endless,
        Self::Calendar,
        Self::GzipBomb,
        Self::HugeHeader,
        Self::BadUtf8,
        Self::RedirectLoop,
        Self::Deep,
    ];

    /// The faults that affect whole hosts.
    pub const HOST_FAULTS: [Self; 7] = [
        Self::Slow,
        Self::Drop,
        Self::TooManyRequestsRetryAfter,
        Self::Unavailable,
        Self::RobotsError,
        Self::RobotsDropped,
        Self::RobotsHuge,
    ];

    /// The fault's name in URLs and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Drip => "drip",
            Self::Drop => "drop",
            Self::Truncated => "truncated",
            Self::WrongLength => "wrong-length",
            Self::TooManyRequests => "429",
            Self::TooManyRequestsRetryAfter => "429-retry-after",
            Self::PassingTooManyRequests => "passing-429",
            Self::PassingTooManyRequestsRetryAfter => "passing-429-retry-after",
            Self::Unavailable => "503",
            Self::UnavailableRetryAfter => "503-retry-after",
            Self::PassingUnavailable => "passing-503",
            Self::PassingUnavailableRetryAfter => "passing-503-retry-after",
            Self::Endless => "endless",
            Self::Calendar => "calendar",
            Self::GzipBomb => "gzip-bomb",
            Self::HugeHeader => "huge-header",
            Self::BadUtf8 => "bad-utf8",
            Self::RedirectLoop => "redirect-loop",
            Self::Deep => "deep",
            Self::BrokenTls => "broken-tls",
            Self::RobotsError => "robots-error",
            Self::RobotsDropped => "robots-dropped",
            Self::RobotsHuge => "robots-huge",
        }
    }

    /// Whether a crawler that retries receives the document whole. Other documents are not scored.
    #[must_use]
    pub fn leaves_document_obtainable(self) -> bool {
        matches!(self, Self::Slow | Self::Drip | Self::RobotsHuge) || self.is_transient()
    }

    /// Whether the fault affects robots.txt, not the documents.
    #[must_use]
    pub fn affects_robots_txt(self) -> bool {
        matches!(self, Self::RobotsError | Self::RobotsDropped | Self::RobotsHuge)
    }

    fn is_transient(self) -> bool {
        matches!(
            self,
            Self::PassingTooManyRequests
                | Self::PassingTooManyRequestsRetryAfter
                | Self::PassingUnavailable
                | Self::PassingUnavailableRetryAfter
        )
    }
}

/// The number of requests to transient faults, the only state of a world.
#[derive(Default)]
pub(crate) struct FaultMemory(Mutex<HashMap<String, u32>>);

impl FaultMemory {
    /// Maximum number of counted URLs, which bounds the memory. It is more than any test needs.
    const MAX_URLS: usize = 1 << 20;

    fn count_request(&self, url: &str) -> u32 {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= Self::MAX_URLS {
            counts.clear();
        }
        let count = counts.entry(url.to_owned()).or_default();
        *count += 1;
        *count
    }
}

/// Applies a fault to a correct response.
pub(crate) fn apply(
    fault: ServerFault,
    correct: WebResponse,
    url: &str,
    parameters: &FaultParameters,
    memory: &FaultMemory,
) -> WebResponse {
    let delivered = |delivery| WebResponse { delivery, ..correct.clone() };
    match fault {
        ServerFault::Slow => delivered(DeliveryFault::Slow(Duration::from_secs_f64(parameters.slow_seconds))),
        ServerFault::Drip => delivered(DeliveryFault::Dripping(Duration::from_secs_f64(parameters.drip_seconds))),
        ServerFault::Drop => delivered(DeliveryFault::Dropped),
        ServerFault::Truncated => delivered(DeliveryFault::Truncated),
        ServerFault::WrongLength => delivered(DeliveryFault::UnderstatedLength(100)),
        ServerFault::BrokenTls => delivered(DeliveryFault::BrokenTls),
        fault if fault.is_transient() && memory.count_request(url) > parameters.passing_requests => correct,
        ServerFault::TooManyRequests | ServerFault::PassingTooManyRequests => {
            rejection(StatusCode::TOO_MANY_REQUESTS, None)
        }
        ServerFault::TooManyRequestsRetryAfter | ServerFault::PassingTooManyRequestsRetryAfter => {
            rejection(StatusCode::TOO_MANY_REQUESTS, Some(parameters.retry_after_seconds))
        }
        ServerFault::Unavailable | ServerFault::PassingUnavailable => rejection(StatusCode::SERVICE_UNAVAILABLE, None),
        ServerFault::UnavailableRetryAfter | ServerFault::PassingUnavailableRetryAfter => {
            rejection(StatusCode::SERVICE_UNAVAILABLE, Some(parameters.retry_after_seconds))
        }
        ServerFault::Endless => endless_response(),
        ServerFault::Calendar => calendar_page(2024, 1),
        ServerFault::GzipBomb => gzip_bomb(),
        ServerFault::HugeHeader => huge_header(correct),
        ServerFault::BadUtf8 => bad_utf8(correct),
        ServerFault::RedirectLoop => redirect(StatusCode::FOUND, "/loop/0/0"),
        ServerFault::Deep => deeply_nested_page(),
        ServerFault::RobotsError | ServerFault::RobotsDropped | ServerFault::RobotsHuge => correct,
    }
}

fn rejection(status: StatusCode, retry_after_s: Option<u32>) -> WebResponse {
    let mut response = html_response("<!DOCTYPE html><title>Not now</title><p>Not now.</p>\n".to_owned());
    response.status = status;
    if let Some(seconds) = retry_after_s {
        response.headers.insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

fn endless_response() -> WebResponse {
    let block = "<p>And so it went on, and on, and on. <a href=\"/\">Home</a></p>\n".repeat(64);
    WebResponse { body: WebBody::Endless(block.into()), ..html_response(String::new()) }
}

/// One month of the endless calendar.
pub(crate) fn calendar_page(year: u32, month: u32) -> WebResponse {
    let next = if month >= 12 { (year.wrapping_add(1), 1) } else { (year, month + 1) };
    let later = (year.wrapping_add(10), month);
    let link = |(year, month): (u32, u32)| format!("<a href=\"/calendar/{year}/{month:02}\">{year}-{month:02}</a>");
    let (next, later) = (link(next), link(later));
    html_response(format!("<!DOCTYPE html><title>{year}-{month:02}</title><p>No events.</p><p>{next} {later}</p>\n"))
}

fn huge_header(mut correct: WebResponse) -> WebResponse {
    let filler = HeaderValue::try_from("x".repeat(4096)).expect("plain letters");
    for _ in 0..64 {
        correct.headers.append("x-filler", filler.clone());
    }
    correct
}

fn bad_utf8(correct: WebResponse) -> WebResponse {
    let WebBody::Whole(bytes) = &correct.body else { return correct };
    let (before, after) = bytes.split_at(bytes.len() / 2);
    let body = [before, b"\xff\xfe\xc3\x28", after].concat();
    WebResponse { body: WebBody::Whole(body.into()), ..correct }
}

fn deeply_nested_page() -> WebResponse {
    let depth = 100_000;
    let page = ["<!DOCTYPE html><title>Deep</title>", &"<div>".repeat(depth), "x", &"</div>".repeat(depth), "\n"];
    html_response(page.concat())
}

/// A decompression bomb: one gzip member of four gigabytes of spaces, which are valid Turtle, built from 4,096 copies
/// of one compressed megabyte.
fn gzip_bomb() -> WebResponse {
    static BOMB: OnceLock<Bytes> = OnceLock::new();
    let bomb = BOMB.get_or_init(|| assemble_bomb(4096)).clone();
    let mut response = body_response(Some("text/turtle"), WebBody::Whole(bomb));
    response.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    response
}

fn assemble_bomb(megabytes: u32) -> Bytes {
    use flate2::{Compress, Compression, Crc, FlushCompress};
    let blanks = vec![b' '; 1 << 20];
    let mut block = Vec::with_capacity(8192);
    // A full flush ends on a byte boundary and has no back references, so the block can be repeated unchanged.
    let mut compress = Compress::new(Compression::best(), false);
    compress.compress_vec(&blanks, &mut block, FlushCompress::Full).expect("blanks compress");
    let mut one = Crc::new();
    one.update(&blanks);
    let mut all = Crc::new();
    for _ in 0..megabytes {
        all.combine(&one);
    }
    let mut bomb = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    for _ in 0..megabytes {
        bomb.extend_from_slice(&block);
    }
    // An empty last block, the checksum, and the length modulo 2^32.
    bomb.extend_from_slice(&[3, 0]);
    bomb.extend_from_slice(&all.sum().to_le_bytes());
    bomb.extend_from_slice(&(megabytes << 20).to_le_bytes());
    bomb.into()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_decompression_bomb_is_one_valid_gzip_member() {
        let bomb = assemble_bomb(3);

        let mut decompressed = Vec::new();
        flate2::read::GzDecoder::new(&*bomb).read_to_end(&mut decompressed).expect("a valid checksum");

        assert_eq!(decompressed.len(), 3 << 20);
        assert!(bomb.len() < 8192, "{}", bomb.len());
    }

    #[test]
    fn a_transient_fault_ends_and_a_permanent_one_does_not() {
        let (parameters, memory) = (FaultParameters::default(), FaultMemory::default());
        let status = |fault, url| apply(fault, html_response(String::new()), url, &parameters, &memory).status.as_u16();

        let transient: Vec<u16> =
            (0..4).map(|_| status(ServerFault::PassingUnavailable, "http://a.example/")).collect();
        let permanent: Vec<u16> = (0..4).map(|_| status(ServerFault::Unavailable, "http://b.example/")).collect();

        assert_eq!(transient, [503, 503, 200, 200]);
        assert_eq!(permanent, [503; 4]);
    }

    #[test]
    fn fault_names_equal_their_serialised_form() {
        for fault in ServerFault::DOCUMENT_FAULTS.into_iter().chain(ServerFault::HOST_FAULTS) {
            assert_eq!(serde_json::to_value(fault).expect("a name"), fault.name());
        }
    }
}
