//! What is wrong with something that was sent, and where, in the words of whoever
//! sent it: they know nothing of our types.

use std::fmt::{self, Display, Formatter};

use serde::de::{self, Expected, Unexpected};

use crate::problem::cut;

/// What is wrong with something that was sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// The names of fields, the innermost first.
    place: Vec<String>,
    what: String,
}

impl Wrong {
    fn new(what: String) -> Self {
        Self { place: Vec::new(), what }
    }

    /// Something else was expected, of the name that Rust has for it.
    pub(super) fn unlike(expected: &str, found: &str) -> Self {
        Self::new(format!("expected {}, not {found}", words(expected)))
    }

    /// The same, within something of this name.
    pub(super) fn within(mut self, name: String) -> Self {
        self.place.push(name);
        self
    }
}

impl Display for Wrong {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            let place: Vec<_> = self.place.iter().rev().map(|name| cut(name)).collect();
            write!(f, "`{}`: ", place.join("."))?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for Wrong {}

impl de::Error for Wrong {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    // What was found is told by its kind only: it may be a password in the wrong place.
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::unlike(&expected.to_string(), kind(&found))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Unsigned(number) => format!("`{number}`"),
            Unexpected::Signed(number) => format!("`{number}`"),
            other => kind(&other).to_owned(),
        };
        Self::unlike(&expected.to_string(), &found)
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let there = match expected {
            [] => "there is nothing".to_owned(),
            [name] => format!("there is `{name}`"),
            [others @ .., last] => format!("there are `{}` and `{last}`", others.join("`, `")),
        };
        Self::new(format!("`{}` is not known here; {there}", cut(field)))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("expected {}, not `{}`", listed(expected), cut(variant)))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("`{field}` is missing"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("`{field}` is said twice"))
    }
}

/// Names, as they are told: `a`, `b` or `c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [name] => format!("`{name}`"),
        [others @ .., last] => format!("`{}` or `{last}`", others.join("`, `")),
    }
}

/// What somebody has written who meant something else.
fn kind(found: &Unexpected<'_>) -> &'static str {
    match found {
        Unexpected::Bool(_) => "true or false",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => "a number",
        Unexpected::Char(_) | Unexpected::Str(_) | Unexpected::Bytes(_) => "a text",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq => "a list",
        Unexpected::Map => "an object",
        _ => "something else",
    }
}

/// What serde expects, for those who do not know Rust.
fn words(expected: &str) -> String {
    let up_to = |max: u64| format!("a whole number from 0 to {max}");
    match expected {
        "u8" => up_to(u8::MAX.into()),
        "u16" => up_to(u16::MAX.into()),
        "u32" => up_to(u32::MAX.into()),
        "u64" | "usize" => "a whole number from 0 on".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" => "a text".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "an object".to_owned(),
        other if other.starts_with("struct ") => "an object".to_owned(),
        other => other.to_owned(),
    }
}
