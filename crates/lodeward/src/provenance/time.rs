//! Timestamps in RDF.

use oxrdf::Literal;
use oxrdf::vocab::xsd;

use crate::fetch::time::{parse_http_date, parse_iso_date, warc_date};

/// Milliseconds since the Unix epoch in ISO 8601, in UTC.
#[must_use]
pub fn format_iso8601(epoch_ms: u64) -> String {
    warc_date(epoch_ms)
}

/// Parses an ISO 8601 timestamp into milliseconds since the Unix epoch. Without a time of day, the start of the day.
#[must_use]
pub fn parse_iso8601(text: &str) -> Option<u64> {
    parse_iso_date(text)
}

/// Milliseconds since the Unix epoch as an `xsd:dateTime`, in UTC.
pub(super) fn date_time(epoch_ms: u64) -> Literal {
    // A WARC date is a valid xsd:dateTime.
    Literal::new_typed_literal(warc_date(epoch_ms), xsd::DATE_TIME)
}

/// An HTTP date as `xsd:dateTime`; unreadable text stays a plain literal.
pub(super) fn http_date(text: &str) -> Literal {
    let seconds = parse_http_date(text).and_then(|seconds| u64::try_from(seconds).ok());
    seconds.map_or_else(|| Literal::from(text), |seconds| date_time(1_000 * seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_written_in_utc() {
        assert_eq!(date_time(951_782_400_000).value(), "2000-02-29T00:00:00.000Z");
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT").value(), "1994-11-06T08:49:37.000Z");
        assert_eq!(http_date("yesterday"), Literal::from("yesterday"));
    }
}
