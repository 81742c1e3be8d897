//! Packages, as catalogues write them down.
//!
//! The fields are those that everybody has; but what is in them is up to plugins
//! and to whoever filled in a form. So a field of another kind than expected is
//! as good as absent, numbers are texts, texts may be in several languages, and
//! nothing but broken JSON is an error. What is not asked for is not held.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Items of a list that are held.
const ITEMS_MAX: usize = 10_000;
/// Languages of a text that are held.
const LANGUAGES_MAX: usize = 64;

/// Takes texts, numbers and the like for nothing.
macro_rules! scalars_are_nothing {
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

pub(super) use scalars_are_nothing;

/// What CKAN calls a package, and DCAT a data set.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Package {
    pub(super) id: Text,
    pub(super) name: Text,
    pub(super) state: Text,
    pub(super) title: Text,
    pub(super) title_translated: Text,
    pub(super) notes: Text,
    pub(super) notes_translated: Text,
    pub(super) url: Text,
    pub(super) version: Text,
    pub(super) license_url: Text,
    pub(super) license_title: Text,
    pub(super) metadata_created: Text,
    pub(super) metadata_modified: Text,
    /// What ckanext-dcat and others add: the name that its publisher gave it.
    pub(super) uri: Text,
    pub(super) identifier: Text,
    pub(super) organization: Lenient<Group>,
    pub(super) groups: Items<Group>,
    pub(super) tags: Items<Tag>,
    pub(super) extras: Items<Extra>,
    pub(super) resources: Items<Resource>,
}

/// What CKAN calls a resource, and DCAT a distribution.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Resource {
    pub(super) id: Text,
    pub(super) name: Text,
    pub(super) description: Text,
    pub(super) format: Text,
    pub(super) mimetype: Text,
    pub(super) url: Text,
    pub(super) url_type: Text,
    pub(super) size: Text,
    pub(super) created: Text,
    pub(super) last_modified: Text,
}

/// An organization, or a group.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Group {
    pub(super) name: Text,
    pub(super) title: Text,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tag {
    pub(super) name: Text,
    pub(super) display_name: Text,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Extra {
    pub(super) key: Text,
    pub(super) value: Text,
}

impl Package {
    /// The value of an extra field.
    pub(super) fn extra(&self, key: &str) -> Option<&str> {
        self.extras.0.iter().find(|extra| extra.key.plain() == Some(key))?.value.plain()
    }
}

/// A text, perhaps in several languages. The empty one is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text(pub(super) Vec<(Option<String>, String)>);

impl Text {
    fn of(text: &str) -> Self {
        let text = text.trim();
        if text.is_empty() { Self::default() } else { Self(vec![(None, text.to_owned())]) }
    }

    /// The text without a language, or else the first one.
    pub(super) fn plain(&self) -> Option<&str> {
        let plain = self.0.iter().find(|(language, _)| language.is_none());
        plain.or(self.0.first()).map(|(_, text)| text.as_str())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text::of(text))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Text, E> {
        Ok(Text::of(if value { "true" } else { "false" }))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Text, E> {
        Ok(Text::of(&number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Text, E> {
        Ok(Text::of(&number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Text, E> {
        Ok(Text::of(&number.to_string()))
    }

    fn visit_unit<E>(self) -> Result<Text, E> {
        Ok(Text::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Text, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
        let mut texts = Vec::new();
        while let Some(language) = map.next_key::<String>()? {
            let text = map.next_value::<Text>()?.0.into_iter().next();
            if let Some((None, text)) = text.filter(|_| texts.len() < LANGUAGES_MAX) {
                texts.push((Some(language), text));
            }
        }
        Ok(Text(texts))
    }
}

/// An object; anything else is an empty one.
#[derive(Debug, Default)]
pub(super) struct Lenient<T>(pub(super) T);

impl<'de, T: DeserializeOwned + Default> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Whatever(PhantomData))
    }
}

/// A list of objects; anything else is an empty one.
#[derive(Debug)]
pub(super) struct Items<T>(pub(super) Vec<T>);

impl<T> Default for Items<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: DeserializeOwned + Default> Deserialize<'de> for Items<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Whatever(PhantomData))
    }
}

/// Takes any value for one of this sort.
struct Whatever<V>(PhantomData<V>);

/// What is made of lists and objects.
trait Made: Default {
    fn of_map<'de, A: MapAccess<'de>>(map: A) -> Result<Self, A::Error>;
    fn of_seq<'de, A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error>;
}

impl<T: DeserializeOwned + Default> Made for Lenient<T> {
    fn of_map<'de, A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Self)
    }

    fn of_seq<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

impl<T: DeserializeOwned + Default> Made for Items<T> {
    fn of_map<'de, A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }

    fn of_seq<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut items = Vec::new();
        while items.len() < ITEMS_MAX {
            let Some(Lenient(item)) = list.next_element::<Lenient<T>>()? else { return Ok(Self(items)) };
            items.push(item);
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self(items))
    }
}

impl<'de, V: Made> Visitor<'de> for Whatever<V> {
    type Value = V;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V, A::Error> {
        V::of_map(map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V, A::Error> {
        V::of_seq(list)
    }

    scalars_are_nothing!(V);
}
