//! The format of the access log: one line per request.
//!
//! The log is tab-separated and append-only, so that the log of a killed server can be read up to its last complete
//! line. Times are monotonic microseconds since the start of the server, because politeness depends on delays, not on
//! the time of day.

use std::fmt;
use std::net::SocketAddr;

/// One request and its response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessLogEntry {
    /// When the last byte of the request arrived, in microseconds.
    pub start_us: u64,
    /// When the last byte of the response was sent, or the connection was closed, in microseconds.
    pub end_us: u64,
    /// The socket address of the client.
    pub client: SocketAddr,
    /// `GET`, `HEAD`, …
    pub method: String,
    /// The requested absolute URL.
    pub url: String,
    /// The status of the response; 0 if the connection was closed without one.
    pub status: u16,
    /// The number of bytes of the body that were sent.
    pub bytes: u64,
}

impl AccessLogEntry {
    /// The entry as one line, with a line feed.
    #[must_use]
    pub fn to_line(&self) -> String {
        let Self { start_us, end_us, client, method, url, status, bytes } = self;
        // A parsed URL contains no tab or line feed. Replacing them keeps the log safe for other callers, too.
        let url = url.replace(['\t', '\n', '\r'], "%20");
        format!("{start_us}\t{end_us}\t{client}\t{method}\t{url}\t{status}\t{bytes}\n")
    }

    /// Parses one line, with or without a line feed.
    pub fn parse(line: &str) -> Result<Self, AccessLogError> {
        let error = || AccessLogError(line.to_owned());
        let mut fields = line.trim_end_matches(['\n', '\r']).split('\t');
        let mut field = || fields.next().ok_or_else(error);
        let entry = Self {
            start_us: field()?.parse().map_err(|_| error())?,
            end_us: field()?.parse().map_err(|_| error())?,
            client: field()?.parse().map_err(|_| error())?,
            method: field()?.to_owned(),
            url: field()?.to_owned(),
            status: field()?.parse().map_err(|_| error())?,
            bytes: field()?.parse().map_err(|_| error())?,
        };
        if fields.next().is_some() { Err(error()) } else { Ok(entry) }
    }
}

/// A line that is not an access log entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessLogError(pub String);

impl fmt::Display for AccessLogError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "invalid access log line: `{}`", self.0.escape_debug())
    }
}

impl std::error::Error for AccessLogError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> AccessLogEntry {
        AccessLogEntry {
            start_us: 12,
            end_us: 3456,
            client: "127.0.0.1:50000".parse().expect("a socket address"),
            method: "GET".to_owned(),
            url: "http://h1.example/data/7".to_owned(),
            status: 200,
            bytes: 12_000,
        }
    }

    #[test]
    fn a_written_line_parses_back_to_its_entry() {
        let line = entry().to_line();

        assert_eq!(line, "12\t3456\t127.0.0.1:50000\tGET\thttp://h1.example/data/7\t200\t12000\n");
        assert_eq!(AccessLogEntry::parse(&line), Ok(entry()));
    }

    #[test]
    fn a_tab_in_a_url_cannot_forge_a_field() {
        let forged = AccessLogEntry { url: "http://h1.example/\t404".to_owned(), ..entry() };

        let read = AccessLogEntry::parse(&forged.to_line()).expect("a complete line");

        assert_eq!(read.status, 200);
    }

    #[test]
    fn a_truncated_line_is_rejected() {
        let line = entry().to_line();

        assert!(AccessLogEntry::parse(&line[..20]).is_err());
        assert!(AccessLogEntry::parse("").is_err());
    }
}
