//! Link sets (RFC 9264), as they are read: no part of one is held but the link that
//! is being read, for a few bytes of JSON are many values in memory.

use std::fmt;
use std::io::{BufReader, Read};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The longest link set that is read.
pub(super) const BYTES_MAX: u64 = 8 << 20;

/// What stopped the reader.
pub(super) enum Trouble {
    Io(std::io::Error),
    Syntax(String),
}

/// A link of a set.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SetLink<'a> {
    pub(super) rel: &'a str,
    pub(super) href: &'a str,
    pub(super) media_type: Option<&'a str>,
}

/// Reads `{"linkset": [{"anchor": …, "item": [{"href": …, "type": …}]}]}`, and hands
/// over each link. What is not as it should be is passed over, if it is JSON.
pub(super) fn read(json: impl Read, take: &mut dyn FnMut(SetLink<'_>)) -> Result<(), Trouble> {
    let mut has_list = false;
    let mut deserializer = serde_json::Deserializer::from_reader(BufReader::new(json));
    let look = Look { place: Place::Set(&mut has_list), take };
    match look.deserialize(&mut deserializer).and_then(|()| deserializer.end()) {
        Ok(()) if has_list => Ok(()),
        Ok(()) => Err(Trouble::Syntax("there is no list named `linkset`".to_owned())),
        Err(error) if error.is_io() => Err(Trouble::Io(error.into())),
        Err(error) => Err(Trouble::Syntax(error.to_string())),
    }
}

/// Where in a link set we are.
enum Place<'a> {
    /// In all of it; notes whether it has a list of contexts.
    Set(&'a mut bool),
    Contexts(&'a mut bool),
    Context,
    /// In the targets of a relation.
    Targets(&'a str),
    Target(&'a str),
    /// In what should be a text.
    Text(&'a mut Option<String>),
}

/// Looks at the next value.
struct Look<'a> {
    place: Place<'a>,
    take: &'a mut dyn FnMut(SetLink<'_>),
}

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Values that say nothing where they are.
macro_rules! pass_over {
    ($($method:ident: $type:ty,)+) => { $(
        fn $method<E>(self, _: $type) -> Result<(), E> {
            Ok(())
        }
    )+ };
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a link set")
    }

    pass_over! { visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if let Place::Text(into) = self.place {
            *into = Some(text.to_owned());
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        let Self { place, take } = self;
        match place {
            Place::Contexts(has_list) => {
                *has_list = true;
                while values.next_element_seed(Look { place: Place::Context, take })?.is_some() {}
            }
            Place::Targets(rel) => {
                while values.next_element_seed(Look { place: Place::Target(rel), take })?.is_some() {}
            }
            _ => while values.next_element::<IgnoredAny>()?.is_some() {},
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let Self { mut place, take } = self;
        let (mut href, mut media_type) = (None, None);
        while let Some(name) = members.next_key::<String>()? {
            let inner = match (&mut place, &*name) {
                (Place::Set(has_list), "linkset") => Place::Contexts(has_list),
                (Place::Context, rel) => Place::Targets(rel),
                (Place::Target(_), "href") => Place::Text(&mut href),
                (Place::Target(_), "type") => Place::Text(&mut media_type),
                _ => {
                    members.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            members.next_value_seed(Look { place: inner, take })?;
        }
        if let (Place::Target(rel), Some(href)) = (place, &href) {
            take(SetLink { rel, href, media_type: media_type.as_deref() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(json: &str) -> (Vec<String>, bool) {
        let mut links = Vec::new();
        let mut take = |link: SetLink<'_>| {
            links.push(format!("{} {} {}", link.rel, link.href, link.media_type.unwrap_or("-")));
        };
        let is_read = read(json.as_bytes(), &mut take).is_ok();
        (links, is_read)
    }

    #[test]
    fn links_are_found_among_whatever_else_there_is() {
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
    fn what_is_nested_without_end_ends() {
        for start in ["[", r#"{"a":"#, r#"{"linkset":[{"item":[["#] {
            assert!(!links(&start.repeat(100_000)).1, "{start}");
        }
    }
}
