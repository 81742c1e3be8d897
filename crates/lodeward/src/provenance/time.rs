//! Moments as RDF writes them.

use oxrdf::Literal;
use oxrdf::vocab::xsd;

/// Milliseconds since the Unix epoch as an `xsd:dateTime`, in UTC.
pub(super) fn date_time(epoch_ms: u64) -> Literal {
    let (seconds, ms) = (epoch_ms / 1_000, epoch_ms % 1_000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z");
    Literal::new_typed_literal(text, xsd::DATE_TIME)
}

/// Year, month and day of a day since 1970-01-01, by counting from 1 March of
/// the year 0 in eras of 400 years (Hinnant, `civil_from_days`).
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_in_utc() {
        let check = |epoch_ms: u64, text: &str| assert_eq!(date_time(epoch_ms).value(), text);

        check(0, "1970-01-01T00:00:00.000Z");
        check(951_782_400_000, "2000-02-29T00:00:00.000Z");
        check(1_700_000_000_250, "2023-11-14T22:13:20.250Z");
        check(4_107_542_399_999, "2100-02-28T23:59:59.999Z");
        check(4_107_542_400_000, "2100-03-01T00:00:00.000Z");
    }
}
