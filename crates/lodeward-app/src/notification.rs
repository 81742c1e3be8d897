//! Notifications at the end of a crawl: a webhook, and a command.
//!
//! The webhook receives a POST with JSON: state, stop reason and counts. The body is signed, so that
//! the receiver can check its origin: `X-Lodeward-Signature` is `sha256=` and the HMAC-SHA256 of the
//! timestamp, a dot and the body. A delivery that fails is repeated. Neither a webhook nor a command
//! changes the result of a crawl.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use lodeward::engine::Tally;
use lodeward::fetch::FetchOptions;
use lodeward::fetch::sparql_client::{SparqlClient, SparqlRequest, SparqlRequestBody, error_excerpt};
use lodeward::model::Uri;
use lodeward::time::format_iso8601;
use ring::hmac;
use serde::Serialize;

use crate::report::CrawlReport;
use crate::settings::{Config, NotifySettings};

/// Waits before a delivery is repeated.
const RETRY_WAITS: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(25)];

/// Timeout of a delivery.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum size of a response.
const MAX_RESPONSE_BYTES: u64 = 100_000;

/// The signature of the body.
const SIGNATURE: HeaderName = HeaderName::from_static("x-lodeward-signature");

/// When the notification was made, in seconds since the Unix epoch.
const TIMESTAMP: HeaderName = HeaderName::from_static("x-lodeward-timestamp");

/// What a notification says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CrawlNotification {
    /// Always `crawl-ended`.
    event: &'static str,
    /// The program and its version.
    program: String,
    /// The name of the crawl.
    crawl: String,
    /// `ended` or `failed`.
    state: &'static str,
    /// When the crawl ended.
    at: String,
    /// Why it stopped, as in the report; null if it failed.
    stop_reason: serde_json::Value,
    /// Why it failed.
    error: Option<String>,
    /// The counts of all its runs.
    counts: Option<NotifiedCounts>,
    /// The counts of the last run.
    run: Option<NotifiedCounts>,
}

/// The counts of a crawl or of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct NotifiedCounts {
    requests: u64,
    documents: u64,
    rdf_documents: u64,
    quads: u64,
    faults: u64,
}

impl From<&Tally> for NotifiedCounts {
    fn from(tally: &Tally) -> Self {
        let Tally { documents, rdf_documents, quads, faults_by_kind, .. } = tally;
        let (requests, faults) = (tally.requests(), faults_by_kind.values().sum());
        Self { requests, documents: *documents, rdf_documents: *rdf_documents, quads: *quads, faults }
    }
}

impl CrawlNotification {
    /// A crawl that has ended.
    #[must_use]
    pub(crate) fn ended(report: &CrawlReport, run: &Tally, now_ms: u64) -> Self {
        Self {
            stop_reason: serde_json::to_value(report.stop_reason).unwrap_or_default(),
            counts: Some((&report.tally).into()),
            run: Some(run.into()),
            ..Self::new(&report.name, "ended", now_ms)
        }
    }

    /// A crawl that has failed.
    #[must_use]
    pub(crate) fn failed(crawl: &str, error: String, now_ms: u64) -> Self {
        Self { error: Some(error), ..Self::new(crawl, "failed", now_ms) }
    }

    fn new(crawl: &str, state: &'static str, now_ms: u64) -> Self {
        Self {
            event: "crawl-ended",
            program: concat!("lodeward ", env!("CARGO_PKG_VERSION")).to_owned(),
            crawl: crawl.to_owned(),
            state,
            at: format_iso8601(now_ms),
            stop_reason: serde_json::Value::Null,
            error: None,
            counts: None,
            run: None,
        }
    }
}

/// Sends a notification as the settings say. Failures are logged. Blocks, also while it waits to repeat a delivery.
pub(crate) fn notify(config: &Config, notification: &CrawlNotification, now_ms: u64) {
    let body = serde_json::to_vec(notification).expect("a notification is JSON");
    if let Some(url) = &config.notify.url
        && let Err(error) = deliver(config, url, &body, now_ms, &RETRY_WAITS)
    {
        tracing::warn!(%url, error, "webhook not delivered");
    }
    if let Some(command) = &config.notify.command
        && let Err(error) = run_command(command, notification, &body)
    {
        tracing::warn!(command, error, "notification command failed");
    }
}

/// Posts a body to the webhook. Repeats it after failures that may pass.
fn deliver(config: &Config, url: &str, body: &[u8], now_ms: u64, waits: &[Duration]) -> Result<(), String> {
    let uri = Uri::parse(url).map_err(|error| error.to_string())?;
    let secret = secret(&config.notify)?;
    let options = FetchOptions {
        allow_private_addresses: config.notify.allow_private_addresses,
        contact: config.fetch.contact.clone(),
        ..FetchOptions::default()
    };
    let client = SparqlClient::new(options).map_err(|error| error.to_string())?;
    let headers = signed_headers(secret.as_deref(), body, now_ms / 1_000)?;
    let mut waits = waits.iter();
    loop {
        let request = SparqlRequest {
            method: Method::POST,
            uri: uri.clone(),
            headers: headers.clone(),
            body: SparqlRequestBody::Buffered(Bytes::copy_from_slice(body)),
            timeout: TIMEOUT,
            max_response_bytes: MAX_RESPONSE_BYTES,
        };
        let (error, may_pass) = match client.call(request) {
            Ok(response) if response.status.is_success() => return Ok(()),
            Ok(response) => {
                let status = response.status;
                let may_pass = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
                (format!("status {status}{}", error_excerpt(response.body)), may_pass)
            }
            Err(fault) => (fault.to_string(), fault.kind != lodeward::model::FaultKind::ForbiddenAddress),
        };
        match waits.next() {
            Some(wait) if may_pass => std::thread::sleep(*wait),
            _ => return Err(error),
        }
    }
}

/// The key of signatures: from the environment, or the first line of a file.
fn secret(settings: &NotifySettings) -> Result<Option<String>, String> {
    if let Some(secret) = &settings.secret {
        return Ok(Some(secret.expose().to_owned()));
    }
    let Some(path) = &settings.secret_file else { return Ok(None) };
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))?;
    Ok(text.lines().next().map(str::to_owned).filter(|line| !line.is_empty()))
}

fn signed_headers(secret: Option<&str>, body: &[u8], timestamp: u64) -> Result<HeaderMap, String> {
    let timestamp = timestamp.to_string();
    let value = |text: &str| HeaderValue::from_str(text).map_err(|error| error.to_string());
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(TIMESTAMP, value(&timestamp)?);
    if let Some(secret) = secret {
        headers.insert(SIGNATURE, value(&format!("sha256={}", signature(secret, &timestamp, body)))?);
    }
    Ok(headers)
}

/// HMAC-SHA256 of `TIMESTAMP.BODY`, in hexadecimal digits. The timestamp is part of it, so that an old notification
/// cannot be repeated as a new one.
fn signature(secret: &str, timestamp: &str, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let mut context = hmac::Context::with_key(&key);
    context.update(timestamp.as_bytes());
    context.update(b".");
    context.update(body);
    let mut digits = String::new();
    for byte in context.sign().as_ref() {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// Runs a command in a shell, with the notification on its standard input.
fn run_command(command: &str, notification: &CrawlNotification, body: &[u8]) -> Result<(), String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .env("LODEWARD_CRAWL", &notification.crawl)
        .env("LODEWARD_STATE", notification.state)
        .env("LODEWARD_STOP_REASON", notification.stop_reason.as_str().unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .map_err(failed)?;
    // A command that does not read its input closes the pipe, which is not an error.
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(body);
    }
    match child.wait().map_err(failed)? {
        status if status.success() => Ok(()),
        status => Err(status.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::net::TcpListener;
    use std::sync::mpsc;

    use super::*;
    use crate::settings::SecretText;

    /// A receiver that returns these statuses in turn, and passes on the head and body of each request.
    fn receiver(statuses: &'static [u16]) -> (String, mpsc::Receiver<(String, String)>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (sender, requests) = mpsc::channel();
        std::thread::spawn(move || {
            for (status, stream) in statuses.iter().zip(listener.incoming()) {
                let mut stream = stream.unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
                let length = head
                    .lines()
                    .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned));
                let mut body = vec![0; length.unwrap().parse().unwrap()];
                reader.read_exact(&mut body).unwrap();
                sender.send((head.to_ascii_lowercase(), String::from_utf8(body).unwrap())).unwrap();
                let response = format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                stream.write_all(response.as_bytes()).unwrap();
            }
        });
        (url, requests)
    }

    fn config(allow_private_addresses: bool) -> Config {
        let mut config = Config::default();
        config.notify.allow_private_addresses = allow_private_addresses;
        config.notify.secret = Some(SecretText::from("key".to_owned()));
        config
    }

    const NO_WAITS: [Duration; 3] = [Duration::ZERO; 3];

    #[test]
    fn a_webhook_is_signed_and_repeated_after_a_server_error() {
        let (url, requests) = receiver(&[503, 429, 204]);

        deliver(&config(true), &url, b"{\"event\":1}", 1_700_000_000_123, &NO_WAITS).unwrap();

        let received: Vec<_> = requests.try_iter().collect();
        assert_eq!(received.len(), 3);
        let (head, body) = &received[2];
        assert_eq!(body, "{\"event\":1}");
        assert!(head.contains("x-lodeward-timestamp: 1700000000\r\n"), "{head}");
        // printf '1700000000.{"event":1}' | openssl dgst -sha256 -hmac key
        let expected = "b747fc841d79344548d35e97934254afaa2453ca82ae9f4e27f400b6a24536d8";
        assert!(head.contains(&format!("x-lodeward-signature: sha256={expected}\r\n")), "{head}");
    }

    #[test]
    fn a_rejected_webhook_is_not_repeated() {
        let (url, requests) = receiver(&[400, 204]);

        let error = deliver(&config(true), &url, b"{}", 0, &NO_WAITS).unwrap_err();

        assert!(error.starts_with("status 400"), "{error}");
        assert_eq!(requests.try_iter().count(), 1);
    }

    #[test]
    fn a_private_address_receives_nothing_unless_it_is_allowed() {
        let (url, requests) = receiver(&[204]);

        let error = deliver(&config(false), &url, b"{}", 0, &NO_WAITS).unwrap_err();

        assert!(error.starts_with("forbidden-address"), "{error}");
        assert_eq!(requests.try_iter().count(), 0);
    }

    #[test]
    fn a_command_receives_the_notification() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("out");
        let notification = CrawlNotification::failed("rivers", "disk full".to_owned(), 0);
        let body = serde_json::to_vec(&notification).unwrap();

        run_command(&format!("(echo $LODEWARD_CRAWL $LODEWARD_STATE; cat) > {}", file.display()), &notification, &body)
            .unwrap();
        let error = run_command("exit 3", &notification, &body).unwrap_err();

        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.starts_with("rivers failed\n{\"event\":\"crawl-ended\""), "{text}");
        assert!(text.contains("\"error\":\"disk full\""), "{text}");
        assert!(error.contains('3'), "{error}");
    }
}
