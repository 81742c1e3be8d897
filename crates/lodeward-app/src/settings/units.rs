//! Durations and sizes with their units: `1s`, `50MB`.
//!
//! A value is a whole number and one unit, without a space between them. A number without a unit is
//! an error, except 0. `humantime` and `bytesize` are not used: the first prints 90 days as
//! `2months 29days 3h 7m 12s`, the second accepts numbers without a unit.

use std::fmt;
use std::time::Duration;

use serde::Deserializer;

/// Units of durations, with their length in milliseconds, longest first.
const DURATION_UNITS: &[(&str, u64)] = &[("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// Units of sizes, with their size in bytes, largest first.
const SIZE_UNITS: &[(&str, u64)] = &[
    ("TiB", 1 << 40),
    ("TB", 1_000_000_000_000),
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
    ("MiB", 1 << 20),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("kB", 1_000),
    ("B", 1),
];

/// A text that is not a duration or a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    /// What is wrong, with the text.
    pub message: String,
    /// How to write it.
    pub hint: String,
}

/// Separates the problem from the hint in an error. Serde errors have only one text.
pub(super) const HINT_SEPARATOR: &str = "; hint: ";

impl fmt::Display for UnitError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{HINT_SEPARATOR}{}", self.message, self.hint)
    }
}

impl std::error::Error for UnitError {}

/// Parses a duration: `500ms`, `1s`, `30m`, `24h`, `90d`, or `0`.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    parse(text, "duration", DURATION_UNITS, &["500ms", "30s", "15m", "24h", "90d"]).map(Duration::from_millis)
}

/// Parses a size in bytes: `64kB`, `50MB`, `1GB` (powers of 1000), `64MiB` (powers of
/// 1024), or `0`.
pub fn parse_size(text: &str) -> Result<u64, UnitError> {
    parse(text, "size", SIZE_UNITS, &["512kB", "50MB", "1GB", "64MiB"])
}

/// Formats a duration with the largest unit that divides it. [`parse_duration`] reads
/// it back; fractions of a millisecond are dropped.
#[must_use]
pub fn format_duration(duration: Duration) -> String {
    let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    if milliseconds == 0 { "0s".to_owned() } else { format(milliseconds, DURATION_UNITS) }
}

/// Formats a size with the unit that gives the smallest number. [`parse_size`] reads
/// it back.
#[must_use]
pub fn format_size(bytes: u64) -> String {
    if bytes == 0 { "0B".to_owned() } else { format(bytes, SIZE_UNITS) }
}

fn parse(text: &str, kind: &str, units: &[(&str, u64)], examples: &[&str]) -> Result<u64, UnitError> {
    let quoted = |text: &&str| format!("\"{text}\"");
    let error = |problem: &str, hint: String| UnitError { message: format!("`{text}` {problem}"), hint };
    let form = || {
        let examples = examples.iter().map(quoted).collect::<Vec<_>>().join(", ");
        format!("write a whole number and a unit: {examples}")
    };
    let trimmed = text.trim();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = trimmed.split_at(digits);
    if unit.is_empty() && !number.is_empty() {
        if number.bytes().all(|digit| digit == b'0') {
            return Ok(0);
        }
        // The hint suggests the two units that the user most likely meant.
        let likely = if kind == "duration" { ["ms", "s"] } else { ["kB", "MB"] };
        let likely: Vec<String> = likely.iter().map(|unit| format!("\"{number}{unit}\"")).collect();
        return Err(error("has no unit", format!("write {}", likely.join(" or "))));
    }
    let is_size = kind == "size";
    let known = units.iter().find(|(name, _)| *name == unit || is_size && name.eq_ignore_ascii_case(unit));
    let (Some((_, factor)), false) = (known, number.is_empty()) else {
        return Err(error(&format!("is not a {kind}"), form()));
    };
    let value = number.parse::<u64>().ok().and_then(|number| number.checked_mul(*factor));
    // The maximum is half of the range of `u64`, so that the sum of two values does not overflow.
    value.filter(|value| *value <= u64::MAX / 2).ok_or_else(|| error("is too large", form()))
}

fn format(value: u64, units: &[(&str, u64)]) -> String {
    let exact = units.iter().filter(|(_, factor)| value.is_multiple_of(*factor));
    let (name, factor) = exact.max_by_key(|(_, factor)| *factor).expect("the smallest unit divides every value");
    format!("{}{name}", value / factor)
}

/// Reads a duration from a text with its unit.
pub(super) fn deserialize_duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    deserializer.deserialize_any(UnitVisitor { expected: "a duration", parse: parse_duration })
}

/// Reads a size in bytes from a text with its unit.
pub(super) fn deserialize_size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    deserializer.deserialize_any(UnitVisitor { expected: "a size", parse: parse_size })
}

struct UnitVisitor<T> {
    expected: &'static str,
    parse: fn(&str) -> Result<T, UnitError>,
}

impl<T> serde::de::Visitor<'_> for UnitVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} with its unit, in quotes", self.expected)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        (self.parse)(text).map_err(E::custom)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_whole_number_and_a_unit() {
        let check = |text: &str, milliseconds: u64| {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        };

        check("500ms", 500);
        check("1s", 1_000);
        check("30m", 1_800_000);
        check("24h", 86_400_000);
        check("90d", 7_776_000_000);
        check("0", 0);
        check("0s", 0);
        check(" 2s ", 2_000);
    }

    #[test]
    fn a_size_is_decimal_or_binary() {
        let check = |text: &str, bytes: u64| assert_eq!(parse_size(text), Ok(bytes), "{text}");

        check("50MB", 50_000_000);
        check("50mb", 50_000_000);
        check("64MiB", 67_108_864);
        check("2KiB", 2_048);
        check("7B", 7);
        check("10GB", 10_000_000_000);
        check("0", 0);
    }

    #[test]
    fn a_number_without_a_unit_is_rejected_with_a_hint() {
        let error = parse_duration("500").unwrap_err();
        assert_eq!((error.message.as_str(), error.hint.as_str()), ("`500` has no unit", r#"write "500ms" or "500s""#));
        let error = parse_size("50").unwrap_err();
        assert_eq!((error.message.as_str(), error.hint.as_str()), ("`50` has no unit", r#"write "50kB" or "50MB""#));
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in ["", "s", "-1s", "1.5h", "1h30m", "1 s", "1S", "1M", "5min", "99999999999999999999s", "1e3s"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
        for text in ["", "MB", "-1MB", "1.5GB", "1 MB", "1Mb/s", "1PB", "99999999999TB"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
        assert!(parse_duration("soon").unwrap_err().hint.starts_with(r#"write a whole number and a unit: "500ms","#));
    }

    #[test]
    fn formatted_values_are_read_back() {
        for milliseconds in [0, 1, 999, 1_000, 1_500, 60_000, 90_000, 3_600_000, 86_400_000, 7_776_000_000] {
            let duration = Duration::from_millis(milliseconds);
            assert_eq!(parse_duration(&format_duration(duration)), Ok(duration));
        }
        for bytes in [0, 1, 999, 1_000, 1_024, 50_000_000, 67_108_864, 10_000_000_000, 1_048_577] {
            assert_eq!(parse_size(&format_size(bytes)), Ok(bytes));
        }
        assert_eq!(format_duration(Duration::from_mins(2)), "2m");
        assert_eq!(format_duration(Duration::from_millis(1_500)), "1500ms");
        assert_eq!(format_size(50_000_000), "50MB");
        assert_eq!(format_size(67_108_864), "64MiB");
        assert_eq!(format_size(16_000_000), "16MB");
    }
}
