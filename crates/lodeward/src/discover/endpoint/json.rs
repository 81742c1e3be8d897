//! Query results in JSON, as servers write it.
//!
//! Not by `sparesults`, which reads the other formats: it loses a whole answer
//! for one label of a blank node such as `nodeID://b7`, which Virtuoso has for
//! all of them, and for one IRI with a space in it. Here a row that cannot be
//! used is just one row.

use std::fmt;
use std::io::BufRead;

use oxrdf::{BlankNode, Literal, NamedNode, Term};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use xxhash_rust::xxh3::xxh3_128;

use super::results::{Ending, Results, Row, Taker, not_results};
use crate::extract::fault_of_stream;
use crate::model::{Fault, FaultKind};

/// The short name of the syntax.
pub(super) const SYNTAX: &str = "sparql-json";

/// Reads an answer.
pub(super) fn read(reader: impl BufRead, taker: &mut dyn Taker) -> Results {
    let mut reading = Reading { taker, is_results: false, is_enough: false, boolean: None };
    let end = Whole(&mut reading).deserialize(&mut serde_json::Deserializer::from_reader(reader));
    let Reading { is_results, is_enough, boolean, .. } = reading;
    let fault = match end {
        _ if is_enough => return Results { syntax: SYNTAX, boolean, ending: Ending::Enough },
        Ok(()) if is_results => return Results { syntax: SYNTAX, boolean, ending: Ending::Whole },
        Ok(()) => return not_results(SYNTAX, "the answer is JSON, but not the results of a query"),
        Err(error) if error.is_io() => fault_of_stream(&error.into()),
        Err(error) if error.is_eof() => Fault::new(FaultKind::Truncated, error),
        Err(error) => Fault::new(FaultKind::Syntax, error),
    };
    let ending = if is_results { Ending::Cut(fault) } else { Ending::NotResults(fault) };
    Results { syntax: SYNTAX, boolean, ending }
}

struct Reading<'a> {
    taker: &'a mut dyn Taker,
    /// Whether rows or a boolean were announced.
    is_results: bool,
    is_enough: bool,
    boolean: Option<bool>,
}

/// The object around everything.
struct Whole<'r, 'a>(&'r mut Reading<'a>);

/// The object around the rows.
struct Solutions<'r, 'a>(&'r mut Reading<'a>);

/// The rows.
struct Bindings<'r, 'a>(&'r mut Reading<'a>);

macro_rules! seed {
    ($name:ident, $method:ident) => {
        impl<'de> DeserializeSeed<'de> for $name<'_, '_> {
            type Value = ();

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
                deserializer.$method(self)
            }
        }
    };
}

seed!(Whole, deserialize_map);
seed!(Solutions, deserialize_map);
seed!(Bindings, deserialize_seq);

impl<'de> Visitor<'de> for Whole<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("query results")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "results" => map.next_value_seed(Solutions(self.0))?,
                "boolean" => {
                    self.0.boolean = Some(map.next_value()?);
                    self.0.is_results = true;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Solutions<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with bindings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "bindings" => map.next_value_seed(Bindings(self.0))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Bindings<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of solutions")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        self.0.is_results = true;
        while let Some(row) = rows.next_element::<Row>()? {
            if !self.0.taker.row(row) {
                self.0.is_enough = true;
                return Err(de::Error::custom("no more rows are wanted"));
            }
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Columns;

        impl<'de> Visitor<'de> for Columns {
            type Value = Row;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a solution")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
                let mut row = Row::default();
                while let Some(variable) = map.next_key::<String>()? {
                    match row.column(&variable) {
                        Some(column) => *column = map.next_value::<Option<Written>>()?.and_then(Written::into_term),
                        None => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(row)
            }
        }

        deserializer.deserialize_map(Columns)
    }
}

/// A term as it is written.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Written {
    r#type: Text,
    value: Text,
    #[serde(rename = "xml:lang", alias = "lang")]
    language: Text,
    datatype: Text,
}

impl Written {
    /// The term, unchecked: whoever takes statements checks them.
    fn into_term(self) -> Option<Term> {
        let value = self.value.0?;
        Some(match &*self.r#type.0? {
            "uri" | "iri" => NamedNode::new_unchecked(value).into(),
            "bnode" => match BlankNode::new(&*value) {
                Ok(node) => node.into(),
                // The letter keeps oxrdf from taking it for one of its own numbers.
                Err(_) => BlankNode::new_unchecked(format!("x{:032x}", xxh3_128(value.as_bytes()))).into(),
            },
            // `typed-literal` is of a draft of the format, which some still speak.
            "literal" | "typed-literal" => match (self.language.0, self.datatype.0) {
                (Some(language), _) if !language.is_empty() => {
                    Literal::new_language_tagged_literal_unchecked(value, language).into()
                }
                (_, Some(datatype)) => Literal::new_typed_literal(value, NamedNode::new_unchecked(datatype)).into(),
                _ => Literal::new_simple_literal(value).into(),
            },
            _ => return None,
        })
    }
}

/// A string; anything else is passed over.
#[derive(Default)]
struct Text(Option<String>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Anything;

        impl<'de> Visitor<'de> for Anything {
            type Value = Text;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_str<E>(self, text: &str) -> Result<Text, E> {
                Ok(Text(Some(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<Text, E> {
                Ok(Text(Some(text)))
            }

            fn visit_bool<E>(self, value: bool) -> Result<Text, E> {
                Ok(Text(Some(value.to_string())))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Text, E> {
                Ok(Text(Some(value.to_string())))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Text, E> {
                Ok(Text(Some(value.to_string())))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Text, E> {
                Ok(Text(Some(value.to_string())))
            }

            fn visit_unit<E>(self) -> Result<Text, E> {
                Ok(Text(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Text, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Text(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Text(None))
            }
        }

        deserializer.deserialize_any(Anything)
    }
}
