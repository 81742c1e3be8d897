//! Parses pairs of names and texts: query strings, forms, and the variables of a path.

use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer as _, Visitor};
use serde::forward_to_deserialize_any;

use super::access::Fields;
use super::param_error::ParamError;
use crate::problem::truncate_echo;

/// Parses a query string or a form.
pub(crate) fn read_form<T: DeserializeOwned>(form: &[u8]) -> Result<T, ParamError> {
    read(url::form_urlencoded::parse(form).map(|(name, value)| (name.into_owned(), value.into_owned())))
}

/// Deserializes pairs of names and texts.
pub(super) fn read<T: DeserializeOwned>(pairs: impl Iterator<Item = (String, String)>) -> Result<T, ParamError> {
    T::deserialize(Pairs(pairs))
}

struct Pairs<I>(I);

/// Deserializes a single value from the text of the first pair, because a path often has only one variable.
macro_rules! of_first {
    ($($method:ident)+) => {
        $(fn $method<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, ParamError> {
            let (name, text) = self.0.next().ok_or_else(|| ParamError::custom("a value is missing"))?;
            Text(text).$method(visitor).map_err(|error| error.in_field(name))
        })+
    };
}

impl<'de, I: Iterator<Item = (String, String)>> Deserializer<'de> for Pairs<I> {
    type Error = ParamError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParamError> {
        visitor.visit_map(Fields::new(self.0.map(|(name, text)| (name, Text(text)))))
    }

    of_first! { deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_str deserialize_string }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u128 f32 f64 char bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The text of a value, which is parsed as the type that serde requests.
struct Text(String);

/// Defines methods that parse the text as `$Type`.
macro_rules! parsed {
    ($($method:ident $visit:ident $Type:ty, $expected:literal;)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParamError> {
            match self.0.parse::<$Type>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(ParamError::mismatch($expected, &format!("`{}`", truncate_echo(&self.0)))),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for Text {
    type Error = ParamError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParamError> {
        visitor.visit_string(self.0)
    }

    parsed! {
        deserialize_bool visit_bool bool, "a boolean";
        deserialize_u8 visit_u8 u8, "u8";
        deserialize_u16 visit_u16 u16, "u16";
        deserialize_u32 visit_u32 u32, "u32";
        deserialize_u64 visit_u64 u64, "u64";
        deserialize_i8 visit_i8 i8, "i8";
        deserialize_i16 visit_i16 i16, "i16";
        deserialize_i32 visit_i32 i32, "i32";
        deserialize_i64 visit_i64 i64, "i64";
        deserialize_f32 visit_f32 f32, "f32";
        deserialize_f64 visit_f64 f64, "f64";
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParamError> {
        visitor.visit_some(self)
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
        visitor.visit_enum(self.0.into_deserializer())
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(deny_unknown_fields, default)]
    #[derive(Default)]
    struct TestQuery {
        offset: u32,
        depth: Option<u8>,
        share: f64,
        requests: bool,
        order: Option<Order>,
        text: Option<String>,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Order {
        Oldest,
        Newest,
    }

    #[test]
    fn texts_are_parsed_as_their_types() {
        let check = |form: &str, expected: TestQuery| assert_eq!(read_form::<TestQuery>(form.as_bytes()), Ok(expected));

        check("", TestQuery::default());
        check("offset=7&depth=2", TestQuery { offset: 7, depth: Some(2), ..TestQuery::default() });
        check("share=0.5&requests=true", TestQuery { share: 0.5, requests: true, ..TestQuery::default() });
        check("order=newest", TestQuery { order: Some(Order::Newest), ..TestQuery::default() });
        check(
            "order=oldest&text=1+%C3%A9",
            TestQuery { order: Some(Order::Oldest), text: Some("1 é".to_owned()), ..TestQuery::default() },
        );
    }

    #[test]
    fn a_single_value_is_read_from_the_only_pair() {
        assert_eq!(read_form(b"id=7"), Ok(7_u32));
        assert_eq!(read_form(b"name=a%2Fb"), Ok("a/b".to_owned()));
        let error = read_form::<u16>(b"id=x").unwrap_err().to_string();
        assert_eq!(error, "`id`: expected an integer from 0 to 65535, not `x`");
    }

    #[test]
    fn an_error_has_the_name_of_its_parameter() {
        let check = |form: &str, expected: &str| {
            assert_eq!(read_form::<TestQuery>(form.as_bytes()).unwrap_err().to_string(), expected);
        };

        check("offset=-1", "`offset`: expected an integer from 0 to 4294967295, not `-1`");
        check("depth=abc", "`depth`: expected an integer from 0 to 255, not `abc`");
        check("requests=yes", "`requests`: expected true or false, not `yes`");
        check("order=x", "`order`: expected `oldest` or `newest`, not `x`");
        check("offset=1&offset=2", "`offset` is given twice");
        check("f=1", "unknown field `f`; expected one of `offset`, `depth`, `share`, `requests`, `order`, `text`");
    }
}
