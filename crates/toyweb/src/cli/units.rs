//! Parses durations and sizes with a unit, as in `500ms` and `256MiB`.

use std::time::Duration;

const DURATION_UNITS: [(&str, f64); 4] = [("ms", 0.001), ("s", 1.0), ("min", 60.0), ("h", 3600.0)];
const SIZE_UNITS: [(&str, usize); 7] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("B", 1),
];

/// Parses a duration. Only 0 may lack a unit.
pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    let error = || format!("expected a number with the unit ms, s, min or h, as in `1s`, not `{text}`");
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let seconds = DURATION_UNITS.iter().find_map(|(unit, seconds)| {
        let number = text.strip_suffix(unit)?.parse::<f64>().ok()?;
        Some(number * seconds)
    });
    Duration::try_from_secs_f64(seconds.ok_or_else(error)?).map_err(|_| error())
}

/// Parses a size in bytes. Only 0 may lack a unit.
pub(super) fn parse_size(text: &str) -> Result<usize, String> {
    let error = || format!("expected a whole number with the unit B, KB, MB, GB, KiB, MiB or GiB, not `{text}`");
    if text == "0" {
        return Ok(0);
    }
    let bytes = SIZE_UNITS.iter().find_map(|(unit, bytes)| {
        let number = text.strip_suffix(unit)?.parse::<usize>().ok()?;
        number.checked_mul(*bytes)
    });
    bytes.ok_or_else(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_unit() {
        for (text, millis) in [("0", 0), ("0s", 0), ("500ms", 500), ("1s", 1_000), ("0.4s", 400), ("2h", 7_200_000)] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        assert!(["1", "-1s", "s", "1 day", ""].iter().all(|text| parse_duration(text).is_err()));
    }

    #[test]
    fn sizes_need_a_unit() {
        for (text, bytes) in [("0", 0), ("7B", 7), ("2KB", 2_000), ("256MiB", 256 << 20)] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        assert!(["1", "-1B", "MB", "1.5MB", ""].iter().all(|text| parse_size(text).is_err()));
    }
}
