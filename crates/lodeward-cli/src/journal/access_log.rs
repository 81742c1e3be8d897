//! A line for every request, as others write them.

use std::fmt::Write as _;
use std::sync::Arc;

use lodeward::engine::{Came, Observer, Visited};
use lodeward::fetch::warc_date;
use lodeward::model::Uri;
use serde_json::{Value, json};

use super::file::JournalFile;
use crate::arguments::AccessLogFormat;

pub(crate) struct AccessLog {
    pub(crate) file: Arc<JournalFile>,
    pub(crate) format: AccessLogFormat,
    /// What we call ourselves.
    pub(crate) user_agent: String,
}

impl Observer for AccessLog {
    fn visited(&mut self, visited: &Visited<'_>) {
        let mut line = match self.format {
            AccessLogFormat::Squid => squid(visited),
            AccessLogFormat::Combined => combined(visited, &self.user_agent),
            AccessLogFormat::Json => object(visited).to_string(),
        };
        line.push('\n');
        self.file.write(visited.depth, line.as_bytes());
    }

    fn keep(&mut self) {
        self.file.keep();
    }
}

fn ended_at_ms(visited: &Visited<'_>) -> u64 {
    visited.departed_at_ms.saturating_add(u64::try_from(visited.elapsed.as_millis()).unwrap_or(u64::MAX))
}

/// Squid's native format: when it ended, milliseconds, client, result and status,
/// bytes, method, URL, user, hierarchy, type. What a proxy would say of its client
/// and its peers is the same in every line, as LDSpider writes it.
fn squid(visited: &Visited<'_>) -> String {
    let at_ms = ended_at_ms(visited);
    let (seconds, milliseconds) = (at_ms / 1_000, at_ms % 1_000);
    let Visited { uri, bytes, elapsed, .. } = visited;
    let (elapsed, method, status) = (elapsed.as_millis(), visited.request.method(), visited.status.unwrap_or(0));
    let media_type = media_type(visited.content_type);
    let result = format!("127.0.0.1 TCP_MISS/{status:03} {bytes} {method}");
    format!("{seconds}.{milliseconds:03} {elapsed:6} {result} {uri} - NONE/- {media_type}")
}

/// NCSA's combined format, as a proxy writes it: the host that was asked, when,
/// what, status, bytes, where that was found, and who asked.
fn combined(visited: &Visited<'_>, user_agent: &str) -> String {
    let Visited { uri, bytes, .. } = visited;
    let (method, status) = (visited.request.method(), visited.status.unwrap_or(0));
    let mut line = format!("{} - - [{}] ", uri.host(), ncsa_date(ended_at_ms(visited)));
    let source = visited.source.map_or("-", Uri::as_str);
    // Nothing fails that writes to a string.
    let _ = write!(line, "\"{method} {uri} HTTP/1.1\" {status:03} {bytes} \"{source}\" \"{}\"", quoted(user_agent));
    line
}

/// `10/Oct/2000:13:55:36 +0000`.
fn ncsa_date(epoch_ms: u64) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let date = warc_date(epoch_ms);
    let month = date.get(5..7).and_then(|month| month.parse::<usize>().ok()).unwrap_or(1);
    let month = MONTHS[month.saturating_sub(1).min(11)];
    let part = |range: std::ops::Range<usize>| date.get(range).unwrap_or_default().to_owned();
    format!("{}/{month}/{}:{} +0000", part(8..10), part(0..4), part(11..19))
}

fn object(visited: &Visited<'_>) -> Value {
    let mut object = json!({
        "time": warc_date(visited.departed_at_ms),
        "elapsed_ms": u64::try_from(visited.elapsed.as_millis()).unwrap_or(u64::MAX),
        "method": visited.request.method(),
        "uri": visited.uri.as_str(),
        "status": visited.status,
        "bytes": visited.bytes,
        "content_type": visited.content_type,
        "hop": visited.depth,
        "source": visited.source.map(Uri::as_str),
    });
    match visited.came {
        Came::Document { quads, relevance } => {
            object["quads"] = json!(quads);
            object["relevance"] = json!(relevance.name());
        }
        Came::Redirect(target) => object["redirect"] = json!(target.map(Uri::as_str)),
        Came::Refusal(fault) => {
            object["fault"] = json!(fault.kind.name());
            object["detail"] = json!(fault.detail);
        }
        Came::Answer => {}
    }
    object
}

/// A media type without its parameters; `-` if there is none. What a server sends
/// must not look like another column, or another line.
fn media_type(declared: Option<&str>) -> &str {
    const CHARACTERS_MAX: usize = 127;
    let essence = declared.and_then(|declared| declared.split(';').next()).unwrap_or_default().trim();
    let is_plain =
        !essence.is_empty() && essence.len() <= CHARACTERS_MAX && essence.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain { essence } else { "-" }
}

fn quoted(text: &str) -> String {
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

    use lodeward::engine::Request;
    use lodeward::model::{Fault, FaultKind, Relevance};

    use super::*;

    fn uri(text: &str) -> Uri {
        Uri::parse(text).unwrap()
    }

    fn check(visited: &Visited<'_>, told: [&str; 3]) {
        let user_agent = "lodeward/1 (+\"me\")";
        assert_eq!([squid(visited), combined(visited, user_agent), object(visited).to_string()], told);
    }

    #[test]
    fn a_request_is_a_line_in_every_format() {
        let (here, source) = (uri("http://a.example/me?x=1"), uri("http://b.example/"));
        let visited = Visited {
            uri: &here,
            request: Request::Document,
            depth: 2,
            source: Some(&source),
            departed_at_ms: 971_186_136_000,
            elapsed: Duration::from_millis(13),
            status: Some(200),
            content_type: Some("text/turtle; charset=utf-8"),
            bytes: 594,
            fields: &[],
            came: Came::Document { quads: 7, relevance: Relevance::Rdf },
        };

        check(
            &visited,
            [
                "971186136.013     13 127.0.0.1 TCP_MISS/200 594 GET http://a.example/me?x=1 - NONE/- text/turtle",
                r#"a.example - - [10/Oct/2000:13:55:36 +0000] "GET http://a.example/me?x=1 HTTP/1.1" 200 594 "http://b.example/" "lodeward/1 (+\"me\")""#,
                r#"{"bytes":594,"content_type":"text/turtle; charset=utf-8","elapsed_ms":13,"hop":2,"method":"GET","quads":7,"relevance":"rdf","source":"http://b.example/","status":200,"time":"2000-10-10T13:55:36.000Z","uri":"http://a.example/me?x=1"}"#,
            ],
        );
    }

    #[test]
    fn a_request_that_was_not_answered_is_a_line_too() {
        let here = uri("http://a.example/robots.txt");
        let fault = Fault::new(FaultKind::Timeout, "no answer");
        let visited = Visited {
            uri: &here,
            request: Request::Robots,
            depth: 0,
            source: None,
            departed_at_ms: 0,
            elapsed: Duration::from_secs(30),
            status: None,
            content_type: None,
            bytes: 0,
            fields: &[],
            came: Came::Refusal(&fault),
        };

        check(
            &visited,
            [
                "30.000  30000 127.0.0.1 TCP_MISS/000 0 GET http://a.example/robots.txt - NONE/- -",
                r#"a.example - - [01/Jan/1970:00:00:30 +0000] "GET http://a.example/robots.txt HTTP/1.1" 000 0 "-" "lodeward/1 (+\"me\")""#,
                r#"{"bytes":0,"content_type":null,"detail":"no answer","elapsed_ms":30000,"fault":"timeout","hop":0,"method":"GET","source":null,"status":null,"time":"1970-01-01T00:00:00.000Z","uri":"http://a.example/robots.txt"}"#,
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
