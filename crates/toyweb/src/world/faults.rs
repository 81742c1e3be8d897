//! Named faults: what servers of the real web do wrong.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};

use super::answer::{html, redirect, with_body};
use super::parameters::Faults;
use crate::message::{Body, Conduct, Response};

/// Something a server does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The answer comes late.
    Slow,
    /// The answer comes a few bytes at a time.
    Drip,
    /// The connection is closed without an answer.
    Drop,
    /// The connection is closed in the middle of the answer.
    Truncated,
    /// The announced length is too small.
    WrongLength,
    /// 429 for ever.
    #[serde(rename = "429")]
    TooManyRequests,
    /// 429 for ever, with `Retry-After`.
    #[serde(rename = "429-retry-after")]
    TooManyRequestsRetryAfter,
    /// 429 for the first requests.
    #[serde(rename = "passing-429")]
    PassingTooManyRequests,
    /// 429 for the first requests, with `Retry-After`.
    #[serde(rename = "passing-429-retry-after")]
    PassingTooManyRequestsRetryAfter,
    /// 503 for ever.
    #[serde(rename = "503")]
    Unavailable,
    /// 503 for ever, with `Retry-After`.
    #[serde(rename = "503-retry-after")]
    UnavailableRetryAfter,
    /// 503 for the first requests.
    #[serde(rename = "passing-503")]
    PassingUnavailable,
    /// 503 for the first requests, with `Retry-After`.
    #[serde(rename = "passing-503-retry-after")]
    PassingUnavailableRetryAfter,
    /// A page without an end.
    Endless,
    /// A calendar with a page for every month there will ever be.
    Calendar,
    /// A few megabytes that unpack to four gigabytes.
    GzipBomb,
    /// A quarter of a megabyte of header fields.
    HugeHeader,
    /// Text that is not UTF-8 though it says so.
    BadUtf8,
    /// Redirects that go round in a circle.
    RedirectLoop,
    /// A page that nests elements 100,000 deep.
    Deep,
    /// TLS handshakes fail.
    BrokenTls,
    /// robots.txt answers 500.
    RobotsError,
    /// robots.txt drops the connection.
    RobotsDropped,
    /// robots.txt is larger than 500 KiB.
    RobotsHuge,
}

impl Fault {
    /// The faults a document may have.
    pub const OF_DOCUMENTS: [Self; 20] = [
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

    /// The faults a host may have.
    pub const OF_HOSTS: [Self; 7] = [
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

    /// Whether a patient visitor still gets the document, whole. What is not
    /// spared is counted neither for nor against a crawler.
    #[must_use]
    pub fn spares_document(self) -> bool {
        matches!(self, Self::Slow | Self::Drip | Self::RobotsHuge) || self.passes()
    }

    /// Whether it is the robots.txt that ails, not the documents.
    #[must_use]
    pub fn is_of_robots(self) -> bool {
        matches!(self, Self::RobotsError | Self::RobotsDropped | Self::RobotsHuge)
    }

    fn passes(self) -> bool {
        matches!(
            self,
            Self::PassingTooManyRequests
                | Self::PassingTooManyRequestsRetryAfter
                | Self::PassingUnavailable
                | Self::PassingUnavailableRetryAfter
        )
    }
}

/// How often passing faults were asked, the one thing a world remembers.
#[derive(Default)]
pub(crate) struct Memory(Mutex<HashMap<String, u32>>);

impl Memory {
    /// More than any test needs; a bound all the same.
    const URLS_MAX: usize = 1 << 20;

    fn count(&self, url: &str) -> u32 {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() >= Self::URLS_MAX {
            asked.clear();
        }
        let count = asked.entry(url.to_owned()).or_default();
        *count += 1;
        *count
    }
}

/// What becomes of a sound answer under a fault.
pub(crate) fn apply(fault: Fault, sound: Response, url: &str, parameters: &Faults, memory: &Memory) -> Response {
    let conducted = |conduct| Response { conduct, ..sound.clone() };
    match fault {
        Fault::Slow => conducted(Conduct::Slow(Duration::from_secs_f64(parameters.slow_s))),
        Fault::Drip => conducted(Conduct::Dripping(Duration::from_secs_f64(parameters.drip_s))),
        Fault::Drop => conducted(Conduct::Dropped),
        Fault::Truncated => conducted(Conduct::Truncated),
        Fault::WrongLength => conducted(Conduct::UnderstatedLength(100)),
        Fault::BrokenTls => conducted(Conduct::BrokenTls),
        fault if fault.passes() && memory.count(url) > parameters.passing_requests => sound,
        Fault::TooManyRequests | Fault::PassingTooManyRequests => refusal(StatusCode::TOO_MANY_REQUESTS, None),
        Fault::TooManyRequestsRetryAfter | Fault::PassingTooManyRequestsRetryAfter => {
            refusal(StatusCode::TOO_MANY_REQUESTS, Some(parameters.retry_after_s))
        }
        Fault::Unavailable | Fault::PassingUnavailable => refusal(StatusCode::SERVICE_UNAVAILABLE, None),
        Fault::UnavailableRetryAfter | Fault::PassingUnavailableRetryAfter => {
            refusal(StatusCode::SERVICE_UNAVAILABLE, Some(parameters.retry_after_s))
        }
        Fault::Endless => endless(),
        Fault::Calendar => calendar(2024, 1),
        Fault::GzipBomb => gzip_bomb(),
        Fault::HugeHeader => huge_header(sound),
        Fault::BadUtf8 => bad_utf8(sound),
        Fault::RedirectLoop => redirect(StatusCode::FOUND, "/loop/0/0"),
        Fault::Deep => deep(),
        Fault::RobotsError | Fault::RobotsDropped | Fault::RobotsHuge => sound,
    }
}

fn refusal(status: StatusCode, retry_after_s: Option<u32>) -> Response {
    let mut response = html("<!DOCTYPE html><title>Not now</title><p>Not now.</p>\n".to_owned());
    response.status = status;
    if let Some(seconds) = retry_after_s {
        response.headers.insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

fn endless() -> Response {
    let block = "<p>And so it went on, and on, and on. <a href=\"/\">Home</a></p>\n".repeat(64);
    Response { body: Body::Endless(block.into()), ..html(String::new()) }
}

/// A month of the calendar that has no end.
pub(crate) fn calendar(year: u32, month: u32) -> Response {
    let next = if month >= 12 { (year.wrapping_add(1), 1) } else { (year, month + 1) };
    let later = (year.wrapping_add(10), month);
    let link = |(year, month): (u32, u32)| format!("<a href=\"/calendar/{year}/{month:02}\">{year}-{month:02}</a>");
    let (next, later) = (link(next), link(later));
    html(format!("<!DOCTYPE html><title>{year}-{month:02}</title><p>No events.</p><p>{next} {later}</p>\n"))
}

fn huge_header(mut sound: Response) -> Response {
    let filler = HeaderValue::try_from("x".repeat(4096)).expect("plain letters");
    for _ in 0..64 {
        sound.headers.append("x-filler", filler.clone());
    }
    sound
}

fn bad_utf8(sound: Response) -> Response {
    let Body::Whole(bytes) = &sound.body else { return sound };
    let (before, after) = bytes.split_at(bytes.len() / 2);
    let body = [before, b"\xff\xfe\xc3\x28", after].concat();
    Response { body: Body::Whole(body.into()), ..sound }
}

fn deep() -> Response {
    let depth = 100_000;
    let page = ["<!DOCTYPE html><title>Deep</title>", &"<div>".repeat(depth), "x", &"</div>".repeat(depth), "\n"];
    html(page.concat())
}

/// One gzip member of four gigabytes of blanks, which Turtle may have, made of 4,096 times the same
/// compressed megabyte.
fn gzip_bomb() -> Response {
    static BOMB: OnceLock<Bytes> = OnceLock::new();
    let bomb = BOMB.get_or_init(|| assemble_bomb(4096)).clone();
    let mut response = with_body(Some("text/turtle"), Body::Whole(bomb));
    response.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    response
}

fn assemble_bomb(megabytes: u32) -> Bytes {
    use flate2::{Compress, Compression, Crc, FlushCompress};
    let blanks = vec![b' '; 1 << 20];
    let mut block = Vec::with_capacity(8192);
    // A full flush ends on a byte and refers to nothing before it, so the
    // block can be repeated as it is.
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
    fn the_bomb_is_one_sound_gzip_member() {
        let bomb = assemble_bomb(3);

        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&*bomb).read_to_end(&mut unpacked).expect("sound to its checksum");

        assert_eq!(unpacked.len(), 3 << 20);
        assert!(bomb.len() < 8192, "{}", bomb.len());
    }

    #[test]
    fn a_passing_fault_passes_and_another_does_not() {
        let (parameters, memory) = (Faults::default(), Memory::default());
        let status = |fault, url| apply(fault, html(String::new()), url, &parameters, &memory).status.as_u16();

        let passing: Vec<u16> = (0..4).map(|_| status(Fault::PassingUnavailable, "http://a.example/")).collect();
        let lasting: Vec<u16> = (0..4).map(|_| status(Fault::Unavailable, "http://b.example/")).collect();

        assert_eq!(passing, [503, 503, 200, 200]);
        assert_eq!(lasting, [503; 4]);
    }

    #[test]
    fn names_are_those_of_files() {
        for fault in Fault::OF_DOCUMENTS.into_iter().chain(Fault::OF_HOSTS) {
            assert_eq!(serde_json::to_value(fault).expect("a name"), fault.name());
        }
    }
}
