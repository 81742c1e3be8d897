//! Repairing text that is almost JSON.
//!
//! The JSON in script elements often has a wrong comma, a comment or a line break, and browsers do
//! not report it. The text is read once from front to back, with a stack of open brackets, and
//! written again with missing parts inserted and extra parts omitted. The output is always valid
//! JSON. Whether it is what the author meant is not certain, so repairs are tried only on invalid
//! JSON.
//!
//! If the text is truncated, its last, incomplete value is omitted: half a URL is a different URL.

mod comment;
mod string;

use comment::comment_len;

use super::json::number_len;

/// The repaired text, and a list of the repairs. `None` if the text cannot be repaired.
pub(super) fn repair(text: &str) -> Option<(String, Vec<&'static str>)> {
    if is_template(text) {
        return None;
    }
    let decoded;
    let mut notes = Vec::new();
    let mut text = text;
    if is_encoded(text) {
        decoded = htmlize::unescape(text);
        text = &decoded;
        notes.push("character references");
    }
    let mut repairer =
        JsonRepairer { text, at: 0, out: String::with_capacity(text.len() + 16), stack: Vec::new(), values: 0, notes };
    repairer.run();
    (repairer.values > 0).then(|| repairer.finish())
}

/// Whether the text is a template whose placeholders were not filled in.
fn is_template(text: &str) -> bool {
    let mut marks = memchr::memchr2_iter(b'{', b'<', text.as_bytes()).map(|at| &text[at..]);
    marks.any(|mark| match mark.strip_prefix("{{") {
        Some(inside) => !inside.trim_start().starts_with(['"', '\'']),
        None => ["{%", "<?", "<%"].iter().any(|it| mark.starts_with(it)),
    })
}

/// Whether the quotes themselves are written as character references.
fn is_encoded(text: &str) -> bool {
    let inside = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '[' | '\u{feff}'));
    ["&quot;", "&#34;", "&#034;", "&#x22;"].iter().any(|quote| inside.starts_with(quote))
}

/// An open bracket, and what is expected next in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenBracket {
    Array(ExpectedNext),
    Object(ExpectedNext),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpectedNext {
    /// The first element or key.
    First,
    /// A comma, or the end.
    Comma,
    /// An element or a key after a comma.
    Another,
    /// The colon after a key.
    Colon,
    /// The value after a colon.
    Value,
}

struct JsonRepairer<'a> {
    text: &'a str,
    at: usize,
    out: String,
    stack: Vec<OpenBracket>,
    /// The number of values at the top level.
    values: usize,
    notes: Vec<&'static str>,
}

impl JsonRepairer<'_> {
    fn run(&mut self) {
        while let Some(c) = self.peek_significant() {
            match self.stack.last().copied() {
                None => self.repair_top_level(c),
                Some(open) if matches!(c, b'}' | b']') => self.close(c, open),
                Some(OpenBracket::Array(next)) => self.repair_array(c, next),
                Some(OpenBracket::Object(next)) => self.repair_object(c, next),
            }
        }
        if !self.stack.is_empty() {
            self.note("end missing");
        }
        while let Some(open) = self.stack.pop() {
            self.write_end(open);
        }
    }

    fn finish(mut self) -> (String, Vec<&'static str>) {
        if self.values > 1 {
            self.note("several values");
            self.out.insert(0, '[');
            self.out.push(']');
        }
        (self.out, self.notes)
    }

    fn note(&mut self, what: &'static str) {
        if !self.notes.contains(&what) {
            self.notes.push(what);
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The next byte that is neither white space nor in a comment.
    fn peek_significant(&mut self) -> Option<u8> {
        loop {
            let rest = &self.text[self.at..];
            let space = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
            if space > 0 {
                if !rest[..space].bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
                    self.note("white space");
                }
                self.at += space;
                continue;
            }
            let Some(len) = comment_len(rest) else { return rest.bytes().next() };
            self.at += len;
            self.note("comment");
        }
    }

    /// Skips an unexpected character.
    fn skip(&mut self, what: &'static str) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
        self.note(what);
    }

    fn repair_top_level(&mut self, c: u8) {
        match c {
            b'{' | b'[' => {
                self.out.push_str(if self.values > 0 { "," } else { "" });
                self.values += 1;
                self.open(c);
            }
            b'"' if self.values == 0 && self.rest().starts_with("\"@") => {
                self.values += 1;
                self.note("start missing");
                self.out.push('{');
                self.stack.push(OpenBracket::Object(ExpectedNext::First));
            }
            b';' | b',' => self.skip("separator"),
            _ => self.skip("text around"),
        }
    }

    fn open(&mut self, c: u8) {
        self.out.push(char::from(c));
        self.stack.push(if c == b'{' {
            OpenBracket::Object(ExpectedNext::First)
        } else {
            OpenBracket::Array(ExpectedNext::First)
        });
        self.at += 1;
    }

    fn expect(&mut self, next: ExpectedNext) {
        if let Some(OpenBracket::Array(now) | OpenBracket::Object(now)) = self.stack.last_mut() {
            *now = next;
        }
    }

    fn close(&mut self, c: u8, open: OpenBracket) {
        let is_match = |open: &OpenBracket| match open {
            OpenBracket::Array(_) => c == b']',
            OpenBracket::Object(_) => c == b'}',
        };
        self.at += 1;
        if !is_match(&open) {
            self.note("brackets");
            // Only the next outer bracket is checked: searching further would take quadratic time.
            let around = self.stack.len().checked_sub(2).map(|at| self.stack[at]);
            if !around.is_some_and(|around| is_match(&around)) {
                return;
            }
            self.stack.pop();
            self.write_end(open);
            self.expect(ExpectedNext::Comma);
        }
        if let Some(open) = self.stack.pop() {
            self.write_end(open);
        }
        self.expect(ExpectedNext::Comma);
    }

    fn write_end(&mut self, open: OpenBracket) {
        match open {
            OpenBracket::Array(next) => {
                if next == ExpectedNext::Another {
                    self.note("trailing comma");
                }
                self.out.push(']');
            }
            OpenBracket::Object(next) => {
                match next {
                    ExpectedNext::Another => self.note("trailing comma"),
                    ExpectedNext::Colon => self.out.push_str(":null"),
                    ExpectedNext::Value => self.out.push_str("null"),
                    ExpectedNext::First | ExpectedNext::Comma => {}
                }
                self.out.push('}');
            }
        }
    }

    fn repair_array(&mut self, c: u8, next: ExpectedNext) {
        match (next, c) {
            (ExpectedNext::Comma, b',') => {
                self.at += 1;
                self.expect(ExpectedNext::Another);
            }
            (_, b',' | b':' | b';') => self.skip("separator"),
            _ => {
                if next == ExpectedNext::Comma {
                    self.note("comma missing");
                }
                self.out.push_str(if next == ExpectedNext::First { "" } else { "," });
                self.expect(ExpectedNext::Comma);
                self.repair_value(c);
            }
        }
    }

    fn repair_object(&mut self, c: u8, next: ExpectedNext) {
        match (next, c) {
            (ExpectedNext::Comma, b',') => {
                self.at += 1;
                self.expect(ExpectedNext::Another);
            }
            (ExpectedNext::Colon, b':') => {
                self.at += 1;
                self.out.push(':');
                self.expect(ExpectedNext::Value);
            }
            (ExpectedNext::Value | ExpectedNext::Colon, b',') => {
                self.out.push_str(if next == ExpectedNext::Colon { ":null" } else { "null" });
                self.note("value missing");
                self.expect(ExpectedNext::Comma);
            }
            (ExpectedNext::Value, b':' | b';')
            | (ExpectedNext::First | ExpectedNext::Comma | ExpectedNext::Another, b',' | b':' | b';') => {
                self.skip("separator");
            }
            (ExpectedNext::Value, _) => {
                self.expect(ExpectedNext::Comma);
                self.repair_value(c);
            }
            (ExpectedNext::Colon, _) => {
                self.note("colon missing");
                self.out.push(':');
                self.expect(ExpectedNext::Value);
            }
            (ExpectedNext::First | ExpectedNext::Comma | ExpectedNext::Another, _) => self.repair_key(c, next),
        }
    }

    fn repair_key(&mut self, c: u8, next: ExpectedNext) {
        match c {
            b'"' | b'\'' => {}
            c if is_name_byte(c) => {}
            b'{' | b'[' => return self.skip("brackets"),
            _ => return self.skip("text around"),
        }
        let before = self.out.len();
        if next == ExpectedNext::Comma {
            self.note("comma missing");
        }
        self.out.push_str(if next == ExpectedNext::First { "" } else { "," });
        let is_complete = if matches!(c, b'"' | b'\'') { self.repair_string(c, true) } else { self.name() };
        if is_complete {
            self.expect(ExpectedNext::Colon);
        } else {
            self.out.truncate(before);
            self.expect(ExpectedNext::Comma);
        }
    }

    /// Repairs a key without quotes.
    fn name(&mut self) -> bool {
        let len = self.rest().bytes().take_while(|byte| is_name_byte(*byte)).count();
        let name = &self.text[self.at..self.at + len];
        self.at += len;
        self.out.push('"');
        self.out.push_str(name);
        self.out.push('"');
        self.at += usize::from(self.rest().starts_with('"'));
        self.note("key without quotes");
        self.at < self.text.len()
    }

    fn repair_value(&mut self, c: u8) {
        match c {
            b'{' | b'[' => self.open(c),
            b'"' | b'\'' => {
                let before = self.out.len();
                if !self.repair_string(c, false) {
                    self.out.truncate(before);
                    self.out.push_str("null");
                }
            }
            _ => self.repair_unquoted(),
        }
    }

    /// Repairs a number, a word, or a value without quotes.
    fn repair_unquoted(&mut self) {
        let rest = self.rest();
        let len = rest.find([',', '}', ']', '\n', '\r']).unwrap_or(rest.len());
        let is_complete = len < rest.len();
        let word = rest[..len].trim_end().to_owned();
        self.at += len;
        let is_number = number_len(word.as_bytes()) == Some(word.len());
        match &*word {
            _ if !is_complete => self.out.push_str("null"),
            "true" | "false" | "null" => self.out.push_str(&word),
            _ if is_number => self.out.push_str(&word),
            "True" | "TRUE" => self.out.push_str("true"),
            "False" | "FALSE" => self.out.push_str("false"),
            "" | "undefined" | "None" | "NULL" | "Null" | "NaN" | "nil" => self.out.push_str("null"),
            _ => {
                self.note("value without quotes");
                self.out.push('"');
                word.chars().for_each(|c| self.push_escaped(c));
                self.out.push('"');
            }
        }
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@' | b'-')
}

#[cfg(test)]
mod tests;
