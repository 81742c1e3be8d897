//! Strict JSON: a struct must be an object, at any depth, and the number of values is limited.
//!
//! serde accepts an array for a struct, field by field in the order of the code, which is not part
//! of the API. The adapter passes everything on except requests for a struct, which become requests
//! for a map.

use std::cell::Cell;
use std::fmt::{self, Formatter};

use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor,
};

/// The maximum number of values in a body: each may take more memory than its text.
const MAX_VALUES: usize = 500_000;

/// A value that is deserialized strictly.
pub(super) struct StrictJson<T>(pub(super) T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for StrictJson<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(Strict { inner: deserializer, left: &Cell::new(MAX_VALUES), is_object: false }).map(Self)
    }
}

/// Adapts a deserializer, a visitor, or access to a sequence, a map or an enum.
struct Strict<'a, T> {
    inner: T,
    /// How many further values are allowed.
    left: &'a Cell<usize>,
    /// Whether a visitor expects an object, for the error message.
    is_object: bool,
}

impl<'a, T> Strict<'a, T> {
    fn adapt<U>(&self, inner: U) -> Strict<'a, U> {
        Strict { inner, left: self.left, is_object: false }
    }
}

/// Defines methods that pass the arguments on, and adapt the visitor.
macro_rules! forward {
    ($($method:ident($($argument:ident: $Type:ty),*))+) => {
        $(fn $method<V: Visitor<'de>>(self, $($argument: $Type,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = self.adapt(visitor);
            self.inner.$method($($argument,)* visitor)
        })+
    };
}

type FieldNames = &'static [&'static str];

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<'_, D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: FieldNames,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = Strict { is_object: true, ..self.adapt(visitor) };
        self.inner.deserialize_map(visitor)
    }

    forward! {
        deserialize_any() deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
        deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128()
        deserialize_f32() deserialize_f64() deserialize_char() deserialize_str() deserialize_string()
        deserialize_bytes() deserialize_byte_buf() deserialize_option() deserialize_unit()
        deserialize_unit_struct(name: &'static str) deserialize_newtype_struct(name: &'static str) deserialize_seq()
        deserialize_tuple(length: usize) deserialize_tuple_struct(name: &'static str, length: usize)
        deserialize_map() deserialize_enum(name: &'static str, variants: FieldNames) deserialize_identifier()
        deserialize_ignored_any()
    }
}

/// Defines methods that pass a value on.
macro_rules! visit {
    ($($method:ident $Type:ty;)+) => {
        $(fn $method<E: Error>(self, value: $Type) -> Result<V::Value, E> {
            self.inner.$method(value)
        })+
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Strict<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_object { f.write_str("an object") } else { self.inner.expecting(f) }
    }

    visit! {
        visit_bool bool; visit_i64 i64; visit_u64 u64; visit_f64 f64; visit_str &str; visit_borrowed_str &'de str;
        visit_string String;
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let deserializer = self.adapt(deserializer);
        self.inner.visit_some(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let deserializer = self.adapt(deserializer);
        self.inner.visit_newtype_struct(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let access = self.adapt(access);
        self.inner.visit_seq(access)
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let access = self.adapt(access);
        self.inner.visit_map(access)
    }

    // Enums of the API are strings, so their contents need no adapter.
    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(access)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Strict<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let seed = self.adapt(seed);
        self.inner.next_element_seed(seed)
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Strict<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.adapt(seed);
        self.inner.next_value_seed(seed)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Strict<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        let Some(left) = self.left.get().checked_sub(1) else {
            return Err(D::Error::custom(format!("more than {MAX_VALUES} values")));
        };
        self.left.set(left);
        let deserializer = self.adapt(deserializer);
        self.inner.deserialize(deserializer)
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
        let parsed: Result<StrictJson<Outer>, _> = serde_json::from_str(text);
        parsed.map(|StrictJson(outer)| format!("{outer:?}")).map_err(|error| error.to_string())
    }

    #[test]
    fn objects_are_deserialized_as_serde_json_does() {
        for text in [
            r#"{"name": "a"}"#,
            r#"{"name": "a", "inner": [{"count": 1}, {"kind": "bad", "count": 2}, {"count": 3, "kind": null}]}"#,
            r#"{"name": "a", "inner": [{"count": 1, "kind": "good"}]}"#,
            r#"{"name": "a", "other": [1, -2, 0.5, null, true, {"b": ["c"]}]}"#,
        ] {
            let expected: Outer = serde_json::from_str(text).unwrap();
            assert_eq!(read(text), Ok(format!("{expected:?}")));
        }
    }

    #[test]
    fn a_struct_cannot_be_an_array_at_any_depth() {
        assert!(serde_json::from_str::<Outer>(r#"["a", [[1, null]], null]"#).is_ok(), "serde accepts arrays");
        for text in [r#"["a", [], null]"#, r#"{"name": "a", "inner": [[1, null]]}"#] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with("invalid type: sequence, expected an object"), "{error}");
        }
    }

    #[test]
    fn duplicate_fields_and_too_many_values_are_rejected() {
        assert!(read(r#"{"name": "a", "name": "b"}"#).unwrap_err().starts_with("duplicate field `name`"));
        let list = |count: usize| format!(r#"{{"name": "a", "other": [{}]}}"#, vec!["0"; count].join(","));
        assert!(read(&list(MAX_VALUES - 2)).is_ok());
        let error = read(&list(MAX_VALUES - 1)).unwrap_err();
        assert!(error.starts_with("more than 500000 values"), "{error}");
    }
}
