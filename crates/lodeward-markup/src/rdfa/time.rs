//! Which datatype a time has, by the looks of it.

/// The datatype of XML Schema that this is a valid value of, if any
/// (HTML+RDFa 1.1, section 3.1).
pub(super) fn datatype(text: &str) -> Option<&'static str> {
    let types: [(Read<'_>, &str); 6] = [
        (Scanner::date_time, "http://www.w3.org/2001/XMLSchema#dateTime"),
        (Scanner::date, "http://www.w3.org/2001/XMLSchema#date"),
        (Scanner::time, "http://www.w3.org/2001/XMLSchema#time"),
        (Scanner::year_month, "http://www.w3.org/2001/XMLSchema#gYearMonth"),
        (Scanner::year, "http://www.w3.org/2001/XMLSchema#gYear"),
        (Scanner::duration, "http://www.w3.org/2001/XMLSchema#duration"),
    ];
    types.into_iter().find_map(|(read, datatype)| {
        let mut scanner = Scanner(text.as_bytes());
        read(&mut scanner)?;
        scanner.0.is_empty().then_some(datatype)
    })
}

type Read<'a> = fn(&mut Scanner<'a>) -> Option<()>;

/// What is left to look at.
struct Scanner<'a>(&'a [u8]);

impl Scanner<'_> {
    fn date_time(&mut self) -> Option<()> {
        self.day()?;
        self.byte(b'T')?;
        self.clock()?;
        self.zone()
    }

    fn date(&mut self) -> Option<()> {
        self.day()?;
        self.zone()
    }

    fn time(&mut self) -> Option<()> {
        self.clock()?;
        self.zone()
    }

    fn year_month(&mut self) -> Option<()> {
        self.month()?;
        self.zone()
    }

    fn year(&mut self) -> Option<()> {
        self.bare_year()?;
        self.zone()
    }

    /// `-P1Y2M3DT4H5M6.7S`, with at least one of its parts, and one after `T`.
    fn duration(&mut self) -> Option<()> {
        let _ = self.byte(b'-');
        self.byte(b'P')?;
        let has_date = self.parts(b"YMD")?;
        let has_time = match self.byte(b'T') {
            Some(()) => self.parts(b"HMS").filter(|has_time| *has_time)?,
            None => false,
        };
        (has_date || has_time).then_some(())
    }

    /// Numbers with these units, each once at most, in this order.
    fn parts(&mut self, mut units: &[u8]) -> Option<bool> {
        let mut has_some = false;
        while self.0.first().is_some_and(u8::is_ascii_digit) {
            self.digits();
            if self.byte(b'.').is_some() {
                (self.digits() > 0 && self.0.first() == Some(&b'S')).then_some(())?;
            }
            let unit = *self.0.first()?;
            let at = units.iter().position(|it| *it == unit)?;
            units = &units[at + 1..];
            self.0 = &self.0[1..];
            has_some = true;
        }
        Some(has_some)
    }

    fn day(&mut self) -> Option<()> {
        self.month()?;
        self.byte(b'-')?;
        self.two(1, 31)
    }

    fn month(&mut self) -> Option<()> {
        self.bare_year()?;
        self.byte(b'-')?;
        self.two(1, 12)
    }

    /// Four digits, or more of which the first is not a zero.
    fn bare_year(&mut self) -> Option<()> {
        let _ = self.byte(b'-');
        let starts_with_zero = self.0.first() == Some(&b'0');
        let count = self.digits();
        (count == 4 || (count > 4 && !starts_with_zero)).then_some(())
    }

    fn clock(&mut self) -> Option<()> {
        self.two(0, 23)?;
        self.byte(b':')?;
        self.two(0, 59)?;
        self.byte(b':')?;
        self.two(0, 59)?;
        if self.byte(b'.').is_some() && self.digits() == 0 {
            return None;
        }
        Some(())
    }

    /// A time zone, or none.
    fn zone(&mut self) -> Option<()> {
        match self.0.first() {
            Some(b'Z') => self.0 = &self.0[1..],
            Some(b'+' | b'-') => {
                self.0 = &self.0[1..];
                self.two(0, 14)?;
                self.byte(b':')?;
                self.two(0, 59)?;
            }
            _ => {}
        }
        Some(())
    }

    fn two(&mut self, least: u8, most: u8) -> Option<()> {
        let [tens @ b'0'..=b'9', ones @ b'0'..=b'9', rest @ ..] = self.0 else { return None };
        self.0 = rest;
        let number = (tens - b'0') * 10 + (ones - b'0');
        (least..=most).contains(&number).then_some(())
    }

    fn byte(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    fn digits(&mut self) -> usize {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.0 = &self.0[count..];
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_datatype_they_look_like() {
        let check = |text: &str, name: &str| {
            let found = datatype(text).map(|iri| iri.rsplit('#').next().unwrap_or_default());
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
}
