//! Passes fields and items to serde one by one, so that an error names its field.

use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer as _, MapAccess, SeqAccess};

use super::param_error::ParamError;

/// Passes the fields of a struct to serde. Errors in a value contain the name of its field.
pub(super) struct Fields<I, V> {
    rest: I,
    current: Option<(String, V)>,
}

impl<I, V> Fields<I, V> {
    pub(super) fn new(fields: impl IntoIterator<IntoIter = I>) -> Self {
        Self { rest: fields.into_iter(), current: None }
    }
}

impl<'de, V, I> MapAccess<'de> for Fields<I, V>
where
    V: Deserializer<'de, Error = ParamError>,
    I: Iterator<Item = (String, V)>,
{
    type Error = ParamError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ParamError> {
        self.current = self.rest.next();
        let Some((name, _)) = &self.current else { return Ok(None) };
        seed.deserialize(name.clone().into_deserializer()).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ParamError> {
        let (name, value) = self.current.take().expect("serde reads a value after its key");
        seed.deserialize(value).map_err(|error| error.in_field(name))
    }
}

/// Passes the items of a list to serde. Errors in an item contain its index, from 0.
pub(super) struct Items<I> {
    rest: std::iter::Enumerate<I>,
}

impl<I: Iterator> Items<I> {
    pub(super) fn new(items: impl IntoIterator<IntoIter = I>) -> Self {
        Self { rest: items.into_iter().enumerate() }
    }
}

impl<'de, V, I> SeqAccess<'de> for Items<I>
where
    V: Deserializer<'de, Error = ParamError>,
    I: Iterator<Item = V>,
{
    type Error = ParamError;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, ParamError> {
        let Some((number, value)) = self.rest.next() else { return Ok(None) };
        seed.deserialize(value).map(Some).map_err(|error| error.in_field(number.to_string()))
    }
}
