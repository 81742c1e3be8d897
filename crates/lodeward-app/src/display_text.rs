//! Text of other sites, made safe for terminals, logs, CSV and JSON.
//!
//! IRIs, labels and messages of servers may contain any character. Control characters move the
//! cursor, change colours or set the title of a terminal; newlines forge further lines of output;
//! bidirectional controls change the order in which the rest of a line is displayed. All output of
//! such text passes one of these functions.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};

/// Displayed instead of a character that is not safe.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// Whether a character changes how other characters are displayed: a control character (C0, DEL,
/// C1), a line or paragraph separator, or a bidirectional control (UAX #9, section 2).
fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A count with its noun, in the singular or the plural: `1 document`, `2 entities`.
#[must_use]
pub fn counted<C: Copy + Display + PartialEq + From<u8>>(count: C, noun: &str) -> String {
    if count == C::from(1) {
        return format!("{count} {noun}");
    }
    let is_vowel = |letter: char| matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u');
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(is_vowel) => format!("{count} {stem}ies"),
        _ if noun.ends_with("ch") || noun.ends_with('s') || noun.ends_with('x') => format!("{count} {noun}es"),
        _ => format!("{count} {noun}s"),
    }
}

/// A number of bytes with two or three digits and a decimal unit: `2.3 MB`.
#[must_use]
pub fn size_text(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    let Some((unit, name)) = UNITS.into_iter().find(|(unit, _)| bytes >= *unit) else { return format!("{bytes} B") };
    let (whole, tenth) = (bytes / unit, bytes % unit * 10 / unit);
    if whole >= 10 { format!("{whole} {name}") } else { format!("{whole}.{tenth} {name}") }
}

/// A text in one line, for a terminal or a CSV cell. Newlines and tabs become spaces, other unsafe
/// characters `U+FFFD`.
#[must_use]
pub fn single_line(text: &str) -> Cow<'_, str> {
    replace(text, |character| match character {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
        _ => REPLACEMENT,
    })
}

/// Text that consists of several lines, for a terminal. Newlines and tabs stay, other unsafe
/// characters become `U+FFFD`.
#[must_use]
pub fn multi_line(text: &str) -> Cow<'_, str> {
    replace(text, |character| if matches!(character, '\n' | '\t') { character } else { REPLACEMENT })
}

fn replace(text: &str, replacement: impl Fn(char) -> char) -> Cow<'_, str> {
    // Most text is safe, and is not copied.
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|character| if is_unsafe(character) { replacement(character) } else { character }).collect()
}

/// JSON in which all unsafe characters inside strings are escaped. A serializer escapes only those
/// below U+0020. Newlines between values stay.
#[must_use]
pub fn escape_json(json: &str) -> Cow<'_, str> {
    escape(json)
}

/// RDF in N-Triples, N-Quads, Turtle or TriG in which all unsafe characters inside literals and IRIs
/// are escaped, so the statements stay the same.
#[must_use]
pub fn escape_rdf(rdf: &str) -> Cow<'_, str> {
    escape(rdf)
}

/// Writes unsafe characters as `\uXXXX`, which has the same meaning in JSON and in RDF. Outside of
/// strings and IRIs, only newlines, tabs and carriage returns can occur; they stay.
fn escape(text: &str) -> Cow<'_, str> {
    let must_escape = |character: char| is_unsafe(character) && !matches!(character, '\n' | '\r' | '\t');
    if !text.contains(must_escape) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 64);
    for character in text.chars() {
        if must_escape(character) {
            // All unsafe characters are below U+10000.
            write!(escaped, "\\u{:04X}", u32::from(character)).expect("a string accepts all text");
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[31mb\u{202e}c\u{9b}d\u{7f}e\u{2066}f\u{200f}g";

    #[test]
    fn a_count_has_a_singular_and_a_plural() {
        assert_eq!(counted(1_u64, "document"), "1 document");
        assert_eq!(counted(0_u64, "document"), "0 documents");
        assert_eq!(counted(2_usize, "entity"), "2 entities");
        assert_eq!(counted(2_usize, "day"), "2 days");
        assert_eq!(counted(2_usize, "match"), "2 matches");
    }

    #[test]
    fn a_size_has_a_unit_and_few_digits() {
        assert_eq!(size_text(999), "999 B");
        assert_eq!(size_text(2_345_678), "2.3 MB");
        assert_eq!(size_text(45_678), "45 kB");
    }

    #[test]
    fn a_value_stays_in_one_line_without_controls() {
        assert_eq!(single_line(HOSTILE), "a\u{fffd}[31mb\u{fffd}c\u{fffd}d\u{fffd}e\u{fffd}f\u{fffd}g");
        assert_eq!(single_line("a\r\nb\tc\u{2028}d"), "a  b c d");
        assert!(matches!(single_line("Köln, 東京, עברית"), Cow::Borrowed(_)));
    }

    #[test]
    fn lines_of_a_text_stay() {
        assert_eq!(multi_line("a\n\tb\rc\u{1b}d"), "a\n\tb\u{fffd}c\u{fffd}d");
    }

    #[test]
    fn escaped_json_has_the_same_value_and_no_controls() {
        let json = serde_json::to_string_pretty(&serde_json::json!({ "label": HOSTILE })).unwrap();

        let escaped = escape_json(&json);

        assert!(!escaped.contains(|character| is_unsafe(character) && character != '\n'), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap()["label"], HOSTILE);
    }

    #[test]
    fn escaped_rdf_has_the_same_statements() {
        let quads = format!("<urn:a\u{202e}> <urn:p> \"{HOSTILE}\" .\n");

        let escaped = escape_rdf(&quads);

        let parse = |text: &str| oxttl::NQuadsParser::new().for_slice(text).collect::<Result<Vec<_>, _>>().unwrap();
        assert!(!escaped.contains(|character| is_unsafe(character) && character != '\n'), "{escaped}");
        assert_eq!(parse(&escaped), parse(&quads));
    }
}
