//! Reads YAML-LD: YAML is rewritten as JSON, which is read as JSON-LD.
//!
//! The [specification] maps the nodes of YAML to JSON by the core schema of YAML 1.2. An alias is replaced by a copy of
//! the node that it refers to, so that a short text can stand for a long one; the length of the result is bounded.
//! A stream may have several documents; each is read on its own.
//!
//! [specification]: https://www.w3.org/TR/yaml-ld/

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::RdfInput;

/// Maximum length of a document, which is held in memory as a whole.
const MAX_YAML_BYTES: u64 = 16 << 20;
/// Maximum length of the JSON that a document is rewritten as, for any document, and for each of its bytes.
const MAX_JSON_BYTES: (usize, usize) = (1 << 20, 8);
/// Maximum nesting depth.
const MAX_DEPTH: usize = 128;

/// Why a document is not read to its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum YamlError {
    Syntax(String),
    Limit(String),
}

/// The text of a document.
pub(super) fn read_text(input: RdfInput<'_>) -> io::Result<Result<String, YamlError>> {
    let mut bytes = Vec::new();
    match input {
        RdfInput::Slice(slice) => bytes.extend_from_slice(slice),
        RdfInput::Stream(stream) => {
            stream.take(MAX_YAML_BYTES + 1).read_to_end(&mut bytes)?;
        }
    }
    if bytes.len() as u64 > MAX_YAML_BYTES {
        return Ok(Err(YamlError::Limit(format!("YAML-LD longer than {MAX_YAML_BYTES} bytes is not read"))));
    }
    Ok(String::from_utf8(bytes).map_err(|error| YamlError::Syntax(error.to_string())))
}

/// Rewrites the documents of a stream as JSON, and passes each to `read`.
pub(super) fn rewrite(text: &str, mut read: impl FnMut(&str)) -> Result<(), YamlError> {
    let mut writer = JsonRewriter::new(MAX_JSON_BYTES.0 + MAX_JSON_BYTES.1 * text.len());
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| YamlError::Syntax(error.to_string()))?;
        if matches!(event, Event::DocumentEnd) {
            read(&std::mem::take(&mut writer.json));
            writer.anchors.clear();
        } else {
            writer.event(&event)?;
        }
    }
    Ok(())
}

/// An open collection.
struct OpenCollection {
    is_mapping: bool,
    /// Number of nodes so far: keys and values alternate in a mapping.
    nodes: usize,
    anchor: usize,
    start: usize,
}

/// Writes the events of a YAML parser as JSON.
struct JsonRewriter {
    json: String,
    max_bytes: usize,
    /// Length of the JSON of earlier documents.
    open: Vec<OpenCollection>,
    /// Where the node with an anchor is written.
    anchors: HashMap<usize, Range<usize>>,
    written: usize,
}

impl JsonRewriter {
    fn new(max_bytes: usize) -> Self {
        Self { json: String::new(), max_bytes, open: Vec::new(), anchors: HashMap::new(), written: 0 }
    }

    fn event(&mut self, event: &Event<'_>) -> Result<(), YamlError> {
        let before = self.json.len();
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_key = self.begin_node(true)?;
                let start = self.json.len();
                self.scalar(text, is_key || *style != ScalarStyle::Plain, tag.as_deref());
                self.set_anchor(*anchor, start);
            }
            Event::Alias(anchor) => {
                let range = self.anchors.get(anchor).cloned();
                let range = range.ok_or_else(|| YamlError::Syntax("an alias refers to a node around it".to_owned()))?;
                let is_string = self.json[range.clone()].starts_with('"');
                self.begin_node(is_string)?;
                self.check_length(range.len())?;
                self.json.extend_from_within(range);
            }
            Event::SequenceStart(anchor, _) => self.start(false, *anchor)?,
            Event::MappingStart(anchor, _) => self.start(true, *anchor)?,
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(closed) = self.open.pop() {
                    self.json.push(if closed.is_mapping { '}' } else { ']' });
                    self.set_anchor(closed.anchor, closed.start);
                }
            }
            _ => {}
        }
        self.written += self.json.len() - before;
        self.check_length(0)
    }

    fn check_length(&self, more: usize) -> Result<(), YamlError> {
        if self.written + more > self.max_bytes {
            return Err(YamlError::Limit("aliases expand too much; the rest is not read".to_owned()));
        }
        Ok(())
    }

    fn start(&mut self, is_mapping: bool, anchor: usize) -> Result<(), YamlError> {
        self.begin_node(false)?;
        if self.open.len() >= MAX_DEPTH {
            return Err(YamlError::Limit(format!("nested deeper than {MAX_DEPTH} levels; the rest is not read")));
        }
        self.open.push(OpenCollection { is_mapping, nodes: 0, anchor, start: self.json.len() });
        self.json.push(if is_mapping { '{' } else { '[' });
        Ok(())
    }

    /// Writes what separates a node from the one before it. Returns whether the node is a key.
    fn begin_node(&mut self, can_be_key: bool) -> Result<bool, YamlError> {
        let Some(parent) = self.open.last_mut() else { return Ok(false) };
        let is_key = parent.is_mapping && parent.nodes % 2 == 0;
        if is_key && !can_be_key {
            return Err(YamlError::Syntax("a key is not a scalar".to_owned()));
        }
        match parent.nodes {
            0 => {}
            nodes if parent.is_mapping && nodes % 2 == 1 => self.json.push(':'),
            _ => self.json.push(','),
        }
        parent.nodes += 1;
        Ok(is_key)
    }

    fn set_anchor(&mut self, anchor: usize, start: usize) {
        // 0 is no anchor.
        if anchor > 0 {
            self.anchors.insert(anchor, start..self.json.len());
        }
    }

    /// Writes a scalar by the core schema: plain `null`, booleans and numbers, or a tag, are not strings.
    fn scalar(&mut self, text: &str, is_quoted: bool, tag: Option<&Tag>) {
        let is_string = tag.is_some_and(|tag| tag.suffix == "str");
        let value = if is_quoted || is_string { None } else { plain_json(text) };
        match value {
            Some(value) => self.json.push_str(&value),
            None => write_string(text, &mut self.json),
        }
    }
}

/// A plain scalar that is not a string, as JSON (YAML 1.2, section 10.3.2).
fn plain_json(text: &str) -> Option<String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Some("null".to_owned()),
        "true" | "True" | "TRUE" => return Some("true".to_owned()),
        "false" | "False" | "FALSE" => return Some("false".to_owned()),
        _ => {}
    }
    let radix = |prefix, radix| Some(i64::from_str_radix(text.strip_prefix(prefix)?, radix).ok()?.to_string());
    if let Some(number) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Some(number);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !is_number {
        return None;
    }
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        let digits = unsigned.trim_start_matches('0');
        let sign = if text.starts_with('-') { "-" } else { "" };
        return Some(format!("{sign}{}", if digits.is_empty() { "0" } else { digits }));
    }
    let number: f64 = text.parse().ok()?;
    // `{:?}` keeps the fraction or the exponent, so that the number stays a double.
    number.is_finite().then(|| format!("{number:?}"))
}

fn write_string(text: &str, json: &mut String) {
    json.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            control if control < ' ' => {
                let _ = write!(json, "\\u{:04x}", u32::from(control));
            }
            other => json.push(other),
        }
    }
    json.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Result<Vec<String>, YamlError> {
        let mut documents = Vec::new();
        rewrite(text, |json| documents.push(json.to_owned())).map(|()| documents)
    }

    #[test]
    fn yaml_is_rewritten_by_the_core_schema() {
        let check = |text: &str, expected: &str| assert_eq!(json(text).unwrap(), [expected], "{text}");

        check("a: b\n'c': [1, -2.50, true, ~, 0x1F, 007]", r#"{"a":"b","c":[1,-2.5,true,null,31,7]}"#);
        check("1: '2'\ntrue: \"x\\ty\\\\\"", r#"{"1":"2","true":"x\u0009y\\"}"#);
        check(
            "- a: |\n    two\n    lines\n- !!str 5",
            r#"[{"a":"two\nlines\n"},"5"]"#.replace("\\n", "\\u000a").as_str(),
        );
        check("a: &x [1, {b: c}]\nd: *x", r#"{"a":[1,{"b":"c"}],"d":[1,{"b":"c"}]}"#);
        check("1.2.3: 1e3", r#"{"1.2.3":1000.0}"#);
    }

    #[test]
    fn documents_of_a_stream_are_separate() {
        assert_eq!(json("a: 1\n---\nb: 2\n").unwrap(), [r#"{"a":1}"#, r#"{"b":2}"#]);
    }

    #[test]
    fn aliases_and_nesting_are_bounded() {
        let mut laughs = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
        for level in 1..10 {
            let alias = format!("*a{}", level - 1);
            let _ = writeln!(laughs, "a{level}: &a{level} [{}]", vec![alias; 9].join(", "));
        }
        assert!(matches!(json(&laughs), Err(YamlError::Limit(_))));
        assert!(matches!(json(&"- ".repeat(1_000)), Err(YamlError::Limit(_))));
        assert!(json("a: &x [*x]").is_err());
        assert!(json("? [a]\n: b").is_err());
        assert!(json("a: [").is_err());
    }
}
