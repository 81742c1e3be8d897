//! The clock of the server: the only module of this crate that reads the time or waits, apart from the time limit of
//! queries (`sparql::limit`).

use std::cell::RefCell;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Monotonic time since the server started.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerClock {
    started: Instant,
}

impl ServerClock {
    #[expect(clippy::disallowed_methods, reason = "the access log records the times of requests")]
    pub(super) fn start() -> Self {
        Self { started: Instant::now() }
    }

    pub(super) fn elapsed_us(self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// A pause, for delayed deliveries.
#[expect(clippy::disallowed_methods, reason = "delayed deliveries wait here")]
pub(super) fn pause(duration: Duration) -> tokio::time::Sleep {
    tokio::time::sleep(duration)
}

thread_local! {
    // The formatted date is cached: it changes once per second and is read about 20,000 times per second.
    static DATE: RefCell<(u64, String)> = const { RefCell::new((0, String::new())) };
}

/// Calls `write` with the current time as an HTTP date.
#[expect(clippy::disallowed_methods, reason = "the Date field needs the time of day")]
pub(super) fn with_http_date<T>(write: impl FnOnce(&str) -> T) -> T {
    let second = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    DATE.with_borrow_mut(|(cached, text)| {
        if *cached != second || text.is_empty() {
            *cached = second;
            *text = http_date(second);
        }
        write(text)
    })
}

/// IMF-fixdate (RFC 9110, 5.6.7) of a Unix time.
fn http_date(second: u64) -> String {
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (mut year, mut day) = (1970, second / 86_400);
    let weekday = WEEKDAYS.iter().cycle().nth(usize::try_from(day % 7).unwrap_or(0)).unwrap_or(&"Thu");
    while day >= days_in_year(year) {
        day -= days_in_year(year);
        year += 1;
    }
    let february = days_in_year(year) - 337;
    let mut month = "Jan";
    for (name, length) in MONTHS.into_iter().zip([31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
        month = name;
        if day < length {
            break;
        }
        day -= length;
    }
    let (hour, minute, second) = (second / 3600 % 24, second / 60 % 60, second % 60);
    format!("{weekday}, {:02} {month} {year} {hour:02}:{minute:02}:{second:02} GMT", day + 1)
}

fn days_in_year(year: u64) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    if leap { 366 } else { 365 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_the_format_of_rfc_9110() {
        for (second, date) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
        ] {
            assert_eq!(http_date(second), date);
        }
    }
}
