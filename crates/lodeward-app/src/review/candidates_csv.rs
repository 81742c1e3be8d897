//! Writes candidates as CSV (RFC 4180), with a header. IRIs in a list are separated by spaces,
//! texts in a list by semicolons. A text that a spreadsheet would interpret as a formula is
//! prefixed with `'`. Control characters and bidirectional controls are replaced.

use std::io::{self, Write};

use csv::{Terminator, WriterBuilder};

use super::Candidate;
use crate::display_text::single_line;

/// Writes the header.
pub fn write_csv_head(out: &mut dyn Write) -> io::Result<()> {
    write!(out, "rank,entity,score,hop,label,types,described,mark,reasons\r\n")
}

/// Writes a candidate.
pub fn write_csv_line(Candidate { row, mark }: &Candidate, out: &mut dyn Write) -> io::Result<()> {
    let reasons: Vec<&str> = row.reasons.iter().map(|reason| reason.text.as_str()).collect();
    let cells = [
        row.rank.to_string(),
        row.entity.clone(),
        row.score.map(|score| score.to_string()).unwrap_or_default(),
        row.hop.map(|hop| hop.to_string()).unwrap_or_default(),
        row.label.clone().unwrap_or_default(),
        row.types.join(" "),
        row.described.to_string(),
        mark.as_ref().map_or("", |mark| mark.mark.name()).to_owned(),
        reasons.join("; "),
    ];
    write_record(cells.map(|cell| single_line(&cell).into_owned()), out)
}

fn write_record<const N: usize>(cells: [String; N], out: &mut dyn Write) -> io::Result<()> {
    let record = cells.map(|cell| if is_formula(&cell) { format!("'{cell}") } else { cell });
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).buffer_capacity(1 << 10).from_writer(out);
    writer.write_record(record)?;
    writer.flush()
}

/// Whether a spreadsheet would interpret a text as a formula. Texts come from other sites.
fn is_formula(text: &str) -> bool {
    let has_sign = text.trim_start().starts_with(['=', '+', '-', '@']);
    has_sign && !text.parse::<f64>().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_csv_are_quoted_where_required() {
        let check = |text: &str, expected: &str| {
            let mut line = Vec::new();
            write_record(["1".to_owned(), text.to_owned()], &mut line).unwrap();
            assert_eq!(String::from_utf8(line).unwrap(), format!("1,{expected}\r\n"));
        };

        check("Dom", "Dom");
        check("Dom, der", "\"Dom, der\"");
        check("\"Dom\"", "\"\"\"Dom\"\"\"");
        check("=HYPERLINK(\"http://a.example/\")", "\"'=HYPERLINK(\"\"http://a.example/\"\")\"");
        check("@SUM(1+9)", "'@SUM(1+9)");
        check(" +1+2", "' +1+2");
        check("-inf", "'-inf");
        check("- und dann", "'- und dann");
        check("-12.5", "-12.5");
        check("a=b", "a=b");
    }
}
