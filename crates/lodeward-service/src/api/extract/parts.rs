//! The parts of something that was sent, handed to serde one by one, so that what is
//! wrong with one of them is told with its name.

use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer as _, MapAccess, SeqAccess};

use super::wrong::Wrong;

/// Fields, each by its name.
pub(super) struct Fields<I, V> {
    rest: I,
    current: Option<(String, V)>,
}

impl<I, V> Fields<I, V> {
    pub(super) fn of(fields: impl IntoIterator<IntoIter = I>) -> Self {
        Self { rest: fields.into_iter(), current: None }
    }
}

impl<'de, V, I> MapAccess<'de> for Fields<I, V>
where
    V: Deserializer<'de, Error = Wrong>,
    I: Iterator<Item = (String, V)>,
{
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Wrong> {
        self.current = self.rest.next();
        let Some((name, _)) = &self.current else { return Ok(None) };
        seed.deserialize(name.clone().into_deserializer()).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Wrong> {
        let (name, value) = self.current.take().expect("a value comes after its name");
        seed.deserialize(value).map_err(|wrong| wrong.within(name))
    }
}

/// Items, each by its number, from 0.
pub(super) struct Items<I> {
    rest: std::iter::Enumerate<I>,
}

impl<I: Iterator> Items<I> {
    pub(super) fn of(items: impl IntoIterator<IntoIter = I>) -> Self {
        Self { rest: items.into_iter().enumerate() }
    }
}

impl<'de, V, I> SeqAccess<'de> for Items<I>
where
    V: Deserializer<'de, Error = Wrong>,
    I: Iterator<Item = V>,
{
    type Error = Wrong;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Wrong> {
        let Some((number, value)) = self.rest.next() else { return Ok(None) };
        seed.deserialize(value).map(Some).map_err(|wrong| wrong.within(number.to_string()))
    }
}
