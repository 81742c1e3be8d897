//! Canonical forms: [RFC 8785] for JSON literals, and those of `xsd:integer` and `xsd:double`.
//!
//! [RFC 8785]: https://www.rfc-editor.org/rfc/rfc8785

use std::fmt::Write;

use super::json::{JsonObject, JsonValue};

/// The canonical form of a number in RDF.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CanonicalNumber {
    Integer(String),
    Double(String),
}

/// The canonical form of a JSON number. A number without a fraction is an integer, however it is
/// written, if it is below 10²¹; larger ones are doubles, as in other processors.
pub(super) fn number(text: &str, is_double: bool) -> CanonicalNumber {
    if !is_double
        && text.len() <= 21
        && text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit())
    {
        return CanonicalNumber::Integer(if text == "-0" { "0".to_owned() } else { text.to_owned() });
    }
    let value: f64 = text.parse().unwrap_or(f64::NAN);
    if !is_double && value.fract() == 0.0 && value.abs() < 1e21 {
        return CanonicalNumber::Integer(format!("{:.0}", value + 0.0));
    }
    if !value.is_finite() {
        // The number is outside the range of a double.
        return CanonicalNumber::Double(if value < 0.0 { "-INF" } else { "INF" }.to_owned());
    }
    // The shortest decimal digits that parse to the same number.
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let fraction = if digits.contains('.') { "" } else { ".0" };
    CanonicalNumber::Double(format!("{digits}{fraction}E{exponent}"))
}

/// The canonical form of JSON.
pub(super) fn json(value: &JsonValue<'_>) -> String {
    let mut text = String::new();
    write_json(value, &mut text);
    text
}

fn write_json(value: &JsonValue<'_>, into: &mut String) {
    match value {
        JsonValue::Null => into.push_str("null"),
        JsonValue::Bool(value) => into.push_str(if *value { "true" } else { "false" }),
        JsonValue::Number(text) => write_number(text.parse().unwrap_or(0.0), into),
        JsonValue::String(text) => write_string(text, into),
        JsonValue::Array(elements) => {
            into.push('[');
            for (at, element) in elements.iter().enumerate() {
                into.push_str(if at > 0 { "," } else { "" });
                write_json(element, into);
            }
            into.push(']');
        }
        JsonValue::Object(JsonObject(entries)) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            into.push('{');
            for (at, (key, value)) in entries.into_iter().enumerate() {
                into.push_str(if at > 0 { "," } else { "" });
                write_string(key, into);
                into.push(':');
                write_json(value, into);
            }
            into.push('}');
        }
    }
}

/// A number as in ECMAScript.
fn write_number(value: f64, into: &mut String) {
    let text = format!("{:e}", value + 0.0);
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let _ = match exponent {
        -6..21 => write!(into, "{}", value + 0.0),
        21.. => write!(into, "{digits}e+{exponent}"),
        _ => write!(into, "{digits}e{exponent}"),
    };
}

fn write_string(text: &str, into: &mut String) {
    into.push('"');
    for c in text.chars() {
        match c {
            '"' => into.push_str("\\\""),
            '\\' => into.push_str("\\\\"),
            '\x08' => into.push_str("\\b"),
            '\x0c' => into.push_str("\\f"),
            '\n' => into.push_str("\\n"),
            '\r' => into.push_str("\\r"),
            '\t' => into.push_str("\\t"),
            c @ ..'\x20' => {
                let _ = write!(into, "\\u{:04x}", u32::from(c));
            }
            c => into.push(c),
        }
    }
    into.push('"');
}

#[cfg(test)]
mod tests {
    use super::super::json::parse;
    use super::*;

    #[test]
    fn numbers_have_a_canonical_form() {
        let check = |text: &str, expected: &str| {
            let written = match number(text, false) {
                CanonicalNumber::Integer(text) | CanonicalNumber::Double(text) => text,
            };
            assert_eq!(written, expected);
        };

        check("1", "1");
        check("-0", "0");
        check("1.0", "1");
        check("-0.0", "0");
        check("1e3", "1000");
        check("12345678901234567890", "12345678901234567890");
        check("5.30", "5.3E0");
        check("-0.00123", "-1.23E-3");
        check("1e21", "1.0E21");
        check("1e999", "INF");
        assert_eq!(number("10", true), CanonicalNumber::Double("1.0E1".to_owned()));
        assert_eq!(number("0", true), CanonicalNumber::Double("0.0E0".to_owned()));
    }

    #[test]
    fn json_has_a_canonical_form() {
        let check = |text: &str, expected: &str| assert_eq!(json(&parse(text, 9).unwrap()), expected);

        check(
            r#"{"b": [1.0, 1e21, 1E-7, 0.000001, -0, 1e+2], "a": null}"#,
            r#"{"a":null,"b":[1,1e+21,1e-7,0.000001,0,100]}"#,
        );
        check(r#""\u0007\/\u00e9\"\n""#, r#""\u0007/é\"\n""#);
        check(r#"{"\ufb33": 1, "\ud83d\ude02": 2}"#, "{\"😂\":2,\"\u{fb33}\":1}");
    }
}
