//! Pauses a crawl outside of its hours of the day.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::CrawlError;
use super::conductor::Conductor;
use crate::model::CrawlTime;

const MINUTE_MS: u64 = 60_000;
const MINUTES_PER_DAY: u64 = 24 * 60;

/// Maximum time between two checks: the clock of the machine may be set, and the machine may sleep.
const MAX_CHECK_INTERVAL: Duration = Duration::from_mins(1);

/// The hours of the day in which a crawl sends requests: `22:00-06:00`, in UTC. The end is excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DailyHours {
    /// First minute of the day.
    start: u64,
    /// Minute of the day after the last one.
    end: u64,
}

impl DailyHours {
    /// When requests may be sent again, in milliseconds since the Unix epoch; `None` if they may be sent now.
    fn closed_until(self, epoch_ms: u64) -> Option<u64> {
        let minute = epoch_ms / MINUTE_MS % MINUTES_PER_DAY;
        // Minutes since the last start: smaller than the length of the hours if it is open.
        let since_start = (minute + MINUTES_PER_DAY - self.start) % MINUTES_PER_DAY;
        let length = (self.end + MINUTES_PER_DAY - self.start) % MINUTES_PER_DAY;
        if since_start < length {
            return None;
        }
        Some((epoch_ms / MINUTE_MS + MINUTES_PER_DAY - since_start) * MINUTE_MS)
    }
}

impl FromStr for DailyHours {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const PROBLEM: &str = "not hours of the day such as 22:00-06:00";
        let (start, end) = text.split_once('-').ok_or(PROBLEM)?;
        let minute = |time: &str| {
            let (hour, minute) = time.trim().split_once(':')?;
            let is_number = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
            let (hour, minute): (u64, u64) =
                (is_number(hour) && is_number(minute)).then(|| Some((hour.parse().ok()?, minute.parse().ok()?)))??;
            let is_time = hour < 24 && minute < 60 || (hour, minute) == (24, 0);
            is_time.then_some((hour * 60 + minute) % MINUTES_PER_DAY)
        };
        let (start, end) = (minute(start).ok_or(PROBLEM)?, minute(end).ok_or(PROBLEM)?);
        if start == end { Err("the hours begin and end at the same time") } else { Ok(Self { start, end }) }
    }
}

impl fmt::Display for DailyHours {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, end } = self;
        write!(formatter, "{:02}:{:02}-{:02}:{:02}", start / 60, start % 60, end / 60, end % 60)
    }
}

impl Conductor {
    /// Checks the hours of the crawl. Returns when to check again if it is paused.
    pub(super) async fn check_hours(&mut self) -> Result<Option<CrawlTime>, CrawlError> {
        let Some(hours) = self.crawl.options.hours else { return Ok(None) };
        let (now, epoch_ms) = (self.now(), self.epoch_ms());
        let until_ms = hours.closed_until(epoch_ms);
        if until_ms != self.run_limits.paused_until_ms {
            self.run_limits.paused_until_ms = until_ms;
            match until_ms {
                Some(_) => tracing::info!(%hours, "crawl paused: outside of its hours"),
                None => tracing::info!(%hours, "crawl continues: its hours have begun"),
            }
            self.publish_progress().await?;
        }
        let wait = |until_ms: u64| Duration::from_millis(until_ms - epoch_ms).min(MAX_CHECK_INTERVAL);
        Ok(until_ms.map(|until_ms| now + wait(until_ms)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_may_span_midnight() {
        let check = |hours: &str, at: &str, expected: Option<&str>| {
            let minute = |time: &str| {
                let (hour, minute) = time.split_once(':').unwrap();
                hour.parse::<u64>().unwrap() * 60 + minute.parse::<u64>().unwrap()
            };
            let day_ms = 20_000 * MINUTES_PER_DAY * MINUTE_MS;
            let until = hours.parse::<DailyHours>().unwrap().closed_until(day_ms + minute(at) * MINUTE_MS + 7);
            assert_eq!(until, expected.map(|time| day_ms + minute(time) * MINUTE_MS), "{hours} {at}");
        };

        check("09:00-17:30", "09:00", None);
        check("09:00-17:30", "17:29", None);
        check("09:00-17:30", "17:30", Some("33:00"));
        check("09:00-17:30", "00:00", Some("09:00"));
        check("22:00-06:00", "23:59", None);
        check("22:00-06:00", "05:59", None);
        check("22:00-06:00", "06:00", Some("22:00"));
        check("18:00-24:00", "00:00", Some("18:00"));
    }

    #[test]
    fn invalid_hours_are_rejected() {
        for text in ["", "22-06", "22:00", "25:00-06:00", "22:00-06:60", "1:00-2:00", "06:00-06:00", "+1:00-02:00"] {
            assert!(text.parse::<DailyHours>().is_err(), "{text}");
        }
        assert_eq!("22:00-24:00".parse::<DailyHours>().unwrap().to_string(), "22:00-00:00");
    }
}
