//! Parses and formats dates: HTTP (RFC 9110) and ISO 8601. Reads no clock.

use std::time::UNIX_EPOCH;

/// Parses an HTTP date into seconds since the Unix epoch, in any of the three forms of RFC 9110, 5.6.7:
/// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
#[must_use]
pub fn parse_http_date(text: &str) -> Option<u64> {
    Some(httpdate::parse_http_date(text).ok()?.duration_since(UNIX_EPOCH).ok()?.as_secs())
}

/// Milliseconds since the Unix epoch in ISO 8601, in UTC: `1994-11-06T08:49:37.000Z`. It is also a valid WARC date and
/// a valid `xsd:dateTime`.
#[must_use]
pub fn format_iso8601(epoch_ms: u64) -> String {
    let seconds = epoch_ms / 1_000;
    let (year, month, day) = civil_from_days(i64::try_from(seconds / 86_400).unwrap_or(0));
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", epoch_ms % 1_000)
}

/// Parses an ISO 8601 date in UTC into milliseconds since the Unix epoch: `1994-11-06`, `1994-11-06T08:49`,
/// `1994-11-06T08:49:37Z`. Without a time of day, it is the start of the day.
#[must_use]
pub fn parse_iso8601(text: &str) -> Option<u64> {
    let (date, clock) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    let mut date = date.splitn(3, '-');
    let year = parse_number(date.next()?, 9_999)?;
    let (month, day) = (parse_number(date.next()?, 12)?, parse_number(date.next()?, 31)?);
    let clock = clock.strip_suffix('Z').unwrap_or(clock);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut clock = clock.split(':');
    let (hour, minute) = (parse_number(clock.next()?, 23)?, parse_number(clock.next()?, 59)?);
    let second = clock.next().map_or(Some(0), |second| parse_number(second, 60))?;
    if month == 0 || day == 0 || clock.next().is_some() {
        return None;
    }
    let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    u64::try_from(seconds).ok().map(|seconds| 1_000 * seconds + milliseconds(fraction))
}

/// The first three digits of a fraction of a second; 0 if it is not a number.
fn milliseconds(fraction: &str) -> u64 {
    let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
    parse_number(&digits, 999).and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
}

fn parse_number(text: &str, max: i64) -> Option<i64> {
    text.parse().ok().filter(|number| (0..=max).contains(number))
}

/// Days since 1970-01-01 of a Gregorian date: the algorithm of Howard Hinnant, "chrono-compatible low-level date
/// algorithms".
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The inverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms_of_http_dates_are_parsed() {
        let check = |text: &str, expected: Option<u64>| assert_eq!(parse_http_date(text), expected, "{text}");

        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777));
        check("Thu, 01 Jan 1970 00:00:00 GMT", Some(0));
        check("Thu, 29 Feb 2024 23:59:59 GMT", Some(1_709_251_199));
        check("Sunday, 06-Nov-94 08:49:37 GMT", Some(784_111_777));
        check("Sun Nov  6 08:49:37 1994", Some(784_111_777));
        check("Sun, 06 Nov 1994 08:49:37 CET", None);
        check("Sun, 99 Nov 1994 08:49:37 GMT", None);
        check("", None);
    }

    #[test]
    fn iso_dates_are_parsed_with_or_without_a_time_of_day() {
        let check = |text: &str, expected: Option<u64>| assert_eq!(parse_iso8601(text), expected, "{text}");

        check("1994-11-06", Some(784_080_000_000));
        check("1994-11-06T08:49", Some(784_111_740_000));
        check("1994-11-06 08:49:37", Some(784_111_777_000));
        check("1994-11-06T08:49:37.005Z", Some(784_111_777_005));
        check("1994-11-06T08:49:37.5Z", Some(784_111_777_500));
        for invalid in ["", "yesterday", "1994-11", "1994-13-01", "1994-00-01", "1994-11-06T25:00", "1899-01-01"] {
            check(invalid, None);
        }
    }

    #[test]
    fn timestamps_are_formatted() {
        assert_eq!(format_iso8601(784_111_777_005), "1994-11-06T08:49:37.005Z");
        assert_eq!(format_iso8601(1_709_251_199_000), "2024-02-29T23:59:59.000Z");
        assert_eq!(format_iso8601(0), "1970-01-01T00:00:00.000Z");
    }
}
