//! A JSON parser for JSON-LD: it preserves numbers as written and the order of entries, borrows
//! strings from the text where possible, and limits the nesting depth.

use std::borrow::Cow;
use std::collections::HashMap;

/// A JSON value, borrowed from the text where possible.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum JsonValue<'a> {
    Null,
    Bool(bool),
    /// The number as written.
    Number(Cow<'a, str>),
    String(Cow<'a, str>),
    Array(Vec<JsonValue<'a>>),
    Object(JsonObject<'a>),
}

/// The entries of an object in order. If a key is repeated, the last value applies.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct JsonObject<'a>(pub(super) Vec<(Cow<'a, str>, JsonValue<'a>)>);

impl<'a> JsonObject<'a> {
    /// The value of a key. This is a linear search: do not use it in loops.
    pub(super) fn get(&self, key: &str) -> Option<&JsonValue<'a>> {
        self.iter().find_map(|(name, value)| (name == key).then_some(value))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &JsonValue<'a>)> {
        self.0.iter().map(|(key, value)| (&**key, value))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl<'a> JsonValue<'a> {
    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_scalar(&self) -> bool {
        matches!(self, Self::Bool(_) | Self::Number(_) | Self::String(_))
    }

    /// The elements of an array; any other value is treated as an array with one element.
    pub(super) fn elements(&self) -> &[JsonValue<'a>] {
        match self {
            Self::Array(elements) => elements,
            value => std::slice::from_ref(value),
        }
    }

    pub(super) fn into_owned(self) -> JsonValue<'static> {
        match self {
            Self::Null => JsonValue::Null,
            Self::Bool(value) => JsonValue::Bool(value),
            Self::Number(text) => JsonValue::Number(Cow::Owned(text.into_owned())),
            Self::String(text) => JsonValue::String(Cow::Owned(text.into_owned())),
            Self::Array(elements) => JsonValue::Array(elements.into_iter().map(JsonValue::into_owned).collect()),
            Self::Object(JsonObject(entries)) => {
                let owned =
                    |(key, value): (Cow<'_, str>, JsonValue<'_>)| (Cow::Owned(key.into_owned()), value.into_owned());
                JsonValue::Object(JsonObject(entries.into_iter().map(owned).collect()))
            }
        }
    }
}

/// Why a text is not JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JsonSyntaxError {
    /// The offset of the first invalid byte.
    pub(super) at: usize,
    pub(super) message: &'static str,
}

/// The message for text that is nested too deep.
pub(super) const TOO_DEEP: &str = "nested too deep";

/// Parses a text that is one JSON value.
pub(super) fn parse(text: &str, max_depth: usize) -> Result<JsonValue<'_>, JsonSyntaxError> {
    let mut parser = JsonParser { text, at: 0, depth_left: max_depth };
    let value = parser.value()?;
    parser.skip_space();
    if parser.at < text.len() { Err(parser.error("text after the value")) } else { Ok(value) }
}

struct JsonParser<'a> {
    text: &'a str,
    at: usize,
    depth_left: usize,
}

impl<'a> JsonParser<'a> {
    fn error(&self, message: &'static str) -> JsonSyntaxError {
        JsonSyntaxError { at: self.at, message }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Consumes this byte, if it is the next one that is not white space.
    fn consume(&mut self, byte: u8) -> bool {
        self.skip_space();
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self) -> Result<JsonValue<'a>, JsonSyntaxError> {
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(JsonValue::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.keyword("true", JsonValue::Bool(true)),
            Some(b'f') => self.keyword("false", JsonValue::Bool(false)),
            Some(b'n') => self.keyword("null", JsonValue::Null),
            Some(_) => Err(self.error("invalid value")),
            None => Err(self.error("unexpected end of text")),
        }
    }

    fn nested(
        &mut self,
        inside: fn(&mut Self) -> Result<JsonValue<'a>, JsonSyntaxError>,
    ) -> Result<JsonValue<'a>, JsonSyntaxError> {
        self.depth_left = self.depth_left.checked_sub(1).ok_or_else(|| self.error(TOO_DEEP))?;
        self.at += 1;
        let value = inside(self)?;
        self.depth_left += 1;
        Ok(value)
    }

    fn array(&mut self) -> Result<JsonValue<'a>, JsonSyntaxError> {
        let mut elements = Vec::new();
        if self.consume(b']') {
            return Ok(JsonValue::Array(elements));
        }
        loop {
            elements.push(self.value()?);
            if self.consume(b']') {
                return Ok(JsonValue::Array(elements));
            }
            if !self.consume(b',') {
                return Err(self.error("missing comma or bracket"));
            }
        }
    }

    fn object(&mut self) -> Result<JsonValue<'a>, JsonSyntaxError> {
        let mut entries = Vec::new();
        if self.consume(b'}') {
            return Ok(JsonValue::Object(JsonObject(entries)));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.error("missing key"));
            }
            let key = self.string()?;
            if !self.consume(b':') {
                return Err(self.error("missing colon"));
            }
            entries.push((key, self.value()?));
            if self.consume(b'}') {
                return Ok(JsonValue::Object(JsonObject(dedup_keys(entries))));
            }
            if !self.consume(b',') {
                return Err(self.error("missing comma or brace"));
            }
        }
    }

    fn keyword(&mut self, word: &'static str, value: JsonValue<'a>) -> Result<JsonValue<'a>, JsonSyntaxError> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.error("invalid value"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Result<JsonValue<'a>, JsonSyntaxError> {
        let rest = &self.text[self.at..];
        let len = number_len(rest.as_bytes()).ok_or_else(|| self.error("invalid number"))?;
        self.at += len;
        Ok(JsonValue::Number(Cow::Borrowed(&rest[..len])))
    }

    fn string(&mut self) -> Result<Cow<'a, str>, JsonSyntaxError> {
        self.at += 1;
        let mut text = Cow::Borrowed("");
        loop {
            let rest = &self.text[self.at..];
            let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..=0x1f);
            let len = rest.bytes().position(|byte| is_special(&byte)).unwrap_or(rest.len());
            self.at += len;
            // Appending to an empty `Cow` borrows the text instead of copying it.
            text += &rest[..len];
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.to_mut().push(self.escape()?),
                Some(_) => return Err(self.error("control character in a string")),
                None => return Err(self.error("unterminated string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonSyntaxError> {
        let (len, c) = decode_escape(&self.text[self.at..]).ok_or_else(|| self.error("invalid escape"))?;
        self.at += len;
        Ok(c)
    }
}

/// The length of the number at the beginning of the text.
pub(super) fn number_len(text: &[u8]) -> Option<usize> {
    let digits = |at: usize| text[at.min(text.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(text.first() == Some(&b'-'));
    at += match text.get(at)? {
        b'0' => 1,
        b'1'..=b'9' => digits(at),
        _ => return None,
    };
    if text.get(at) == Some(&b'.') {
        at += 1 + Some(digits(at + 1)).filter(|len| *len > 0)?;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        at += 1 + usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        at += Some(digits(at)).filter(|len| *len > 0)?;
    }
    Some(at)
}

/// The character of the escape at the beginning of the text, and the length of the escape. An
/// unpaired surrogate is invalid.
pub(super) fn decode_escape(text: &str) -> Option<(usize, char)> {
    let c = match text.as_bytes().get(1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\x08',
        b'f' => '\x0c',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return decode_unicode_escape(text),
        _ => return None,
    };
    Some((2, c))
}

fn decode_unicode_escape(text: &str) -> Option<(usize, char)> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)
    };
    let high = unit(0)?;
    if let 0xd800..0xdc00 = high
        && let Some(low @ 0xdc00..0xe000) = unit(6)
    {
        return char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)).map(|c| (12, c));
    }
    Some((6, char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER)))
}

/// Removes all but the last value of each key.
fn dedup_keys<'a>(mut entries: Vec<(Cow<'a, str>, JsonValue<'a>)>) -> Vec<(Cow<'a, str>, JsonValue<'a>)> {
    let has_duplicates = if entries.len() <= 8 {
        entries.iter().enumerate().any(|(at, (key, _))| entries[..at].iter().any(|(other, _)| other == key))
    } else {
        let keys: std::collections::HashSet<&str> = entries.iter().map(|(key, _)| &**key).collect();
        keys.len() < entries.len()
    };
    if has_duplicates {
        let last: HashMap<String, usize> =
            entries.iter().enumerate().map(|(at, (key, _))| (key.clone().into_owned(), at)).collect();
        let mut at = 0..;
        entries.retain(|(key, _)| last[&**key] == at.next().expect("the range is unbounded"));
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_parsed_as_written() {
        let value =
            parse(r#" {"a": [1.50, -0e1, true, null], "b\u00e9\ud83d\ude00\n": "x", "a": "last"} "#, 9).unwrap();

        let JsonValue::Object(object) = value else { panic!("an object") };
        assert_eq!(object.len(), 2);
        assert_eq!(object.get("a").and_then(JsonValue::as_str), Some("last"));
        assert_eq!(object.get("bé😀\n").and_then(JsonValue::as_str), Some("x"));
        assert_eq!(parse("1.50", 0).unwrap(), JsonValue::Number("1.50".into()));
        assert_eq!(parse(r#""\ud83d!""#, 0).unwrap(), JsonValue::String("\u{fffd}!".into()));
    }

    #[test]
    fn syntax_errors_state_their_offset() {
        let check = |text: &str, at: usize| assert_eq!(parse(text, 9).map_err(|error| error.at), Err(at), "{text}");

        check("", 0);
        check("[1,]", 3);
        check("[1 2]", 3);
        check("{a: 1}", 1);
        check("{\"a\" 1}", 5);
        check("\"a\nb\"", 2);
        check("\"a\\'b\"", 2);
        check("\"\\u12\"", 1);
        check("01", 1);
        check("[1.]", 1);
        check("tru", 0);
        check("{} {}", 3);
        check("[[", 2);
    }

    #[test]
    fn nesting_depth_is_limited() {
        assert!(parse("[[[[]]], [[[]]]]", 4).is_ok());
        assert_eq!(parse(&"[".repeat(1_000_000), 128).unwrap_err(), JsonSyntaxError { at: 128, message: TOO_DEEP });
    }
}
