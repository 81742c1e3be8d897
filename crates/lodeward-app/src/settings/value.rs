//! The types of settings: how a value is read, printed and measured.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use toml::Value;

use super::{SecretText, units};

/// What the value of a setting is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// `true` or `false`.
    Boolean,
    /// A whole number from 0 to this one.
    Integer(i64),
    /// A number.
    Number,
    /// A time with its unit.
    Duration,
    /// A number of bytes with its unit.
    Size,
    /// A text.
    Text,
    /// A list of texts.
    List,
    /// Lists of texts by name.
    Lists,
    /// One of these names.
    Choice(&'static [NamedValue]),
    /// A text that is not printed, and is read only from the environment: a configuration file is
    /// often committed or copied, and arguments are visible to other users.
    Secret,
}

/// A name that a setting accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedValue {
    /// The name.
    pub name: &'static str,
    /// What it selects.
    pub doc: &'static str,
}

/// A type of settings.
pub(super) trait SettingType: Sized {
    const KIND: SettingKind;
    /// Whether a setting of this type may have no value.
    const IS_OPTIONAL: bool = false;

    /// Reads a value. The error may contain [`units::HINT_SEPARATOR`].
    fn from_value(value: &Value) -> Result<Self, String>;

    /// The value; `None` if there is none.
    fn to_value(&self) -> Option<Value>;

    /// The number that the range of a setting limits.
    #[expect(clippy::cast_precision_loss, reason = "the limits of ranges are small numbers")]
    fn magnitude(&self) -> Option<f64> {
        match self.to_value()? {
            Value::Integer(number) => Some(number as f64),
            Value::Float(number) => Some(number),
            _ => None,
        }
    }
}

/// Reads a value of a type that serde reads.
pub(super) fn read<'de, T: Deserialize<'de>>(value: &Value) -> Result<T, String> {
    T::deserialize(value.clone()).map_err(|error| error.message().to_owned())
}

/// Implements [`SettingType`] for types that serde reads and writes.
macro_rules! serde_types {
    ($($Type:ty = $kind:expr,)+) => {$(
        impl SettingType for $Type {
            const KIND: SettingKind = $kind;

            fn from_value(value: &Value) -> Result<Self, String> {
                read(value)
            }

            fn to_value(&self) -> Option<Value> {
                Value::try_from(self).ok()
            }
        }
    )+};
}

serde_types! {
    bool = SettingKind::Boolean,
    u8 = SettingKind::Integer(u8::MAX as i64),
    u16 = SettingKind::Integer(u16::MAX as i64),
    u32 = SettingKind::Integer(u32::MAX as i64),
    u64 = SettingKind::Integer(i64::MAX),
    usize = SettingKind::Integer(i64::MAX),
    f64 = SettingKind::Number,
    String = SettingKind::Text,
    Vec<String> = SettingKind::List,
    BTreeMap<String, Vec<String>> = SettingKind::Lists,
    SecretText = SettingKind::Secret,
}

impl SettingType for f32 {
    const KIND: SettingKind = SettingKind::Number;

    fn from_value(value: &Value) -> Result<Self, String> {
        read(value)
    }

    /// The shortest decimal number: 0.1, and not the 0.10000000149011612 of a conversion.
    fn to_value(&self) -> Option<Value> {
        self.to_string().parse().ok().map(Value::Float)
    }
}

impl SettingType for Duration {
    const KIND: SettingKind = SettingKind::Duration;

    fn from_value(value: &Value) -> Result<Self, String> {
        units::deserialize_duration(value.clone()).map_err(|error| error.message().to_owned())
    }

    fn to_value(&self) -> Option<Value> {
        Some(units::format_duration(*self).into())
    }

    fn magnitude(&self) -> Option<f64> {
        Some(self.as_secs_f64())
    }
}

/// A size in bytes, written with its unit: `50MB`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub u64);

impl ByteSize {
    /// The size as a length in memory.
    #[must_use]
    pub fn to_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl SettingType for ByteSize {
    const KIND: SettingKind = SettingKind::Size;

    fn from_value(value: &Value) -> Result<Self, String> {
        units::deserialize_size(value.clone()).map(Self).map_err(|error| error.message().to_owned())
    }

    fn to_value(&self) -> Option<Value> {
        Some(units::format_size(self.0).into())
    }

    #[expect(clippy::cast_precision_loss, reason = "the limits of ranges are small numbers")]
    fn magnitude(&self) -> Option<f64> {
        Some(self.0 as f64)
    }
}

impl<T: SettingType> SettingType for Option<T> {
    const KIND: SettingKind = T::KIND;
    const IS_OPTIONAL: bool = true;

    fn from_value(value: &Value) -> Result<Self, String> {
        T::from_value(value).map(Some)
    }

    fn to_value(&self) -> Option<Value> {
        self.as_ref()?.to_value()
    }

    fn magnitude(&self) -> Option<f64> {
        self.as_ref()?.magnitude()
    }
}

/// All texts in a value, also in lists.
pub(super) fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::Table(values) => values.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}
