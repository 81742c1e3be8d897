//! Names with texts: the query of an address, a form, the variable parts of a path.

use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer as _, Visitor};
use serde::forward_to_deserialize_any;

use super::parts::Fields;
use super::wrong::Wrong;
use crate::problem::cut;

/// What is said by a query or a form.
pub(crate) fn read_form<T: DeserializeOwned>(form: &[u8]) -> Result<T, Wrong> {
    read(url::form_urlencoded::parse(form).map(|(name, value)| (name.into_owned(), value.into_owned())))
}

/// What is said by names with texts.
pub(super) fn read<T: DeserializeOwned>(pairs: impl Iterator<Item = (String, String)>) -> Result<T, Wrong> {
    T::deserialize(Pairs(pairs))
}

struct Pairs<I>(I);

/// Reads what is one value, and no struct, from the first pair: a path often has only
/// one part that varies.
macro_rules! of_first {
    ($($method:ident)+) => {
        $(fn $method<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Wrong> {
            let (name, text) = self.0.next().ok_or_else(|| Wrong::custom("there is nothing"))?;
            Text(text).$method(visitor).map_err(|wrong| wrong.within(name))
        })+
    };
}

impl<'de, I: Iterator<Item = (String, String)>> Deserializer<'de> for Pairs<I> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_map(Fields::of(self.0.map(|(name, text)| (name, Text(text)))))
    }

    of_first! { deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_str deserialize_string }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u128 f32 f64 char bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// A text that may mean something else.
struct Text(String);

/// Reads a text as what it is to be.
macro_rules! parsed {
    ($($method:ident $visit:ident $Type:ty, $expected:literal;)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
            match self.0.parse::<$Type>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(Wrong::unlike($expected, &format!("`{}`", cut(&self.0)))),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for Text {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
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

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_some(self)
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
    struct Wanted {
        offset: u32,
        depth: Option<u8>,
        share: f64,
        visits: bool,
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
    fn texts_become_what_they_mean() {
        let check = |form: &str, expected: Wanted| assert_eq!(read_form::<Wanted>(form.as_bytes()), Ok(expected));

        check("", Wanted::default());
        check("offset=7&depth=2", Wanted { offset: 7, depth: Some(2), ..Wanted::default() });
        check("share=0.5&visits=true", Wanted { share: 0.5, visits: true, ..Wanted::default() });
        check("order=newest", Wanted { order: Some(Order::Newest), ..Wanted::default() });
        check(
            "order=oldest&text=1+%C3%A9",
            Wanted { order: Some(Order::Oldest), text: Some("1 é".to_owned()), ..Wanted::default() },
        );
    }

    #[test]
    fn a_single_value_is_that_of_the_only_pair() {
        assert_eq!(read_form(b"id=7"), Ok(7_u32));
        assert_eq!(read_form(b"name=a%2Fb"), Ok("a/b".to_owned()));
        let wrong = read_form::<u16>(b"id=x").unwrap_err().to_string();
        assert_eq!(wrong, "`id`: expected a whole number from 0 to 65535, not `x`");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_name() {
        let check = |form: &str, expected: &str| {
            assert_eq!(read_form::<Wanted>(form.as_bytes()).unwrap_err().to_string(), expected);
        };

        check("offset=-1", "`offset`: expected a whole number from 0 to 4294967295, not `-1`");
        check("depth=abc", "`depth`: expected a whole number from 0 to 255, not `abc`");
        check("visits=yes", "`visits`: expected true or false, not `yes`");
        check("order=x", "`order`: expected `oldest` or `newest`, not `x`");
        check("offset=1&offset=2", "`offset` is said twice");
        check("f=1", "`f` is not known here; there are `offset`, `depth`, `share`, `visits`, `order` and `text`");
    }
}
