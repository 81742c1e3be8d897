//! Reads query results in JSON leniently.
//!
//! The other formats are read by `sparesults`. In JSON it rejects a whole result for one blank node label such as
//! `nodeID://b7`, which Virtuoso always uses, or for one IRI with a space. Here only the row is skipped.

use std::fmt;
use std::io::BufRead;

use oxrdf::{BlankNode, Literal, NamedNode, Term};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use xxhash_rust::xxh3::xxh3_128;

use super::results::{ResultsEnd, ResultsSummary, RowSink, SolutionRow, not_results};
use crate::model::{Fault, FaultKind, stream_fault};

/// The short name of the format.
pub(super) const SYNTAX: &str = "sparql-json";

/// Reads a result.
pub(super) fn read(reader: impl BufRead, sink: &mut dyn RowSink) -> ResultsSummary {
    let mut reading = JsonResultsReader { sink, is_results: false, is_stopped: false, boolean: None };
    let end = ResultsObject(&mut reading).deserialize(&mut serde_json::Deserializer::from_reader(reader));
    let JsonResultsReader { is_results, is_stopped, boolean, .. } = reading;
    let fault = match end {
        _ if is_stopped => return ResultsSummary { syntax: SYNTAX, boolean, ending: ResultsEnd::Stopped },
        Ok(()) if is_results => return ResultsSummary { syntax: SYNTAX, boolean, ending: ResultsEnd::Complete },
        Ok(()) => return not_results(SYNTAX, "the response is JSON but not a SPARQL result"),
        Err(error) if error.is_io() => stream_fault(&error.into()),
        Err(error) if error.is_eof() => Fault::new(FaultKind::Truncated, error),
        Err(error) => Fault::new(FaultKind::Syntax, error),
    };
    let ending = if is_results { ResultsEnd::Truncated(fault) } else { ResultsEnd::NotResults(fault) };
    ResultsSummary { syntax: SYNTAX, boolean, ending }
}

struct JsonResultsReader<'a> {
    sink: &'a mut dyn RowSink,
    /// Whether rows or a boolean were found.
    is_results: bool,
    is_stopped: bool,
    boolean: Option<bool>,
}

/// The outermost object.
struct ResultsObject<'r, 'a>(&'r mut JsonResultsReader<'a>);

/// The object that contains the rows.
struct SolutionsObject<'r, 'a>(&'r mut JsonResultsReader<'a>);

/// The rows.
struct BindingsArray<'r, 'a>(&'r mut JsonResultsReader<'a>);

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

seed!(ResultsObject, deserialize_map);
seed!(SolutionsObject, deserialize_map);
seed!(BindingsArray, deserialize_seq);

impl<'de> Visitor<'de> for ResultsObject<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("query results")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "results" => map.next_value_seed(SolutionsObject(self.0))?,
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

impl<'de> Visitor<'de> for SolutionsObject<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with bindings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "bindings" => map.next_value_seed(BindingsArray(self.0))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for BindingsArray<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of solutions")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        self.0.is_results = true;
        while let Some(row) = rows.next_element::<SolutionRow>()? {
            if !self.0.sink.row(row) {
                self.0.is_stopped = true;
                return Err(de::Error::custom("the sink requested no more rows"));
            }
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for SolutionRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ColumnNames;

        impl<'de> Visitor<'de> for ColumnNames {
            type Value = SolutionRow;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a solution")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SolutionRow, A::Error> {
                let mut row = SolutionRow::default();
                while let Some(variable) = map.next_key::<String>()? {
                    match row.column(&variable) {
                        Some(column) => *column = map.next_value::<Option<JsonTerm>>()?.and_then(JsonTerm::into_term),
                        None => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(row)
            }
        }

        deserializer.deserialize_map(ColumnNames)
    }
}

/// A term as written.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct JsonTerm {
    r#type: JsonText,
    value: JsonText,
    #[serde(rename = "xml:lang", alias = "lang")]
    language: JsonText,
    datatype: JsonText,
}

impl JsonTerm {
    /// Converts the term without checking it: the sink checks statements.
    fn into_term(self) -> Option<Term> {
        let value = self.value.0?;
        Some(match &*self.r#type.0? {
            "uri" | "iri" => NamedNode::new_unchecked(value).into(),
            "bnode" => match BlankNode::new(&*value) {
                Ok(node) => node.into(),
                // The letter `x` prevents oxrdf from reading the label as one of its own numeric labels.
                Err(_) => BlankNode::new_unchecked(format!("x{:032x}", xxh3_128(value.as_bytes()))).into(),
            },
            // `typed-literal` comes from a draft of the format that some servers still use.
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

/// A string; any other value is ignored.
#[derive(Default)]
struct JsonText(Option<String>);

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IgnoredJson;

        impl<'de> Visitor<'de> for IgnoredJson {
            type Value = JsonText;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_str<E>(self, text: &str) -> Result<JsonText, E> {
                Ok(JsonText(Some(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<JsonText, E> {
                Ok(JsonText(Some(text)))
            }

            fn visit_bool<E>(self, value: bool) -> Result<JsonText, E> {
                Ok(JsonText(Some(value.to_string())))
            }

            fn visit_u64<E>(self, value: u64) -> Result<JsonText, E> {
                Ok(JsonText(Some(value.to_string())))
            }

            fn visit_i64<E>(self, value: i64) -> Result<JsonText, E> {
                Ok(JsonText(Some(value.to_string())))
            }

            fn visit_f64<E>(self, value: f64) -> Result<JsonText, E> {
                Ok(JsonText(Some(value.to_string())))
            }

            fn visit_unit<E>(self) -> Result<JsonText, E> {
                Ok(JsonText(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<JsonText, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(JsonText(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonText, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(JsonText(None))
            }
        }

        deserializer.deserialize_any(IgnoredJson)
    }
}
