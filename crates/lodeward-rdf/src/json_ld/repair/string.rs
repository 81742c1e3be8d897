//! Repairing strings, and finding their end.

use std::fmt::Write;

use super::super::json::decode_escape;
use super::comment::is_comment;
use super::{JsonRepairer, OpenBracket, is_name_byte};

impl JsonRepairer<'_> {
    /// Writes a repaired string. Returns whether the string has an end quote.
    pub(super) fn repair_string(&mut self, quote: u8, is_key: bool) -> bool {
        if quote == b'\'' {
            self.note("single quotes");
        }
        self.at += 1;
        self.out.push('"');
        while let Some(c) = self.rest().chars().next() {
            if c == char::from(quote) && (is_key || self.is_end_of_string()) {
                self.at += 1;
                self.out.push('"');
                return true;
            }
            if c == '\\' {
                self.repair_escape();
                continue;
            }
            self.at += c.len_utf8();
            if c == '"' && quote == b'"' {
                self.note("quotes within quotes");
            } else if c < ' ' {
                self.note("control characters");
            }
            self.push_escaped(c);
        }
        false
    }

    /// Writes an escape; an invalid one is written literally.
    fn repair_escape(&mut self) {
        let rest = &self.text[self.at..];
        if let Some((len, _)) = decode_escape(rest) {
            self.out.push_str(&rest[..len]);
            self.at += len;
            return;
        }
        self.note("stray backslash");
        self.at += 1;
        match rest.as_bytes().get(1) {
            Some(b'\'') => {}
            // A line continuation.
            Some(b'\n') => self.at += 1,
            _ => self.out.push_str("\\\\"),
        }
    }

    pub(super) fn push_escaped(&mut self, c: char) {
        match c {
            '"' => self.out.push_str("\\\""),
            '\\' => self.out.push_str("\\\\"),
            '\n' => self.out.push_str("\\n"),
            '\r' => self.out.push_str("\\r"),
            '\t' => self.out.push_str("\\t"),
            c if c < ' ' => {
                let _ = write!(self.out, "\\u{:04x}", u32::from(c));
            }
            c => self.out.push(c),
        }
    }

    /// Whether a quote ends its string, judged by what follows.
    fn is_end_of_string(&self) -> bool {
        let after = &self.text[self.at + 1..];
        let rest = after.trim_start();
        let is_next_line = after[..after.len() - rest.len()].contains('\n');
        match rest.as_bytes().first() {
            None | Some(b'}' | b']' | b';') => true,
            Some(b'"' | b'\'') => is_next_line,
            Some(b',') => self.is_separator(rest[1..].trim_start()),
            Some(_) => is_comment(rest),
        }
    }

    /// Whether the comma before this text separates values, and is not part of a string.
    fn is_separator(&self, rest: &str) -> bool {
        let is_array = matches!(self.stack.last(), Some(OpenBracket::Array(_)));
        match rest.as_bytes().first() {
            None | Some(b'"' | b'\'' | b'}' | b']' | b',' | b'{') => true,
            Some(b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') if is_array => true,
            Some(_) if is_comment(rest) => true,
            Some(_) => {
                let name = rest.bytes().take(64).take_while(|byte| is_name_byte(*byte)).count();
                // The name can be followed by a quote whose opening quote is missing.
                let after = rest[name..].trim_start_matches('"').trim_start();
                name > 0 && after.starts_with(':')
            }
        }
    }
}
