//! Durations in words.

use std::time::Duration;

/// A duration with its two largest units, such as `1h 5m`.
pub(super) fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m {}s", seconds % 60),
        (0, _, _) => format!("{hours}h {minutes}m"),
        _ => format!("{days}d {hours}h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_its_two_largest_units() {
        let check = |seconds, expected: &str| assert_eq!(duration_text(Duration::from_secs(seconds)), expected);

        check(0, "0s");
        check(59, "59s");
        check(61, "1m 1s");
        check(3_600, "1h 0m");
        check(90_061, "1d 1h");
    }
}
