//! JSON as a tree of values, deserialized strictly.
//!
//! serde accepts an array for a struct, field by field in the order of the code, which is
//! not part of the API. Here a struct must be an object, at any depth.

use std::cell::Cell;
use std::fmt::{self, Formatter};

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IntoDeserializer as _, MapAccess, SeqAccess, Unexpected,
    Visitor,
};
use serde::forward_to_deserialize_any;

use super::access::{Fields, Items};
use super::param_error::ParamError;

/// A JSON value. Objects keep duplicate fields, so that they can be rejected.
pub(super) enum JsonTree {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl JsonTree {
    fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Self::Null => Unexpected::Unit,
            Self::Bool(value) => Unexpected::Bool(*value),
            Self::Unsigned(number) => Unexpected::Unsigned(*number),
            Self::Signed(number) => Unexpected::Signed(*number),
            Self::Float(number) => Unexpected::Float(*number),
            Self::Text(text) => Unexpected::Str(text),
            Self::List(_) => Unexpected::Seq,
            Self::Object(_) => Unexpected::Map,
        }
    }
}

/// The maximum number of values in a body: each takes more memory than its text.
const MAX_VALUES: usize = 500_000;

impl<'de> Deserialize<'de> for JsonTree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        TreeReader { left: &Cell::new(MAX_VALUES) }.deserialize(deserializer)
    }
}

/// Reads a JSON value, and counts it towards `MAX_VALUES`.
#[derive(Clone, Copy)]
struct TreeReader<'a> {
    /// How many further values are allowed.
    left: &'a Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for TreeReader<'_> {
    type Value = JsonTree;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<JsonTree, D::Error> {
        let Some(left) = self.left.get().checked_sub(1) else {
            return Err(D::Error::custom(format!("more than {MAX_VALUES} values")));
        };
        self.left.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TreeReader<'_> {
    type Value = JsonTree;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<JsonTree, E> {
        Ok(JsonTree::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<JsonTree, E> {
        Ok(JsonTree::Bool(value))
    }

    fn visit_u64<E>(self, number: u64) -> Result<JsonTree, E> {
        Ok(JsonTree::Unsigned(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<JsonTree, E> {
        Ok(JsonTree::Signed(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<JsonTree, E> {
        Ok(JsonTree::Float(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<JsonTree, E> {
        Ok(JsonTree::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<JsonTree, E> {
        Ok(JsonTree::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<JsonTree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(self)? {
            items.push(item);
        }
        Ok(JsonTree::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<JsonTree, A::Error> {
        let mut fields = Vec::new();
        while let Some(name) = access.next_key()? {
            fields.push((name, access.next_value_seed(self)?));
        }
        Ok(JsonTree::Object(fields))
    }
}

impl<'de> Deserializer<'de> for JsonTree {
    type Error = ParamError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParamError> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Unsigned(number) => visitor.visit_u64(number),
            Self::Signed(number) => visitor.visit_i64(number),
            Self::Float(number) => visitor.visit_f64(number),
            Self::Text(text) => visitor.visit_string(text),
            Self::List(items) => visitor.visit_seq(Items::new(items)),
            Self::Object(fields) => visitor.visit_map(Fields::new(fields)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ParamError> {
        match self {
            Self::Object(_) => self.deserialize_any(visitor),
            other => Err(ParamError::invalid_type(other.unexpected(), &"struct ")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParamError> {
        match self {
            Self::Null => visitor.visit_none(),
            other => visitor.visit_some(other),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, ParamError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ParamError> {
        match self {
            Self::Text(text) => visitor.visit_enum(text.into_deserializer()),
            other => Err(ParamError::invalid_type(other.unexpected(), &"a string")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "compared by its Debug output")]
    struct Outer {
        name: String,
        #[serde(default)]
        inner: Vec<Inner>,
        #[serde(default)]
        other: Option<Value>,
    }

    #[derive(Debug, serde::Deserialize)]
    #[expect(dead_code, reason = "compared by its Debug output")]
    struct Inner {
        count: u8,
        kind: Option<Kind>,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Good,
        Bad,
    }

    fn read(text: &str) -> Result<String, String> {
        let tree: JsonTree = serde_json::from_str(text).unwrap();
        let outer = Outer::deserialize(tree).map_err(|error| error.to_string())?;
        Ok(format!("{outer:?}"))
    }

    #[test]
    fn objects_are_deserialized_as_serde_json_does() {
        for text in [
            r#"{"name": "a"}"#,
            r#"{"name": "a", "inner": [{"count": 1}, {"kind": "bad", "count": 2}, {"count": 3, "kind": null}]}"#,
            r#"{"name": "a", "other": [1, -2, 0.5, null, true, {"b": ["c"]}]}"#,
        ] {
            let expected: Outer = serde_json::from_str(text).unwrap();
            assert_eq!(read(text), Ok(format!("{expected:?}")));
        }
        assert!(matches!(Kind::deserialize(JsonTree::Text("good".to_owned())), Ok(Kind::Good)));
    }

    #[test]
    fn a_struct_cannot_be_an_array_at_any_depth() {
        assert_eq!(read(r#"["a"]"#).unwrap_err(), "expected an object, not an array");
        assert_eq!(
            read(r#"{"name": "a", "inner": [[1]]}"#).unwrap_err(),
            "`inner.0`: expected an object, not an array"
        );
    }

    #[test]
    fn too_many_values_are_rejected() {
        let list = |count: usize| format!("[{}]", vec!["0"; count].join(","));

        assert!(serde_json::from_str::<JsonTree>(&list(MAX_VALUES - 1)).is_ok());
        let error = serde_json::from_str::<JsonTree>(&list(MAX_VALUES)).err().unwrap().to_string();
        assert!(error.contains("more than 500000 values"), "{error}");
    }

    #[test]
    fn an_error_has_the_path_of_its_field() {
        let check = |text: &str, expected: &str| assert_eq!(read(text).unwrap_err(), expected);

        check("7", "expected an object, not a number");
        check(r#"{"name": 123456}"#, "`name`: expected a string, not a number");
        check("{}", "`name` is missing");
        check(r#"{"name": "a", "name": "b"}"#, "`name` is given twice");
        check(r#"{"name": "a", "x": 1}"#, "unknown field `x`; expected one of `name`, `inner`, `other`");
        check(r#"{"name": "a", "inner": {}}"#, "`inner`: expected an array, not an object");
        let inner = |inner: &str| format!(r#"{{"name": "a", "inner": [{inner}]}}"#);
        check(&inner(r#"{"count": "x"}"#), "`inner.0.count`: expected an integer from 0 to 255, not a string");
        check(&inner(r#"{"count": 256}"#), "`inner.0.count`: expected an integer from 0 to 255, not `256`");
        check(&inner(r#"{"count": -1}"#), "`inner.0.count`: expected an integer from 0 to 255, not `-1`");
        check(&inner(r#"{"count": 1, "kind": "x"}"#), "`inner.0.kind`: expected `good` or `bad`, not `x`");
        check(&inner(r#"{"count": 1, "kind": {"bad": 1}}"#), "`inner.0.kind`: expected a string, not an object");
    }
}
