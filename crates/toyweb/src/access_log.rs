//! The access log: one line per answered request.
//!
//! Tab-separated and append-only, so that a log of a killed server is still
//! read up to its last whole line. Times are monotonic microseconds since the
//! server started: politeness is a matter of gaps, never of the time of day.

use std::fmt;
use std::net::SocketAddr;

/// One request and when it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When the request's last byte had arrived, in microseconds.
    pub start_us: u64,
    /// When the answer's last byte was handed to the wire, or the connection
    /// was given up, in microseconds.
    pub end_us: u64,
    /// Who asked.
    pub client: SocketAddr,
    /// `GET`, `HEAD`, …
    pub method: String,
    /// The absolute URL that was asked for.
    pub url: String,
    /// The status of the answer; 0 when the connection was dropped without one.
    pub status: u16,
    /// How many bytes of body were handed to the wire.
    pub bytes: u64,
}

impl Entry {
    /// The entry as one line, with its line feed.
    #[must_use]
    pub fn to_line(&self) -> String {
        let Self { start_us, end_us, client, method, url, status, bytes } = self;
        // A URL with a tab or line feed never comes out of a URL parser, but a
        // log that cannot be forged needs no such trust.
        let url = url.replace(['\t', '\n', '\r'], "%20");
        format!("{start_us}\t{end_us}\t{client}\t{method}\t{url}\t{status}\t{bytes}\n")
    }

    /// Reads one line, with or without its line feed.
    pub fn parse(line: &str) -> Result<Self, BadLine> {
        let bad = || BadLine(line.to_owned());
        let mut fields = line.trim_end_matches(['\n', '\r']).split('\t');
        let mut field = || fields.next().ok_or_else(bad);
        let entry = Self {
            start_us: field()?.parse().map_err(|_| bad())?,
            end_us: field()?.parse().map_err(|_| bad())?,
            client: field()?.parse().map_err(|_| bad())?,
            method: field()?.to_owned(),
            url: field()?.to_owned(),
            status: field()?.parse().map_err(|_| bad())?,
            bytes: field()?.parse().map_err(|_| bad())?,
        };
        if fields.next().is_some() { Err(bad()) } else { Ok(entry) }
    }
}

/// A line that is no access log entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine(pub String);

impl fmt::Display for BadLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "not an access log line: `{}`", self.0.escape_debug())
    }
}

impl std::error::Error for BadLine {}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Entry {
            start_us: 12,
            end_us: 3456,
            client: "127.0.0.1:50000".parse().expect("an address"),
            method: "GET".to_owned(),
            url: "http://h1.example/data/7".to_owned(),
            status: 200,
            bytes: 12_000,
        }
    }

    #[test]
    fn a_line_reads_back_as_the_entry_it_was() {
        let line = entry().to_line();

        assert_eq!(line, "12\t3456\t127.0.0.1:50000\tGET\thttp://h1.example/data/7\t200\t12000\n");
        assert_eq!(Entry::parse(&line), Ok(entry()));
    }

    #[test]
    fn a_tab_in_a_url_cannot_forge_a_field() {
        let forged = Entry { url: "http://h1.example/\t404".to_owned(), ..entry() };

        let read = Entry::parse(&forged.to_line()).expect("a whole line");

        assert_eq!(read.status, 200);
    }

    #[test]
    fn half_a_line_is_refused() {
        let line = entry().to_line();

        assert!(Entry::parse(&line[..20]).is_err());
        assert!(Entry::parse("").is_err());
    }
}
