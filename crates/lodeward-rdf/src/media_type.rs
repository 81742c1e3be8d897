//! Media types, parsed by the WHATWG MIME Sniffing standard.
//!
//! The crate `mediatype` is not used: it rejects the malformed fields that web servers send, such
//! as `text/html;charset` or `text/turtle;;charset=utf-8`, which the standard makes readable.

/// The media type of a field without its parameters: `text/turtle` for `text/turtle; charset=utf-8`.
/// Not validated, and in the case of the field.
#[must_use]
pub fn essence(field: &str) -> &str {
    field.split(';').next().unwrap_or_default().trim()
}

/// A parsed `Content-Type` field: its essence, in lower case, and its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MediaType {
    /// Type and subtype: `text/turtle`.
    pub essence: String,
    /// Names, in lower case, and values. Each name occurs once.
    pub parameters: Vec<(String, String)>,
}

impl MediaType {
    /// Parses a field; `None` if it contains no media type.
    #[must_use]
    pub fn parse(field: &str) -> Option<Self> {
        let field = field.trim_matches(is_http_whitespace);
        let (essence, rest) = field.split_once(';').unwrap_or((field, ""));
        let (kind, subtype) = essence.split_once('/')?;
        let subtype = subtype.trim_end_matches(is_http_whitespace);
        if !is_token(kind) || !is_token(subtype) {
            return None;
        }
        let mut parsed = Self { essence: format!("{kind}/{subtype}").to_ascii_lowercase(), parameters: Vec::new() };
        parsed.parse_parameters(rest);
        Some(parsed)
    }

    /// The value of a parameter.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|parameter| parameter.0 == name).map(|parameter| parameter.1.as_str())
    }

    fn parse_parameters(&mut self, mut rest: &str) {
        while !rest.is_empty() {
            rest = rest.trim_start_matches(is_http_whitespace);
            let end = rest.find([';', '=']).unwrap_or(rest.len());
            let name = rest[..end].to_ascii_lowercase();
            rest = &rest[end..];
            let Some(after) = rest.strip_prefix('=') else {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            };
            let (value, after) = parse_value(after);
            rest = after;
            let Some(value) = value else { continue };
            let is_known = self.parameter(&name).is_some();
            if is_token(&name) && value.chars().all(is_quotable) && !is_known {
                self.parameters.push((name, value));
            }
        }
    }
}

/// A value, and the text after the semicolon that follows it.
fn parse_value(text: &str) -> (Option<String>, &str) {
    let after_semicolon = |text: &'_ str| text.find(';').map_or(text.len(), |end| end + 1);
    if let Some(quoted) = text.strip_prefix('"') {
        let (value, rest) = parse_quoted(quoted);
        let skipped = after_semicolon(rest);
        return (Some(value), &rest[skipped..]);
    }
    let end = text.find(';').unwrap_or(text.len());
    let value = text[..end].trim_end_matches(is_http_whitespace);
    ((!value.is_empty()).then(|| value.to_owned()), text.get(end + 1..).unwrap_or_default())
}

/// The text of a quoted string after its opening quote, and the rest. An unterminated string ends with the field.
#[must_use]
pub fn parse_quoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, &text[at + 1..]),
            '\\' => value.push(characters.next().map_or('\\', |(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

fn is_http_whitespace(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

fn is_token(text: &str) -> bool {
    let is_token_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token_byte)
}

fn is_quotable(character: char) -> bool {
    matches!(character, '\t' | ' '..='~' | '\u{80}'..='\u{ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_is_split_into_essence_and_parameters() {
        let check = |field: &str, essence: &str, charset: Option<&str>| {
            let parsed = MediaType::parse(field).unwrap();
            assert_eq!((parsed.essence.as_str(), parsed.parameter("charset")), (essence, charset), "{field}");
        };

        check("text/html", "text/html", None);
        check(" Text/HTML;Charset=\"utf-8\" ", "text/html", Some("utf-8"));
        check("text/turtle; q=1; charset=latin1;charset=other", "text/turtle", Some("latin1"));
        check("text/html;charset=\"a\\\"b", "text/html", Some("a\"b"));
        check("text/html;charset", "text/html", None);
    }

    #[test]
    fn field_without_media_type_is_rejected() {
        for field in ["", "html", "text/", "/html", "te xt/html", "text/ht ml", "*"] {
            assert_eq!(MediaType::parse(field), None, "{field}");
        }
    }
}
