//! Parses and formats dates of HTTP and WARC. Reads no clock.

/// Seconds from the Unix epoch to an HTTP date: `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// The two obsolete forms are rejected: they have not been in use for decades, and an unreadable `Retry-After` is
/// treated as missing.
pub(crate) fn parse_http_date(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut fields = text.split_once(", ")?.1.split(' ');
    let day = parse_number(fields.next()?, 31)?;
    let month = fields.next()?;
    let month = MONTHS.iter().position(|name| *name == month)?;
    let year = parse_number(fields.next()?, 9_999)?;
    let mut clock = fields.next()?.split(':');
    let (hour, minute, second) =
        (parse_number(clock.next()?, 23)?, parse_number(clock.next()?, 59)?, parse_number(clock.next()?, 60)?);
    let days = days_from_civil(year, i64::try_from(month).ok()? + 1, day);
    (fields.next()? == "GMT").then_some(days * 86_400 + hour * 3_600 + minute * 60 + second)
}

/// A timestamp in milliseconds from the Unix epoch as a WARC date: `1994-11-06T08:49:37.000Z`.
#[must_use]
pub fn warc_date(epoch_ms: u64) -> String {
    let seconds = epoch_ms / 1_000;
    let (year, month, day) = civil_from_days(i64::try_from(seconds / 86_400).unwrap_or(0));
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", epoch_ms % 1_000)
}

/// Milliseconds from the Unix epoch to an ISO 8601 date in UTC, with or without a time of day: `1994-11-06`,
/// `1994-11-06T08:49`, `1994-11-06T08:49:37Z`.
pub(crate) fn parse_iso_date(text: &str) -> Option<u64> {
    let (date, clock) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    let mut date = date.splitn(3, '-');
    let year = parse_number(date.next()?, 9_999)?;
    let (month, day) = (parse_number(date.next()?, 12)?, parse_number(date.next()?, 31)?);
    let clock = clock.strip_suffix('Z').unwrap_or(clock);
    let clock = clock.split_once('.').map_or(clock, |(clock, _)| clock);
    let mut clock = clock.split(':');
    let (hour, minute) = (parse_number(clock.next()?, 23)?, parse_number(clock.next()?, 59)?);
    let second = clock.next().map_or(Some(0), |second| parse_number(second, 60))?;
    if month == 0 || day == 0 || clock.next().is_some() {
        return None;
    }
    let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    u64::try_from(seconds).ok().map(|seconds| 1_000 * seconds)
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
    fn http_dates_are_parsed() {
        let check = |text: &str, expected: Option<i64>| assert_eq!(parse_http_date(text), expected, "{text}");

        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777));
        check("Thu, 01 Jan 1970 00:00:00 GMT", Some(0));
        check("Thu, 29 Feb 2024 23:59:59 GMT", Some(1_709_251_199));
        check("Sunday, 06-Nov-94 08:49:37 GMT", None);
        check("Sun, 06 Nov 1994 08:49:37 CET", None);
        check("Sun, 99 Nov 1994 08:49:37 GMT", None);
        check("", None);
    }

    #[test]
    fn iso_dates_are_parsed_with_or_without_a_time_of_day() {
        let check = |text: &str, expected: Option<u64>| assert_eq!(parse_iso_date(text), expected, "{text}");

        check("1994-11-06", Some(784_080_000_000));
        check("1994-11-06T08:49", Some(784_111_740_000));
        check("1994-11-06 08:49:37", Some(784_111_777_000));
        check("1994-11-06T08:49:37.005Z", Some(784_111_777_000));
        for invalid in ["", "yesterday", "1994-11", "1994-13-01", "1994-00-01", "1994-11-06T25:00", "1899-01-01"] {
            check(invalid, None);
        }
    }

    #[test]
    fn warc_dates_are_formatted() {
        assert_eq!(warc_date(784_111_777_005), "1994-11-06T08:49:37.005Z");
        assert_eq!(warc_date(1_709_251_199_000), "2024-02-29T23:59:59.000Z");
        assert_eq!(warc_date(0), "1970-01-01T00:00:00.000Z");
    }
}
