//! The document type of an XML document, and the entities that it declares.
//!
//! A declaration of twenty bytes can double the text of another entity ("billion laughs"), so
//! entities are expanded here, within limits, before a parser sees them. Only the internal subset
//! is read: external entities are never loaded, and parameter entities are ignored.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use memchr::memchr;

/// Maximum number of entities. Ontologies declare dozens.
const MAX_ENTITIES: usize = 4_096;
/// Maximum length of the text of an entity after expansion. Most are namespaces.
const MAX_ENTITY_BYTES: usize = 16 << 10;
/// Maximum length of the texts of all entities together.
const MAX_TOTAL_BYTES: usize = 1 << 20;
/// Maximum number of entities within entities.
const MAX_NESTING: usize = 16;
/// Maximum length of an entity reference.
pub const MAX_REFERENCE_BYTES: usize = 64;

/// A document type.
#[derive(Debug)]
pub struct XmlDoctype<'a> {
    /// The public identifier; empty if there is none.
    pub public_id: &'a str,
    /// The declared entities.
    pub entities: XmlEntities,
    /// The text after the document type.
    pub rest: &'a str,
}

impl<'a> XmlDoctype<'a> {
    /// Parses a document type at the start of the text. Returns `None` if there is none, or if it
    /// is not closed.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        let keyword = text.get(..9).filter(|keyword| keyword.eq_ignore_ascii_case("<!doctype"))?;
        let text = text[keyword.len()..].trim_start();
        let name_end = text.find(|c: char| c.is_ascii_whitespace() || matches!(c, '[' | '>'))?;
        let mut text = text[name_end..].trim_start();
        let mut public_id = "";
        if let Some(after) = text.strip_prefix("PUBLIC") {
            (public_id, text) = parse_quoted(after.trim_start()).unwrap_or(("", after));
            text = parse_quoted(text.trim_start()).map_or(text, |(_, rest)| rest);
        } else if let Some(after) = text.strip_prefix("SYSTEM") {
            text = parse_quoted(after.trim_start()).map_or(after, |(_, rest)| rest);
        }
        text = text.trim_start();
        let mut declarations = Declarations::default();
        if let Some(inside) = text.strip_prefix('[') {
            text = declarations.parse_internal_subset(inside)?.trim_start();
        }
        let end = memchr(b'>', text.as_bytes())?;
        Some(Self { public_id, entities: declarations.expand(), rest: &text[end + 1..] })
    }
}

/// The entities of a document, expanded.
#[derive(Debug, Default)]
pub struct XmlEntities {
    by_name: HashMap<String, ExpandedEntity, RandomState>,
    limit: Option<String>,
}

#[derive(Debug)]
struct ExpandedEntity {
    text: String,
    nesting: usize,
}

impl XmlEntities {
    /// The text of an entity.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(|entity| entity.text.as_str())
    }

    /// All names and texts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.by_name.iter().map(|(name, entity)| (name.as_str(), entity.text.as_str()))
    }

    /// The limit that the declarations exceed, if any. Entities beyond it are not declared.
    #[must_use]
    pub fn limit(&self) -> Option<&str> {
        self.limit.as_deref()
    }
}

/// The entity declarations of an internal subset, as written.
#[derive(Default)]
struct Declarations<'a> {
    values: HashMap<&'a str, &'a str, RandomState>,
    names: Vec<&'a str>,
    has_excess: bool,
}

impl<'a> Declarations<'a> {
    /// Parses the internal subset, and returns the rest.
    fn parse_internal_subset(&mut self, mut text: &'a str) -> Option<&'a str> {
        loop {
            text = text.trim_start();
            if let Some(rest) = text.strip_prefix(']') {
                return Some(rest);
            } else if let Some(inside) = text.strip_prefix("<!--") {
                text = inside.split_once("-->")?.1;
            } else if let Some(inside) = text.strip_prefix("<?") {
                text = inside.split_once("?>")?.1;
            } else if let Some(inside) = text.strip_prefix("<!ENTITY") {
                text = self.parse_entity(inside)?;
            } else if text.starts_with('<') {
                text = skip_declaration(text)?;
            } else {
                // A parameter entity, or invalid text.
                let end = text.find(|c: char| c.is_ascii_whitespace() || matches!(c, '<' | ']'))?;
                text = if end == 0 { &text[1..] } else { &text[end..] };
            }
        }
    }

    fn parse_entity(&mut self, text: &'a str) -> Option<&'a str> {
        let text = text.trim_start();
        let end = text.find(|c: char| c.is_ascii_whitespace() || c == '>')?;
        let (name, text) = text.split_at(end);
        if let Some((value, rest)) = parse_quoted(text.trim_start())
            && name != "%"
        {
            self.declare(name, value);
            return skip_declaration(rest);
        }
        skip_declaration(text)
    }

    fn declare(&mut self, name: &'a str, value: &'a str) {
        // The first declaration is binding (XML 1.0, section 4.2).
        if self.values.contains_key(name) {
            return;
        }
        if self.names.len() == MAX_ENTITIES {
            self.has_excess = true;
            return;
        }
        self.values.insert(name, value);
        self.names.push(name);
    }

    fn expand(self) -> XmlEntities {
        let mut expansion = Expansion { values: &self.values, entities: XmlEntities::default(), bytes: 0 };
        if self.has_excess {
            expansion.entities.limit = Some(format!("more than {MAX_ENTITIES} entities are declared"));
        }
        for name in &self.names {
            expansion.expand(name, 0);
        }
        expansion.entities
    }
}

struct Expansion<'a> {
    values: &'a HashMap<&'a str, &'a str, RandomState>,
    entities: XmlEntities,
    /// The length of all texts so far.
    bytes: usize,
}

impl Expansion<'_> {
    /// Expands an entity and those in it, and returns its nesting; `None` if it exceeds a limit.
    fn expand(&mut self, name: &str, depth: usize) -> Option<usize> {
        if let Some(known) = self.entities.by_name.get(name) {
            return Some(known.nesting);
        }
        if depth > MAX_NESTING {
            return self.refuse(format!("entity `{name}` is nested more than {MAX_NESTING} levels deep"));
        }
        let (text, nesting) = self.expand_value(name, self.values.get(name)?, depth)?;
        self.bytes += text.len();
        if nesting > MAX_NESTING {
            return self.refuse(format!("entity `{name}` is nested more than {MAX_NESTING} levels deep"));
        }
        if self.bytes > MAX_TOTAL_BYTES {
            return self.refuse(format!("the declared entities are longer than {MAX_TOTAL_BYTES} bytes"));
        }
        self.entities.by_name.insert(name.to_owned(), ExpandedEntity { text, nesting });
        Some(nesting)
    }

    fn expand_value(&mut self, name: &str, value: &str, depth: usize) -> Option<(String, usize)> {
        let mut text = String::new();
        let mut nesting = 0;
        let mut rest = value;
        loop {
            let (plain, reference, after) = split_reference(rest);
            text.push_str(plain);
            match reference.map(|reference| &reference[1..reference.len() - 1]) {
                Some(inner) if self.values.contains_key(inner) => {
                    nesting = nesting.max(1 + self.expand(inner, depth + 1)?);
                    text.push_str(self.entities.get(inner).unwrap_or_default());
                }
                Some(inner) => text.push_str(&htmlize::unescape(format!("&{inner};").as_str())),
                None => {}
            }
            if text.len() > MAX_ENTITY_BYTES {
                return self.refuse(format!("entity `{name}` expands to more than {MAX_ENTITY_BYTES} bytes"));
            }
            if after.is_empty() {
                return Some((text, nesting));
            }
            rest = after;
        }
    }

    fn refuse<T>(&mut self, limit: String) -> Option<T> {
        self.entities.limit.get_or_insert(limit);
        None
    }
}

/// Splits a text into the part before the first reference, the reference, and the rest. An `&`
/// that starts no reference is text.
#[must_use]
pub fn split_reference(text: &str) -> (&str, Option<&str>, &str) {
    let Some(start) = memchr(b'&', text.as_bytes()) else { return (text, None, "") };
    let near = &text.as_bytes()[start..text.len().min(start + MAX_REFERENCE_BYTES)];
    match memchr(b';', near) {
        Some(end) => (&text[..start], Some(&text[start..=start + end]), &text[start + end + 1..]),
        None => (&text[..=start], None, &text[start + 1..]),
    }
}

/// The text after the `>` of a declaration, ignoring `>` inside quotes.
fn skip_declaration(mut text: &str) -> Option<&str> {
    loop {
        let at = text.find(['>', '"', '\''])?;
        text = match text.as_bytes()[at] {
            b'>' => return Some(&text[at + 1..]),
            _ => parse_quoted(&text[at..])?.1,
        };
    }
}

fn parse_quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    text[1..].split_once(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entities(subset: &str) -> XmlEntities {
        XmlDoctype::parse(&format!("<!DOCTYPE r [{subset}]>")).expect("a document type").entities
    }

    #[test]
    fn entities_are_expanded_in_any_order() {
        let entities =
            entities("<!ENTITY a '&b;x'><!ENTITY b \"http://b/&amp;&#65;\"><!ENTITY b 'late'><!ENTITY % c 'd'>");

        assert_eq!(entities.get("a"), Some("http://b/&Ax"));
        assert_eq!(entities.get("b"), Some("http://b/&A"));
        assert_eq!((entities.iter().count(), entities.limit()), (2, None));
    }

    #[test]
    fn external_entities_are_not_declared() {
        let entities = entities("<!ENTITY a SYSTEM 'file:///etc/passwd'><!ENTITY b PUBLIC 'x' 'http://b/'>");

        assert_eq!((entities.iter().count(), entities.limit()), (0, None));
    }

    #[test]
    fn number_size_nesting_and_total_of_entities_are_limited() {
        let check = |subset: String, expected: &str| {
            let entities = entities(&subset);
            let limit = entities.limit().unwrap_or_default().to_owned();
            assert!(limit.contains(expected), "{limit}: {subset:.80}");
            assert!(entities.iter().map(|(_, text)| text.len()).sum::<usize>() <= MAX_TOTAL_BYTES);
        };
        let doubling = |levels: usize| -> String {
            (1..levels)
                .map(|level| format!("<!ENTITY e{level} '&e{0};&e{0};'>", level - 1))
                .collect::<Vec<_>>()
                .concat()
        };

        check(format!("<!ENTITY e0 'ha'>{}", doubling(15)), "`e14` expands to more than 16384 bytes");
        check(format!("<!ENTITY e0 ''>{}", doubling(100)), "`e17` is nested more than 16 levels deep");
        check(format!("<!ENTITY a '{}'>", "x".repeat(500_000)), "`a` expands to more than 16384 bytes");
        check("<!ENTITY a '&b;'><!ENTITY b '&a;'>".to_owned(), "nested more than 16 levels deep");
        let large = "x".repeat(16_000);
        check(
            (0..70).map(|number| format!("<!ENTITY e{number} '{large}'>")).collect::<Vec<_>>().concat(),
            "longer than 1048576 bytes",
        );
        check(
            (0..5_000).map(|number| format!("<!ENTITY e{number} ''>")).collect::<Vec<_>>().concat(),
            "more than 4096 entities",
        );
    }

    #[test]
    fn unclosed_document_types_are_not_parsed() {
        for text in ["<!DOCTYPE r [", "<!DOCTYPE r [<!ENTITY a 'b", "<!DOCTYPE r", "<r/>", ""] {
            assert!(XmlDoctype::parse(text).is_none(), "{text}");
        }
    }
}
