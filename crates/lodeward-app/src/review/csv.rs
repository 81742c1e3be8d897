//! Writes candidates as CSV (RFC 4180), with a header. IRIs in a list are separated by spaces,
//! texts in a list by semicolons. A text that a spreadsheet would interpret as a formula is
//! prefixed with `'`.

use std::io::{self, Write};

use super::candidates::Candidate;

/// Writes the header.
pub fn write_csv_head(out: &mut dyn Write) -> io::Result<()> {
    write!(out, "rank,entity,score,hop,label,types,described,mark,why\r\n")
}

/// Writes a candidate.
pub fn write_csv_line(Candidate { row, mark }: &Candidate, out: &mut dyn Write) -> io::Result<()> {
    let reasons: Vec<&str> = row.reasons.iter().map(|reason| reason.text.as_str()).collect();
    let cells = [
        row.rank.to_string(),
        row.entity.clone(),
        row.score.to_string(),
        row.hop.to_string(),
        row.label.clone().unwrap_or_default(),
        row.types.join(" "),
        row.described.to_string(),
        mark.as_ref().map_or("", |mark| mark.mark.name()).to_owned(),
        reasons.join("; "),
    ];
    write!(out, "{}\r\n", cells.map(|cell| field(&cell.replace(char::is_control, " "))).join(","))
}

fn field(text: &str) -> String {
    let text = if is_formula(text) { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
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
        let check = |text: &str, expected: &str| assert_eq!(field(text), expected);

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
