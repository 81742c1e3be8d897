//! Resumes interrupted bodies with range requests.
//!
//! A dump of gigabytes that breaks near its end is not fetched from the start. If the server supports ranges and sends
//! a validator (RFC 9110, sections 13 and 14), the rest is requested, and the reader of the stream sees no
//! interruption. Ranges count the bytes as sent, before content codings are removed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ::http::header::{
    ACCEPT_RANGES, CONTENT_ENCODING, CONTENT_RANGE, DATE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_RANGE,
    LAST_MODIFIED, RANGE,
};
use ::http::{Method, StatusCode};
use reqwest::{Client, Request, Response};
use tokio::time::timeout;
use url::Url;

use super::{SendPermit, clock, content_coding, response};
use crate::model::{Fault, FaultKind};
use crate::time::parse_http_date;

/// Maximum number of requests for the rest of a body without progress.
const MAX_ATTEMPTS: u32 = 5;
/// Number of bytes received after which the attempts are counted from zero again.
const PROGRESS_BYTES: u64 = 16 << 20;
/// Maximum `Retry-After` for which a download waits. If it is longer, the body is not resumed.
const MAX_RETRY_WAIT: Duration = Duration::from_mins(2);

/// Requests the rest of a body with range requests.
pub(super) struct RangeResume {
    client: Client,
    url: Url,
    headers: HeaderMap,
    wait: Duration,
    time: Duration,
    /// The content codings of the first response.
    codings: Vec<Vec<u8>>,
    /// Length of the complete body, if the first response declared it.
    total: Option<u64>,
    attempts: u32,
    resumed_at: u64,
    count: Arc<AtomicU64>,
    permit: Option<Arc<dyn SendPermit>>,
}

/// The rest of a body, or part of it: servers may return less than requested.
pub(super) struct BodyRemainder {
    pub(super) response: Response,
    /// Length of the complete body.
    pub(super) total: u64,
}

/// How the server answered a range request.
enum RangeResponseKind {
    /// The response continues the body, which has this total length.
    Continuation(u64),
    /// The body cannot be resumed; contains the reason, if known.
    Impossible(Option<Fault>),
    /// The request must be repeated after this delay, in seconds.
    Later(u64),
}

impl RangeResume {
    /// Returns how to resume the body of this response to a request with these header fields, if its server supports
    /// ranges. Waits `wait` before each request and at most `time` for the head of each response; counts requests in
    /// `count`.
    pub(super) fn for_response(
        client: &Client,
        request: &HeaderMap,
        response: &Response,
        [wait, time]: [Duration; 2],
        count: &Arc<AtomicU64>,
    ) -> Option<Self> {
        let accepts_ranges =
            header_str(response.headers(), &ACCEPT_RANGES).is_some_and(|units| units.contains("bytes"));
        if !accepts_ranges || response.status() != StatusCode::OK {
            return None;
        }
        let mut headers = request.clone();
        headers.insert(IF_RANGE, validator(response.headers())?);
        let (client, url, count) = (client.clone(), response.url().clone(), Arc::clone(count));
        let (codings, total) = (content_coding::codings(response.headers()), response.content_length());
        let (attempts, resumed_at, permit) = (0, 0, None);
        Some(Self { client, url, headers, wait, time, codings, total, attempts, resumed_at, count, permit })
    }

    /// Sends requests only while this permit is valid.
    pub(super) fn with_permit(self, permit: Option<Arc<dyn SendPermit>>) -> Self {
        Self { permit, ..self }
    }

    /// Requests the rest of a body of which `at` bytes have been received. If the body cannot be resumed, returns the
    /// reason, if known.
    pub(super) async fn resume(&mut self, at: u64) -> Result<BodyRemainder, Option<Fault>> {
        if at - self.resumed_at >= PROGRESS_BYTES {
            self.attempts = 0;
        }
        self.resumed_at = at;
        let mut wait = self.wait;
        while self.attempts < MAX_ATTEMPTS && wait <= MAX_RETRY_WAIT {
            self.attempts += 1;
            sleep(wait).await;
            if self.permit.as_ref().is_some_and(|permit| !permit.is_valid()) {
                break;
            }
            let Some(response) = self.request_range(at).await else { continue };
            match self.classify(at, &response) {
                RangeResponseKind::Continuation(total) => return Ok(BodyRemainder { response, total }),
                RangeResponseKind::Impossible(fault) => return Err(fault),
                RangeResponseKind::Later(seconds) => wait = self.wait.max(Duration::from_secs(seconds)),
            }
        }
        Err(None)
    }

    async fn request_range(&self, at: u64) -> Option<Response> {
        let mut request = Request::new(Method::GET, self.url.clone());
        request.headers_mut().clone_from(&self.headers);
        request.headers_mut().insert(RANGE, HeaderValue::from_str(&format!("bytes={at}-")).ok()?);
        self.count.fetch_add(1, Ordering::Relaxed);
        timeout(self.time, self.client.execute(request)).await.ok()?.ok()
    }

    fn classify(&self, at: u64, response: &Response) -> RangeResponseKind {
        match response.status().as_u16() {
            206 => self.classify_partial(at, response.headers()),
            200 | 412 | 416 => content_changed(),
            429 | 500 | 502..=504 => {
                let seconds = response::retry_after_s(response.headers(), clock::now_ms);
                RangeResponseKind::Later(seconds.unwrap_or(0))
            }
            _ => RangeResponseKind::Impossible(None),
        }
    }

    fn classify_partial(&self, at: u64, headers: &HeaderMap) -> RangeResponseKind {
        let Some(range) = ContentRange::from_headers(headers).filter(|range| range.start == at) else {
            return RangeResponseKind::Impossible(None);
        };
        match (range.total, self.total) {
            (Some(declared), Some(known)) if declared != known => content_changed(),
            _ if self.is_other_representation(headers) => content_changed(),
            (Some(total), _) | (None, Some(total)) if range.end < total => RangeResponseKind::Continuation(total),
            // The total length of the body is unknown, or the range ends beyond it.
            _ => RangeResponseKind::Impossible(None),
        }
    }

    /// Whether a range response belongs to another representation. The response may omit its content coding; if it
    /// names one, it must be that of the first response.
    fn is_other_representation(&self, headers: &HeaderMap) -> bool {
        if headers.contains_key(CONTENT_ENCODING) && content_coding::codings(headers) != self.codings {
            return true;
        }
        let validator_sent = self.headers.get(IF_RANGE).filter(|validator| validator.as_bytes().starts_with(b"\""));
        validator_sent.is_some_and(|validator_sent| headers.get(ETAG).is_some_and(|etag| etag != validator_sent))
    }
}

/// The validator for a range request: a strong `ETag`, or a `Last-Modified` older than the response.
fn validator(headers: &HeaderMap) -> Option<HeaderValue> {
    if let Some(etag) = headers.get(ETAG) {
        return Some(etag).filter(|etag| etag.as_bytes().starts_with(b"\"")).cloned();
    }
    let changed_at = parse_http_date(header_str(headers, &LAST_MODIFIED)?)?;
    let sent_at = parse_http_date(header_str(headers, &DATE)?)?;
    headers.get(LAST_MODIFIED).filter(|_| changed_at < sent_at).cloned()
}

fn content_changed() -> RangeResponseKind {
    RangeResponseKind::Impossible(Some(Fault::new(FaultKind::Truncated, "document changed during the download")))
}

/// The part of a body in a response: `bytes 5-9/10` is the second half.
#[derive(Debug, PartialEq, Eq)]
struct ContentRange {
    start: u64,
    /// The last byte, inclusive.
    end: u64,
    total: Option<u64>,
}

impl ContentRange {
    fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let (range, total) = header_str(headers, &CONTENT_RANGE)?.strip_prefix("bytes ")?.split_once('/')?;
        let (start, end) = range.split_once('-')?;
        let number = |digits: &str| digits.trim().parse::<u64>().ok();
        let total = if total.trim() == "*" { None } else { Some(number(total)?) };
        Some(Self { start: number(start)?, end: number(end)?, total }).filter(|range| range.start <= range.end)
    }
}

fn header_str<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

#[expect(clippy::disallowed_methods, reason = "this wait is within an errand; the engine waits only between errands")]
async fn sleep(time: Duration) {
    tokio::time::sleep(time).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_strong_validators_are_used_for_ranges() {
        let check = |fields: &[(HeaderName, &str)], expected: Option<&str>| {
            let fields = fields.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
            let found = validator(&fields.collect());
            assert_eq!(found.as_ref().map(|value| value.to_str().unwrap()), expected);
        };
        let (earlier, later) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT");

        check(&[(ETAG, "\"1\"")], Some("\"1\""));
        check(&[(ETAG, "W/\"1\""), (LAST_MODIFIED, earlier), (DATE, later)], None);
        check(&[(LAST_MODIFIED, earlier), (DATE, later)], Some(earlier));
        check(&[(LAST_MODIFIED, later), (DATE, later)], None);
        check(&[(LAST_MODIFIED, earlier)], None);
        check(&[], None);
    }

    #[test]
    fn content_range_is_parsed() {
        let check = |value: &str, expected: Option<(u64, u64, Option<u64>)>| {
            let headers = HeaderMap::from_iter([(CONTENT_RANGE, value.parse().unwrap())]);
            let found = ContentRange::from_headers(&headers).map(|range| (range.start, range.end, range.total));
            assert_eq!(found, expected, "{value}");
        };

        check("bytes 5-9/10", Some((5, 9, Some(10))));
        check("bytes 5-9/*", Some((5, 9, None)));
        check("bytes 9-5/10", None);
        check("bytes 5-9/ten", None);
        check("bytes 5-9", None);
        check("bytes */10", None);
        check("lines 5-9/10", None);
    }
}
