//! JSON as it was sent, before anybody makes something of it.
//!
//! serde takes a list for a struct, field by field in the order of our code: nothing
//! that a client should know, and nothing that the document says. Here what has
//! fields is an object, at any depth.

use std::cell::Cell;
use std::fmt::{self, Formatter};

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IntoDeserializer as _, MapAccess, SeqAccess, Unexpected,
    Visitor,
};
use serde::forward_to_deserialize_any;

use super::parts::{Fields, Items};
use super::wrong::Wrong;

/// JSON. Its objects keep what is said twice, for others to refuse it.
pub(super) enum Tree {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Tree {
    fn found(&self) -> Unexpected<'_> {
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

/// The most values that a body may have: each takes more memory than a `0,` did.
const VALUES_MAX: usize = 500_000;

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Grower { left: &Cell::new(VALUES_MAX) }.deserialize(deserializer)
    }
}

/// Makes a value of a tree, and counts it.
#[derive(Clone, Copy)]
struct Grower<'a> {
    /// How many there may still be.
    left: &'a Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for Grower<'_> {
    type Value = Tree;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        let Some(left) = self.left.get().checked_sub(1) else {
            return Err(D::Error::custom(format!("there are more than {VALUES_MAX} values in it")));
        };
        self.left.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Grower<'_> {
    type Value = Tree;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Tree, E> {
        Ok(Tree::Unsigned(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Tree, E> {
        Ok(Tree::Signed(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Tree, E> {
        Ok(Tree::Float(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Tree, E> {
        Ok(Tree::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Tree::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Tree, A::Error> {
        let mut fields = Vec::new();
        while let Some(name) = access.next_key()? {
            fields.push((name, access.next_value_seed(self)?));
        }
        Ok(Tree::Object(fields))
    }
}

impl<'de> Deserializer<'de> for Tree {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Unsigned(number) => visitor.visit_u64(number),
            Self::Signed(number) => visitor.visit_i64(number),
            Self::Float(number) => visitor.visit_f64(number),
            Self::Text(text) => visitor.visit_string(text),
            Self::List(items) => visitor.visit_seq(Items::of(items)),
            Self::Object(fields) => visitor.visit_map(Fields::of(fields)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        match self {
            Self::Object(_) => self.deserialize_any(visitor),
            other => Err(Wrong::invalid_type(other.found(), &"struct ")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self {
            Self::Null => visitor.visit_none(),
            other => visitor.visit_some(other),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        match self {
            Self::Text(text) => visitor.visit_enum(text.into_deserializer()),
            other => Err(Wrong::invalid_type(other.found(), &"a string")),
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
    #[expect(dead_code, reason = "what is read is looked at as a whole")]
    struct Outer {
        name: String,
        #[serde(default)]
        inner: Vec<Inner>,
        #[serde(default)]
        other: Option<Value>,
    }

    #[derive(Debug, serde::Deserialize)]
    #[expect(dead_code, reason = "what is read is looked at as a whole")]
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
        let tree: Tree = serde_json::from_str(text).unwrap();
        let outer = Outer::deserialize(tree).map_err(|wrong| wrong.to_string())?;
        Ok(format!("{outer:?}"))
    }

    #[test]
    fn objects_are_read_as_serde_reads_them() {
        for text in [
            r#"{"name": "a"}"#,
            r#"{"name": "a", "inner": [{"count": 1}, {"kind": "bad", "count": 2}, {"count": 3, "kind": null}]}"#,
            r#"{"name": "a", "other": [1, -2, 0.5, null, true, {"b": ["c"]}]}"#,
        ] {
            let expected: Outer = serde_json::from_str(text).unwrap();
            assert_eq!(read(text), Ok(format!("{expected:?}")));
        }
        assert!(matches!(Kind::deserialize(Tree::Text("good".to_owned())), Ok(Kind::Good)));
    }

    #[test]
    fn what_has_fields_is_no_list_at_any_depth() {
        assert_eq!(read(r#"["a"]"#).unwrap_err(), "expected an object, not a list");
        assert_eq!(read(r#"{"name": "a", "inner": [[1]]}"#).unwrap_err(), "`inner.0`: expected an object, not a list");
    }

    #[test]
    fn very_many_values_are_not_grown() {
        let list = |count: usize| format!("[{}]", vec!["0"; count].join(","));

        assert!(serde_json::from_str::<Tree>(&list(VALUES_MAX - 1)).is_ok());
        let told = serde_json::from_str::<Tree>(&list(VALUES_MAX)).err().unwrap().to_string();
        assert!(told.contains("more than 500000 values"), "{told}");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place_in_words() {
        let check = |text: &str, expected: &str| assert_eq!(read(text).unwrap_err(), expected);

        check("7", "expected an object, not a number");
        check(r#"{"name": 123456}"#, "`name`: expected a text, not a number");
        check("{}", "`name` is missing");
        check(r#"{"name": "a", "name": "b"}"#, "`name` is said twice");
        check(r#"{"name": "a", "x": 1}"#, "`x` is not known here; there are `name`, `inner` and `other`");
        check(r#"{"name": "a", "inner": {}}"#, "`inner`: expected a list, not an object");
        let inner = |inner: &str| format!(r#"{{"name": "a", "inner": [{inner}]}}"#);
        check(&inner(r#"{"count": "x"}"#), "`inner.0.count`: expected a whole number from 0 to 255, not a text");
        check(&inner(r#"{"count": 256}"#), "`inner.0.count`: expected a whole number from 0 to 255, not `256`");
        check(&inner(r#"{"count": -1}"#), "`inner.0.count`: expected a whole number from 0 to 255, not `-1`");
        check(&inner(r#"{"count": 1, "kind": "x"}"#), "`inner.0.kind`: expected `good` or `bad`, not `x`");
        check(&inner(r#"{"count": 1, "kind": {"bad": 1}}"#), "`inner.0.kind`: expected a text, not an object");
    }
}
