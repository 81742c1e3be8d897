//! Parses link sets (RFC 9264) as a stream. Only the current link is held in memory, because a few bytes of JSON can
//! expand to many values.

use std::fmt;
use std::io::{BufReader, Read};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Maximum size of a link set.
pub(super) const MAX_LINKSET_BYTES: u64 = 8 << 20;

/// Why reading stopped.
pub(super) enum LinksetError {
    Io(std::io::Error),
    Syntax(String),
}

/// A link of a set.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LinksetLink<'a> {
    pub(super) rel: &'a str,
    pub(super) href: &'a str,
    pub(super) media_type: Option<&'a str>,
}

/// Reads `{"linkset": [{"anchor": …, "item": [{"href": …, "type": …}]}]}` and reports each link. Valid JSON of another
/// shape is skipped.
pub(super) fn read(json: impl Read, report: &mut dyn FnMut(LinksetLink<'_>)) -> Result<(), LinksetError> {
    let mut has_list = false;
    let mut deserializer = serde_json::Deserializer::from_reader(BufReader::new(json));
    let visitor = LinksetPeek { position: LinksetPosition::Set(&mut has_list), report };
    match visitor.deserialize(&mut deserializer).and_then(|()| deserializer.end()) {
        Ok(()) if has_list => Ok(()),
        Ok(()) => Err(LinksetError::Syntax("no array named `linkset`".to_owned())),
        Err(error) if error.is_io() => Err(LinksetError::Io(error.into())),
        Err(error) => Err(LinksetError::Syntax(error.to_string())),
    }
}

/// The part of a link set that the next JSON value belongs to.
enum LinksetPosition<'a> {
    /// The whole set. The flag is set if the set contains a list of contexts.
    Set(&'a mut bool),
    Contexts(&'a mut bool),
    Context,
    /// The targets of a relation.
    Targets(&'a str),
    Target(&'a str),
    /// A text value, such as `href`.
    Text(&'a mut Option<String>),
}

/// A visitor for the JSON value at `position`.
struct LinksetPeek<'a> {
    position: LinksetPosition<'a>,
    report: &'a mut dyn FnMut(LinksetLink<'_>),
}

impl<'de> DeserializeSeed<'de> for LinksetPeek<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Visitor methods that skip values of a type that has no meaning at this position.
macro_rules! skip_values {
    ($($method:ident: $type:ty,)+) => { $(
        fn $method<E>(self, _: $type) -> Result<(), E> {
            Ok(())
        }
    )+ };
}

impl<'de> Visitor<'de> for LinksetPeek<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a link set")
    }

    skip_values! { visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if let LinksetPosition::Text(into) = self.position {
            *into = Some(text.to_owned());
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        let Self { position, report } = self;
        match position {
            LinksetPosition::Contexts(has_list) => {
                *has_list = true;
                while values.next_element_seed(LinksetPeek { position: LinksetPosition::Context, report })?.is_some() {}
            }
            LinksetPosition::Targets(rel) => {
                while values
                    .next_element_seed(LinksetPeek { position: LinksetPosition::Target(rel), report })?
                    .is_some()
                {}
            }
            _ => while values.next_element::<IgnoredAny>()?.is_some() {},
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let Self { mut position, report } = self;
        let (mut href, mut media_type) = (None, None);
        while let Some(name) = members.next_key::<String>()? {
            let inner = match (&mut position, &*name) {
                (LinksetPosition::Set(has_list), "linkset") => LinksetPosition::Contexts(has_list),
                (LinksetPosition::Context, rel) => LinksetPosition::Targets(rel),
                (LinksetPosition::Target(_), "href") => LinksetPosition::Text(&mut href),
                (LinksetPosition::Target(_), "type") => LinksetPosition::Text(&mut media_type),
                _ => {
                    members.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            members.next_value_seed(LinksetPeek { position: inner, report })?;
        }
        if let (LinksetPosition::Target(rel), Some(href)) = (position, &href) {
            report(LinksetLink { rel, href, media_type: media_type.as_deref() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(json: &str) -> (Vec<String>, bool) {
        let mut links = Vec::new();
        let mut report = |link: LinksetLink<'_>| {
            links.push(format!("{} {} {}", link.rel, link.href, link.media_type.unwrap_or("-")));
        };
        let is_read = read(json.as_bytes(), &mut report).is_ok();
        (links, is_read)
    }

    #[test]
    fn links_are_found_among_other_values() {
        let check = |json: &str, expected: &[&str], is_read| {
            assert_eq!(links(json), (expected.iter().map(|&link| link.to_owned()).collect(), is_read), "{json}");
        };

        check(
            r#"{"linkset": [{"item": [{"type": "a/b", "href": "x"}, {"href": "y"}]}]}"#,
            &["item x a/b", "item y -"],
            true,
        );
        check(r#"{"x": [[{}]], "linkset": [7, [{"item": [{"href": "x"}]}], null], "y": 1e9}"#, &[], true);
        check(r#"{"linkset": [{"item": {"href": "x"}, "up": [[{"href": "x"}], "href", {"href": ["x"]}]}]}"#, &[], true);
        check(
            r#"{"linkset": [{"anchor": "x", "up": [{"href": "x", "type": 7, "title*": [{"value": "x"}]}]}]}"#,
            &["up x -"],
            true,
        );
        check(r#"{"linkset": {"item": [{"href": "x"}]}}"#, &[], false);
        check(r#"{"linkset": [{"item": [{"href": "x"}, {"href": "y"#, &["item x -"], false);
        check("[]", &[], false);
    }

    #[test]
    fn unlimited_nesting_is_rejected() {
        for start in ["[", r#"{"a":"#, r#"{"linkset":[{"item":[["#] {
            assert!(!links(&start.repeat(100_000)).1, "{start}");
        }
    }
}
