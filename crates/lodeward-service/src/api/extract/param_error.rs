//! Errors in parameters and JSON bodies, in terms of JSON, not of Rust types.

use std::fmt::{self, Display, Formatter};

use serde::de::{self, Expected, Unexpected};

use crate::problem::truncate_echo;

/// An error in a parameter or a JSON body, and the field that caused it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ParamError {
    /// The path of the field that caused the error, the innermost name first.
    path: Vec<String>,
    message: String,
}

impl ParamError {
    fn new(message: String) -> Self {
        Self { path: Vec::new(), message }
    }

    /// An error for a value of the wrong type; `expected` is the name of the right type in Rust or serde.
    pub(super) fn mismatch(expected: &str, found: &str) -> Self {
        Self::new(format!("expected {}, not {found}", expectation_text(expected)))
    }

    /// Adds the name of the enclosing field to the path of the error.
    pub(super) fn in_field(mut self, name: String) -> Self {
        self.path.push(name);
        self
    }
}

impl Display for ParamError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            let path: Vec<_> = self.path.iter().rev().map(|name| truncate_echo(name)).collect();
            write!(f, "`{}`: ", path.join("."))?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParamError {}

impl de::Error for ParamError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    // The message contains only the type of the value, because the value may be a password in the wrong field.
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::mismatch(&expected.to_string(), json_type(&found))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Unsigned(number) => format!("`{number}`"),
            Unexpected::Signed(number) => format!("`{number}`"),
            other => json_type(&other).to_owned(),
        };
        Self::mismatch(&expected.to_string(), &found)
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let known = match expected {
            [] => "no fields are allowed".to_owned(),
            [name] => format!("expected `{name}`"),
            names => format!("expected one of `{}`", names.join("`, `")),
        };
        Self::new(format!("unknown field `{}`; {known}", truncate_echo(field)))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("expected {}, not `{}`", join_names(expected), truncate_echo(variant)))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("`{field}` is missing"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("`{field}` is given twice"))
    }
}

/// Lists alternatives as text: `a`, `b` or `c`.
fn join_names(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [name] => format!("`{name}`"),
        [others @ .., last] => format!("`{}` or `{last}`", others.join("`, `")),
    }
}

/// The JSON type of a value.
fn json_type(found: &Unexpected<'_>) -> &'static str {
    match found {
        Unexpected::Bool(_) => "a boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => "a number",
        Unexpected::Char(_) | Unexpected::Str(_) | Unexpected::Bytes(_) => "a string",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq => "an array",
        Unexpected::Map => "an object",
        _ => "another value",
    }
}

/// Converts the name of an expected type from serde's terms to JSON terms.
fn expectation_text(expected: &str) -> String {
    let up_to = |max: u64| format!("an integer from 0 to {max}");
    match expected {
        "u8" => up_to(u8::MAX.into()),
        "u16" => up_to(u16::MAX.into()),
        "u32" => up_to(u32::MAX.into()),
        "u64" | "usize" => "an integer of 0 or more".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "an integer".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "an array".to_owned(),
        "a map" => "an object".to_owned(),
        other if other.starts_with("struct ") => "an object".to_owned(),
        other => other.to_owned(),
    }
}
