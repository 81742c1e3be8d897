//! JSON from what was meant to be JSON.
//!
//! What people and their templates write into script elements is often JSON
//! but for a comma, a comment or a line break, and browsers never complain.
//! The text is read once, from front to back, with a stack of the brackets that
//! are open, and written again with what is missing put in and what is too much
//! left out. So what comes out is always JSON; whether it is what was meant is
//! another matter, which is why it is only tried on what is none.
//!
//! Of a text that breaks off, the value that it breaks off in is left out: half
//! an address is another address.

mod comment;
mod string;

use comment::comment_len;

use super::json::number_len;

/// The text as JSON, and what was done to it. `None` if there is no telling.
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
    let mut mender =
        Mender { text, at: 0, out: String::with_capacity(text.len() + 16), stack: Vec::new(), values: 0, notes };
    mender.run();
    (mender.values > 0).then(|| mender.finish())
}

/// Whether something was to be filled in that was not: it is not what it says.
fn is_template(text: &str) -> bool {
    let mut marks = memchr::memchr2_iter(b'{', b'<', text.as_bytes()).map(|at| &text[at..]);
    marks.any(|mark| match mark.strip_prefix("{{") {
        Some(inside) => !inside.trim_start().starts_with(['"', '\'']),
        None => ["{%", "<?", "<%"].iter().any(|it| mark.starts_with(it)),
    })
}

/// Whether the very quotes are written as character references.
fn is_encoded(text: &str) -> bool {
    let inside = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '[' | '\u{feff}'));
    ["&quot;", "&#34;", "&#034;", "&#x22;"].iter().any(|quote| inside.starts_with(quote))
}

/// What is open, and what is expected next in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Array(Next),
    Object(Next),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
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

struct Mender<'a> {
    text: &'a str,
    at: usize,
    out: String,
    stack: Vec<Open>,
    /// How many values there are beside each other.
    values: usize,
    notes: Vec<&'static str>,
}

impl Mender<'_> {
    fn run(&mut self) {
        while let Some(c) = self.significant() {
            match self.stack.last().copied() {
                None => self.outside(c),
                Some(open) if matches!(c, b'}' | b']') => self.close(c, open),
                Some(Open::Array(next)) => self.in_array(c, next),
                Some(Open::Object(next)) => self.in_object(c, next),
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

    /// The next byte that is neither white space nor within a comment.
    fn significant(&mut self) -> Option<u8> {
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

    /// Passes over a character that has no business here.
    fn skip(&mut self, what: &'static str) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
        self.note(what);
    }

    fn outside(&mut self, c: u8) {
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
                self.stack.push(Open::Object(Next::First));
            }
            b';' | b',' => self.skip("separator"),
            _ => self.skip("text around"),
        }
    }

    fn open(&mut self, c: u8) {
        self.out.push(char::from(c));
        self.stack.push(if c == b'{' { Open::Object(Next::First) } else { Open::Array(Next::First) });
        self.at += 1;
    }

    fn expect(&mut self, next: Next) {
        if let Some(Open::Array(now) | Open::Object(now)) = self.stack.last_mut() {
            *now = next;
        }
    }

    fn close(&mut self, c: u8, open: Open) {
        let is_match = |open: &Open| match open {
            Open::Array(_) => c == b']',
            Open::Object(_) => c == b'}',
        };
        self.at += 1;
        if !is_match(&open) {
            self.note("brackets");
            // Only the one around: looking further would take time without end.
            let around = self.stack.len().checked_sub(2).map(|at| self.stack[at]);
            if !around.is_some_and(|around| is_match(&around)) {
                return;
            }
            self.stack.pop();
            self.write_end(open);
            self.expect(Next::Comma);
        }
        if let Some(open) = self.stack.pop() {
            self.write_end(open);
        }
        self.expect(Next::Comma);
    }

    fn write_end(&mut self, open: Open) {
        match open {
            Open::Array(next) => {
                if next == Next::Another {
                    self.note("trailing comma");
                }
                self.out.push(']');
            }
            Open::Object(next) => {
                match next {
                    Next::Another => self.note("trailing comma"),
                    Next::Colon => self.out.push_str(":null"),
                    Next::Value => self.out.push_str("null"),
                    Next::First | Next::Comma => {}
                }
                self.out.push('}');
            }
        }
    }

    fn in_array(&mut self, c: u8, next: Next) {
        match (next, c) {
            (Next::Comma, b',') => {
                self.at += 1;
                self.expect(Next::Another);
            }
            (_, b',' | b':' | b';') => self.skip("separator"),
            _ => {
                if next == Next::Comma {
                    self.note("comma missing");
                }
                self.out.push_str(if next == Next::First { "" } else { "," });
                self.expect(Next::Comma);
                self.value(c);
            }
        }
    }

    fn in_object(&mut self, c: u8, next: Next) {
        match (next, c) {
            (Next::Comma, b',') => {
                self.at += 1;
                self.expect(Next::Another);
            }
            (Next::Colon, b':') => {
                self.at += 1;
                self.out.push(':');
                self.expect(Next::Value);
            }
            (Next::Value | Next::Colon, b',') => {
                self.out.push_str(if next == Next::Colon { ":null" } else { "null" });
                self.note("value missing");
                self.expect(Next::Comma);
            }
            (Next::Value, b':' | b';') | (Next::First | Next::Comma | Next::Another, b',' | b':' | b';') => {
                self.skip("separator");
            }
            (Next::Value, _) => {
                self.expect(Next::Comma);
                self.value(c);
            }
            (Next::Colon, _) => {
                self.note("colon missing");
                self.out.push(':');
                self.expect(Next::Value);
            }
            (Next::First | Next::Comma | Next::Another, _) => self.key(c, next),
        }
    }

    fn key(&mut self, c: u8, next: Next) {
        match c {
            b'"' | b'\'' => {}
            c if is_name_byte(c) => {}
            b'{' | b'[' => return self.skip("brackets"),
            _ => return self.skip("text around"),
        }
        let before = self.out.len();
        if next == Next::Comma {
            self.note("comma missing");
        }
        self.out.push_str(if next == Next::First { "" } else { "," });
        let is_whole = if matches!(c, b'"' | b'\'') { self.string(c, true) } else { self.name() };
        if is_whole {
            self.expect(Next::Colon);
        } else {
            self.out.truncate(before);
            self.expect(Next::Comma);
        }
    }

    /// A key without quotes.
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

    fn value(&mut self, c: u8) {
        match c {
            b'{' | b'[' => self.open(c),
            b'"' | b'\'' => {
                let before = self.out.len();
                if !self.string(c, false) {
                    self.out.truncate(before);
                    self.out.push_str("null");
                }
            }
            _ => self.bare(),
        }
    }

    /// A number, a word, or something that lacks its quotes.
    fn bare(&mut self) {
        let rest = self.rest();
        let len = rest.find([',', '}', ']', '\n', '\r']).unwrap_or(rest.len());
        let is_whole = len < rest.len();
        let word = rest[..len].trim_end().to_owned();
        self.at += len;
        let is_number = number_len(word.as_bytes()) == Some(word.len());
        match &*word {
            _ if !is_whole => self.out.push_str("null"),
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
