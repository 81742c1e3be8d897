//! JSON as JSON-LD needs it: with the numbers as they were written, the
//! entries in their order, strings borrowed from the text where they can be,
//! and nothing nested deeper than the readers of it can follow.

use std::borrow::Cow;
use std::collections::HashMap;

/// A JSON value, borrowed from the text where possible.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json<'a> {
    Null,
    Bool(bool),
    /// As it was written, which is a number.
    Number(Cow<'a, str>),
    String(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    Object(Object<'a>),
}

/// The entries of an object in their order. Of entries with the same key, the
/// last has the say.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Object<'a>(pub(super) Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> Object<'a> {
    /// The value of a key. Looks through all entries: not for loops.
    pub(super) fn get(&self, key: &str) -> Option<&Json<'a>> {
        self.iter().find_map(|(name, value)| (name == key).then_some(value))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Json<'a>)> {
        self.0.iter().map(|(key, value)| (&**key, value))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl<'a> Json<'a> {
    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_scalar(&self) -> bool {
        matches!(self, Self::Bool(_) | Self::Number(_) | Self::String(_))
    }

    /// The elements of an array, or else the value as the only one.
    pub(super) fn elements(&self) -> &[Json<'a>] {
        match self {
            Self::Array(elements) => elements,
            value => std::slice::from_ref(value),
        }
    }

    pub(super) fn into_owned(self) -> Json<'static> {
        match self {
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(value),
            Self::Number(text) => Json::Number(Cow::Owned(text.into_owned())),
            Self::String(text) => Json::String(Cow::Owned(text.into_owned())),
            Self::Array(elements) => Json::Array(elements.into_iter().map(Json::into_owned).collect()),
            Self::Object(Object(entries)) => {
                let owned = |(key, value): (Cow<'_, str>, Json<'_>)| (Cow::Owned(key.into_owned()), value.into_owned());
                Json::Object(Object(entries.into_iter().map(owned).collect()))
            }
        }
    }
}

/// What is not JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotJson {
    /// The byte at which it stops being JSON.
    pub(super) at: usize,
    pub(super) what: &'static str,
}

/// What is said of text that nests too deep.
pub(super) const TOO_DEEP: &str = "nested too deep to be read";

/// Reads a text that is one JSON value.
pub(super) fn parse(text: &str, depth_max: usize) -> Result<Json<'_>, NotJson> {
    let mut parser = Parser { text, at: 0, depth_left: depth_max };
    let value = parser.value()?;
    parser.skip_space();
    if parser.at < text.len() { Err(parser.stop("text after the end of the value")) } else { Ok(value) }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth_left: usize,
}

impl<'a> Parser<'a> {
    fn stop(&self, what: &'static str) -> NotJson {
        NotJson { at: self.at, what }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// The next byte that is not white space, which is passed over if it is
    /// the one that is asked for.
    fn take(&mut self, byte: u8) -> bool {
        self.skip_space();
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn value(&mut self) -> Result<Json<'a>, NotJson> {
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => Err(self.stop("no JSON value")),
            None => Err(self.stop("the text ends early")),
        }
    }

    fn nested(&mut self, inside: fn(&mut Self) -> Result<Json<'a>, NotJson>) -> Result<Json<'a>, NotJson> {
        self.depth_left = self.depth_left.checked_sub(1).ok_or_else(|| self.stop(TOO_DEEP))?;
        self.at += 1;
        let value = inside(self)?;
        self.depth_left += 1;
        Ok(value)
    }

    fn array(&mut self) -> Result<Json<'a>, NotJson> {
        let mut elements = Vec::new();
        if self.take(b']') {
            return Ok(Json::Array(elements));
        }
        loop {
            elements.push(self.value()?);
            if self.take(b']') {
                return Ok(Json::Array(elements));
            }
            if !self.take(b',') {
                return Err(self.stop("a comma or bracket is missing"));
            }
        }
    }

    fn object(&mut self) -> Result<Json<'a>, NotJson> {
        let mut entries = Vec::new();
        if self.take(b'}') {
            return Ok(Json::Object(Object(entries)));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.stop("a key is missing"));
            }
            let key = self.string()?;
            if !self.take(b':') {
                return Err(self.stop("a colon is missing"));
            }
            entries.push((key, self.value()?));
            if self.take(b'}') {
                return Ok(Json::Object(Object(distinct(entries))));
            }
            if !self.take(b',') {
                return Err(self.stop("a comma or brace is missing"));
            }
        }
    }

    fn word(&mut self, word: &'static str, value: Json<'a>) -> Result<Json<'a>, NotJson> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.stop("no JSON value"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Result<Json<'a>, NotJson> {
        let rest = &self.text[self.at..];
        let len = number_len(rest.as_bytes()).ok_or_else(|| self.stop("no JSON number"))?;
        self.at += len;
        Ok(Json::Number(Cow::Borrowed(&rest[..len])))
    }

    fn string(&mut self) -> Result<Cow<'a, str>, NotJson> {
        self.at += 1;
        let mut text = Cow::Borrowed("");
        loop {
            let rest = &self.text[self.at..];
            let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..=0x1f);
            let len = rest.bytes().position(|byte| is_special(&byte)).unwrap_or(rest.len());
            self.at += len;
            // Adding to nothing borrows.
            text += &rest[..len];
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.to_mut().push(self.escape()?),
                Some(_) => return Err(self.stop("a control character in a string")),
                None => return Err(self.stop("a string does not end")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, NotJson> {
        let (len, c) = unescaped(&self.text[self.at..]).ok_or_else(|| self.stop("no JSON escape"))?;
        self.at += len;
        Ok(c)
    }
}

/// How long the number is that the text begins with.
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

/// The character that the escape at the beginning of the text stands for, and
/// how long it is. Half a surrogate pair is no character.
pub(super) fn unescaped(text: &str) -> Option<(usize, char)> {
    let c = match text.as_bytes().get(1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\x08',
        b'f' => '\x0c',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unescaped_unit(text),
        _ => return None,
    };
    Some((2, c))
}

fn unescaped_unit(text: &str) -> Option<(usize, char)> {
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

/// Leaves the last of the values of each key.
fn distinct<'a>(mut entries: Vec<(Cow<'a, str>, Json<'a>)>) -> Vec<(Cow<'a, str>, Json<'a>)> {
    let has_twins = if entries.len() <= 8 {
        entries.iter().enumerate().any(|(at, (key, _))| entries[..at].iter().any(|(other, _)| other == key))
    } else {
        let keys: std::collections::HashSet<&str> = entries.iter().map(|(key, _)| &**key).collect();
        keys.len() < entries.len()
    };
    if has_twins {
        let last: HashMap<String, usize> =
            entries.iter().enumerate().map(|(at, (key, _))| (key.clone().into_owned(), at)).collect();
        let mut at = 0..;
        entries.retain(|(key, _)| last[&**key] == at.next().expect("it has no end"));
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_as_it_was_written() {
        let value =
            parse(r#" {"a": [1.50, -0e1, true, null], "b\u00e9\ud83d\ude00\n": "x", "a": "last"} "#, 9).unwrap();

        let Json::Object(object) = value else { panic!("an object") };
        assert_eq!(object.len(), 2);
        assert_eq!(object.get("a").and_then(Json::as_str), Some("last"));
        assert_eq!(object.get("bé😀\n").and_then(Json::as_str), Some("x"));
        assert_eq!(parse("1.50", 0).unwrap(), Json::Number("1.50".into()));
        assert_eq!(parse(r#""\ud83d!""#, 0).unwrap(), Json::String("\u{fffd}!".into()));
    }

    #[test]
    fn what_is_not_json_is_refused_where_it_is() {
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
    fn depth_is_bounded() {
        assert!(parse("[[[[]]], [[[]]]]", 4).is_ok());
        assert_eq!(parse(&"[".repeat(1_000_000), 128).unwrap_err(), NotJson { at: 128, what: TOO_DEEP });
    }
}
