//! The access log: one line per request, in the format of Squid, NCSA or JSON.

use std::fmt::Write as _;
use std::sync::Arc;

use lodeward::engine::{Observer, RequestOutcome, RequestRecord};
use lodeward::model::Uri;
use lodeward::time::format_iso8601;
use lodeward_rdf::media_type::essence;
use serde_json::{Value, json};

use super::AccessLogFormat;
use super::file::RequestLogFile;

pub(super) struct AccessLog {
    pub(super) file: Arc<RequestLogFile>,
    pub(super) format: AccessLogFormat,
    /// The `User-Agent` header of the crawler.
    pub(super) user_agent: String,
}

impl Observer for AccessLog {
    fn request_finished(&mut self, request: &RequestRecord<'_>) {
        let mut line = match self.format {
            AccessLogFormat::Squid => squid_line(request),
            AccessLogFormat::Combined => combined_line(request, &self.user_agent),
            AccessLogFormat::Json => to_json(request).to_string(),
        };
        line.push('\n');
        self.file.write(request.depth, line.as_bytes());
    }

    fn before_commit(&mut self) {
        self.file.flush_if_due();
    }
}

fn ended_at_ms(request: &RequestRecord<'_>) -> u64 {
    request.sent_at_ms.saturating_add(u64::try_from(request.elapsed.as_millis()).unwrap_or(u64::MAX))
}

/// Squid's native format: end time, milliseconds, client, result and status, bytes, method, URL, user,
/// hierarchy, type. Client and hierarchy are constants, as LDSpider writes them.
fn squid_line(request: &RequestRecord<'_>) -> String {
    let at_ms = ended_at_ms(request);
    let (seconds, milliseconds) = (at_ms / 1_000, at_ms % 1_000);
    let RequestRecord { uri, bytes, elapsed, .. } = request;
    let (elapsed, method, status) = (elapsed.as_millis(), request.kind.method(), request.status.unwrap_or(0));
    let media_type = media_type(request.content_type);
    let result = format!("127.0.0.1 TCP_MISS/{status:03} {bytes} {method}");
    format!("{seconds}.{milliseconds:03} {elapsed:6} {result} {uri} - NONE/- {media_type}")
}

/// NCSA's combined format, as a proxy writes it: requested host, time, request line, status, bytes,
/// referring document, user agent.
fn combined_line(request: &RequestRecord<'_>, user_agent: &str) -> String {
    let RequestRecord { uri, bytes, .. } = request;
    let (method, status) = (request.kind.method(), request.status.unwrap_or(0));
    let mut line = format!("{} - - [{}] ", uri.host(), ncsa_date(ended_at_ms(request)));
    let source = request.source.map_or("-", Uri::as_str);
    // Writing to a string does not fail.
    let _ = write!(line, "\"{method} {uri} HTTP/1.1\" {status:03} {bytes} \"{source}\" \"{}\"", escape(user_agent));
    line
}

/// `10/Oct/2000:13:55:36 +0000`.
fn ncsa_date(epoch_ms: u64) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let date = format_iso8601(epoch_ms);
    let month = date.get(5..7).and_then(|month| month.parse::<usize>().ok()).unwrap_or(1);
    let month = MONTHS[month.saturating_sub(1).min(11)];
    let part = |range: std::ops::Range<usize>| date.get(range).unwrap_or_default().to_owned();
    format!("{}/{month}/{}:{} +0000", part(8..10), part(0..4), part(11..19))
}

fn to_json(request: &RequestRecord<'_>) -> Value {
    let mut object = json!({
        "time": format_iso8601(request.sent_at_ms),
        "elapsed_ms": u64::try_from(request.elapsed.as_millis()).unwrap_or(u64::MAX),
        "method": request.kind.method(),
        "uri": request.uri.as_str(),
        "status": request.status,
        "bytes": request.bytes,
        "content_type": request.content_type,
        "hop": request.depth,
        "source": request.source.map(Uri::as_str),
    });
    match request.outcome {
        RequestOutcome::Document { quads, relevance } => {
            object["quads"] = json!(quads);
            object["relevance"] = json!(relevance.name());
        }
        RequestOutcome::Redirect(target) => object["redirect"] = json!(target.map(Uri::as_str)),
        RequestOutcome::Failure(fault) => {
            object["fault"] = json!(fault.kind.name());
            object["detail"] = json!(fault.detail);
        }
        RequestOutcome::Response => {}
    }
    object
}

/// A media type without its parameters; `-` if there is none, or if it would break the columns or
/// lines of the log.
fn media_type(declared: Option<&str>) -> &str {
    const MAX_CHARS: usize = 127;
    let essence = declared.map(essence).unwrap_or_default();
    let is_plain =
        !essence.is_empty() && essence.len() <= MAX_CHARS && essence.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain { essence } else { "-" }
}

fn escape(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_control())
        .flat_map(|character| match character {
            '"' => vec!['\\', '"'],
            '\\' => vec!['\\', '\\'],
            other => vec![other],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use lodeward::engine::RequestKind;
    use lodeward::model::{Fault, FaultKind, Relevance};

    use super::*;

    fn uri(text: &str) -> Uri {
        Uri::parse(text).unwrap()
    }

    fn check(request: &RequestRecord<'_>, expected: [&str; 3]) {
        let user_agent = "lodeward/1 (+\"me\")";
        assert_eq!([squid_line(request), combined_line(request, user_agent), to_json(request).to_string()], expected);
    }

    #[test]
    fn a_request_is_a_line_in_every_format() {
        let (here, source) = (uri("http://a.example/me?x=1"), uri("http://b.example/"));
        let request = RequestRecord {
            uri: &here,
            kind: RequestKind::Document,
            depth: 2,
            source: Some(&source),
            sent_at_ms: 971_186_136_000,
            elapsed: Duration::from_millis(13),
            status: Some(200),
            content_type: Some("text/turtle; charset=utf-8"),
            bytes: 594,
            fields: &[],
            outcome: RequestOutcome::Document { quads: 7, relevance: Relevance::Rdf },
        };

        check(
            &request,
            [
                "971186136.013     13 127.0.0.1 TCP_MISS/200 594 GET http://a.example/me?x=1 - NONE/- text/turtle",
                r#"a.example - - [10/Oct/2000:13:55:36 +0000] "GET http://a.example/me?x=1 HTTP/1.1" 200 594 "http://b.example/" "lodeward/1 (+\"me\")""#,
                r#"{"bytes":594,"content_type":"text/turtle; charset=utf-8","elapsed_ms":13,"hop":2,"method":"GET","quads":7,"relevance":"rdf","source":"http://b.example/","status":200,"time":"2000-10-10T13:55:36.000Z","uri":"http://a.example/me?x=1"}"#,
            ],
        );
    }

    #[test]
    fn a_request_without_response_is_logged_too() {
        let here = uri("http://a.example/robots.txt");
        let fault = Fault::new(FaultKind::Timeout, "no response");
        let request = RequestRecord {
            uri: &here,
            kind: RequestKind::Robots,
            depth: 0,
            source: None,
            sent_at_ms: 0,
            elapsed: Duration::from_secs(30),
            status: None,
            content_type: None,
            bytes: 0,
            fields: &[],
            outcome: RequestOutcome::Failure(&fault),
        };

        check(
            &request,
            [
                "30.000  30000 127.0.0.1 TCP_MISS/000 0 GET http://a.example/robots.txt - NONE/- -",
                r#"a.example - - [01/Jan/1970:00:00:30 +0000] "GET http://a.example/robots.txt HTTP/1.1" 000 0 "-" "lodeward/1 (+\"me\")""#,
                r#"{"bytes":0,"content_type":null,"detail":"no response","elapsed_ms":30000,"fault":"timeout","hop":0,"method":"GET","source":null,"status":null,"time":"1970-01-01T00:00:00.000Z","uri":"http://a.example/robots.txt"}"#,
            ],
        );
    }

    #[test]
    fn a_media_type_is_one_column() {
        let check = |declared, column| assert_eq!(media_type(declared), column);

        check(Some("text/html"), "text/html");
        check(Some(" text/html ;charset=x"), "text/html");
        check(Some("text/html 200"), "-");
        check(Some("text/html\n1.0 0 127.0.0.1"), "-");
        check(Some(""), "-");
        check(None, "-");
    }
}
