//! Detecting the datatypes of `time`, `data` and `meter` values by their lexical form.
//!
//! In Microdata (“Microdata to RDF”, section 6.1) a value must be valid HTML and have the lexical
//! form of the datatype. The test suite also requires time zones that HTML does not allow. So the
//! forms are those of XML Schema, without what HTML never allows: years below 1, signs of dates and
//! durations, `24:00:00`, `INF`.

use oxrdf::NamedNodeRef;
use oxrdf::vocab::xsd;

/// Consumes one lexical form from the input. Returns `None` if the input does not match.
type LexicalForm = fn(&mut LexicalScan<'_>) -> Option<()>;

/// The datatype of a `time` value in Microdata.
pub(crate) fn detect_time(value: &str) -> Option<NamedNodeRef<'static>> {
    const MONTH: (LexicalForm, NamedNodeRef<'static>) = (|it| it.month().map(drop), xsd::G_YEAR_MONTH);
    const YEAR: (LexicalForm, NamedNodeRef<'static>) = (|it| it.year().map(drop), xsd::G_YEAR);
    match_form(value, &[DATE, TIME, DATE_TIME, MONTH, YEAR, DURATION])
}

/// The datatype of a time in `RDFa`, where all of XML Schema is allowed: negative years and
/// durations, time zones of years (HTML+RDFa 1.1, section 3.1).
pub(crate) fn detect_xsd_time(value: &str) -> Option<NamedNodeRef<'static>> {
    const MONTH: (LexicalForm, NamedNodeRef<'static>) = (|it| it.month().and_then(|_| it.zone()), xsd::G_YEAR_MONTH);
    const YEAR: (LexicalForm, NamedNodeRef<'static>) = (|it| it.year().and_then(|_| it.zone()), xsd::G_YEAR);
    match value.strip_prefix('-') {
        Some(value) => match_form(value, &[DATE, DATE_TIME, MONTH, YEAR, DURATION]),
        None => match_form(value, &[DATE, TIME, DATE_TIME, MONTH, YEAR, DURATION]),
    }
}

const DATE: (LexicalForm, NamedNodeRef<'static>) = (|it| it.date().and_then(|()| it.zone()), xsd::DATE);
const TIME: (LexicalForm, NamedNodeRef<'static>) = (|it| it.time().and_then(|()| it.zone()), xsd::TIME);
const DATE_TIME: (LexicalForm, NamedNodeRef<'static>) = (
    |it| it.date().and_then(|()| it.skip_byte(b'T')).and_then(|()| it.time()).and_then(|()| it.zone()),
    xsd::DATE_TIME,
);
const DURATION: (LexicalForm, NamedNodeRef<'static>) = (|it| it.duration(), xsd::DURATION);

/// The first datatype whose lexical form matches the whole value.
fn match_form(value: &str, forms: &[(LexicalForm, NamedNodeRef<'static>)]) -> Option<NamedNodeRef<'static>> {
    let is_whole = |scan: LexicalForm| {
        let mut rest = LexicalScan(value.as_bytes());
        scan(&mut rest).is_some_and(|()| rest.0.is_empty())
    };
    forms.iter().find(|(scan, _)| is_whole(*scan)).map(|(_, datatype)| *datatype)
}

/// The datatype of a number.
pub(crate) fn detect_number(value: &str) -> Option<NamedNodeRef<'static>> {
    let mut rest = LexicalScan(value.as_bytes());
    let _ = rest.skip_byte(b'-');
    let whole = rest.skip_digits();
    if rest.0.is_empty() && whole > 0 {
        return Some(xsd::INTEGER);
    }
    let fraction = if rest.skip_byte(b'.').is_some() { Some(rest.skip_digits()) } else { None };
    if fraction == Some(0) || (whole == 0 && fraction.is_none()) {
        return None;
    }
    if rest.skip_byte(b'e').or_else(|| rest.skip_byte(b'E')).is_some() {
        let _ = rest.skip_byte(b'-').or_else(|| rest.skip_byte(b'+'));
        if rest.skip_digits() == 0 {
            return None;
        }
    }
    rest.0.is_empty().then_some(xsd::DOUBLE)
}

/// The unread part of a value.
struct LexicalScan<'a>(&'a [u8]);

impl LexicalScan<'_> {
    fn skip_byte(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    /// Consumes digits, and returns their number.
    fn skip_digits(&mut self) -> usize {
        let count = self.0.iter().take_while(|it| it.is_ascii_digit()).count();
        self.0 = &self.0[count..];
        count
    }

    /// Two digits up to a maximum.
    fn two_digits(&mut self, max: u32) -> Option<u32> {
        let (&[tens, ones], rest) = self.0.split_first_chunk()?;
        if !tens.is_ascii_digit() || !ones.is_ascii_digit() {
            return None;
        }
        self.0 = rest;
        let number = u32::from(tens - b'0') * 10 + u32::from(ones - b'0');
        (number <= max).then_some(number)
    }

    /// A year. Returns whether it is a leap year, which its last digits determine.
    fn year(&mut self) -> Option<bool> {
        let all = self.0;
        let count = self.skip_digits();
        let digits = &all[..count];
        if count < 4 || (count > 4 && digits[0] == b'0') || digits.iter().all(|it| *it == b'0') {
            return None;
        }
        let last = digits[count - 4..].iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
        Some(last.is_multiple_of(4) && (!last.is_multiple_of(100) || last.is_multiple_of(400)))
    }

    /// A month of a year. Returns its number of days.
    fn month(&mut self) -> Option<u32> {
        let is_leap = self.year()?;
        self.skip_byte(b'-')?;
        match self.two_digits(12)? {
            0 => None,
            2 => Some(if is_leap { 29 } else { 28 }),
            4 | 6 | 9 | 11 => Some(30),
            _ => Some(31),
        }
    }

    fn date(&mut self) -> Option<()> {
        let days = self.month()?;
        self.skip_byte(b'-')?;
        self.two_digits(days).filter(|day| *day > 0).map(drop)
    }

    fn time(&mut self) -> Option<()> {
        self.two_digits(23)?;
        self.skip_byte(b':')?;
        self.two_digits(59)?;
        self.skip_byte(b':')?;
        self.two_digits(59)?;
        match self.skip_byte(b'.') {
            Some(()) => (self.skip_digits() > 0).then_some(()),
            None => Some(()),
        }
    }

    /// An optional time zone.
    fn zone(&mut self) -> Option<()> {
        if self.0.is_empty() || self.skip_byte(b'Z').is_some() {
            return Some(());
        }
        self.skip_byte(b'+').or_else(|| self.skip_byte(b'-'))?;
        let hours = self.two_digits(14)?;
        self.skip_byte(b':')?;
        self.two_digits(if hours == 14 { 0 } else { 59 }).map(drop)
    }

    fn duration(&mut self) -> Option<()> {
        self.skip_byte(b'P')?;
        let days = self.duration_fields(b"YMD", false)?;
        let times = match self.skip_byte(b'T') {
            Some(()) => Some(self.duration_fields(b"HMS", true)?).filter(|count| *count > 0)?,
            None => 0,
        };
        (days + times > 0).then_some(())
    }

    /// Numbers followed by some of these letters, in this order; the last can have a fraction.
    /// Returns the number of fields.
    fn duration_fields(&mut self, letters: &[u8], has_fraction: bool) -> Option<usize> {
        let mut count = 0;
        let mut letters = letters;
        while self.0.first().is_some_and(u8::is_ascii_digit) {
            self.skip_digits();
            let is_fraction = has_fraction && self.skip_byte(b'.').is_some();
            if is_fraction && self.skip_digits() == 0 {
                return None;
            }
            let (letter, rest) = self.0.split_first()?;
            let position = letters.iter().position(|it| it == letter)?;
            if is_fraction && *letter != b'S' {
                return None;
            }
            (self.0, letters) = (rest, &letters[position + 1..]);
            count += 1;
        }
        Some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_get_the_datatype_of_their_form() {
        let check =
            |value: &str, datatype: Option<NamedNodeRef<'_>>| assert_eq!(detect_time(value), datatype, "{value}");

        check("2011-06-28", Some(xsd::DATE));
        check("2011-06-28+02:00", Some(xsd::DATE));
        check("2012-02-29", Some(xsd::DATE));
        check("2011-02-29", None);
        check("2011-00-10", None);
        check("0000-01-01", None);
        check("-2011-01-01", None);
        check("012011-01-01", None);
        check("00:00:00Z", Some(xsd::TIME));
        check("23:59:59.25", Some(xsd::TIME));
        check("24:00:00", None);
        check("23:59", None);
        check("2011-06-28T00:00:00Z", Some(xsd::DATE_TIME));
        check("2011-06-28T00:00:00.5-14:00", Some(xsd::DATE_TIME));
        check("2011-06-28T00:00:00+14:01", None);
        check("2011-06-28 00:00:00", None);
        check("2011-06-28T00:00:00+0200", None);
        check("2011-06", Some(xsd::G_YEAR_MONTH));
        check("2011-13", None);
        check("2011", Some(xsd::G_YEAR));
        check("11", None);
        check("P2011Y06M28DT00H00M00S", Some(xsd::DURATION));
        check("PT1.5S", Some(xsd::DURATION));
        check("P1D", Some(xsd::DURATION));
        check("P", None);
        check("P1DT", None);
        check("PT1.5M", None);
        check("P1D2Y", None);
        check("P4W", None);
        check("T0M15S", None);
        check("", None);
    }

    #[test]
    fn times_in_rdfa_get_the_datatype_of_their_form() {
        let check = |text: &str, name: &str| {
            let found = detect_xsd_time(text).map(|iri| iri.as_str().rsplit('#').next().unwrap_or_default());
            assert_eq!(found, Some(name).filter(|name| !name.is_empty()), "{text}");
        };

        check("2012-03-18T00:00:00Z", "dateTime");
        check("2012-03-18T00:00:00.125-08:00", "dateTime");
        check("2012-03-18", "date");
        check("2012-03-18+01:00", "date");
        check("00:00:00", "time");
        check("2012-03", "gYearMonth");
        check("2012", "gYear");
        check("12012", "gYear");
        check("P2011Y06M01DT00H00M00S", "duration");
        check("-PT0.5S", "duration");
        for text in ["", "P", "PT", "P1DT", "P1S", "PT1.5M", "P1M1Y", "14:54", "2012-13", "2012-3-18", " 2012", "201"] {
            check(text, "");
        }
        for text in ["02012", "2012-03-18T00:00Z", "2012-03-18T24:10:00", "2012-03-18T00:00:00.", "2012Zz", "+2012"] {
            check(text, "");
        }
    }

    #[test]
    fn numbers_get_the_datatype_of_their_form() {
        let check =
            |value: &str, datatype: Option<NamedNodeRef<'_>>| assert_eq!(detect_number(value), datatype, "{value}");

        check("1", Some(xsd::INTEGER));
        check("-007", Some(xsd::INTEGER));
        check("1.1", Some(xsd::DOUBLE));
        check("-.5e+3", Some(xsd::DOUBLE));
        check("1E9", Some(xsd::DOUBLE));
        check("+1", None);
        check("1.", None);
        check("1e", None);
        check(".", None);
        check("-", None);
        check("", None);
        check("1 000", None);
    }
}
