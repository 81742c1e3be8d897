//! Deserialises packages leniently.
//!
//! The fields are those of all catalogues, but their content depends on plugins and on form input. So a field of an
//! unexpected type is treated as missing, numbers are read as texts, texts may be in several languages, and only broken
//! JSON is an error. Other fields are not held in memory.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Maximum number of items read from a list.
const MAX_ITEMS: usize = 10_000;
/// Maximum number of languages read from a text.
const MAX_LANGUAGES: usize = 64;

/// Visitor methods that ignore scalar values.
macro_rules! ignore_scalars {
    ($value:ty) => {
        fn visit_str<E>(self, _: &str) -> Result<$value, E> {
            Ok(Default::default())
        }

        fn visit_bool<E>(self, _: bool) -> Result<$value, E> {
            Ok(Default::default())
        }

        fn visit_i64<E>(self, _: i64) -> Result<$value, E> {
            Ok(Default::default())
        }

        fn visit_u64<E>(self, _: u64) -> Result<$value, E> {
            Ok(Default::default())
        }

        fn visit_f64<E>(self, _: f64) -> Result<$value, E> {
            Ok(Default::default())
        }

        fn visit_unit<E>(self) -> Result<$value, E> {
            Ok(Default::default())
        }
    };
}

pub(super) use ignore_scalars;

/// A package in CKAN, a data set in DCAT.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CkanPackage {
    pub(super) id: CkanText,
    pub(super) name: CkanText,
    pub(super) state: CkanText,
    pub(super) title: CkanText,
    pub(super) title_translated: CkanText,
    pub(super) notes: CkanText,
    pub(super) notes_translated: CkanText,
    pub(super) url: CkanText,
    pub(super) version: CkanText,
    pub(super) license_url: CkanText,
    pub(super) license_title: CkanText,
    pub(super) metadata_created: CkanText,
    pub(super) metadata_modified: CkanText,
    /// The URI assigned by the publisher, added by ckanext-dcat and others.
    pub(super) uri: CkanText,
    pub(super) identifier: CkanText,
    pub(super) organization: LenientObject<CkanGroup>,
    pub(super) groups: LenientList<CkanGroup>,
    pub(super) tags: LenientList<CkanTag>,
    pub(super) extras: LenientList<CkanExtra>,
    pub(super) resources: LenientList<CkanResource>,
}

/// A resource in CKAN, a distribution in DCAT.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CkanResource {
    pub(super) id: CkanText,
    pub(super) name: CkanText,
    pub(super) description: CkanText,
    pub(super) format: CkanText,
    pub(super) mimetype: CkanText,
    pub(super) url: CkanText,
    pub(super) url_type: CkanText,
    pub(super) size: CkanText,
    pub(super) created: CkanText,
    pub(super) last_modified: CkanText,
}

/// An organization, or a group.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CkanGroup {
    pub(super) name: CkanText,
    pub(super) title: CkanText,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CkanTag {
    pub(super) name: CkanText,
    pub(super) display_name: CkanText,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CkanExtra {
    pub(super) key: CkanText,
    pub(super) value: CkanText,
}

impl CkanPackage {
    /// The value of an extra field.
    pub(super) fn extra(&self, key: &str) -> Option<&str> {
        self.extras.0.iter().find(|extra| extra.key.plain() == Some(key))?.value.plain()
    }
}

/// A text, possibly in several languages. An empty text is treated as missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CkanText(pub(super) Vec<(Option<String>, String)>);

impl CkanText {
    fn new(text: &str) -> Self {
        let text = text.trim();
        if text.is_empty() { Self::default() } else { Self(vec![(None, text.to_owned())]) }
    }

    /// The text without a language, or the first one.
    pub(super) fn plain(&self) -> Option<&str> {
        let plain = self.0.iter().find(|(language, _)| language.is_none());
        plain.or(self.0.first()).map(|(_, text)| text.as_str())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de> Deserialize<'de> for CkanText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = CkanText;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<CkanText, E> {
        Ok(CkanText::new(text))
    }

    fn visit_bool<E>(self, value: bool) -> Result<CkanText, E> {
        Ok(CkanText::new(if value { "true" } else { "false" }))
    }

    fn visit_i64<E>(self, number: i64) -> Result<CkanText, E> {
        Ok(CkanText::new(&number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<CkanText, E> {
        Ok(CkanText::new(&number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<CkanText, E> {
        Ok(CkanText::new(&number.to_string()))
    }

    fn visit_unit<E>(self) -> Result<CkanText, E> {
        Ok(CkanText::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<CkanText, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(CkanText::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<CkanText, A::Error> {
        let mut texts = Vec::new();
        while let Some(language) = map.next_key::<String>()? {
            let text = map.next_value::<CkanText>()?.0.into_iter().next();
            if let Some((None, text)) = text.filter(|_| texts.len() < MAX_LANGUAGES) {
                texts.push((Some(language), text));
            }
        }
        Ok(CkanText(texts))
    }
}

/// An object; any other value is treated as an empty object.
#[derive(Debug, Default)]
pub(super) struct LenientObject<T>(pub(super) T);

impl<'de, T: DeserializeOwned + Default> Deserialize<'de> for LenientObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LenientVisitor(PhantomData))
    }
}

/// A list of objects; any other value is treated as an empty list.
#[derive(Debug)]
pub(super) struct LenientList<T>(pub(super) Vec<T>);

impl<T> Default for LenientList<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: DeserializeOwned + Default> Deserialize<'de> for LenientList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LenientVisitor(PhantomData))
    }
}

/// A visitor that accepts any JSON value.
struct LenientVisitor<V>(PhantomData<V>);

/// A type that can be read from a JSON list or object.
trait LenientValue: Default {
    fn from_map<'de, A: MapAccess<'de>>(map: A) -> Result<Self, A::Error>;
    fn from_seq<'de, A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error>;
}

impl<T: DeserializeOwned + Default> LenientValue for LenientObject<T> {
    fn from_map<'de, A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Self)
    }

    fn from_seq<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

impl<T: DeserializeOwned + Default> LenientValue for LenientList<T> {
    fn from_map<'de, A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }

    fn from_seq<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut items = Vec::new();
        while items.len() < MAX_ITEMS {
            let Some(LenientObject(item)) = list.next_element::<LenientObject<T>>()? else { return Ok(Self(items)) };
            items.push(item);
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self(items))
    }
}

impl<'de, V: LenientValue> Visitor<'de> for LenientVisitor<V> {
    type Value = V;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V, A::Error> {
        V::from_map(map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V, A::Error> {
        V::from_seq(list)
    }

    ignore_scalars!(V);
}
