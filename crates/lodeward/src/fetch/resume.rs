//! Bodies that broke off, and go on where they did.
//!
//! A dump of gigabytes that breaks near its end is not fetched again: where the
//! server gives out ranges and says how to know the same bytes again (RFC 9110,
//! sections 13 and 14), the rest is asked for, and the reader of the stream
//! notices nothing. Ranges are of the bytes as they are sent, before any content
//! coding is undone.

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

use super::{answer, date, decode};
use crate::model::{Fault, FaultKind};

/// Requests for the rest of a body without much having come of them.
const TRIES_MAX: u32 = 5;
/// What is much: after that, tries are counted anew.
const PROGRESS_BYTES: u64 = 16 << 20;
/// The longest rest of a server that a reader waits for.
const REST_MAX: Duration = Duration::from_mins(2);

/// How to ask for the rest of a body.
pub(super) struct Resumption {
    client: Client,
    url: Url,
    headers: HeaderMap,
    wait: Duration,
    time: Duration,
    /// The content codings of the first answer.
    codings: Vec<Vec<u8>>,
    /// How many bytes the whole body has, if its first answer said so.
    total: Option<u64>,
    tries: u32,
    resumed_at: u64,
    count: Arc<AtomicU64>,
}

/// The rest of a body, or the beginning of it: servers may give less than they
/// are asked for.
pub(super) struct Rest {
    pub(super) response: Response,
    /// How many bytes the whole body has.
    pub(super) total: u64,
}

/// What an answer to such a request means.
enum Meaning {
    /// It is the rest of so many bytes in all.
    Comes(u64),
    /// It will never come, and perhaps why.
    Lost(Option<Fault>),
    /// Not now; the server may say for how many seconds.
    Later(u64),
}

impl Resumption {
    /// For the body of this answer to a request with these header fields, if its
    /// server lets bodies be resumed. Waits `wait` before each request, and for
    /// the head of each answer as long as `time`; counts requests in `count`.
    pub(super) fn of(
        client: &Client,
        request: &HeaderMap,
        response: &Response,
        [wait, time]: [Duration; 2],
        count: &Arc<AtomicU64>,
    ) -> Option<Self> {
        let takes_ranges = text(response.headers(), &ACCEPT_RANGES).is_some_and(|units| units.contains("bytes"));
        if !takes_ranges || response.status() != StatusCode::OK {
            return None;
        }
        let mut headers = request.clone();
        headers.insert(IF_RANGE, validator(response.headers())?);
        let (client, url, count) = (client.clone(), response.url().clone(), Arc::clone(count));
        let (codings, total) = (decode::codings(response.headers()), response.content_length());
        Some(Self { client, url, headers, wait, time, codings, total, tries: 0, resumed_at: 0, count })
    }

    /// Asks for the rest of a body of which so many bytes have come. If it
    /// cannot be had, perhaps tells why.
    pub(super) async fn resume(&mut self, at: u64) -> Result<Rest, Option<Fault>> {
        if at - self.resumed_at >= PROGRESS_BYTES {
            self.tries = 0;
        }
        self.resumed_at = at;
        let mut wait = self.wait;
        while self.tries < TRIES_MAX && wait <= REST_MAX {
            self.tries += 1;
            pause(wait).await;
            let Some(response) = self.ask(at).await else { continue };
            match self.judge(at, &response) {
                Meaning::Comes(total) => return Ok(Rest { response, total }),
                Meaning::Lost(why) => return Err(why),
                Meaning::Later(seconds) => wait = self.wait.max(Duration::from_secs(seconds)),
            }
        }
        Err(None)
    }

    async fn ask(&self, at: u64) -> Option<Response> {
        let mut request = Request::new(Method::GET, self.url.clone());
        request.headers_mut().clone_from(&self.headers);
        request.headers_mut().insert(RANGE, HeaderValue::from_str(&format!("bytes={at}-")).ok()?);
        self.count.fetch_add(1, Ordering::Relaxed);
        timeout(self.time, self.client.execute(request)).await.ok()?.ok()
    }

    fn judge(&self, at: u64, response: &Response) -> Meaning {
        match response.status().as_u16() {
            206 => self.judge_part(at, response.headers()),
            200 | 412 | 416 => changed(),
            429 | 500 | 502..=504 => Meaning::Later(answer::retry_after_s(response.headers()).unwrap_or(0)),
            _ => Meaning::Lost(None),
        }
    }

    fn judge_part(&self, at: u64, headers: &HeaderMap) -> Meaning {
        let Some(range) = ContentRange::of(headers).filter(|range| range.start == at) else {
            return Meaning::Lost(None);
        };
        match (range.total, self.total) {
            (Some(said), Some(known)) if said != known => changed(),
            _ if self.is_of_another(headers) => changed(),
            (Some(total), _) | (None, Some(total)) if range.end < total => Meaning::Comes(total),
            // Nobody could tell where it ends.
            _ => Meaning::Lost(None),
        }
    }

    /// Whether an answer belongs to something else than what was begun. It need
    /// not say again how it is coded; but if it does, that must be the same.
    fn is_of_another(&self, headers: &HeaderMap) -> bool {
        if headers.contains_key(CONTENT_ENCODING) && decode::codings(headers) != self.codings {
            return true;
        }
        let begun = self.headers.get(IF_RANGE).filter(|validator| validator.as_bytes().starts_with(b"\""));
        begun.is_some_and(|begun| headers.get(ETAG).is_some_and(|etag| etag != begun))
    }
}

/// What the same bytes are known by again: a strong `ETag`, or a time of change
/// that was over when they were sent.
fn validator(headers: &HeaderMap) -> Option<HeaderValue> {
    if let Some(etag) = headers.get(ETAG) {
        return Some(etag).filter(|etag| etag.as_bytes().starts_with(b"\"")).cloned();
    }
    let changed_at = date::parse_http_date(text(headers, &LAST_MODIFIED)?)?;
    let sent_at = date::parse_http_date(text(headers, &DATE)?)?;
    headers.get(LAST_MODIFIED).filter(|_| changed_at < sent_at).cloned()
}

fn changed() -> Meaning {
    Meaning::Lost(Some(Fault::new(FaultKind::Truncated, "it changed while it was downloaded")))
}

/// Which part of a body an answer holds: `bytes 5-9/10` is the second half.
#[derive(Debug, PartialEq, Eq)]
struct ContentRange {
    start: u64,
    /// The last byte, not the one behind it.
    end: u64,
    total: Option<u64>,
}

impl ContentRange {
    fn of(headers: &HeaderMap) -> Option<Self> {
        let (range, total) = text(headers, &CONTENT_RANGE)?.strip_prefix("bytes ")?.split_once('/')?;
        let (start, end) = range.split_once('-')?;
        let number = |digits: &str| digits.trim().parse::<u64>().ok();
        let total = if total.trim() == "*" { None } else { Some(number(total)?) };
        Some(Self { start: number(start)?, end: number(end)?, total }).filter(|range| range.start <= range.end)
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

#[expect(clippy::disallowed_methods, reason = "the engine waits between visits, and this is within one")]
async fn pause(time: Duration) {
    tokio::time::sleep(time).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_strong_makes_sure_that_nothing_changed() {
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
    fn a_range_says_where_it_starts_and_ends() {
        let check = |value: &str, expected: Option<(u64, u64, Option<u64>)>| {
            let headers = HeaderMap::from_iter([(CONTENT_RANGE, value.parse().unwrap())]);
            let found = ContentRange::of(&headers).map(|range| (range.start, range.end, range.total));
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
